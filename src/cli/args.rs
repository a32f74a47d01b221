//! What can be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Tells maintainers what a pull request does to performance.
#[derive(Debug, Parser)]
#[command(name = "bench-bot", version, about, max_term_width = 110, propagate_version = true)]
pub struct Cli {
    /// What to do. Inside GitHub Actions the input `mode` says it.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Say more of what happens, on standard error (twice: every git and GitHub call).
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure base and head, decide, report: everything in one process.
    Run(Box<RunArgs>),
    /// Compare result files that are there already (an unconfirmed comparison, or benchstat's tables).
    Compare(Box<crate::benchstat::cli::CompareArgs>),
    /// Stage 1: decide from a GitHub event whether and what to measure; writes `request.json`.
    Gate(GateArgs),
    /// Stage 2: carry out a request; writes `results.json`. Needs no token and takes none.
    Measure(MeasureArgs),
    /// Stage 3: recompute everything from results, render, publish.
    Report(ReportArgs),
    /// Show a `report.json`, or raw samples in `results.json`, in another form.
    Render(RenderArgs),
    /// Measure base against base under the plan of a run: how often does identical code look changed here?
    Calibrate(Box<CalibrateArgs>),
    /// Check the statistics and the schedule where the truth is known: simulated, and with a synthetic benchmark.
    Selftest(SelftestArgs),
    /// Show, set or restore settings of this machine.
    Host(HostArgs),
    /// Check a configuration and show what would run.
    CheckConfig(CheckConfigArgs),
    /// Write a configuration and workflows that fit this repository.
    Init(InitArgs),
    /// Show the whole pipeline on a throw-away repository against a stand-in of GitHub.
    Demo(DemoArgs),
}

/// Which commits.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What to compare")]
pub struct CommitArgs {
    /// Compare with this very commit. Default: the merge base of head and the remote's default branch.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The commit to measure; `.` is the working tree with its uncommitted changes.
    #[arg(long, value_name = "REF")]
    pub head: Option<String>,
    /// Compare with the merge base of head and `--base` (or the default branch), not with its tip.
    #[arg(long)]
    pub merge_base: bool,
    /// The repository; default is the one around the current folder.
    #[arg(long, value_name = "DIR")]
    pub repository: Option<PathBuf>,
}

/// How much is measured.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What to measure")]
pub struct PlanArgs {
    /// Configuration file. Default: `.github/bench-bot.yml`, or detection.
    #[arg(long, value_name = "FILE")]
    pub config: Option<String>,
    /// Only this suite (may be repeated).
    #[arg(long, value_name = "NAME")]
    pub suite: Vec<String>,
    /// Only benchmarks whose name this regular expression finds.
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<String>,
    /// Rounds a side: a number for one stage (`8`), or two numbers for screen and confirm (`8+16`).
    #[arg(long, value_name = "N[+M]")]
    pub rounds: Option<String>,
    /// Time for all rounds of all suites, such as `10m`.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Limit of the whole run, such as `1h`; rounds get no more than that.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<String>,
    /// Smallest change that counts, such as `2%`.
    #[arg(long, value_name = "PERCENT")]
    pub threshold: Option<String>,
    /// Repeat the schedule of an earlier run: 32 hexadecimal digits.
    #[arg(long, value_name = "HEX")]
    pub seed: Option<String>,
    /// Measure only part K of N, such as `2/4`.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// Where commands run.
    #[arg(long, value_name = "WHERE")]
    pub isolation: Option<IsolationArg>,
    /// What to do with settings of the host.
    #[arg(long, value_name = "HOW")]
    pub tuning: Option<TuningArg>,
}

/// Where the report goes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the report as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the comment.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the HTML report, one self-contained file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the raw samples, which `compare` and `render` read.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Form of the report on standard output.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: Form,
    /// Colour on standard output.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// No progress on standard error.
    #[arg(long, short)]
    pub quiet: bool,
    /// What makes the exit code 1 (may be repeated).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOnArg>,
    /// Only files, nothing on standard output.
    #[arg(skip)]
    pub files_only: bool,
}

/// Options of `run`.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub commits: CommitArgs,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `gate`.
#[derive(Debug, Clone, Default, Args)]
pub struct GateArgs {
    /// Where the request is written.
    #[arg(long, value_name = "FILE", default_value = "bench-bot-out/request.json")]
    pub output: PathBuf,
}

