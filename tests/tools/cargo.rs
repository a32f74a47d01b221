//! Cargo with Criterion.

use crate::project::Project;

#[test]
#[ignore = "needs crates.io and some minutes to compile; run by .ci/full"]
fn criterion_benches_are_found_and_measured() {
    let measured = Project::new("criterion").measure();
    // Criterion's folder names would lose the slash and the blanks.
    measured.improved("unique / different numbers/1000", "sec/op");
    measured.improved("unique / different numbers/2000", "sec/op");
    measured.regressed("find", "sec/op");
}
