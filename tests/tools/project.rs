//! A project of `tests/data/projects` as a repository, and what a run says of it.

use crate::bot::{Ran, Repo, report};
use bench_bot::report::{Report, Row, Verdict};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a tool's user keeps the address and the certificates of registries; commands get what the allowlist lets by.
const REGISTRIES: &[&str] = &["CARGO_", "JAVA_", "MAVEN_", "NODE_", "NPM_", "PIP_", "PYENV_", "RUSTUP_", "SSL_"];

/// A project as a repository: `main` is base, `change` is head.
pub(crate) struct Project {
    pub(crate) repo: Repo,
}

impl Project {
    /// The projects of these names, each at a path in the repository (empty: at its top).
    pub(crate) fn of(parts: &[(&str, &str)]) -> Self {
        let repo = Repo::new();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/projects");
        for side in ["base", "head"] {
            for (name, place) in parts {
                copy(&data.join(name).join(side), &repo.path().join(place));
            }
            repo.commit(&[]);
            if side == "base" {
                repo.git(&["checkout", "--quiet", "-b", "change"]);
            }
        }
        Self { repo }
    }

    /// One project at the top of the repository.
    pub(crate) fn new(name: &str) -> Self {
        Self::of(&[(name, "")])
    }

    /// The program, with the user's own home and registries: tools fetch what the project depends on.
    pub(crate) fn bot(&self, args: &[&str]) -> Ran {
        let mut command = self.repo.bot(args);
        let kept = |name: &OsString| {
            let name = name.to_string_lossy().to_ascii_uppercase();
            let exact = ["HOME", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
            exact.contains(&name.as_str()) || REGISTRIES.iter().any(|prefix| name.starts_with(prefix))
        };
        command.envs(std::env::vars_os().filter(|(name, _)| kept(name)));
        Ran::of(command)
    }

    /// Measures `main` and `change` and gives the report.
    #[track_caller]
    pub(crate) fn measure(&self) -> Measured {
        let json = self.repo.job().join("report.json");
        let json = json.to_str().unwrap();
        let run = ["run", "--base", "main", "--head", "HEAD", "--rounds", "8", "--budget", "30m", "--json", json];
        let ran = self.bot(&run).expect(0);
        assert_eq!(self.repo.git(&["status", "--porcelain"]), "", "the working tree is left alone");
        Measured { report: report(Path::new(json)), said: format!("{}\n{}", ran.stdout, ran.stderr) }
    }
}

/// The report of a project, and what was printed.
pub(crate) struct Measured {
    pub(crate) report: Report,
    pub(crate) said: String,
}

impl Measured {
    /// The row of a benchmark in a unit.
    #[track_caller]
    pub(crate) fn row(&self, name: &str, unit: &str) -> &Row {
        let rows: Vec<&Row> = self.report.suites.iter().flat_map(|suite| &suite.rows).collect();
        let names: Vec<_> = rows.iter().map(|row| (row.benchmark.name.as_str(), row.unit.as_str())).collect();
        let row = rows.iter().find(|row| row.benchmark.name == name && row.unit == unit);
        row.unwrap_or_else(|| panic!("no row {name} in {unit}: {names:?}\n{}", self.said))
    }

    /// Fails unless the row of `name` is an improvement.
    #[track_caller]
    pub(crate) fn improved(&self, name: &str, unit: &str) {
        self.judged(name, unit, &Verdict::Improvement);
    }

    /// Fails unless the row of `name` is a regression.
    #[track_caller]
    pub(crate) fn regressed(&self, name: &str, unit: &str) {
        self.judged(name, unit, &Verdict::Regression);
    }

    #[track_caller]
    fn judged(&self, name: &str, unit: &str, verdict: &Verdict) {
        let row = self.row(name, unit);
        assert_eq!(&row.verdict, verdict, "{name} in {unit}:\n{}", self.said);
    }

    /// Fails unless the report has exactly these rows, in any order, whatever their unit.
    #[track_caller]
    pub(crate) fn has_exactly(&self, names: &[&str]) {
        let rows = self.report.suites.iter().flat_map(|suite| &suite.rows);
        let mut found: Vec<_> = rows.map(|row| row.benchmark.name.as_str()).collect();
        found.sort_unstable();
        found.dedup();
        let mut names = names.to_vec();
        names.sort_unstable();
        assert_eq!(found, names, "{}", self.said);
    }
}

/// Copies a folder with everything in it into another one.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let source: PathBuf = entry.unwrap().path();
        let target = to.join(source.file_name().unwrap());
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}
