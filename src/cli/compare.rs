//! `bench-bot compare`: files that are there already.

use crate::benchstat::cli::{CompareArgs, FileLayout, Others, Streams, run as compare_files};
use crate::benchstat::{self, MeasuredFile};
use crate::cli::failure::Failure;
use crate::cli::{memory, output, stage};
use crate::config::ReportConfig;
use crate::render;
use crate::report::Report;
use crate::results;
use anyhow::Result;
use std::cell::RefCell;

/// Compares plain files, or makes the report of results that bench-bot measured again from their raw samples.
///
/// # Errors
/// When an argument cannot be, an input cannot be read, or there is nothing to compare.
pub(crate) fn run(args: &CompareArgs) -> Result<u8> {
    let paths = [args.files.as_slice(), &args.base, &args.head].concat();
    memory::prepare(&benchstat::inputs(&paths));
    let mut streams = Streams {
        stdin: &mut std::io::stdin().lock(),
        out: &mut std::io::stdout().lock(),
        err: &mut std::io::stderr().lock(),
    };
    // Results that were measured say how their comments look.
    let look = RefCell::new(ReportConfig::default());
    let others = Others {
        render: &|report, layout| show(report, layout, &look.borrow()),
        measured: &|files| {
            let (report, recorded) = measured(files, args)?;
            look.replace(recorded);
            Ok(report)
        },
    };
    match compare_files(args, &mut streams, &others) {
        Ok(code) => Ok(code),
        Err(error) => Err(Failure { code: error.exit_code(), message: error.to_string() }.into()),
    }
}

fn show(report: &Report, layout: FileLayout, look: &ReportConfig) -> Result<String, String> {
    let options = output::comment_options(look);
    let text = match layout {
        FileLayout::Json => output::json(report),
        FileLayout::Markdown => render::comment(report, &options).map(|rendered| rendered.body).map_err(Into::into),
        _ => Ok(output::text(report)),
    };
    text.map_err(|error| format!("{error:#}"))
}

/// The analysis that was planned, by the recorded policy and what the flags say instead.
fn measured(files: &[MeasuredFile], args: &CompareArgs) -> Result<(Report, ReportConfig), String> {
    let mut all = Vec::new();
    for MeasuredFile { path, bytes } in files {
        all.push(results::read(bytes).map_err(|error| format!("{path}: {error}"))?);
    }
    Ok(stage::judge_again(&all, |policy| args.apply(policy)))
}
