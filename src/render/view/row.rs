//! One row of a report, formatted.

use super::word;
use crate::format::BenchmarkId;
use crate::render::ink::{Ink, Outside};
use crate::render::number::{self, Figures, NO_BREAK};
use crate::report::{Delta, Note, PKind, RoundsNeeded, Row, Summary, Undecided, Verdict};
use crate::results::StageKind;
use serde::Serialize;

/// A row as templates see it. Absent figures are empty strings.
#[derive(Debug, Clone, Serialize)]
pub struct RowView {
    /// The suite.
    pub suite: Outside,
    /// The package, empty if there is none, without the prefix that all packages of the report share.
    pub package: Option<Outside>,
    /// Where the benchmark is: suite, package, or both with a dot between; for reports with several places.
    pub place: String,
    /// The benchmark, with `-N` where the suite has several processor counts.
    pub name: Outside,
    /// Base's name of it, where that differs.
    pub base_name: Option<Outside>,
    /// The unit.
    pub unit: Outside,
    /// Base's median, with prefix and unit.
    pub base: String,
    /// Half width of the interval of base's median, in percent.
    pub base_spread: String,
    /// Head's median.
    pub head: String,
    /// Half width of the interval of head's median, in percent.
    pub head_spread: String,
    /// Head relative to base, with its sign; absolute where base is zero.
    pub delta: String,
    /// The interval of that.
    pub interval: String,
    /// The level of the interval, such as `95%`.
    pub level: String,
    /// The p-value.
    pub p: String,
    /// `adjusted`, `screen` or `raw`; empty without p.
    pub p_kind: &'static str,
    /// Samples a side: `16`, or `16/15`.
    pub n: String,
    /// `regression`, `improvement`, `unchanged`, `inconclusive`, `slower`, `faster`, `new`, `removed`, `failed`, `flaky`,
    /// `skipped`, `timed-out` or `unjudged`.
    pub verdict: &'static str,
    /// The verdict in words for people, such as `slower` or `not confirmed`.
    pub word: String,
    /// A picture beside the word, or empty.
    pub mark: &'static str,
    /// Why the verdict is what it is, and what would decide it; or empty.
    pub reason: String,
    /// The same in a few words, for tables with many rows.
    pub hint: String,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// head / base − 1, for comparisons in templates; `None` without a ratio.
    pub ratio: Option<f64>,
    /// Whether the row was judged by the exact rule.
    pub exact: bool,
    /// Whether the row repeats another one (B/s beside sec/op).
    pub derived: bool,
    /// The smallest change that would have been found: `3.1%`, or empty.
    pub detectable: String,
    /// Two rounds of the same code differ by this: `0.9%`, or empty.
    pub noise: String,
}

/// What the rows of one suite share.
#[derive(Debug)]
pub struct RowContext<'a> {
    /// Makes outside text.
    pub ink: &'a Ink,
    /// The suite's name.
    pub suite: &'a str,
    /// The prefix that the packages of the report share.
    pub package_prefix: &'a str,
    /// Whether names need their `-N`.
    pub with_procs: bool,
    /// Whether the suite has one package, so that its name says where a row is.
    pub one_package: bool,
    /// Whether the report has several suites.
    pub several_suites: bool,
    /// The policy's threshold.
    pub threshold: f64,
}

