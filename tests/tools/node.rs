//! npm: vitest without a script, mitata through a script.

use crate::project::Project;

#[test]
#[ignore = "needs node, npm and the npm registry; run by .ci/full"]
fn bench_files_of_vitest_are_found_and_measured() {
    let measured = Project::new("vitest").measure();
    measured.improved("words > unique | all different", "sec/op");
    measured.regressed("words > find", "sec/op");
}

#[test]
#[ignore = "needs node, npm and the npm registry; run by .ci/full"]
fn a_bench_script_with_mitata_is_found_and_measured() {
    let measured = Project::new("mitata").measure();
    measured.improved("unique", "sec/op");
    measured.regressed("find", "sec/op");
}

#[test]
#[ignore = "needs node, npm and the npm registry; run by .ci/full"]
fn a_bench_script_with_tinybench_is_found_and_measured() {
    let measured = Project::new("tinybench").measure();
    measured.improved("unique | all different", "sec/op");
    measured.regressed("find", "sec/op");
}
