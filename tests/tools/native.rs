//! Programs: hyperfine as a written command, Google Benchmark with CMake.

use crate::project::Project;
use bench_bot::report::Verdict;

#[test]
#[ignore = "needs hyperfine (Debian's is enough); run by .ci/full"]
fn a_written_hyperfine_command_is_run_as_it_stands() {
    let measured = Project::new("hyperfine").measure();
    measured.improved("unique", "sec/op");
    // The command line is the user's: nothing is added to it.
    assert!(measured.report.suites[0].run.head.starts_with("hyperfine --shell=none --warmup 1 --runs 3 --export-json"));
}

#[test]
#[ignore = "needs a C++ compiler, cmake and libbenchmark-dev; run by .ci/full"]
fn google_benchmark_targets_of_cmake_are_found_and_measured() {
    let measured = Project::new("google-benchmark").measure();
    measured.improved("BM_Unique/2000", "sec/op");
    measured.improved("BM_Unique/4000", "sec/op");
    measured.regressed("BM_Contains", "sec/op");
    // It has no result, so no unit either.
    let refused = measured.row("BM_Refused", "");
    assert!(matches!(&refused.verdict, Verdict::Failed(_, words) if words.contains("no such device")), "{refused:?}");
}
