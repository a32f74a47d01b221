//! The workflow files that the documentation offers: what they promise is held here.

use serde_yaml::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A workflow file and its text.
struct Workflow {
    name: String,
    text: String,
    yaml: Value,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn workflows() -> Vec<Workflow> {
    let mut files: Vec<_> =
        fs::read_dir(root().join("docs/examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let yaml = serde_yaml::from_str(&text).unwrap();
            Workflow { name: path.file_name().unwrap().to_string_lossy().into_owned(), text, yaml }
        })
        .collect()
}

/// A job: its file, its name, and what it says.
struct Job<'a> {
    file: &'a Workflow,
    name: String,
    yaml: &'a Value,
}

impl Job<'_> {
    fn steps(&self) -> Vec<&Value> {
        self.yaml["steps"].as_sequence().unwrap().iter().collect()
    }

    fn uses(&self, action: &str) -> Vec<&Value> {
        let matches = |step: &&Value| step["uses"].as_str().is_some_and(|uses| uses.starts_with(&format!("{action}@")));
        self.steps().into_iter().filter(matches).collect()
    }

    /// The modes of our own steps, but for one that only puts settings back.
    fn modes(&self) -> Vec<&str> {
        let modes = self.uses("org/bench-bot").into_iter().map(|step| step["with"]["mode"].as_str().unwrap_or("run"));
        modes.filter(|mode| *mode != "restore").collect()
    }

    /// Permissions that can write.
    fn writes(&self) -> Vec<&str> {
        let permissions = self.yaml["permissions"].as_mapping().unwrap_or_else(|| panic!("{self}: no permissions"));
        permissions.iter().filter(|(_, level)| *level != "read").map(|(name, _)| name.as_str().unwrap()).collect()
    }
}

impl std::fmt::Display for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file.name, self.name)
    }
}

fn jobs(workflows: &[Workflow]) -> Vec<Job<'_>> {
    let of = |file| {
        let jobs: &Value = &Workflow::yaml(file)["jobs"];
        let jobs = jobs.as_mapping().unwrap().iter();
        jobs.map(move |(name, yaml)| Job { file, name: name.as_str().unwrap().to_owned(), yaml })
    };
    workflows.iter().flat_map(of).collect()
}

impl Workflow {
    const fn yaml(&self) -> &Value {
        &self.yaml
    }
}

#[test]
fn there_is_a_file_for_every_form() {
    let names: Vec<_> = workflows().into_iter().map(|workflow| workflow.name).collect();
    assert_eq!(
        names,
        [
            "comment.yml",
            "dispatch.yml",
            "fork-measure.yml",
            "fork-report.yml",
            "hardened.yml",
            "matrix.yml",
            "pull-request.yml",
            "self-hosted.yml"
        ]
    );
}

#[test]
fn threat_01_no_job_that_runs_a_pull_requests_code_has_a_token_that_writes() {
    let workflows = workflows();
    let mut measuring = 0;
    for job in jobs(&workflows) {
        let modes = job.modes();
        assert_eq!(modes.len(), 1, "{job}");
        if modes == ["measure"] {
            measuring += 1;
            assert_eq!(job.writes(), Vec::<&str>::new(), "{job}");
            assert!(job.uses("org/bench-bot").iter().all(|step| step["with"]["token"] == ""), "{job}");
        }
        if modes == ["run"] {
            // One job does everything: the code runs in a container that has neither token nor socket, and the token
            // can do nothing but comment.
            assert_eq!(job.writes(), ["pull-requests"], "{job}");
            assert!(job.uses("org/bench-bot")[0]["with"]["isolation"].is_null(), "{job}");
            assert!(job.uses("actions/checkout").is_empty(), "{job}");
            let events: Vec<_> = job.file.yaml["on"].as_mapping().unwrap().keys().collect();
            assert_eq!(events, ["pull_request"], "{job}");
        }
        if job.writes().iter().any(|name| *name != "pull-requests") {
            assert!(matches!(modes[0], "gate" | "report"), "{job}");
        }
        assert!(job.yaml["permissions"]["id-token"].is_null(), "{job}");
    }
    assert_eq!(measuring, 6);
    for workflow in &workflows {
        assert_eq!(workflow.yaml["permissions"], Value::Mapping(Default::default()), "{}", workflow.name);
        assert!(workflow.yaml["on"]["pull_request_target"].is_null(), "{}", workflow.name);
    }
}

/// Where settings of the host are required, a last step puts back what a killed one could not.
#[test]
fn settings_of_a_machine_that_stays_are_put_back_whatever_became_of_the_job() {
    let workflows = workflows();
    for job in jobs(&workflows) {
        let steps = job.uses("org/bench-bot");
        let tunes = steps.iter().any(|step| !step["with"]["tuning"].is_null());
        let restores: Vec<_> = steps.iter().filter(|step| step["with"]["mode"] == "restore").collect();
        assert_eq!(restores.len(), usize::from(tunes), "{job}");
        assert!(restores.iter().all(|step| step["if"] == "always()"), "{job}");
    }
}

