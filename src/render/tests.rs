//! What a reader of a comment sees.

use super::*;
use crate::report::{Counts, Overall, PKind, PValue, Undecided, Verdict};
use crate::results::StageKind;
use crate::side::Side;
use std::path::PathBuf;

/// Where the rig that takes screenshots finds what it shows: set `BENCH_BOT_RENDER_DIR` to have it written.
pub(super) fn directory() -> Option<PathBuf> {
    let directory = PathBuf::from(std::env::var_os("BENCH_BOT_RENDER_DIR")?);
    std::fs::create_dir_all(&directory).unwrap();
    Some(directory)
}

fn body(report: &Report) -> String {
    comment(report, &CommentOptions::default()).unwrap().body
}

fn first_line(report: &Report) -> String {
    body(report).lines().next().unwrap().to_owned()
}

#[test]
fn every_form_of_every_sample_for_the_eye() {
    for (name, report) in samples::all() {
        let comment = body(&report);
        let text = terminal(&report, 100, false);
        let page = html(&report, &CommentOptions::default()).unwrap();
        assert!(comment.len() <= COMMENT_LIMIT, "{name}: {}", comment.len());
        if let Some(directory) = directory() {
            for (end, content) in [("md", &comment), ("txt", &text), ("html", &page)] {
                std::fs::write(directory.join(format!("{name}.{end}")), content).unwrap();
            }
        }
    }
}

#[test]
fn whole_comments() {
    for (name, report) in samples::all() {
        if name != "many" {
            insta::assert_snapshot!(name, body(&report));
        }
    }
    insta::assert_snapshot!("many", body(&samples::many(80)));
}

#[test]
fn the_first_line_says_it_all() {
    assert!(
        first_line(&samples::unchanged())
            .starts_with("### ⚪ No change found; this run could have seen 2.0% or more (median row)")
    );
    assert!(first_line(&samples::inconclusive()).contains("14 unchanged, 4 inconclusive"));
    let line = first_line(&samples::mixed());
    assert!(line.contains("2 regressions, 2 improvements among 20 rows"), "{line}");
    assert!(line.contains("worst `Encode/large` +13.8% B/op (more)"), "{line}");
    assert!(line.contains("best `Decode/canada` −53.5% allocs/op (fewer)"), "{line}");
    let line = first_line(&samples::failed_head());
    assert_eq!(line, "### ❌ Nothing could be compared: setup of `codec` failed on head (exit code 2)");
    assert!(
        first_line(&samples::nothing()).contains("9 of 9 rounds of `codec` failed on base (timed out after 5 min)")
    );
    let line = first_line(&samples::files());
    assert!(line.contains("1 row slower?, 1 row faster? among 18 rows, not confirmed"), "{line}");
    assert!(!line.contains("🔴") && !line.contains("🟢"), "{line}");
}

#[test]
fn the_sentences_that_keep_it_honest_are_there() {
    let staged = body(&samples::mixed());
    for sentence in [
        "Delta is the median of within-block ratios, not the ratio of the two medians",
        "can come from code layout, not from the change",
        "two rounds of the same code differ by 0.9",
        "at most 5% of reports. That is the rate of the method, not a promise for this machine",
        "base is 3 commits behind its branch",
        "bench-bot run --base 1a2b3c4 --head 5d6e7f8",
        "[`5d6e7f8`](https://github.com/octo/codec/commit/5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80)",
        "stolen time not observable",
        "16 fresh rounds did not confirm it; about 34 rounds a side would decide",
    ] {
        assert!(staged.contains(sentence), "{sentence}\n{staged}");
    }
    let one_stage = body(&samples::one_stage());
    assert!(one_stage.contains("one stage, not confirmed"), "{one_stage}");
    assert!(
        one_stage
            .contains("This plan cannot call any change of 18 rows (its smallest p is 0.056). 8 rounds a side could.")
    );
    let files = body(&samples::files());
    assert!(files.contains("order of rounds unknown, drift not controlled"), "{files}");
    assert!(body(&samples::noisy()).contains("> [!WARNING]\n> Noisy machine"), "an alert opens it");
}

/// Keeps the first rounds of a stage of every row.
fn cut(report: &mut Report, stage: StageKind, rounds: usize) {
    let samples = report.suites.iter_mut().flat_map(|suite| &mut suite.rows).flat_map(|row| &mut row.samples);
    for samples in samples.filter(|samples| samples.stage == Some(stage)) {
        samples.values.base.truncate(rounds);
        samples.values.head.truncate(rounds);
    }
}

