//! `host/action.yml` as the runner carries it out: inputs to variables by its own expressions, its script, the binary of
//! its release downloaded and checked.

use super::workflows::expression::fill;
use super::*;
use crate::release::{Action, Releases};
use std::collections::BTreeMap;
use std::path::Path;

/// The variables of the step for `with`, in a job whose token is [`TOKEN`].
fn environment(folder: &Path, with: &[(&str, &str)]) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join("action.yml")).unwrap();
    let action: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let mut inputs = json!({});
    for (name, input) in action["inputs"].as_mapping().unwrap() {
        let name = name.as_str().unwrap();
        let default = fill(input["default"].as_str().unwrap_or(""), &json!({"github": {"token": TOKEN}}));
        let given = with.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        inputs[name] = json!(given.unwrap_or(default));
    }
    assert!(with.iter().all(|(name, _)| !inputs[*name].is_null()), "an input that is not declared: {with:?}");
    let context = json!({"inputs": inputs});
    let variables = action["runs"]["steps"][0]["env"].as_mapping().unwrap().iter();
    variables
        .map(|(name, value)| (name.as_str().unwrap().to_owned(), fill(value.as_str().unwrap(), &context)))
        .collect()
}

/// The action's step in a job.
fn step(site: &Site, action: &Action, releases: &Releases, with: &[(&str, &str)]) -> Command {
    let job = site.job("pull_request", &site.pull_request(), 5, &[]);
    let mut command = action.script(releases.url());
    command.current_dir(site.repo.path()).envs(job.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.envs(environment(&action.folder(), with));
    command
}

#[test]
fn the_composite_action_measures_without_a_token_and_reports_with_one() {
    let site = slower();
    let binary = Path::new(env!("CARGO_BIN_EXE_bench-bot"));
    let action = Action::released(&crate::release::sha256(binary));
    let releases = Releases::serve(fs::read(binary).unwrap());
    let request = site.gate(5);
    let ran = Ran::of(step(&site, &action, &releases, &[("request", &request)])).expect(0);
    assert!(site.repo.path().join("bench-bot-out/results.json").is_file(), "{}", ran.stdout);
    let with = [("mode", "report"), ("request", &request), ("results", "bench-bot-out/results.json")];
    Ran::of(step(&site, &action, &releases, &with)).expect(0);
    assert!(site.comment().0.contains("+50.0%"), "{}", site.comment().0);
    assert_eq!(site.output("verdict"), "regression");
    site.standin.assert_clean();

    // The machine against itself: no event, no token, told in the summary.
    let with = [("mode", "calibrate"), ("times", "2"), ("rounds", "8")];
    let ran = Ran::of(step(&site, &action, &releases, &with)).expect(0);
    assert!(ran.stdout.contains("reports with a red or green row 0 of 2"), "{}", ran.stdout);
    let summary = site.summary();
    assert!(summary.contains("**Calibration**") && summary.contains("0 of 2"), "{summary}");
    assert!(summary.contains("unchanged"), "{summary}");

    // The last step of a job on a machine of one's own.
    Ran::of(step(&site, &action, &releases, &[("mode", "restore")])).expect(0).says("put back");
}

#[test]
fn what_measures_gets_no_token_from_the_composite_action_and_what_writes_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("host");
    for (mode, token) in [("measure", ""), ("calibrate", ""), ("restore", ""), ("gate", TOKEN), ("report", TOKEN)] {
        assert_eq!(environment(&folder, &[("mode", mode)])["INPUT_TOKEN"], token, "{mode}");
    }
    assert_eq!(environment(&folder, &[])["INPUT_MODE"], "measure");
    assert_eq!(environment(&folder, &[])["INPUT_TOKEN"], "");
}

#[test]
fn both_actions_have_the_same_inputs_and_the_composite_one_hands_all_of_them_on() {
    let read = |path: &str| -> serde_yaml::Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let names = |action: &serde_yaml::Value, part: &str| -> Vec<String> {
        action[part].as_mapping().unwrap().keys().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let (docker, composite) = (read("action.yml"), read("host/action.yml"));
    for part in ["inputs", "outputs"] {
        assert_eq!(names(&docker, part), names(&composite, part));
    }
    let env = &composite["runs"]["steps"][0]["env"];
    for name in names(&docker, "inputs") {
        let variable = format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
        let value = env[variable.as_str()].as_str().unwrap_or_else(|| panic!("{variable} is not handed on"));
        assert!(value.contains(&format!("inputs.{name}")), "{variable}: {value}");
    }
    assert_eq!(env.as_mapping().unwrap().len(), names(&docker, "inputs").len());
}

#[test]
fn calibrating_is_refused_in_the_container_and_beside_a_token() {
    let site = slower();
    let inputs = [("mode", "calibrate"), ("token", TOKEN)];
    Ran::of(site.job("schedule", &json!({}), 5, &inputs)).expect(2).says("host/action.yml");
    let inputs = [("mode", "calibrate"), ("token", TOKEN), ("isolation", "host")];
    Ran::of(site.job("schedule", &json!({}), 5, &inputs)).expect(2).says("INPUT_TOKEN");
    let inputs = [("mode", "calibrate"), ("times", "often"), ("isolation", "host")];
    Ran::of(site.job("schedule", &json!({}), 5, &inputs)).expect(2).says("`times` is `often`");
}
