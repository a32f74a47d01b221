//! The command line of `bench-bot compare`.

use crate::config::{Compare, Correction, FailOn};
use clap::{Args, ValueEnum};

pub use super::show::{Others, Streams, run};

/// What `compare` is told.
#[derive(Debug, Clone, Args)]
// Given twice, the last one holds, as with benchstat.
#[command(args_override_self = true)]
pub struct CompareArgs {
    /// Files to compare, the first is the baseline: a path, label=path, or - for standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["base", "head"])]
    pub files: Vec<String>,
    /// Files of the base side, each of them one round
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "head")]
    pub base: Vec<String>,
    /// Files of the head side, each of them one round
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "base")]
    pub head: Vec<String>,
    /// Format of all files
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// Error rate: a change is significant if p is at most this [default: 0.05]
    #[arg(long, value_name = "P", value_parser = share)]
    pub alpha: Option<f64>,
    /// Level of the intervals
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = share)]
    pub confidence: f64,
    /// Use only results that match, such as '.name:/Marshal/ -.unit:B/op'
    #[arg(long, value_name = "FILTER", default_value = "*", allow_hyphen_values = true)]
    pub filter: String,
    /// Split results into tables by these keys
    #[arg(long, value_name = "KEYS", default_value = ".config")]
    pub table: String,
    /// Split results into rows by these keys
    #[arg(long, value_name = "KEYS", default_value = ".fullname")]
    pub row: String,
    /// Split results into columns by these keys
    #[arg(long, value_name = "KEYS", default_value = ".file")]
    pub col: String,
    /// Ignore differences in these keys
    #[arg(long, value_name = "KEYS", default_value = "")]
    pub ignore: String,
    /// How the result is shown
    #[arg(long, value_name = "LAYOUT", default_value = "default")]
    pub layout: FileLayout,
    /// Smallest change that counts, such as 2% [default: 2%]
    #[arg(long, value_name = "CHANGE", value_parser = change)]
    pub threshold: Option<f64>,
    /// Correction of p for many rows [default: holm]
    #[arg(long, value_name = "METHOD")]
    pub correction: Option<CorrectionArg>,
    /// What makes the exit code 1
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "never")]
    pub fail_on: Vec<FailOnArg>,
    /// Add the geometric mean of each column (layout benchstat-v1)
    #[arg(long)]
    pub geomean: bool,
    /// Compare the fastest line of each benchmark only (layout benchcmp)
    #[arg(long)]
    pub best: bool,
}

impl CompareArgs {
    /// The error rate of a comparison of plain files, which bring no policy.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        self.alpha.unwrap_or(Compare::default().alpha)
    }

    /// Puts what the command line gives in the place of what `policy` says.
    pub fn apply(&self, policy: &mut Compare) {
        policy.alpha = self.alpha.unwrap_or(policy.alpha);
        policy.threshold = self.threshold.unwrap_or(policy.threshold);
        policy.correction = self.correction.map_or(policy.correction, Correction::from);
    }

    /// The first option given that has a meaning for plain files alone.
    pub(super) fn of_plain_files(&self) -> Option<&'static str> {
        let given = [
            (!self.base.is_empty() || !self.head.is_empty(), "--base and --head"),
            (self.format != "auto", "--format"),
            ((self.confidence - 0.95).abs() > f64::EPSILON, "--confidence"),
            (self.filter != "*", "--filter"),
            (self.table != ".config", "--table"),
            (self.row != ".fullname", "--row"),
            (self.col != ".file", "--col"),
            (!self.ignore.is_empty(), "--ignore"),
            (self.geomean, "--geomean"),
            (self.best, "--best"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, name)| *name)
    }
}

/// How a comparison of files is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileLayout {
    /// Verdicts, changed rows first
    Default,
    /// The text of today's benchstat
    Benchstat,
    /// The text of the first benchstat: old time/op, new time/op, delta
    BenchstatV1,
    /// The text of benchcmp
    Benchcmp,
    /// The comma-separated values of today's benchstat
    Csv,
    /// The whole report as JSON
    Json,
    /// The report as Markdown
    Markdown,
}

/// Correction for many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CorrectionArg {
    /// Holm's step-down method
    Holm,
    /// None: every row at alpha
    None,
}

impl From<CorrectionArg> for Correction {
    fn from(argument: CorrectionArg) -> Self {
        match argument {
            CorrectionArg::Holm => Self::Holm,
            CorrectionArg::None => Self::None,
        }
    }
}

/// What makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOnArg {
    /// Nothing
    Never,
    /// A failed benchmark
    Failure,
    /// A change for the worse
    Regression,
    /// A row that could not be decided
    Inconclusive,
}

impl From<FailOnArg> for FailOn {
    fn from(argument: FailOnArg) -> Self {
        match argument {
            FailOnArg::Never => Self::Never,
            FailOnArg::Failure => Self::Failure,
            FailOnArg::Regression => Self::Regression,
            FailOnArg::Inconclusive => Self::Inconclusive,
        }
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "this is no number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("it must be from 0 to 1".to_owned()) }
}

/// A relative change: `2%` or `0.02`.
fn change(text: &str) -> Result<f64, String> {
    let (digits, scale) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 0.01),
        None => (text.trim(), 1.0),
    };
    let value: f64 = digits.parse().map_err(|_| "this is no change such as 2% or 0.02".to_owned())?;
    let value = value * scale;
    if (0.0..1e6).contains(&value) { Ok(value) } else { Err("it must not be negative".to_owned()) }
}
