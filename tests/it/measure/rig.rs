//! A user's repository and a run over it.

use bench_bot::config::{Config, Host, Isolation, Rounds, Suite, SuiteSide};
use bench_bot::format::{BenchmarkId, Measurement, Parsed};
use bench_bot::git::{CheckoutOptions, Repository, Workspace};
use bench_bot::measure::process::HostExec;
use bench_bot::measure::progress::Silent;
use bench_bot::measure::{Choice, Options, Tools, run, signal};
use bench_bot::request::{Commit, ConfigSource, Request, SCHEMA};
use bench_bot::results::{Results, Round, StageKind, SuiteResults};
use bench_bot::side::{PerSide, Side};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A user's repository with a base and a head commit.
pub(super) struct Rig {
    pub(super) temp: tempfile::TempDir,
    pub(super) user: PathBuf,
    pub(super) base: String,
    pub(super) head: String,
}

pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]).args(args);
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn commit(user: &Path, files: &[(&str, &str)]) -> String {
    for (name, text) in files {
        let path = user.join(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("folder");
        fs::write(path, text).expect("file");
    }
    git(user, &["add", "-A"]);
    git(user, &["commit", "-q", "-m", "change"]);
    git(user, &["rev-parse", "HEAD"])
}

/// A repository whose two commits hold these files.
pub(super) fn rig(base: &[(&str, &str)], head: &[(&str, &str)]) -> Rig {
    let temp = tempfile::tempdir().expect("temp");
    let user = temp.path().join("user");
    fs::create_dir(&user).expect("folder");
    git(&user, &["init", "-q", "-b", "main"]);
    let base = commit(&user, base);
    let head = commit(&user, head);
    Rig { temp, user, base, head }
}

/// A suite that runs `./bench.sh` on both sides.
pub(super) fn suite() -> Suite {
    let side = SuiteSide { timeout: Duration::from_secs(60), ..SuiteSide::new("sh bench.sh".to_owned()) };
    Suite::new("shell".to_owned(), PerSide { base: side.clone(), head: side })
}

pub(super) fn both(suite: &mut Suite, change: impl Fn(&mut SuiteSide)) {
    for side in Side::BOTH {
        change(suite.sides.get_mut(side));
    }
}

pub(super) fn request(rig: &Rig, suites: Vec<Suite>) -> Request {
    let commit =
        |sha: &str| Commit { sha: sha.to_owned(), label: "x".to_owned(), subject: String::new(), uncommitted: false };
    Request {
        schema: SCHEMA,
        commits: PerSide { base: commit(&rig.base), head: commit(&rig.head) },
        base_behind: None,
        base_explicit: true,
        origin: None,
        config: Config {
            suites,
            rounds: Rounds::Staged { screen: 6, confirm: 4 },
            budget: Duration::from_secs(600),
            max_time: Duration::from_secs(3600),
            isolation: Isolation::Host,
            host: Host::default(),
            compare: Default::default(),
            report: Default::default(),
            command: Default::default(),
        },
        config_source: ConfigSource::Detected(String::new()),
        suites: Vec::new(),
        filter: String::new(),
        shard: None,
        seed: None,
        calibration: false,
        notes: Vec::new(),
    }
}

/// Reads lines `NAME VALUE UNIT`, and leaves out all others.
fn parse(_format: &str, stdout: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Result<(String, Parsed), String> {
    let text = files.values().next().map_or(stdout, Vec::as_slice);
    let mut parsed = Parsed::default();
    for line in String::from_utf8_lossy(text).lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [name, value, unit] = words[..]
            && let Ok(value) = value.parse()
        {
            parsed.measurements.push(Measurement {
                id: BenchmarkId { package: String::new(), name: name.to_owned(), procs: None },
                unit: unit.to_owned(),
                values: vec![value],
                iterations: None,
                config: Arc::default(),
                line: 1,
            });
        }
    }
    Ok(("lines".to_owned(), parsed))
}

/// The whole way from two commits to results, as a run in a terminal goes it. The workspace is made below `parent`.
pub(super) fn measured(rig: &Rig, parent: &Path, request: &Request, options: &Options) -> anyhow::Result<Results> {
    let _alone = crate::alone();
    signal::install()?;
    let workspace = Workspace::create(parent)?;
    let repository = Repository::from_clone(&workspace, &rig.user)?;
    let commits = PerSide { base: rig.base.as_str(), head: rig.head.as_str() };
    let checkout = CheckoutOptions::of(&request.config.suites, "");
    let checkouts = repository.checkouts(&workspace, commits, &checkout)?;
    for overlay in request.config.suites.iter().filter_map(|suite| suite.overlay.as_ref()) {
        repository.overlay(&checkouts, commits, overlay)?;
    }
    let mut exec = HostExec::new(checkouts.folders.clone())?;
    let suspects = |suites: &[SuiteResults]| {
        suites
            .iter()
            .map(|s| Choice { suspects: (0..s.rows.len() as u32).collect(), equivalence: Vec::new() })
            .collect()
    };
    let tools = Tools { parse: &parse, choose: &suspects, invalid: &|_| None };
    let results = run(request, &mut exec, &tools, options, &mut Silent)?;
    let bytes = serde_json::to_vec(&results)?;
    bench_bot::results::read(&bytes)?;
    Ok(results)
}

/// All rounds of a side that count, in every stage.
pub(super) fn rounds(results: &Results, side: Side) -> Vec<&Round> {
    let stages = results.suites[0].stages.iter();
    stages.flat_map(|stage| &stage.blocks).flat_map(|block| &block.rounds).filter(|round| round.side == side).collect()
}

pub(super) fn blocks(results: &Results, kind: StageKind) -> usize {
    results.suites[0].stages.iter().filter(|stage| stage.kind == kind).map(|stage| stage.blocks.len()).sum()
}
