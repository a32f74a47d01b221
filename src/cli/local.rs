//! A request made in a terminal: refs of the clone around the current folder.

use crate::cli::args::{CommitArgs, PlanArgs};
use crate::cli::check_config::root;
use crate::cli::site::Site;
use crate::config::{self, Config, LoadError};
use crate::detect::DetectError;
use crate::gate::Inputs;
use crate::git::{Repository, Workspace};
use crate::request::{Commit, ConfigSource, Request};
use crate::side::PerSide;
use anyhow::{Context, Result, anyhow, bail};
use std::io;
use std::path::Path;

/// A base, and how it was found.
struct Base {
    commit: Commit,
    explicit: bool,
    behind: Option<u64>,
}

/// Resolves the commits, reads the configuration of the working tree, checks both sides out.
///
/// # Errors
/// When a ref is unknown, base equals head without a reason, or nothing is found to run.
pub(crate) fn prepare(
    commits: &CommitArgs,
    plan: &PlanArgs,
    inputs: &Inputs,
    calibration: bool,
) -> Result<(Request, Site)> {
    if calibration && (commits.base.is_some() || commits.merge_base) {
        bail!("`calibrate` measures one commit against itself: name it with --head, without --base or --merge-base");
    }
    let top = root(commits.repository.as_deref())?;
    let workspace = Workspace::create(&std::env::temp_dir())?;
    let repository = Repository::from_clone(&workspace, &top)?;
    let mut notes = Vec::new();
    let head = head(&repository, commits.head.as_deref().unwrap_or("HEAD"), &mut notes)?;
    let (mut config, config_source) = configuration(&repository, &head, &top, plan.config.as_deref())?;
    let base = if calibration {
        Base { commit: head.clone(), explicit: true, behind: None }
    } else {
        base(&repository, commits, &head, &config)?
    };
    let suites = crate::gate::apply_inputs(&mut config, inputs)?;
    if let Some(time) = &plan.max_time {
        config.max_time = config::parse_duration(time).map_err(|reason| anyhow!("--max-time {time}: {reason}"))?;
    }
    if calibration {
        notes.extend(alike(&mut config));
    }
    let mut request = Request {
        schema: crate::request::SCHEMA,
        base_behind: base.behind,
        base_explicit: base.explicit,
        commits: PerSide { base: base.commit, head },
        origin: None,
        config,
        config_source,
        suites,
        filter: inputs.filter.clone().unwrap_or_default(),
        shard: plan.shard.as_deref().map(crate::cli::shard).transpose().context("--shard")?,
        seed: plan.seed.clone(),
        calibration,
        notes,
    };
    let file = match &request.config_source {
        ConfigSource::File(path) => Some(path.clone()),
        _ => None,
    };
    let site = match Site::open(workspace, repository, &mut request) {
        Err(error) => return Err(in_file(error, &top, file.as_deref(), &request.config)),
        Ok(site) => site,
    };
    refuse_equal_sides(&request)?;
    Ok((request, site))
}

/// Gives both sides what base has, so that two builds of one commit differ in nothing; says where they would have.
fn alike(config: &mut Config) -> Vec<String> {
    let different =
        config.suites.iter_mut().filter(|suite| suite.sides.base != suite.sides.head || suite.overlay.is_some());
    let different = different.map(|suite| {
        suite.sides.head = suite.sides.base.clone();
        suite.overlay = None;
        format!("suite {}: both sides are measured as base is, for a calibration", suite.name)
    });
    different.collect()
}

fn head(repository: &Repository, name: &str, notes: &mut Vec<String>) -> Result<Commit> {
    if name == "." {
        let snapshot = repository.snapshot()?;
        notes.extend(snapshot.notes);
        let subject = if snapshot.uncommitted { String::new() } else { repository.subject(&snapshot.sha)? };
        let label = if snapshot.uncommitted { "working tree with uncommitted changes" } else { "working tree" };
        return Ok(Commit { sha: snapshot.sha, label: label.to_owned(), subject, uncommitted: snapshot.uncommitted });
    }
    commit(repository, name)
}

