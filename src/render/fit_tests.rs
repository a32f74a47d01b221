//! A comment fits, is valid wherever it is cut, and counts what it left out.

use super::hostile_tests::problems;
use super::*;
use crate::report::{Overall, Verdict};
use samples::{Dice, spec, suite};

/// Rows with names of 200 four-byte characters, `changed` of them regressions.
fn long_names(rows: usize, changed: usize) -> Report {
    let specs: Vec<_> = (0..rows)
        .map(|i| {
            let (change, verdict) =
                if i % (rows / changed.max(1)).max(1) == 0 && i / (rows / changed.max(1)).max(1) < changed {
                    (0.05 + i as f64 * 1e-6, Verdict::Regression)
                } else if i % 7 == 0 {
                    (0.01, Verdict::Inconclusive(crate::report::Undecided::Noise))
                } else {
                    (0.0, Verdict::Unchanged)
                };
            let package = ["github.com/octo/codec/a", "github.com/octo/codec/b", "github.com/octo/codec/c"][i % 3];
            spec(format!("{i:05}{}", "𝛀|`".repeat(70)), "sec/op", 1e-6, change, 0.002, verdict).package(package)
        })
        .collect();
    samples::report(vec![suite("codec", &specs, &mut Dice::new(99))])
}

fn rows_shown(body: &str) -> usize {
    body.lines()
        .filter(|line| line.starts_with("| ```") || line.starts_with("| `"))
        .filter(|line| line.contains("𝛀"))
        .count()
}

#[test]
fn ten_thousand_rows_with_long_names_fit_and_are_counted() {
    let report = long_names(10_000, 12);
    let rendered = comment(&report, &CommentOptions::default()).unwrap();
    assert!(rendered.body.len() <= COMMENT_LIMIT, "{}", rendered.body.len());
    assert!(rendered.body.len() > COMMENT_LIMIT / 2, "much room is left: {}", rendered.body.len());
    assert_eq!(problems(&rendered.body), Vec::<String>::new());
    let left = rendered.left_out;
    assert_eq!(left.changed, 0, "changed rows are never left out");
    assert_eq!(left.rows, left.changed + left.inconclusive + left.unchanged + left.other);
    assert_eq!(10_000 - left.rows, rows_shown(&rendered.body));
    assert!(
        rendered.body.contains(&format!("{} of 10,000 rows do not fit here", number::grouped(left.rows))),
        "{}",
        &rendered.body[..3000]
    );
    assert!(rendered.body.starts_with("### 🔴 12 regressions among 10,000 rows: worst "));
    assert_eq!(rendered.body.matches("🔴\u{a0}**+").count(), 12);
}

#[test]
fn unchanged_rows_go_first() {
    let report = long_names(600, 3);
    let rendered = comment(&report, &CommentOptions::default()).unwrap();
    assert!(rendered.left_out.unchanged > 0);
    assert_eq!(rendered.left_out.inconclusive, 0, "{:?}", rendered.left_out);
}

#[test]
fn of_too_many_changed_rows_the_worst_are_shown_and_all_are_counted() {
    let report = long_names(3000, 3000);
    let rendered = comment(&report, &CommentOptions::default()).unwrap();
    assert!(rendered.body.len() <= COMMENT_LIMIT);
    assert_eq!(problems(&rendered.body), Vec::<String>::new());
    let shown = rendered.body.matches("🔴\u{a0}**+").count();
    assert!(shown > 50, "{shown}");
    assert_eq!(rendered.left_out.changed, 3000 - shown);
    assert!(rendered.body.contains(&format!(", {} changed", number::grouped(3000 - shown))));
    let deltas: Vec<f64> = rendered
        .body
        .split("🔴\u{a0}**+")
        .skip(1)
        .map(|rest| rest.split('%').next().unwrap().parse().unwrap())
        .collect();
    assert!(deltas.is_sorted_by(|a, b| a >= b), "{deltas:?}");
}

