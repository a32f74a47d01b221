//! The words for verdicts and directions. Every change is told by a word and a sign; colour only repeats it.

use crate::render::number;
use crate::report::{Overall, Row, Undecided, Unjudged, Verdict};
use crate::unit::Direction;

/// The word for a change of `unit` upwards or downwards.
#[must_use]
pub fn change(unit: &str, better: Option<Direction>, up: bool) -> &'static str {
    let speed = number::is_time(unit) || unit.ends_with("/s") || unit.ends_with("/sec");
    match (better, speed, up) {
        (Some(Direction::Lower), true, true) | (Some(Direction::Higher), true, false) => "slower",
        (Some(Direction::Lower), true, false) | (Some(Direction::Higher), true, true) => "faster",
        (Some(Direction::Lower), false, true) => "more",
        (Some(Direction::Lower), false, false) if number::is_size(unit) => "less",
        (Some(Direction::Lower), false, false) => "fewer",
        (_, _, true) => "higher",
        (_, _, false) => "lower",
    }
}

/// The word for the change of a row, whatever its verdict; `None` where there is no change to name.
#[must_use]
pub fn of_change(row: &Row) -> Option<&'static str> {
    let delta = row.delta.as_ref()?;
    let size = delta.ratio.unwrap_or(delta.absolute);
    (size != 0.0 && !size.is_nan()).then(|| change(&row.unit, row.better, size > 0.0))
}

/// The verdict of a row in one or two words, such as `slower`, `faster?`, `unchanged`, `failed on head`.
#[must_use]
pub fn of_row(row: &Row) -> String {
    match &row.verdict {
        Verdict::Regression => of_change(row).unwrap_or("worse").to_owned(),
        Verdict::Improvement => of_change(row).unwrap_or("better").to_owned(),
        Verdict::Slower => format!("{}?", of_change(row).unwrap_or("worse")),
        Verdict::Faster => format!("{}?", of_change(row).unwrap_or("better")),
        Verdict::Unchanged if row.exact => "equal".to_owned(),
        Verdict::Unchanged => "unchanged".to_owned(),
        Verdict::Inconclusive(Undecided::NotConfirmed) => "not confirmed".to_owned(),
        Verdict::Inconclusive(_) => "inconclusive".to_owned(),
        Verdict::New => "new".to_owned(),
        Verdict::Removed => "removed".to_owned(),
        Verdict::Failed(side, _) => format!("failed on {side}"),
        Verdict::Flaky(side, lacked, of) => format!("flaky on {side} ({lacked} of {of} rounds lack it)"),
        Verdict::Skipped(side, _) => format!("skipped on {side}"),
        Verdict::TimedOut(side) => format!("timed out on {side}"),
        Verdict::Unjudged(Unjudged::Degenerate) => "degenerate".to_owned(),
        Verdict::Unjudged(_) => "not judged".to_owned(),
    }
}

/// The kind of verdict, for programs and for templates.
#[must_use]
pub const fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Regression => "regression",
        Verdict::Improvement => "improvement",
        Verdict::Unchanged => "unchanged",
        Verdict::Inconclusive(_) => "inconclusive",
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::New => "new",
        Verdict::Removed => "removed",
        Verdict::Failed(..) => "failed",
        Verdict::Flaky(..) => "flaky",
        Verdict::Skipped(..) => "skipped",
        Verdict::TimedOut(_) => "timed-out",
        Verdict::Unjudged(_) => "unjudged",
    }
}

/// A picture beside the word. Red and green are for confirmed changes alone.
#[must_use]
pub const fn mark(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Regression => "🔴",
        Verdict::Improvement => "🟢",
        Verdict::Slower => "🔸",
        Verdict::Faster => "🔹",
        Verdict::Failed(..) | Verdict::TimedOut(_) => "❌",
        Verdict::Flaky(..) => "⚠️",
        Verdict::New => "🆕",
        Verdict::Unchanged
        | Verdict::Inconclusive(_)
        | Verdict::Removed
        | Verdict::Skipped(..)
        | Verdict::Unjudged(_) => "",
    }
}

/// The kind of the whole verdict.
#[must_use]
pub const fn overall_kind(overall: Overall) -> &'static str {
    match overall {
        Overall::Regression => "regression",
        Overall::Improvement => "improvement",
        Overall::Mixed => "mixed",
        Overall::Unchanged => "unchanged",
        Overall::Inconclusive => "inconclusive",
        Overall::Failed => "failed",
    }
}

/// Why a row is not judged.
#[must_use]
pub const fn unjudged(why: Unjudged) -> &'static str {
    match why {
        Unjudged::Derived => "the same information as another row of this benchmark",
        Unjudged::Degenerate => "the benchmark does not loop: its time per operation means nothing",
        Unjudged::DirectionUnknown => "nobody said which way is better (set `better` for this unit)",
        Unjudged::OneRound => "one round only",
        Unjudged::Secondary => "the other of wall and CPU time is judged",
        Unjudged::NoRatio => "base is not above zero, and no absolute threshold is configured for this unit",
    }
}

/// [`unjudged`] in a few words.
#[must_use]
pub const fn unjudged_hint(why: Unjudged) -> &'static str {
    match why {
        Unjudged::Derived => "derived",
        Unjudged::Degenerate => "does not loop",
        Unjudged::DirectionUnknown => "direction unknown",
        Unjudged::OneRound => "one round",
        Unjudged::Secondary => "secondary",
        Unjudged::NoRatio => "no ratio",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_words_for_people() {
        use Direction::{Higher, Lower};
        let cases = [
            ("sec/op", Some(Lower), true, "slower"),
            ("B/s", Some(Higher), true, "faster"),
            ("B/s", Some(Higher), false, "slower"),
            ("B/op", Some(Lower), false, "less"),
            ("allocs/op", Some(Lower), false, "fewer"),
            ("allocs/op", Some(Lower), true, "more"),
            ("hit-rate", Some(Higher), false, "lower"),
            ("widgets", None, true, "higher"),
        ];
        for (unit, better, up, word) in cases {
            assert_eq!(change(unit, better, up), word, "{unit} {up}");
        }
    }
}