fn commit(repository: &Repository, name: &str) -> Result<Commit> {
    let sha = repository.resolve(name)?;
    let subject = repository.subject(&sha)?;
    Ok(Commit { sha, label: name.to_owned(), subject, uncommitted: false })
}

/// An explicit base is that very commit; otherwise the merge base with the target.
fn base(repository: &Repository, args: &CommitArgs, head: &Commit, config: &Config) -> Result<Base> {
    let configured = Some(config.compare.base.as_str()).filter(|name| !matches!(*name, "merge-base" | "target"));
    if let Some(name) = args.base.as_deref().or(configured).filter(|_| !args.merge_base) {
        return Ok(Base { commit: commit(repository, name)?, explicit: true, behind: None });
    }
    let (name, tip) = match args.base.as_deref().or(configured) {
        Some(name) => (name.to_owned(), repository.resolve(name)?),
        None => match repository.default_branch()? {
            Some(branch) => (branch.name, branch.sha),
            None => bail!(
                "cannot tell what to compare with: this clone has no remote with a default branch. Name a base: \
                 `bench-bot run --base main`"
            ),
        },
    };
    if config.compare.base == "target" && !args.merge_base {
        return Ok(Base {
            commit: Commit { label: name, ..commit(repository, &tip)? },
            explicit: false,
            behind: Some(0),
        });
    }
    let sha = repository.merge_base(&tip, &head.sha)?;
    let label = format!("merge base with {name}");
    let subject = repository.subject(&sha)?;
    let behind = Some(repository.behind(&sha, &tip)?);
    Ok(Base { commit: Commit { sha, label, subject, uncommitted: false }, explicit: false, behind })
}

/// The file of the working tree; of a repository without one, what head has committed.
fn configuration(
    repository: &Repository,
    head: &Commit,
    top: &Path,
    path: Option<&str>,
) -> Result<(Config, ConfigSource)> {
    let committed = |name: &str| {
        let unreadable = |source| LoadError::Read { path: name.to_owned(), source };
        let bytes = repository.read_file(&head.sha, name).map_err(|error| unreadable(io::Error::other(error)))?;
        let bytes = bytes.ok_or_else(|| unreadable(io::ErrorKind::NotFound.into()))?;
        String::from_utf8(bytes).map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))
    };
    let loaded = if repository.is_bare_clone() && path.is_none_or(|path| !top.join(path).is_file()) {
        config::load_by(path, committed)?
    } else {
        config::load_tree(top, path)?
    };
    Ok(match loaded {
        Some((config, _)) => (config, ConfigSource::File(path.unwrap_or(config::PATH).to_owned())),
        None => (Config::default(), ConfigSource::Detected(String::new())),
    })
}

/// An error about a suite that leaves its command to detection, with the suite's place in its file.
pub(crate) fn in_file(error: anyhow::Error, top: &Path, file: Option<&str>, config: &Config) -> anyhow::Error {
    let suite = error.downcast_ref::<DetectError>().and_then(DetectError::suite);
    let index = suite.and_then(|name| config.suites.iter().position(|suite| suite.name == name));
    let text = file.and_then(|file| std::fs::read_to_string(top.join(file)).ok());
    match (index, file, text) {
        (Some(index), Some(file), Some(text)) => config::suite_error(file, &text, index, "", error.to_string()).into(),
        _ => error,
    }
}

/// Base equal to head is a mistake, unless the sides differ by configuration or a calibration was asked for.
fn refuse_equal_sides(request: &Request) -> Result<()> {
    let commits = &request.commits;
    let differ =
        request.config.suites.iter().any(|suite| suite.sides.base != suite.sides.head || suite.overlay.is_some());
    if commits.base.sha != commits.head.sha || request.calibration || differ {
        return Ok(());
    }
    let sha = commits.base.sha.get(..12).unwrap_or(&commits.base.sha);
    bail!(
        "base ({}) and head ({}) are the same commit {sha}, so there is nothing to compare. Commit your change, measure \
         the working tree with `--head .`, or name another base with `--base`. To see how noisy this machine is: \
         `bench-bot calibrate`",
        commits.base.label,
        commits.head.label
    )
}