#[test]
fn rounds_that_were_planned_and_not_run_are_not_claimed() {
    let mut report = samples::mixed();
    assert!(body(&report).contains("8 rounds a side in random blocks, then 16 fresh ones for 3 suspects"));
    cut(&mut report, StageKind::Screen, 6);
    cut(&mut report, StageKind::Confirm, 12);
    let text = body(&report);
    assert!(text.contains("6 of 8 planned rounds a side in random blocks, then 12 of 16 planned fresh ones"), "{text}");
    assert!(text.contains("Screen: 6 of 8 planned rounds a side over every row. Confirm: 12 of 16 planned fresh"));
    cut(&mut report, StageKind::Confirm, 0);
    let text = body(&report);
    assert!(text.contains("and no time for 16 fresh ones for 3 suspects"), "{text}");
}

/// A row that looked the same in the little that was seen of it did not look changed.
#[test]
fn only_suspects_looked_changed_at_first() {
    let mut report = samples::unchanged();
    for row in &mut report.suites[0].rows {
        row.verdict = Verdict::Inconclusive(Undecided::Budget);
    }
    let quiet = body(&report);
    assert!(!quiet.contains("Looked changed at first"), "{quiet}");
    for row in report.suites[0].rows.iter_mut().filter(|row| row.p.is_some()).take(1) {
        row.p = Some(PValue { value: 0.02, kind: PKind::Screen });
    }
    let suspect = body(&report);
    assert!(suspect.contains("Looked changed at first"), "{suspect}");
}

#[test]
fn what_could_not_be_compared_is_not_called_unprinted() {
    let why = |verdict: &Verdict| {
        let mut report = samples::unchanged();
        for row in &mut report.suites[0].rows {
            row.verdict = verdict.clone();
        }
        report.verdict = Overall::Failed;
        report.counts = Counts { failed: 18, ..Counts::default() };
        first_line(&report)
    };
    let line = why(&Verdict::Failed(Side::Head, "a value is not a usable number".to_owned()));
    assert!(line.contains("none has its values on both sides; `Decode/small` failed on head"), "{line}");
    assert!(line.contains("a value is not a usable number"), "{line}");
    let line = why(&Verdict::Inconclusive(Undecided::Budget));
    assert!(line.contains("measuring ended before a block of rounds was complete"), "{line}");
}

#[test]
fn an_artifact_is_linked_where_there_is_one() {
    let options = CommentOptions { artifact: Some("bench-results".into()), ..CommentOptions::default() };
    let body = comment(&samples::unchanged(), &options).unwrap().body;
    assert!(body.contains("[raw samples](https://github.com/octo/codec/actions/runs/19283746501#artifacts)"), "{body}");
}

#[test]
fn what_the_report_says_itself_is_not_said_twice() {
    let warning = |level, code: &str, message: &str| crate::report::Warning {
        level,
        code: code.into(),
        message: message.into(),
        place: String::new(),
    };
    let mut report = samples::one_stage();
    report.warnings = vec![
        warning(crate::report::WarningLevel::Headline, "too-few-rounds", "Too few rounds for 18 rows"),
        warning(
            crate::report::WarningLevel::Warning,
            "one-stage",
            "One stage, not confirmed: no fresh rounds were run",
        ),
        warning(crate::report::WarningLevel::Note, "error-rate", "Nominally, at most 5 % of reports"),
        warning(crate::report::WarningLevel::Note, "layout", "Differences below 5 % can come from the linker"),
    ];
    let body = body(&report);
    for (text, times) in [
        ("Too few rounds for 18 rows", 1),
        ("This plan cannot call", 0),
        ("one stage, not confirmed", 1),
        ("One stage, not confirmed", 0),
        ("Nominally, at most 5 % of reports", 1),
        ("One error rate for the whole report", 0),
        ("The correction is over 18 rows.", 1),
        ("can come from", 1),
    ] {
        assert_eq!(body.matches(text).count(), times, "{text}\n{body}");
    }
}

