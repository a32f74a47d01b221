//! A repository with several ecosystems.

use crate::project::Project;

#[test]
fn check_config_shows_a_suite_for_each_ecosystem() {
    let project = Project::of(&[
        ("go", ""),
        ("criterion", "rust"),
        ("pytest-benchmark", "python"),
        ("vitest", "js"),
        ("google-benchmark", "cpp"),
        ("jmh", "java"),
    ]);
    let shown = project.bot(&["check-config"]).expect(0).stdout;
    let suites: Vec<_> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("suite "))
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    let all = ["go", "criterion:rust", "pytest-benchmark:python", "vitest:js", "google-benchmark:cpp", "jmh:java"];
    assert_eq!(suites, all, "{shown}");
    // Why each is there, and how its rounds are kept short.
    for reason in ["benchmarks in 3 packages", "benches/words.rs is a Criterion bench", "100 ms a benchmark and round"]
    {
        assert!(shown.contains(reason), "no {reason:?} in\n{shown}");
    }
}