/// Options of `measure`.
#[derive(Debug, Clone, Default, Args)]
pub struct MeasureArgs {
    /// The request: a file, or the JSON itself.
    #[arg(long, value_name = "FILE|JSON")]
    pub request: Option<String>,
    /// Where the results are written.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The repository; default is the one around the current folder.
    #[arg(long, value_name = "DIR")]
    pub repository: Option<PathBuf>,
    /// Measure only part K of N, such as `2/4`.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// Where commands run.
    #[arg(long, value_name = "WHERE")]
    pub isolation: Option<IsolationArg>,
    /// No progress on standard error.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `report`.
#[derive(Debug, Clone, Default, Args)]
pub struct ReportArgs {
    /// The request: a file, or the JSON itself.
    #[arg(long, value_name = "FILE|JSON")]
    pub request: Option<String>,
    /// Results: files, or folders of them.
    #[arg(value_name = "RESULTS")]
    pub results: Vec<PathBuf>,
    /// Name (or pattern with `*`) of the artifact that holds the results.
    #[arg(long, value_name = "NAME")]
    pub artifact: Option<String>,
    /// How the measuring job ended: `success`, `failure`, `cancelled`, `skipped`.
    #[arg(long, value_name = "RESULT")]
    pub measure_result: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of `render`.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// A `report.json`, or one or more `results.json` of one run.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Form of the report.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: Form,
    /// Layout of the Markdown form.
    #[arg(long, value_name = "LAYOUT")]
    pub layout: Option<LayoutArg>,
    /// Try a template of your own.
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Colour on standard output.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
}

/// Options of `calibrate`.
#[derive(Debug, Clone, Default, Args)]
pub struct CalibrateArgs {
    #[command(flatten)]
    pub commits: CommitArgs,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// How many times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub times: u32,
}

/// Options of `selftest`.
#[derive(Debug, Clone, Default, Args)]
pub struct SelftestArgs {
    /// What to test (default: `simulated` and `real`).
    #[arg(value_name = "PART")]
    pub parts: Vec<SelftestPart>,
    /// `simulated`: reports for each noise model.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub reports: u32,
    /// `simulated`: seed of the noise.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// `real`: suites of each kind (unchanged, changed, changed by the printed smallest effect) in each regime.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub suites: u32,
    /// `real`: only this regime (may be repeated).
    #[arg(long, value_name = "NAME")]
    pub regime: Vec<crate::selftest::regime::Regime>,
    /// `schedules`: experiments.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub experiments: u32,
    /// `overhead`: rounds a side.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub rounds: u32,
    /// `real` and `schedules`: units of work of a row, where the processes should be shorter or longer.
    #[arg(long, value_name = "N", hide = true)]
    pub units: Option<u64>,
    /// Write the tables to this file too.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
}

/// What `selftest` tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SelftestPart {
    /// The decisions, on noise that is drawn from a seed.
    Simulated,
    /// Everything, with a synthetic benchmark in real processes, undisturbed and disturbed.
    Real,
    /// Identical binaries under three schedules: what is called different?
    Schedules,
    /// This program's own time between commands and while one runs.
    Overhead,
}

/// Options of `host`.
#[derive(Debug, Clone, Args)]
pub struct HostArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: HostAction,
}

/// What to do with the host.
#[derive(Debug, Clone, Subcommand)]
pub enum HostAction {
    /// Show the machine and what each setting is.
    Show,
    /// Set what the configuration asks for; it stays until `restore`.
    Tune {
        /// Configuration file; default settings without it.
        #[arg(long, value_name = "FILE")]
        config: Option<String>,
    },
    /// Put back what `tune`, or a run that died, changed.
    Restore,
}

/// Options of `check-config`.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckConfigArgs {
    /// The file. Default: `.github/bench-bot.yml` of the repository around the current folder, or detection.
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// The same.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub config: Option<String>,
    /// The repository; default is the one around the current folder.
    #[arg(long, value_name = "DIR")]
    pub repository: Option<PathBuf>,
}

/// Options of `init`.
#[derive(Debug, Clone, Default, Args)]
pub struct InitArgs {
    /// Forks may start runs by themselves: write the pair of workflows for them.
    #[arg(long)]
    pub forks: bool,
    /// The runner is a machine of your own: write a workflow with full tuning for it.
    #[arg(long)]
    pub self_hosted: bool,
    /// The repository; default is the one around the current folder.
    #[arg(long, value_name = "DIR")]
    pub repository: Option<PathBuf>,
}

/// Options of `demo`.
#[derive(Debug, Clone, Default, Args)]
pub struct DemoArgs {
    /// Where the previews are written; default is a folder in the system's temporary folder.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum Form {
    /// For a terminal.
    #[default]
    Text,
    /// As in the comment.
    Markdown,
    /// As in `report.json`.
    Json,
    /// One self-contained page.
    Html,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// A container inside Actions, the host elsewhere.
    Auto,
    /// A container for each side.
    Container,
    /// Directly.
    Host,
}

/// What to do with settings of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TuningArg {
    /// Set what can be set, report the rest.
    BestEffort,
    /// Refuse to measure if one cannot be set.
    Require,
    /// Set nothing.
    Off,
}

/// What makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOnArg {
    /// Nothing.
    Never,
    /// A failed side or row.
    Failure,
    /// A regression.
    Regression,
    /// A row that could not be decided.
    Inconclusive,
}

/// Layout of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Verdict, changed rows, the rest folded.
    Default,
    /// The text of today's benchstat.
    Benchstat,
    /// The text of the first benchstat.
    BenchstatV1,
    /// The text of benchcmp.
    Benchcmp,
}
