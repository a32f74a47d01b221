//! Go: several packages, sub-benchmarks, a file beside the test, a package whose benchmark fails.

use crate::project::Project;
use bench_bot::report::Verdict;
use bench_bot::side::Side;

#[test]
#[ignore = "measures three packages for some minutes; run by .ci/full"]
fn packages_are_measured_one_by_one_and_one_that_fails_on_head_fails_alone() {
    let measured = Project::new("go").measure();
    measured.improved("Unique", "sec/op");
    measured.regressed("Find/w4000", "sec/op");
    measured.regressed("Find/w6000", "sec/op");
    assert_eq!(measured.row("Find/w4000", "sec/op").benchmark.package, "example.com/acme/store/index");
    assert_eq!(measured.row("Unique", "sec/op").benchmark.package, "example.com/acme/store/dedup");
    let row = measured.row("Decode", "sec/op");
    assert!(matches!(&row.verdict, Verdict::Failed(Side::Head, words) if words.contains("too short")), "{row:?}");
}
