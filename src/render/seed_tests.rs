//! The tables of published pull requests, from their raw outputs to a comment.

use super::hostile_tests::problems;
use super::*;
use crate::compare::files::Samples;
use crate::compare::{FileColumn, FileOptions, files};
use crate::format::go;
use std::path::Path;

const SEEDS: [&str; 7] =
    ["go-toml-pr546", "go-toml-tuning", "opendal", "refmt", "sha1cd", "sha1cd-tuned", "vanadium-glob"];

fn report_of(seed: &str) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/seeds").join(seed);
    let column = |side: &str| FileColumn {
        label: format!("{side}.txt"),
        inputs: vec![(format!("{side}.txt"), go::parse(&std::fs::read(folder.join(format!("{side}.txt"))).unwrap()))],
        samples: Samples::EveryValue,
    };
    let options = FileOptions { tool: "bench-bot 0.1.0".into(), ..FileOptions::default() };
    files(&[column("base"), column("head")], &options)
}

fn body(report: &Report) -> String {
    comment(report, &CommentOptions::default()).unwrap().body
}

#[test]
fn every_published_comparison_is_a_comment() {
    for seed in SEEDS {
        let report = report_of(seed);
        let body = body(&report);
        let text = terminal(&report, 100, false);
        let page = html(&report, &CommentOptions::default()).unwrap();
        if let Some(directory) = tests::directory() {
            for (end, content) in [("md", &body), ("txt", &text), ("html", &page)] {
                std::fs::write(directory.join(format!("seed_{seed}.{end}")), content).unwrap();
            }
        }
        assert!(body.len() <= COMMENT_LIMIT);
        assert_eq!(problems(&body), Vec::<String>::new(), "{seed}:\n{body}");
        assert!(!body.contains("🔴") && !body.contains("🟢"), "{seed}: plain files confirm nothing");
        let rows: usize = report.suites.iter().map(|suite| suite.rows.len()).sum();
        assert_eq!(page.matches("<tr class=\"row ").count(), rows, "{seed}");
        assert_eq!(body.matches("order of rounds unknown, drift not controlled").count(), 1, "{seed}");
    }
}

#[test]
fn allocations_that_went_away_are_shown_as_they_were_published() {
    // The pull requests' own words: 2 allocations to 0, and 54 to 10 (−81.48 %).
    let sha1cd = body(&report_of("sha1cd"));
    let row = sha1cd.lines().find(|line| line.contains("fewer?") && line.contains("allocs/op")).unwrap();
    assert!(row.contains("**−100%**\u{a0}fewer?") && row.contains("| 2 | 0 |"), "{row}");
    let refmt = body(&report_of("refmt"));
    assert!(
        refmt.lines().any(|line| line.contains("**−81.5%**\u{a0}fewer?") && line.contains("| 54 | 10 |")),
        "{refmt}"
    );
}