impl RowContext<'_> {
    /// `row`, formatted.
    #[must_use]
    pub fn row(&self, row: &Row) -> RowView {
        let figures = figures(row);
        let value = |side: &Option<Summary>| side.as_ref().map_or_else(String::new, |s| figures.format(s.center));
        let spread =
            |side: &Option<Summary>| side.as_ref().map_or_else(String::new, |s| number::spread(s.center, s.lo, s.hi));
        let package = row.benchmark.package.strip_prefix(self.package_prefix).unwrap_or(&row.benchmark.package);
        let package = (!package.is_empty()).then(|| self.ink.outside(package));
        let suite = self.ink.suite(self.suite);
        RowView {
            place: match &package {
                Some(_) if self.one_package => suite.to_string(),
                Some(package) if self.several_suites => format!("{suite} · {package}"),
                Some(package) => package.to_string(),
                None => suite.to_string(),
            },
            suite,
            package,
            name: self.ink.outside(&label(&row.benchmark, self.with_procs)),
            base_name: row.base_benchmark.as_ref().map(|id| self.ink.outside(&label(id, self.with_procs))),
            unit: self.ink.unit(&row.unit),
            base: value(&row.base),
            base_spread: spread(&row.base),
            head: value(&row.head),
            head_spread: spread(&row.head),
            delta: row.delta.as_ref().map_or_else(String::new, |delta| delta_text(delta, &figures)),
            interval: row.delta.as_ref().map_or_else(String::new, |delta| interval_text(delta, &figures)),
            level: row
                .delta
                .as_ref()
                .filter(|d| d.level > 0.0)
                .map_or_else(String::new, |d| number::plain_percent(d.level)),
            p: row.p.map_or_else(String::new, |p| number::p_value(p.value)),
            p_kind: row.p.map_or("", |p| p_kind(p.kind)),
            n: samples_text(row),
            verdict: word::kind(&row.verdict),
            word: word::of_row(row),
            mark: word::mark(&row.verdict),
            reason: self.reason(row),
            hint: hint(row),
            notes: self.notes(row, &figures),
            ratio: row.delta.as_ref().and_then(|delta| delta.ratio),
            exact: row.exact,
            derived: row.derived,
            detectable: row.detectable.map_or_else(String::new, number::percent),
            noise: row.noise.map_or_else(String::new, number::percent),
        }
    }

    fn reason(&self, row: &Row) -> String {
        let threshold = || self.threshold(row);
        let why = match &row.verdict {
            Verdict::Inconclusive(undecided) => match undecided {
                Undecided::Noise => row.detectable.map_or_else(
                    || "the rounds allow both".to_owned(),
                    |d| format!("this run could have seen {} or more here", number::percent(d)),
                ),
                Undecided::NotConfirmed => not_confirmed(row),
                Undecided::Budget => "the time budget ended before it was decided".to_owned(),
                Undecided::TooFewRounds => "too few rounds for any verdict".to_owned(),
                Undecided::NoisyMachine => "the machine was too noisy for a change of this size".to_owned(),
                Undecided::BelowThreshold => {
                    format!("significant, but it may lie on either side of the {} threshold", threshold())
                }
            },
            Verdict::Failed(_, message) | Verdict::Skipped(_, message) if !message.trim().is_empty() => {
                self.ink.quote(message)
            }
            Verdict::Unjudged(why) => word::unjudged(*why).to_owned(),
            _ => String::new(),
        };
        let decide = match (&row.verdict, row.rounds_needed) {
            (Verdict::Inconclusive(_), Some(RoundsNeeded::About(n))) => format!("about {n} rounds a side would decide"),
            (Verdict::Inconclusive(_), Some(RoundsNeeded::MoreThan200)) => {
                "more than 200 rounds a side would be needed".to_owned()
            }
            _ => String::new(),
        };
        [why, decide].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    fn notes(&self, row: &Row, figures: &Figures) -> Vec<String> {
        let other = row.base_benchmark.as_ref().filter(|base| base.name != row.benchmark.name);
        let other = other.map(|base| format!("base calls it {}", self.ink.outside(&base.name)));
        other.into_iter().chain(row.notes.iter().map(|note| self.note(row, note, figures))).collect()
    }

    /// The threshold of the row, such as `2%`.
    fn threshold(&self, row: &Row) -> String {
        number::plain_percent(row.limits.map_or(self.threshold, |limits| limits.threshold))
    }

    fn note(&self, row: &Row, note: &Note, figures: &Figures) -> String {
        match note {
            Note::SignificantBelowThreshold => {
                format!("significant, yet smaller than the {} threshold", self.threshold(row))
            }
            Note::PackageDiffers(base) => format!("paired with package {} of base", self.ink.outside(base)),
            Note::ProcsDiffer(Some(base)) => format!("paired with base's -{base} row"),
            Note::ProcsDiffer(None) => "paired with base's row without a processor suffix".to_owned(),
            Note::Renamed => "paired by the configured rename".to_owned(),
            Note::ConfigDiffers(key) => format!("paired though the line {} differs", self.ink.outside(key)),
            Note::BlocksDropped(n) => {
                format!("{} without a value on every round left out", number::count(*n as usize, "block", "blocks"))
            }
            Note::SourceDiffers(path) => format!("benchmark source differs: {}", self.ink.outside(path)),
            Note::FewIterations(n) => {
                format!("only {} behind a value", number::count(count(*n), "iteration", "iterations"))
            }
            Note::ExactVaries => "a unit that is declared exact varies".to_owned(),
            Note::ControlMoved => "a control row that must not move".to_owned(),
            Note::AllEqual => "all samples are equal".to_owned(),
            Note::Bimodal(low, high) => {
                format!("two groups of samples, around {} and {}", figures.format(*low), figures.format(*high))
            }
            Note::Zero => "a zero has no ratio".to_owned(),
            Note::UnequalN => "samples of one side are missing".to_owned(),
            Note::EquivalenceOnly => "measured again only to see whether it is unchanged".to_owned(),
            Note::Text(text) => self.ink.prose(text),
        }
    }
}

