//! What is changed in a written command of Go: repetitions become rounds, and a plain choice of benchmarks can be narrowed.

use crate::config::{Narrow, SuiteSide};
use crate::measure::narrow::VARIABLE;
use crate::side::{PerSide, Side};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Whether what is run gives Go's output.
fn is_go(plan: &SuiteSide) -> bool {
    let mentions = |word: &str| plan.run.contains(word);
    plan.format == "go"
        || (plan.format == "auto" && (mentions("go test") || mentions("-test.count") || mentions("-test.bench")))
}

static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)(^|[\s"'(;&|`])(--?(?:test\.)?count[= ]+)(\d+)\b"#).expect("a constant pattern")
});

/// The counts in a command, without those behind `-args`, which are the test binary's own.
fn counts(run: &str) -> impl Iterator<Item = Captures<'_>> {
    let own = |found: &Captures<'_>| {
        let line = run[..found.get_match().start()].lines().last().unwrap_or_default();
        !line.split_whitespace().any(|word| word.trim_start_matches('-') == "args" && word.starts_with('-'))
    };
    COUNT.captures_iter(run).filter(move |found| own(found))
}

/// `-count N` of Go repeats inside one process, where the repetitions are no samples of their own: one is run, and the
/// rounds repeat it.
pub(super) fn single_count(side: Side, plan: &mut SuiteSide, warnings: &mut Vec<String>) {
    let go = is_go(plan);
    let repeated: Vec<_> = counts(&plan.run).filter(|found| found[3].parse() != Ok(1_u32)).collect();
    let Some(first) = repeated.first().filter(|_| go) else { return };
    let asked = format!("{}{}", &first[2], &first[3]);
    let mut single = plan.run.clone();
    // From the end, so that what is before stays where it was.
    for number in repeated.iter().rev().filter_map(|found| found.get(3)) {
        single.replace_range(number.range(), "1");
    }
    plan.run = single;
    warnings.push(format!(
        "`{asked}` on {side} is run as one: every round is a process of its own, and rounds are repeated instead"
    ));
}

/// A choice of benchmarks that has one meaning in every shell and every quotes: `$`, braces and escapes are not in it.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)(^|[\s;&|(])(--?(?:test\.)?bench[= ])(?:'([\w.|^()*+?/=-]+)'|"([\w.|^()*+?/=-]+)"|([\w.^*+/=-]+))([\s;&|)]|$)"#,
    )
    .expect("a constant pattern")
});

/// Lets the one `-bench REGEX` of each side give way to the variable with which a suite is narrowed; without the variable
/// the command is what it was. Whether the command obeys is tried before anything is measured.
pub(super) fn narrowed(sides: &mut PerSide<SuiteSide>) -> Option<Narrow> {
    let narrow = |side: Side| {
        let plan = sides.get(side);
        let mut choices = CHOICE.captures_iter(&plan.run);
        let (found, more) = (choices.next()?, choices.next());
        if !is_go(plan) || more.is_some() || plan.run.contains("-args") {
            return None;
        }
        let choice = found.iter().skip(3).take(3).flatten().next()?;
        let (start, end) = (found.get(2)?.end(), found.get(6)?.start());
        let (before, after) = (&plan.run[..start], &plan.run[end..]);
        Some(format!("{before}\"${{{VARIABLE}:-{}}}\"{after}", choice.as_str()))
    };
    let [base, head] = Side::BOTH.map(narrow);
    (sides.base.run, sides.head.run) = base.zip(head)?;
    Some(Narrow::GoBench)
}
