//! `bench-bot init`: a configuration and workflows that fit a repository. What is there already stays as it is.

use crate::config::{PATH, Source};
use crate::detect::{self, DetectError};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// What stands for the commit of the release in the workflow files of the documentation. A release knows its commit
/// only after its binaries are built, so the user fills it in.
#[cfg(test)]
const PLACEHOLDER: &str =
    concat!("org/bench-bot@0000000000000000000000000000000000000000 # v", env!("CARGO_PKG_VERSION"), "\n");

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../docs/examples/", $name))
    };
}

/// What fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// Whether people who cannot push send pull requests that are to be measured and commented without being asked.
    pub forks: bool,
    /// Whether a machine of one's own measures.
    pub self_hosted: bool,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Files that were written, relative to the tree.
    pub written: Vec<String>,
    /// Files that were there already and are as they were.
    pub kept: Vec<String>,
    /// What was detected, or why nothing was.
    pub detected: String,
    /// What to do next, one step each.
    pub next: Vec<String>,
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The tree cannot be looked at.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// A file cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Asks the two questions. Anything but a yes is a no, also the end of `input`.
///
/// # Errors
/// When the terminal is gone.
pub fn ask(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Plan> {
    let mut yes = |question: &str| -> io::Result<bool> {
        write!(output, "{question} [y/N] ")?;
        output.flush()?;
        let mut answer = String::new();
        input.read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    };
    let forks = yes("Do pull requests come from forks, and are they to be measured without being asked?")?;
    let self_hosted = yes("Is there a machine of your own (a self-hosted runner) that measures?")?;
    Ok(Plan { forks, self_hosted })
}

/// Writes the configuration and the workflows into `tree`.
///
/// # Errors
/// When the tree cannot be read, or a file cannot be written.
pub fn init(tree: &Path, plan: Plan) -> Result<Outcome, InitError> {
    let (source, detected) = match detect::detect(tree) {
        Ok(found) => (Some(found.source()), found.sentence),
        Err(error @ DetectError::Unreadable { .. }) => return Err(error.into()),
        Err(_) => (None, "No benchmarks were found.".to_owned()),
    };
    let mut files = vec![(PATH, configuration(source.as_ref(), plan))];
    files.extend(workflows(plan).into_iter().map(|(path, text)| (path, text.to_owned())));
    let mut outcome = Outcome { detected, ..Outcome::default() };
    for (path, text) in files {
        let list = if write_new(tree, path, &text)? { &mut outcome.written } else { &mut outcome.kept };
        list.push(path.to_owned());
    }
    outcome.next = next(&outcome, source.is_some(), plan);
    Ok(outcome)
}

/// Writes a file that is not there yet; `false` if it is.
fn write_new(tree: &Path, path: &str, text: &str) -> Result<bool, InitError> {
    let fail = |source| InitError::Write { path: path.to_owned(), source };
    let full = tree.join(path);
    if let Some(folder) = full.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    // Nothing can come in between: the system makes the file or says that it is there, a link included.
    match OpenOptions::new().write(true).create_new(true).open(&full) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(fail),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(fail(error)),
    }
}

/// The workflow files that fit, by the path where they go.
fn workflows(plan: Plan) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    match plan {
        // Never by itself on a machine of one's own.
        Plan { self_hosted: true, .. } => {
            files.push((".github/workflows/bench-comment.yml", example!("self-hosted.yml")));
            return files;
        }
        Plan { forks: true, .. } => {
            files.push((".github/workflows/bench.yml", example!("fork-measure.yml")));
            files.push((".github/workflows/bench-report.yml", example!("fork-report.yml")));
        }
        Plan { forks: false, .. } => files.push((".github/workflows/bench.yml", example!("pull-request.yml"))),
    }
    files.push((".github/workflows/bench-comment.yml", example!("comment.yml")));
    files
}

/// The text of the configuration. Detected suites are left to detection: so they follow the repository.
fn configuration(source: Option<&Source>, plan: Plan) -> String {
    let mut text = "# yaml-language-server: $schema=https://raw.githubusercontent.com/org/bench-bot/main/docs/schema/config.schema.json\n\
                    #\n\
                    # Every key is optional. All of them: https://github.com/org/bench-bot/blob/main/bench-bot.example.yml\n\n"
        .to_owned();
    match source {
        Some(source) => {
            text.push_str("# The benchmarks are found by what is in the repository, now and after every change:\n");
            for (suite, reasons) in &source.reasons {
                let reason = reasons.first().map_or("", String::as_str);
                // Writing to a String cannot fail.
                let _ = writeln!(text, "#   {}: {}", comment(suite), comment(reason));
            }
            text.push_str(
                "# To say it yourself:\n# suites:\n#   - name: bench\n#     setup: make build\n#     run: make bench\n\n",
            );
        }
        None => text.push_str(
            "suites:\n  - name: bench\n    # setup: make build            # once a side, with a network\n    \
             run: ./your-benchmark-command   # one execution is one round: a few seconds\n\n",
        ),
    }
    text.push_str(
        "# compare:\n#   threshold: 2%                   # smallest change that counts\n\
         # report:\n#   fail-on: regression             # default: never\n",
    );
    if plan.self_hosted {
        text.push_str(
            "\ncommand:\n  fork-approval: sha                # /bench on a fork's pull request must name the commit (head=)\n",
        );
    }
    text
}

/// A text of the repository on one line of a comment.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || crate::config::invisible(c) { '\u{fffd}' } else { c }).collect()
}

