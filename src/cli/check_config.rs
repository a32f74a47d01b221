//! `bench-bot check-config`: validates without running and shows what would run.

use crate::cli::args::CheckConfigArgs;
use crate::config;
use crate::detect;
use crate::side::PerSide;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CheckConfigArgs) -> Result<u8> {
    let root = root(args.repository.as_deref())?;
    let (mut config, mut source) =
        config::load_tree(&root, args.file.as_deref().or(args.config.as_deref()))?.unwrap_or_default();
    detect::complete(&mut config, &mut source, PerSide { base: &root, head: &root })?;
    crate::cli::say::part!("{}", config::describe(&config, &source));
    Ok(0)
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
