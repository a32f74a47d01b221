//! `bench-bot render`: shows a report in another form, or tries a template.

use crate::cli::args::{LayoutArg, RenderArgs};
use crate::cli::{output, stage};
use crate::config::{Layout, ReportConfig};
use crate::render;
use crate::report::Report;
use crate::results;
use anyhow::{Context as _, Result, ensure};

pub(crate) fn run(args: &RenderArgs) -> Result<u8> {
    let (report, recorded) = read(args)?;
    let layout = match args.layout {
        None => recorded.layout,
        Some(LayoutArg::Default) => Layout::Default,
        Some(LayoutArg::Benchstat) => Layout::Benchstat,
        Some(LayoutArg::BenchstatV1) => Layout::BenchstatV1,
        Some(LayoutArg::Benchcmp) => Layout::Benchcmp,
    };
    let options = output::comment_options(&ReportConfig { layout, ..recorded });
    if let Some(path) = &args.template {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let path = path.display().to_string();
        // A template that fails is an error here; in a comment the default layout steps in.
        let rendered = render::user_template(&text, &path, &report, &options)?;
        crate::cli::say::part!("{}", rendered.body);
        return Ok(0);
    }
    output::show(&report, &options, args.format, args.color)?;
    Ok(0)
}

/// A report, or the report of raw samples by the policy they record; and how its comment looks.
fn read(args: &RenderArgs) -> Result<(Report, ReportConfig)> {
    let mut all = Vec::new();
    for path in &args.files {
        let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        let value: serde_json::Value =
            serde_json::from_slice(&bytes).with_context(|| format!("{} is no JSON", path.display()))?;
        if value.get("config_hash").is_some() {
            all.push(results::read(&bytes).with_context(|| path.display().to_string())?);
            continue;
        }
        ensure!(args.files.len() == 1, "{} is no results.json; reports are rendered one at a time", path.display());
        let schema = value.get("schema").and_then(serde_json::Value::as_u64);
        let ours = u64::from(crate::report::SCHEMA);
        ensure!(value.get("verdict").is_some(), "{} is neither a report.json nor a results.json", path.display());
        ensure!(schema == Some(ours), "{} was written by another version of bench-bot", path.display());
        let report = serde_json::from_value(value).with_context(|| format!("{} is damaged", path.display()))?;
        return Ok((report, ReportConfig::default()));
    }
    Ok(stage::judge_again(&all, |_| ()))
}