fn next(outcome: &Outcome, found: bool, plan: Plan) -> Vec<String> {
    let mut steps = Vec::new();
    if outcome.written.iter().any(|path| path == PATH) && !found {
        steps.push(format!("Say in {PATH} what to run: replace ./your-benchmark-command."));
    }
    steps.push("Look at what would run: bench-bot check-config".to_owned());
    steps.push("Try it here: bench-bot run".to_owned());
    let workflows = outcome.written.iter().any(|path| path.contains("workflows"));
    if workflows {
        steps.push(format!(
            "In the workflow files, replace the zeros after org/bench-bot@ with the commit of the release: \
             git ls-remote https://github.com/org/bench-bot 'v{}^{{}}'",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let kept: Vec<&str> = outcome.kept.iter().filter(|path| path.contains("workflows")).map(String::as_str).collect();
    if !kept.is_empty() {
        steps.push(format!(
            "{} stayed as it was: compare it with docs/examples of bench-bot, where the files of one form belong together.",
            kept.join(", ")
        ));
    }
    if plan.self_hosted {
        steps.push(
            "Give the environment `bench` required reviewers, and register the runner with --ephemeral: the workflow \
             file says why."
                .to_owned(),
        );
    }
    steps.push(
        "Commit the files to the default branch: GitHub reads the workflow of /bench, and bench-bot its policy, from there."
            .to_owned(),
    );
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    const GO: &[(&str, &str)] =
        &[("go.mod", "module example.com/m\n"), ("m_test.go", "package m\n\nfunc BenchmarkX(b *testing.B) {}\n")];

    fn read(dir: &tempfile::TempDir, path: &str) -> String {
        fs::read_to_string(dir.path().join(path)).unwrap()
    }

    #[test]
    fn a_repository_with_benchmarks_needs_nothing_else() {
        let dir = tree(GO);
        let outcome = init(dir.path(), Plan::default()).unwrap();
        let files = [PATH, ".github/workflows/bench.yml", ".github/workflows/bench-comment.yml"];
        assert_eq!(outcome.written, files);
        assert!(outcome.kept.is_empty());
        assert_eq!(outcome.detected, "Found Go benchmarks in 1 package (go.mod).");
        let config = read(&dir, PATH);
        assert!(config.contains("#   go: go.mod: benchmarks in 1 package: .\n"), "{config}");
        assert_eq!(crate::config::load(PATH, &config).unwrap(), crate::config::Config::default());
        assert!(read(&dir, files[1]).contains("uses: org/bench-bot@"));
    }

    #[test]
    fn nothing_that_is_there_is_overwritten() {
        let dir = tree(&[GO, &[(PATH, "budget: 5m\n"), (".github/workflows/bench.yml", "mine")]].concat());
        std::os::unix::fs::symlink("/nonexistent", dir.path().join(".github/workflows/bench-comment.yml")).unwrap();
        let outcome = init(dir.path(), Plan::default()).unwrap();
        assert!(outcome.written.is_empty());
        assert_eq!(outcome.kept.len(), 3);
        assert_eq!(
            (read(&dir, PATH).as_str(), read(&dir, ".github/workflows/bench.yml").as_str()),
            ("budget: 5m\n", "mine")
        );
        assert!(!outcome.next.iter().any(|step| step.contains("zeros")));
    }

    #[test]
    fn a_repository_without_benchmarks_gets_a_file_to_fill_in() {
        let dir = tree(&[("README.md", "x")]);
        let outcome = init(dir.path(), Plan::default()).unwrap();
        assert_eq!(outcome.detected, "No benchmarks were found.");
        let config = crate::config::load(PATH, &read(&dir, PATH)).unwrap();
        assert_eq!(config.suites[0].sides.head.run, "./your-benchmark-command");
        assert!(outcome.next[0].contains("./your-benchmark-command"));
    }

    #[test]
    fn forks_get_the_pair_and_a_machine_of_ones_own_never_starts_by_itself() {
        let dir = tree(GO);
        let outcome = init(dir.path(), Plan { forks: true, self_hosted: false }).unwrap();
        assert!(outcome.written.contains(&".github/workflows/bench-report.yml".to_owned()));
        let dir = tree(GO);
        let outcome = init(dir.path(), Plan { forks: true, self_hosted: true }).unwrap();
        assert_eq!(outcome.written, [PATH, ".github/workflows/bench-comment.yml"]);
        assert!(read(&dir, ".github/workflows/bench-comment.yml").contains("self-hosted"));
        let config = crate::config::load(PATH, &read(&dir, PATH)).unwrap();
        assert_eq!(config.command.fork_approval, crate::config::ForkApproval::Sha);
    }

    #[test]
    fn names_of_the_repository_stay_inside_their_comment() {
        let odd = "a\u{2028}b\ncommand: {permission: read}";
        let reasons = [(odd.to_owned(), vec![odd.to_owned()])].into();
        let text = configuration(Some(&Source { reasons, ..Source::default() }), Plan::default());
        assert_eq!(crate::config::load(PATH, &text).unwrap(), crate::config::Config::default(), "{text}");
    }

    #[test]
    fn anything_but_a_yes_is_a_no() {
        for (answers, expected) in [
            ("y\nYES\n", Plan { forks: true, self_hosted: true }),
            ("\nn\n", Plan::default()),
            ("", Plan::default()),
            ("yes\n", Plan { forks: true, self_hosted: false }),
        ] {
            let mut output = Vec::new();
            assert_eq!(ask(&mut answers.as_bytes(), &mut output).unwrap(), expected, "{answers:?}");
            assert!(String::from_utf8(output).unwrap().contains("[y/N]"));
        }
    }

    #[test]
    fn every_example_has_the_placeholder_that_a_release_replaces() {
        for plan in
            [Plan::default(), Plan { forks: true, ..Plan::default() }, Plan { self_hosted: true, ..Plan::default() }]
        {
            for (path, text) in workflows(plan) {
                assert!(text.contains(PLACEHOLDER), "{path}");
            }
        }
    }
}
