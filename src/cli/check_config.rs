//! `bench-bot check-config`: validates without running and shows what would run.

use crate::cli::args::CheckConfigArgs;
use crate::cli::local::in_file;
use crate::config::{self, Config};
use crate::detect;
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CheckConfigArgs) -> Result<u8> {
    let root = root(args.repository.as_deref())?;
    let (mut config, mut source) =
        config::load_tree(&root, args.file.as_deref().or(args.config.as_deref()))?.unwrap_or_default();
    let file = source.file.clone();
    folders(&root, file.as_deref(), &config)?;
    detect::complete(&mut config, &mut source, PerSide { base: &root, head: &root })
        .map_err(|error| in_file(error.into(), &root, file.as_deref(), &config))?;
    crate::cli::say::part!("{}", config::describe(&config, &source));
    Ok(0)
}

/// Makes sure that the suites' folders are there.
fn folders(root: &Path, file: Option<&str>, config: &Config) -> Result<()> {
    for (index, suite) in config.suites.iter().enumerate() {
        for side in Side::BOTH {
            let directory = &suite.sides.get(side).directory;
            if root.join(directory).is_dir() {
                continue;
            }
            let key = if suite.sides.base.directory == suite.sides.head.directory { "" } else { side.name() };
            let key = if key.is_empty() { "directory".to_owned() } else { key.to_owned() };
            let message = format!("there is no folder `{directory}` in this tree");
            let file = file.unwrap_or(config::PATH);
            let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            return Err(config::suite_error(file, &text, index, &key, message).into());
        }
    }
    Ok(())
}

/// The folder whose configuration is meant: the given one, or the root of the repository around the current folder,
/// or the current folder.
pub(crate) fn root(given: Option<&Path>) -> Result<PathBuf> {
    let start = match given {
        Some(path) => path.canonicalize().with_context(|| format!("folder {}", path.display()))?,
        None => std::env::current_dir().context("the current folder")?,
    };
    let found = start.ancestors().find(|folder| folder.join(".git").exists());
    Ok(found.unwrap_or(&start).to_owned())
}