#[test]
fn a_note_of_many_rows_is_said_once() {
    let mut report = samples::many(240);
    for row in &mut report.suites[0].rows {
        row.notes.push(crate::report::Note::FewIterations(1));
    }
    let body = body(&report);
    assert_eq!(body.matches("only 1 iteration behind a value").count(), 1);
    assert!(body.contains(" and 4 more rows: only 1 iteration behind a value"), "{body}");
}

#[test]
fn changed_rows_come_first_and_regressions_before_improvements() {
    let body = body(&samples::mixed());
    let at = |text: &str| body.find(text).unwrap_or_else(|| panic!("{text}"));
    let order = [
        at("🔴\u{a0}**+13.8%**\u{a0}more"),
        at("🔴\u{a0}**+7."),
        at("🟢\u{a0}**−53.5%**\u{a0}fewer"),
        at("🟢\u{a0}**−11."),
        at("Looked changed at first"),
        at("<summary><code>github.com/octo/codec</code>"),
        at("Machine: "),
        at("<summary>How to read this"),
        at("[run 19283746501]"),
    ];
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn a_failed_side_shows_its_output_in_a_fence_that_holds() {
    let body = body(&samples::failed_head());
    let fence = body.lines().find(|line| line.ends_with("text") && line.starts_with("````")).expect("a longer fence");
    let rest = body.split_once(fence).unwrap().1;
    let shown = rest.split("\n````\n").next().unwrap();
    assert!(
        shown.contains("undefined: bytes.CutLast") && shown.contains("\n```\n") && shown.ends_with("[build failed]"),
        "{shown}"
    );
    assert!(!body.contains("Without a comparison"), "rows that the failed setup explains are not listed again");
}

#[test]
fn a_moved_head_is_told() {
    let mut report = samples::regression();
    report.run.as_mut().unwrap().head_moved_to = Some("def5678def5678def5678def5678def5678def567".into());
    assert!(body(&report).contains("> Measured `5d6e7f8`; head is now `def5678`."));
}

#[test]
fn colour_is_for_confirmed_changes_alone() {
    for (name, report) in samples::all() {
        let body = body(&report);
        let confirmed = |verdict: Verdict| report.suites.iter().flat_map(|s| &s.rows).any(|row| row.verdict == verdict);
        assert_eq!(body.contains("🔴\u{a0}**"), confirmed(Verdict::Regression), "{name}");
        assert_eq!(body.contains("🟢\u{a0}**"), confirmed(Verdict::Improvement), "{name}");
    }
}

#[test]
fn states_say_what_is_going_on() {
    let report = samples::mixed();
    let frame = StateFrame {
        revisions: report.revisions,
        run: report.run,
        suites: vec!["codec".into()],
        replaced: Some("1111111aaaaaaa".into()),
    };
    let of = |one: State| state(&one, &frame).unwrap();
    let running = of(State::Running { estimate: Some(725.0) });
    if let Some(directory) = directory() {
        std::fs::write(directory.join("state_running.md"), &running).unwrap();
    }
    assert!(running.starts_with("### ⏳ Measuring base and head\n\n`main` [`1a2b3c4`]"), "{running}");
    for text in ["Suites: `codec`.", "An earlier run took about 12 min 5 s.", "about `1111111`", "[run 19283746501]"] {
        assert!(running.contains(text), "{text}\n{running}");
    }
    let failed = of(State::Failed { what: "measure failed on head".into(), tail: "boom\n".into() });
    assert!(failed.contains("No result: measure failed on head") && failed.contains("```text\nboom\n```"), "{failed}");
    assert!(of(State::Cancelled).contains("cancelled"));
    assert!(of(State::TimedOut { after: Some(3600.0) }).contains("ended after 1 h"));
    assert!(
        of(State::NothingMeasured { why: "base printed no result".into() })
            .contains("Nothing was measured: base printed")
    );
    assert!(of(State::Skipped).contains("skipped") && of(State::Queued).contains("Waiting"));
}

#[test]
fn every_format_is_written() {
    let report = samples::mixed();
    let screen = Screen { width: 100, colour: false };
    let written = |format| write(&report, format, &CommentOptions::default(), screen).unwrap();
    assert!(written(Format::Markdown).starts_with("### 🔴"));
    assert!(written(Format::Text).starts_with("2 regressions"));
    assert!(written(Format::Html).starts_with("<!doctype html>"));
    let read: Report = serde_json::from_str(&written(Format::Json)).unwrap();
    assert_eq!(read, report);
}