#[test]
fn every_smaller_form_is_valid_and_smaller_and_the_verdict_stays() {
    for report in [
        samples::mixed(),
        samples::many(240),
        samples::hostile("a|`b`<c>"),
        long_names(3000, 40),
        samples::failed_head(),
    ] {
        let mut rendered = comment(&report, &CommentOptions::default()).unwrap();
        let first = rendered.body.lines().next().unwrap().to_owned();
        let mut forms = 1;
        while let Some(next) = rendered.smaller() {
            assert!(next.body.len() < rendered.body.len());
            assert_eq!(problems(&next.body), Vec::<String>::new(), "{}", next.body);
            assert_eq!(next.body.lines().next().unwrap(), first);
            rendered = next;
            forms += 1;
        }
        assert!(forms > 2, "{forms}");
        assert!(rendered.body.len() < 6000, "{}\n{}", rendered.body.len(), rendered.body);
    }
}

#[test]
fn any_limit_gives_valid_markdown() {
    let report = samples::many(60);
    for limit in (1000..30_000).step_by(1733) {
        let rendered = comment(&report, &CommentOptions { limit, ..CommentOptions::default() }).unwrap();
        assert!(rendered.body.len() <= limit.max(1500), "{limit}: {}", rendered.body.len());
        assert_eq!(problems(&rendered.body), Vec::<String>::new(), "{limit}");
    }
}

#[test]
fn the_summary_has_room_for_more_and_stays_below_its_limit() {
    let report = long_names(10_000, 12);
    let rendered = summary(&report, &CommentOptions::default()).unwrap();
    assert!(rendered.body.len() <= SUMMARY_LIMIT && rendered.body.len() > SUMMARY_LIMIT / 2, "{}", rendered.body.len());
    let whole = summary(&samples::many(3000), &CommentOptions::default()).unwrap();
    assert_eq!(whole.left_out.rows, 0);
}

#[test]
fn many_suites_failures_warnings_and_machines_fit_too() {
    let mut report = samples::failed_head();
    let failed = report.suites[0].clone();
    report.suites = (0..200)
        .map(|i| {
            let mut suite = failed.clone();
            suite.name = format!("suite {i}");
            suite.setup.head.tail = "x`y\n".repeat(900);
            suite
        })
        .collect();
    report.environments = vec![report.environments[0].clone(); 100];
    report.warnings = vec![
        crate::report::Warning {
            level: crate::report::WarningLevel::Headline,
            code: "x".into(),
            message: "y @z ".repeat(500),
            place: "p".repeat(5000),
        };
        1000
    ];
    let rendered = comment(&report, &CommentOptions::default()).unwrap();
    assert!(rendered.body.len() <= COMMENT_LIMIT, "{}", rendered.body.len());
    assert!(rendered.body.contains("more failures not shown"), "{}", rendered.body);
    assert_eq!(problems(&rendered.body), Vec::<String>::new());
}

#[test]
fn a_classic_layout_is_cut_at_a_line_and_says_so() {
    fn classic(report: &Report, _: Layout) -> String {
        let names = report.suites.iter().flat_map(|s| &s.rows).map(|r| format!("{} 1.00n ± 1%\n", r.benchmark.name));
        names.collect()
    }
    let options = CommentOptions { layout: Layout::BenchstatV1, classic: Some(classic), ..CommentOptions::default() };
    let rendered = comment(&samples::many(240), &options).unwrap();
    assert!(rendered.body.contains("```text\nParse/case=0 1.00n ± 1%\n"), "{}", rendered.body);
    let rendered = comment(&samples::many(10_000), &options).unwrap();
    assert!(rendered.body.len() <= COMMENT_LIMIT);
    let cut = rendered.body.lines().find(|line| line.ends_with("lines left out")).unwrap();
    let shown = rendered.body.lines().filter(|line| line.ends_with(" 1.00n ± 1%")).count();
    assert_eq!(cut, format!("… {} lines left out", number::grouped(10_000 - shown)));
    assert_eq!(report_verdict(&rendered.body), Some(Overall::Mixed));
}

fn report_verdict(body: &str) -> Option<Overall> {
    (body.contains("regressions") && body.contains("improvements")).then_some(Overall::Mixed)
}