fn count(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// What would decide an undecided row, in a few words; for others what they should not be taken for.
fn hint(row: &Row) -> String {
    let rounds = match row.rounds_needed {
        Some(RoundsNeeded::About(n)) => format!("about {n} rounds"),
        Some(RoundsNeeded::MoreThan200) => "over 200 rounds".to_owned(),
        None => String::new(),
    };
    let sees = row.detectable.map_or_else(String::new, |d| format!("sees {} or more", number::percent(d)));
    let parts = match &row.verdict {
        Verdict::Inconclusive(_) => [sees, rounds],
        Verdict::Unjudged(why) => [word::unjudged_hint(*why).to_owned(), String::new()],
        Verdict::Unchanged if row.notes.contains(&Note::SignificantBelowThreshold) => {
            ["significant, below threshold".to_owned(), String::new()]
        }
        _ => return String::new(),
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Why a suspect was let go: what the screen had seen.
fn not_confirmed(row: &Row) -> String {
    let stage = |kind| row.samples.iter().find(move |s| s.stage == Some(kind));
    let seen = stage(StageKind::Screen).and_then(|screen| Some((screen.effect?, screen.p?)));
    let fresh = stage(StageKind::Confirm).map(|confirm| confirm.values.head.len().max(confirm.values.base.len()));
    match (seen, fresh) {
        (Some((effect, p)), Some(n)) => format!(
            "the screen had seen {} (p {}); {} did not confirm it",
            number::signed_percent(effect),
            number::p_value(p),
            number::count(n, "fresh round", "fresh rounds")
        ),
        _ => "fresh rounds did not confirm what the screen had seen".to_owned(),
    }
}

/// The benchmark's name, with Go's `-N` if asked for.
#[must_use]
pub fn label(id: &BenchmarkId, with_procs: bool) -> String {
    match id.procs {
        Some(procs) if with_procs => format!("{}-{procs}", id.name),
        _ => id.name.clone(),
    }
}

/// The scale that a row's figures share.
#[must_use]
pub fn figures(row: &Row) -> Figures {
    let values: Vec<f64> = [&row.base, &row.head].into_iter().flatten().map(|s| s.center).collect();
    Figures::new(&row.unit, &values)
}

/// Head relative to base; absolute where there is no ratio.
#[must_use]
pub fn delta_text(delta: &Delta, figures: &Figures) -> String {
    delta.ratio.map_or_else(|| figures.signed(delta.absolute), number::signed_percent)
}

fn interval_text(delta: &Delta, figures: &Figures) -> String {
    if delta.level <= 0.0 {
        return String::new();
    }
    if delta.ratio.is_some() {
        return number::percent_interval(delta.lo, delta.hi);
    }
    let end = |end: Option<f64>, none: &str| end.map_or_else(|| none.to_owned(), |v| figures.signed(v));
    format!("{}{NO_BREAK}to{NO_BREAK}{}", end(delta.lo, "−∞"), end(delta.hi, "+∞"))
}

const fn p_kind(kind: PKind) -> &'static str {
    match kind {
        PKind::Adjusted => "adjusted",
        PKind::Screen => "screen",
        PKind::Raw => "raw",
    }
}

fn samples_text(row: &Row) -> String {
    match (&row.base, &row.head) {
        (Some(base), Some(head)) if base.n != head.n => format!("{}/{}", base.n, head.n),
        (Some(side), _) | (None, Some(side)) => side.n.to_string(),
        (None, None) => String::new(),
    }
}
