//! `bench-bot run` in a terminal: measure, decide, show.

use crate::actions::Runner;
use crate::cli::args::RunArgs;
use crate::cli::stage::{self, Place, Settings};
use crate::cli::{flags, local, output, say};
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// The whole job without GitHub.
///
/// # Errors
/// When a ref, the configuration or a flag cannot be used, a signal arrives, or nothing could be compared.
pub(crate) fn locally(args: &RunArgs) -> Result<u8> {
    let inputs = flags::inputs(&args.plan, &args.output.fail_on)?;
    output::probe(args.output.files())?;
    let (mut request, site) = local::prepare(&args.commits, &args.plan, &inputs, false)?;
    let top = std::env::current_dir()?;
    let place = Place::decide(&mut request, args.plan.isolation, &Runner::from_env(), false, &top)?;
    let mut progress = stage::progress(args.output.quiet);
    let journal = args.output.results.clone().filter(|path| is_replaceable(path));
    let written = |path: &Option<PathBuf>| path.as_ref().and_then(|path| fs::metadata(path).ok()?.modified().ok());
    let before = written(&journal);
    let settings = Settings { owner: Some(top), journal: journal.clone(), ..Settings::default() };
    let measured = stage::measure(&request, &site, place, settings, &mut *progress);
    drop(progress);
    if let (Err(_), Some(path)) = (&measured, &journal)
        && written(&journal) != before
    {
        say::err!("bench-bot: what was measured until then is in {}", path.display());
    }
    let mut results = measured?;
    let asked = stage::asked(&request, Some(&site));
    drop(site);
    results.asked = Some(Box::new(asked.clone()));
    if let Some(path) = &args.output.results {
        output::write(path, &serde_json::to_vec(&results)?)?;
    }
    let report = stage::judge(&[results], &asked, None);
    output::deliver(&report, &output::comment_options(&request.config.report), &args.output)?;
    stage::conclude(&report, &request.config)
}

/// Whether a file may be written again and again while it measures: no device, pipe or link.
fn is_replaceable(path: &Path) -> bool {
    fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file())
}