#[test]
fn a_checkout_leaves_no_credentials_and_has_both_commits() {
    let workflows = workflows();
    for job in jobs(&workflows) {
        let checkouts = job.uses("actions/checkout");
        for checkout in &checkouts {
            assert_eq!(checkout["with"]["persist-credentials"], false, "{job}");
        }
        // What decides or reports has no code on its disk.
        let expected = usize::from(job.modes() == ["measure"]);
        assert_eq!(checkouts.len(), expected, "{job}");
        if expected == 1 {
            assert!(job.steps()[0]["uses"].as_str().unwrap().starts_with("actions/checkout@"), "{job}");
            assert_eq!(checkouts[0]["with"]["fetch-depth"], 0, "{job}");
            assert_eq!(checkouts[0]["with"]["ref"], "${{ needs.gate.outputs.head-sha }}", "{job}");
        }
    }
}

#[test]
fn every_action_is_pinned_and_its_version_stands_beside() {
    for workflow in workflows() {
        for line in workflow.text.lines().filter(|line| line.trim_start().trim_start_matches("- ").starts_with("uses:"))
        {
            let (_, pinned) = line.split_once('@').unwrap();
            let (sha, version) = pinned.split_once(" # v").unwrap_or_else(|| panic!("{}: {line}", workflow.name));
            assert!(sha.len() == 40 && sha.bytes().all(|b| b.is_ascii_hexdigit()), "{}: {line}", workflow.name);
            assert!(version.split('.').count() == 3, "{}: {line}", workflow.name);
        }
    }
}

#[test]
fn every_input_and_output_is_one_of_the_action() {
    let action: Value = serde_yaml::from_str(&fs::read_to_string(root().join("action.yml")).unwrap()).unwrap();
    let names = |key: &str| -> BTreeSet<String> {
        action[key].as_mapping().unwrap().keys().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let (inputs, outputs) = (names("inputs"), names("outputs"));
    let workflows = workflows();
    for job in jobs(&workflows) {
        for step in job.uses("org/bench-bot") {
            for input in step["with"].as_mapping().into_iter().flat_map(serde_yaml::Mapping::keys) {
                assert!(inputs.contains(input.as_str().unwrap()), "{job}: {input:?}");
            }
        }
        assert!(["run", "gate", "measure", "report"].contains(&job.modes()[0]), "{job}");
        for (name, value) in job.yaml["outputs"].as_mapping().into_iter().flatten() {
            let name = name.as_str().unwrap();
            assert_eq!(value.as_str().unwrap(), format!("${{{{ steps.gate.outputs.{name} }}}}"), "{job}");
            assert!(outputs.contains(name), "{job}: {name}");
        }
    }
    for workflow in &workflows {
        for output in workflow.text.split("needs.gate.outputs.").skip(1) {
            let name: String = output.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            assert!(workflow.yaml["jobs"]["gate"]["outputs"][name.as_str()].is_string(), "{}: {name}", workflow.name);
        }
    }
}

#[test]
fn threat_10_nothing_from_outside_gets_into_a_script() {
    let workflows = workflows();
    for job in jobs(&workflows) {
        for step in job.steps() {
            if let Some(script) = step["run"].as_str() {
                assert!(!script.contains("${{"), "{job}: {script}");
            }
        }
    }
}

#[test]
fn threat_22_a_comment_that_starts_nothing_cancels_nothing() {
    let workflows = workflows();
    for job in jobs(&workflows) {
        match job.modes()[0] {
            "measure" => {
                assert_eq!(job.yaml["if"], "needs.gate.outputs.run == 'true'", "{job}");
                assert_eq!(job.yaml["needs"], "gate", "{job}");
                assert_eq!(job.yaml["concurrency"]["cancel-in-progress"], true, "{job}");
                // Parts of one matrix must not cancel each other.
                let group = job.yaml["concurrency"]["group"].as_str().unwrap();
                assert_eq!(group.contains("matrix.shard"), !job.yaml["strategy"].is_null(), "{job}");
            }
            "gate" => {
                assert!(job.yaml["concurrency"].is_null(), "{job}");
                assert!(job.file.yaml["concurrency"].is_null(), "{job}");
            }
            _ => {}
        }
        assert!(job.yaml["timeout-minutes"].is_number(), "{job}");
    }
}

#[test]
fn threat_21_a_report_runs_whatever_became_of_the_measuring() {
    let workflows = workflows();
    for job in jobs(&workflows).iter().filter(|job| job.modes() == ["report"]) {
        assert!(job.uses("org/bench-bot")[0]["with"]["measure-result"].is_string(), "{job}");
        let on_its_own = job.yaml["needs"].is_null();
        assert!(on_its_own || job.yaml["if"].as_str().unwrap().starts_with("always() && "), "{job}");
    }
}

#[test]
fn threat_23_no_cache_is_written_where_a_pull_requests_code_runs() {
    for workflow in workflows() {
        assert!(!workflow.text.contains("actions/cache"), "{}", workflow.name);
    }
}

#[test]
fn what_was_measured_is_kept_also_when_the_job_fails() {
    let workflows = workflows();
    for job in jobs(&workflows).iter().filter(|job| matches!(job.modes()[0], "measure" | "run")) {
        let kept = job.uses("actions/upload-artifact");
        assert!(kept.iter().all(|step| step["if"] == "always()"), "{job}");
        assert!(kept.iter().any(|step| step["with"]["path"] == "bench-bot-out/"), "{job}");
        if job.modes() == ["measure"] {
            let results = kept.iter().find(|step| step["with"]["path"] == "bench-bot-out/results.json").unwrap();
            let name = results["with"]["name"].as_str().unwrap();
            assert!(name.starts_with("bench-bot-results"), "{job}");
        }
    }
}

#[test]
fn the_pair_for_forks_belongs_together() {
    let read = |name: &str| -> Value {
        serde_yaml::from_str(&fs::read_to_string(Path::new(&root()).join("docs/examples").join(name)).unwrap()).unwrap()
    };
    let (measure, report) = (read("fork-measure.yml"), read("fork-report.yml"));
    assert_eq!(report["on"]["workflow_run"]["workflows"][0], measure["name"]);
    for (_, job) in measure["jobs"].as_mapping().unwrap() {
        let permissions = job["permissions"].as_mapping().unwrap();
        assert!(permissions.values().all(|level| level == "read"));
    }
}

#[test]
fn the_page_on_security_names_every_file_and_every_permission() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let workflows = workflows();
    for workflow in &workflows {
        assert!(page.contains(&format!("(examples/{})", workflow.name)), "{}", workflow.name);
    }
    for job in jobs(&workflows) {
        for (name, level) in job.yaml["permissions"].as_mapping().unwrap() {
            let (name, level) = (name.as_str().unwrap(), level.as_str().unwrap());
            let job_name = if job.name == "bench" { "report" } else { &job.name };
            let stronger = format!("| {job_name} | `{name}: write`");
            let row = format!("| {job_name} | `{name}: {level}`");
            // One job is all three.
            let any = job.name == "bench" || job.file.name.starts_with("fork-");
            assert!(page.contains(&row) || page.contains(&stronger) || any, "{job}: {row}");
        }
    }
}

