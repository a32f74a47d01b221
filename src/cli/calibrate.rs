//! `bench-bot calibrate`: base against base. How often does identical code look changed on this machine?

use crate::actions::Runner;
use crate::cli::args::{CalibrateArgs, CommitArgs};
use crate::cli::stage::{self, Settings};
use crate::cli::{actions, flags, local, output};
use crate::gate::Inputs;
use crate::measure::process::HostExec;
use crate::render;
use crate::report::{Report, Row, Verdict};
use crate::stats::proportion::wilson_at;
use anyhow::{Context, Result, ensure};

/// Two builds of one commit under the plan of a run, as often as asked.
///
/// # Errors
/// As `bench-bot run`.
pub(crate) fn run(args: &CalibrateArgs) -> Result<u8> {
    let inputs = flags::inputs(&args.plan, &args.output.fail_on)?;
    repeat(args, &inputs, |_| Ok(()))
}

/// The same as a mode of the action: the commit that is checked out, on the runner itself; told in the step summary.
///
/// # Errors
/// In a container or beside a token: the job has neither. Otherwise as [`run`].
pub(crate) fn in_actions(runner: &Runner) -> Result<u8> {
    ensure!(
        runner.input("isolation") == Some("host"),
        "mode `calibrate` measures the runner itself, with its toolchains: use `org/bench-bot/host` (host/action.yml)"
    );
    let tokens = HostExec::hidden_tokens();
    ensure!(
        tokens.is_empty(),
        "bench commands would run beside {}: `calibrate` needs no token, so let the job have none",
        tokens.join(", ")
    );
    let times = runner.input("times").unwrap_or("1");
    let times = times.parse().with_context(|| format!("input `times` is `{times}`; expected a number"))?;
    let commits = CommitArgs { repository: Some(actions::workspace(runner)?), ..CommitArgs::default() };
    let args = CalibrateArgs { commits, times, ..CalibrateArgs::default() };
    repeat(&args, &Inputs::from_runner(runner)?, |told| Ok(runner.add_summary(told).map(|_| ())?))
}

fn repeat(args: &CalibrateArgs, inputs: &Inputs, tell: impl Fn(&str) -> Result<()>) -> Result<u8> {
    ensure!(args.times >= 1, "--times must be at least 1");
    output::probe(args.output.files())?;
    let mut tally = Tally::default();
    for time in 1..=args.times {
        let (request, site) = local::prepare(&args.commits, &args.plan, inputs, true)?;
        let mut progress = stage::progress(args.output.quiet);
        let results = stage::measure_on_host(&request, &site, Settings::default(), &mut *progress)?;
        drop(progress);
        let report = stage::judge(&[results], &stage::asked(&request, Some(&site)), None);
        drop(site);
        tally.add(&report);
        if time == args.times {
            let options = output::comment_options(&request.config.report);
            tell(&format!("**Calibration**, two builds of one commit: {}\n\n", tally.sentence()))?;
            tell(&render::summary(&report, &options)?.body)?;
            output::deliver(&report, &options, &args.output)?;
        }
        crate::cli::say::err!("bench-bot: {time} of {}: {}", args.times, tally.sentence());
        stage::conclude(&report, &request.config)?;
    }
    crate::cli::say::out!("\nCalibration, two builds of one commit: {}", tally.sentence());
    Ok(0)
}

/// What identical code looked like so far.
#[derive(Debug, Default)]
struct Tally {
    reports: u64,
    coloured_reports: u64,
    /// Rows that a test judged: an exact row of identical code cannot be coloured by noise, and would only make the
    /// share look smaller.
    rows: u64,
    coloured_rows: u64,
    /// Exact rows that differed all the same: the two builds were not identical.
    exact_rows: u64,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        let rows = || report.suites.iter().flat_map(|suite| &suite.rows);
        let coloured = |row: &&Row| matches!(row.verdict, Verdict::Regression | Verdict::Improvement);
        let judged = |row: &&Row| coloured(row) || matches!(row.verdict, Verdict::Unchanged | Verdict::Inconclusive(_));
        let (exact, tested): (Vec<&Row>, Vec<&Row>) = rows().filter(judged).partition(|row| row.exact);
        self.reports += 1;
        self.coloured_reports += u64::from(rows().any(|row| coloured(&row)));
        self.rows += tested.len() as u64;
        self.coloured_rows += tested.iter().filter(|row| coloured(row)).count() as u64;
        self.exact_rows += exact.iter().filter(|row| coloured(row)).count() as u64;
    }

    fn sentence(&self) -> String {
        let share = |hits: u64, of: u64| {
            if of == 0 {
                return "0 of 0".to_owned();
            }
            let interval = wilson_at(hits, of, 0.95);
            let percent = |value: f64| format!("{:.1} %", 100.0 * value);
            format!("{hits} of {of} (95 % interval {} to {})", percent(interval.lo), percent(interval.hi))
        };
        let exact = match self.exact_rows {
            0 => String::new(),
            1 => "; 1 exact row differed: the two builds are not identical".to_owned(),
            rows => format!("; {rows} exact rows differed: the two builds are not identical"),
        };
        format!(
            "reports with a red or green row {}, red or green rows {}{exact}",
            share(self.coloured_reports, self.reports),
            share(self.coloured_rows, self.rows)
        )
    }
}
