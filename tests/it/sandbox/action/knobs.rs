//! Settings of the host, asked for by a configuration and made from inside the action's container: on a copied tree that
//! is mounted where the kernel's own would be.

use super::*;
use crate::host::fake::Fake;

const CPU: &str = "sys/devices/system/cpu";
const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const VOLUME: &str = "bench-bot-journal";

/// A job on a machine of which only the CPU folder is copied, with a configuration on the target branch.
fn job(test: &str, fake: &Fake, config: &str) -> Option<Job> {
    let mut job = Job::new(test, None)?;
    let tree = fake.roots().sys.join("devices/system/cpu");
    job.more = vec!["-v".to_owned(), format!("{}:/{CPU}:ro", tree.display())];
    job.policy(config);
    Some(job)
}

#[test]
fn a_setting_of_the_host_is_made_for_the_rounds_and_put_back() {
    let fake = Fake::intel();
    let config = "suites:\n  - name: words\n    image: golang:1.20\n    run: echo 'BenchmarkA 10 100 ns/op'\n    \
                  head: {host: {governor: powersave}}\n\
                  rounds: {fixed: 8}\nhost: {cpus: all, governor: performance, boost: off}\n";
    let Some(job) = job("a_setting_of_the_host_is_made_for_the_rounds_and_put_back", &fake, config) else { return };
    job.step("bench-test-knobs", &[("mode", "run")]);
    let results = job.results();
    let tuning = results["tuning"].as_array().unwrap();
    let of =
        |knob: &str| tuning.iter().find(|it| it["knob"] == knob).unwrap_or_else(|| panic!("no {knob}: {tuning:?}"));
    for knob in ["governor", "boost"] {
        assert!(of(knob)["status"].to_string().contains("applied"), "{}", of(knob));
    }
    // The helper's own journal is no other container's, and nothing is left to be put back.
    assert_eq!(fake.read(GOVERNOR), "powersave");
    assert_eq!(fake.read("sys/devices/system/cpu/intel_pstate/no_turbo"), "0");
    docker(&["volume", "rm", VOLUME]);
    assert!(job.comments()[0].contains("governor"), "{}", job.comments()[0]);
    job.assert_tidy();
}

#[test]
fn a_required_setting_that_is_refused_ends_the_run_before_any_round() {
    let fake = Fake::intel();
    let config = "suites:\n  - name: words\n    image: golang:1.20\n    run: echo 'BenchmarkA 10 100 ns/op'\n\
                  rounds: {fixed: 8}\nhost: {tuning: require, cpus: all, governor: nonsense}\n";
    let name = "a_required_setting_that_is_refused_ends_the_run_before_any_round";
    let Some(job) = job(name, &fake, config) else { return };
    let ran = job.command("bench-test-knobs", &[("mode", "run")]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
    assert!(text(&ran).contains("governor"), "{}", text(&ran));
    assert_eq!(fake.read(GOVERNOR), "powersave");
    docker(&["volume", "rm", VOLUME]);
    job.assert_tidy();
}
