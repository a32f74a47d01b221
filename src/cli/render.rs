//! `bench-bot render`: shows a report in another form, or tries a template.

use crate::cli::args::{LayoutArg, RenderArgs};
use crate::cli::output;
use crate::config::{Layout, ReportConfig};
use crate::render;
use crate::report::Report;
use anyhow::{Context, Result, ensure};

pub(crate) fn run(args: &RenderArgs) -> Result<u8> {
    let report = read(args)?;
    let layout = match args.layout {
        None | Some(LayoutArg::Default) => Layout::Default,
        Some(LayoutArg::Benchstat) => Layout::Benchstat,
        Some(LayoutArg::BenchstatV1) => Layout::BenchstatV1,
        Some(LayoutArg::Benchcmp) => Layout::Benchcmp,
    };
    let options = output::comment_options(&ReportConfig { layout, ..ReportConfig::default() });
    if let Some(path) = &args.template {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let path = path.display().to_string();
        // A template that fails is an error here; in a comment the default layout steps in.
        let rendered = render::user_template(&text, &path, &report, &options)?;
        print!("{}", rendered.body);
        return Ok(0);
    }
    output::show(&report, &options, args.format, args.color)?;
    Ok(0)
}

fn read(args: &RenderArgs) -> Result<Report> {
    ensure!(args.files.len() == 1, "one `report.json` is rendered at a time; `bench-bot compare` takes several files");
    let path = &args.files[0];
    let text = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let report: Report = serde_json::from_slice(&text)
        .with_context(|| format!("{} is no report.json of this version of bench-bot", path.display()))?;
    ensure!(
        report.schema == crate::report::SCHEMA,
        "{} has schema {}, and this bench-bot reads {}",
        path.display(),
        report.schema,
        crate::report::SCHEMA
    );
    Ok(report)
}
