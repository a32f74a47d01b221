//! pytest-benchmark.

use crate::project::Project;

#[test]
#[ignore = "needs python3 with venv, and PyPI; run by .ci/full"]
fn tests_with_the_benchmark_fixture_are_found_and_measured() {
    let measured = Project::new("pytest-benchmark").measure();
    measured.improved("test_unique[400]", "sec/op");
    measured.improved("test_unique[800]", "sec/op");
    measured.regressed("test_find", "sec/op");
    measured.has_exactly(&["test_find", "test_unique[400]", "test_unique[800]"]);
}
