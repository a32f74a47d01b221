//! Cargo with Criterion, divan, gungraun, and the benches of Rust itself.

use crate::project::Project;
use bench_bot::report::Verdict;
use std::io::Write as _;
use std::process::Command;

#[test]
#[ignore = "needs crates.io and some minutes to compile; run by .ci/full"]
fn criterion_benches_are_found_and_measured() {
    let measured = Project::new("criterion").measure();
    // Criterion's folder names would lose the slash and the blanks.
    measured.improved("unique / different numbers/1000", "sec/op");
    measured.improved("unique / different numbers/2000", "sec/op");
    measured.regressed("find", "sec/op");
}

#[test]
#[ignore = "needs crates.io and a minute to compile; run by .ci/full"]
fn divan_benches_are_found_and_measured() {
    let measured = Project::new("divan").measure();
    measured.improved("unique::1000", "sec/op");
    measured.improved("unique::2000", "sec/op");
    measured.regressed("find | `last`", "sec/op");
    let ignored = measured.row("remote", "");
    assert!(matches!(ignored.verdict, Verdict::Skipped(..)), "{ignored:?}");
}

#[test]
#[ignore = "needs crates.io, gungraun-runner and valgrind; run by .ci/full"]
fn gungraun_benches_are_found_and_counted() {
    let measured = Project::new("gungraun").measure();
    measured.improved("words::unique few", "instructions");
    measured.improved("words::unique many", "instructions");
    measured.regressed("words::find near_the_start", "instructions");
    assert!(measured.row("words::find near_the_start", "instructions").exact);
}

/// A nightly toolchain cannot be had from any registry of packages: this runs where there is one.
#[test]
#[ignore = "needs a nightly toolchain; run by .ci/full"]
fn benches_of_rust_itself_are_found_and_measured() {
    let nightly = Command::new("cargo").args(["+nightly", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        // Around the harness, which keeps what a test that passes prints.
        let said = "not tested: there is no nightly toolchain, which `#[bench]` functions need";
        writeln!(std::io::stderr(), "{said}").unwrap();
        return;
    }
    let measured = Project::new("libtest").measure();
    measured.improved("unique", "sec/op");
    measured.regressed("find", "sec/op");
    assert_eq!(measured.row("unique", "sec/op").benchmark.package, "words");
}
