//! Commands in containers, on a real engine.
//!
//! They need an engine (`DOCKER_HOST` or the usual socket) with an image `debian:bookworm-slim` and a bridge network,
//! and a static build of bench-bot (`BENCH_BOT_TEST_STATIC`). `tests/container/run.sh` provides all of it. Without it
//! every test here says that it is skipped; with `BENCH_BOT_TEST_ENGINE=required` it fails instead.

mod action;
mod attacks;
mod ends;
mod helper;
mod images;
mod steps;

use bench_bot::config::{Suite, SuiteSide};
use bench_bot::measure::exec::{Exec, Execution, Step, StepKind};
use bench_bot::measure::process::SideFolders;
use bench_bot::measure::sandbox::{ContainerExec, Limits, Options, SandboxError};
use bench_bot::side::{PerSide, Side};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const IMAGE: &str = "debian:bookworm-slim";
const OWNER: (u32, u32) = (1001, 118);

/// The static program if there is an engine too; says so where there is not.
fn ready(test: &str) -> Option<PathBuf> {
    let program = std::env::var_os("BENCH_BOT_TEST_STATIC").map(PathBuf::from);
    let found = program.filter(|_| bench_bot::measure::sandbox::socket_available());
    if found.is_none() {
        let text = format!("{test}: it needs a Docker engine and BENCH_BOT_TEST_STATIC (tests/container/run.sh)");
        assert!(std::env::var_os("BENCH_BOT_TEST_ENGINE").is_none_or(|it| it != "required"), "{text}");
        eprintln!("SKIPPED {text}");
    }
    found
}

/// Folders of one run.
struct Rig {
    program: PathBuf,
    work: TempDir,
    limits: Limits,
    patience: Duration,
}

impl Rig {
    fn new(test: &str) -> Option<Self> {
        let program = ready(test)?;
        let work = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap();
        for side in Side::BOTH {
            fs::create_dir_all(work.path().join("tree").join(side.name())).unwrap();
            fs::create_dir_all(work.path().join("side").join(side.name())).unwrap();
        }
        Some(Self { program, work, limits: Limits::default(), patience: Duration::from_secs(900) })
    }

    fn tree(&self, side: Side) -> PathBuf {
        self.work.path().join("tree").join(side.name())
    }

    fn begin(&self, suites: &[Suite]) -> Result<ContainerExec, SandboxError> {
        ContainerExec::begin(Options {
            suites,
            folders: PerSide::from_fn(|side| SideFolders {
                tree: self.tree(side),
                private: self.work.path().join("side").join(side.name()),
            }),
            work: self.work.path(),
            owner: OWNER,
            run: "test",
            patience: self.patience,
            limits: self.limits.clone(),
            launcher: Some(self.program.clone()),
            progress: &mut |text| eprintln!("{text}"),
        })
    }

    /// A sandbox for one suite in the plain image.
    fn sandbox(&self) -> ContainerExec {
        self.begin(&[suite("s")]).unwrap()
    }
}

fn suite(name: &str) -> Suite {
    let side = SuiteSide {
        timeout: Duration::from_secs(60),
        image: Some(IMAGE.to_owned()),
        ..SuiteSide::new("true".to_owned())
    };
    Suite::new(name.to_owned(), PerSide { base: side.clone(), head: side })
}

fn step(side: Side, kind: StepKind, command: &str) -> Step {
    Step {
        side,
        suite: "s".to_owned(),
        kind,
        command: command.to_owned(),
        directory: String::new(),
        env: BTreeMap::new(),
        timeout: Duration::from_secs(60),
        remove: Vec::new(),
        collect: Vec::new(),
        require: Vec::new(),
        position: 0,
    }
}

fn round(side: Side, command: &str) -> Step {
    step(side, StepKind::Round, command)
}

fn setup(side: Side, command: &str) -> Step {
    step(side, StepKind::Setup, command)
}

/// Standard output of a command that must succeed.
fn said(exec: &mut ContainerExec, step: &Step) -> String {
    let done = exec.run(step).unwrap();
    assert!(done.status.ok(), "{:?}: {} {:?}", done.status, err(&done), done.notes);
    out(&done)
}

fn out(done: &Execution) -> String {
    String::from_utf8(done.stdout.clone()).unwrap()
}

fn err(done: &Execution) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// The engine as somebody outside sees it.
fn docker(args: &[&str]) -> String {
    let output = Command::new("docker").args(args).output().unwrap();
    assert!(output.status.success(), "docker {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Names and states of the containers of a run that is under way.
fn containers() -> Vec<String> {
    let listed = docker(&["ps", "-a", "--filter", "label=bench-bot.run", "--format", "{{.Names}} {{.Status}}"]);
    listed.lines().map(str::to_owned).collect()
}

/// Who owns every file below a folder, without following links.
fn owners(folder: &Path) -> Vec<(u32, PathBuf)> {
    use std::os::unix::fs::MetadataExt;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            found.push((metadata.uid(), path));
        }
    }
    found
}
