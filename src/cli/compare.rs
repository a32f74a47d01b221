//! `bench-bot compare`: files that are there already.

use crate::benchstat::MeasuredFile;
use crate::benchstat::cli::{CompareArgs, FileLayout, Others, Streams, run as compare_files};
use crate::cli::failure::Failure;
use crate::cli::{output, stage};
use crate::compare::{self, Context};
use crate::config::{Config, Correction, ReportConfig};
use crate::render;
use crate::report::Report;
use crate::results;
use anyhow::Result;

/// Compares plain files, or makes the report of results that bench-bot measured again from their raw samples.
///
/// # Errors
/// When an argument cannot be, an input cannot be read, or there is nothing to compare.
pub(crate) fn run(args: &CompareArgs) -> Result<u8> {
    let mut streams = Streams {
        stdin: &mut std::io::stdin().lock(),
        out: &mut std::io::stdout().lock(),
        err: &mut std::io::stderr().lock(),
    };
    let others = Others { render: &show, measured: &|files| measured(files, args) };
    match compare_files(args, &mut streams, &others) {
        Ok(code) => Ok(code),
        Err(error) => Err(Failure { code: error.exit_code(), message: error.to_string() }.into()),
    }
}

fn show(report: &Report, layout: FileLayout) -> Result<String, String> {
    let options = output::comment_options(&ReportConfig::default());
    let text = match layout {
        FileLayout::Json => output::json(report),
        FileLayout::Markdown => render::comment(report, &options).map(|rendered| rendered.body).map_err(Into::into),
        _ => Ok(output::text(report)),
    };
    text.map_err(|error| format!("{error:#}"))
}

/// The analysis of the design that was run, by the policy that the flags give.
fn measured(files: &[MeasuredFile], args: &CompareArgs) -> Result<Report, String> {
    let mut all = Vec::new();
    for MeasuredFile { path, bytes } in files {
        all.push(results::read(bytes).map_err(|error| format!("{path}: {error}"))?);
    }
    let mut config = Config::default();
    config.compare.alpha = args.alpha;
    config.compare.threshold = args.threshold;
    config.compare.correction = Correction::from(args.correction);
    let context = Context { tool: stage::TOOL.to_owned(), ..Context::default() };
    Ok(compare::report(&all, &config, &context))
}
