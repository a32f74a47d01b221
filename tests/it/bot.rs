//! The built program, run as a user or a job would: a real repository, real processes, a scrubbed environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A repository in a folder of its own, with room for everything else that a run makes.
pub(crate) struct Repo {
    temp: tempfile::TempDir,
}

impl Repo {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for folder in ["repo", "tmp", "home", "job"] {
            fs::create_dir(temp.path().join(folder)).unwrap();
        }
        let repo = Self { temp };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    /// The working tree.
    pub(crate) fn path(&self) -> PathBuf {
        self.temp.path().join("repo")
    }

    /// The folder for temporary files of the program.
    pub(crate) fn tmp(&self) -> PathBuf {
        self.temp.path().join("tmp")
    }

    /// A folder for files of a job: event, outputs.
    pub(crate) fn job(&self) -> PathBuf {
        self.temp.path().join("job")
    }

    /// Runs git in the repository.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"])
            .args(args)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Writes files without committing them.
    pub(crate) fn write(&self, files: &[(&str, &str)]) {
        for (path, content) in files {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    /// Writes files and commits everything; the commit's id.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        self.write(files);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A repository whose benchmark is a script: `bench.sh` of base on `main`, of head on `change`.
    pub(crate) fn of_scripts(base: &str, head: &str) -> Self {
        Self::of_scripts_with(CONFIG, base, head)
    }

    /// The same with another configuration.
    pub(crate) fn of_scripts_with(config: &str, base: &str, head: &str) -> Self {
        let repo = Self::new();
        repo.commit(&[(".github/bench-bot.yml", config), ("bench.sh", base)]);
        repo.git(&["checkout", "--quiet", "-b", "change"]);
        repo.commit(&[("bench.sh", head)]);
        repo
    }

    /// The program with `args`, in the repository.
    pub(crate) fn bot(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-bot"));
        command.args(args).current_dir(self.path()).env_clear().stdin(Stdio::null());
        for name in ["PATH", "GOROOT", "GOPROXY", "GOFLAGS", "RUSTUP_HOME", "CARGO_HOME"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.temp.path().join("home")).env("TMPDIR", self.tmp());
        command.env("XDG_RUNTIME_DIR", self.tmp()).env("GOTOOLCHAIN", "local");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.bot(args))
    }

    /// What the program left in its temporary folder.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.tmp()).unwrap().flatten().map(|entry| entry.path());
        // The journal's folder stays; what counts is inside it.
        entries.filter(|path| !path.ends_with("bench-bot") || fs::read_dir(path).unwrap().next().is_some()).collect()
    }
}

/// Two rounds a block, four blocks, nothing set on the host.
pub(crate) const CONFIG: &str =
    "suites:\n  - name: script\n    run: sh bench.sh\nrounds: {fixed: 8}\nhost: {tuning: off}\n";

/// A script that prints one benchmark in Go's format.
pub(crate) fn prints(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("echo 'Benchmark{line}'\n")).collect()
}

/// A program that has ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Self {
            code: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Fails unless the program exited with `code`.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails unless both texts together hold `text`.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let found = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(found, "no {text:?} in\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// Reads a report.
pub(crate) fn report(path: &Path) -> bench_bot::report::Report {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
