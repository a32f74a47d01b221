//! `bench-bot run` in a terminal: measure, decide, show.

use crate::actions::Runner;
use crate::cli::args::RunArgs;
use crate::cli::stage::{self, Place, Settings};
use crate::cli::{flags, local, output};
use anyhow::Result;

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
    let settings = Settings { owner: Some(top), ..Settings::default() };
    let mut results = stage::measure(&request, &site, place, settings, &mut *progress)?;
    drop(progress);
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