#[test]
fn the_readme_has_the_permissions_of_every_job_as_the_files_have_them() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let block = readme.split("<!-- permissions:").nth(1).unwrap();
    let block = block.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let shown: Value = serde_yaml::from_str(block).unwrap();
    let workflows = workflows();
    for job in jobs(&workflows) {
        assert_eq!(shown[job.file.name.as_str()][job.name.as_str()], job.yaml["permissions"], "{job}");
    }
    let count: usize = shown.as_mapping().unwrap().values().map(|jobs| jobs.as_mapping().unwrap().len()).sum();
    assert_eq!(count, jobs(&workflows).len(), "the README shows jobs that no file has");
}

/// Workflows that the README shows: small ones, for what the files do not have.
#[test]
fn the_readmes_own_workflows_have_only_inputs_and_modes_that_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let action: Value = serde_yaml::from_str(&fs::read_to_string(root().join("action.yml")).unwrap()).unwrap();
    let blocks = readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let shown: Vec<Value> =
        blocks.filter(|block| block.contains("\njobs:")).map(|block| serde_yaml::from_str(block).unwrap()).collect();
    let events: BTreeSet<String> = shown
        .iter()
        .flat_map(|workflow| match &workflow["on"] {
            Value::String(event) => vec![event.clone()],
            on => on.as_mapping().unwrap().keys().map(|event| event.as_str().unwrap().to_owned()).collect(),
        })
        .collect();
    let expected = ["merge_group", "pull_request", "push", "schedule"].map(str::to_owned);
    assert_eq!(events, expected.into_iter().collect());
    for workflow in &shown {
        assert_eq!(workflow["permissions"], Value::Mapping(Default::default()));
        for job in workflow["jobs"].as_mapping().unwrap().values() {
            assert!(job["permissions"].is_mapping());
            for step in job["steps"].as_sequence().unwrap() {
                let uses = step["uses"].as_str().unwrap();
                if uses.starts_with("actions/checkout@") {
                    assert_eq!(step["with"]["persist-credentials"], false);
                    continue;
                }
                assert!(["org/bench-bot@v1", "org/bench-bot/host@v1"].contains(&uses), "{uses}");
                for input in step["with"].as_mapping().into_iter().flat_map(serde_yaml::Mapping::keys) {
                    assert!(!action["inputs"][input].is_null(), "{input:?}");
                }
                let mode = step["with"]["mode"].as_str().unwrap_or("run");
                assert_eq!(uses.contains("/host@"), mode == "calibrate", "{uses} {mode}");
            }
        }
    }
}
