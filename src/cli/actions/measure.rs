//! `bench-bot measure`: from `request.json` to `results.json`, without a token.

use super::{FOLDER, give_to_owner, request, workspace};
use crate::actions::Runner;
use crate::cli::args::MeasureArgs;
use crate::cli::output::probe;
use crate::cli::site::Site;
use crate::cli::stage::{self, Place, Settings};
use crate::gate::Inputs;
use crate::git::{Repository, Workspace};
use crate::request::Request;
use crate::results::Asked;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Carries out a request and writes the results.
///
/// # Errors
/// When a token would share an environment with the pull request's code, a commit is not in the clone, a signal
/// arrives, or this program itself breaks.
pub(crate) fn measure(args: &MeasureArgs) -> Result<u8> {
    let runner = Runner::from_env();
    let request = request(args.request.as_deref(), &runner)?;
    let output = carry_out(request, args, &runner)?;
    crate::cli::say::out!("bench-bot: {}", output.display());
    Ok(0)
}

/// Measures what `request` asks for, and gives the path of the results.
///
/// # Errors
/// As [`measure`].
pub(crate) fn carry_out(mut request: Request, args: &MeasureArgs, runner: &Runner) -> Result<PathBuf> {
    if let Some(shard) = args.shard.as_deref().or_else(|| runner.input("shard")) {
        request.shard = Some(crate::cli::shard(shard)?);
    }
    let output = args.output.clone().or_else(|| runner.input("output").map(PathBuf::from));
    let output = output.unwrap_or_else(|| Path::new(FOLDER).join("results.json"));
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
    // A workflow names a folder that nothing has made yet; whether it can be written is found out before anything runs.
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    probe([output.as_path()])?;
    let top = workspace(runner)?;
    let clone = args.repository.as_deref().unwrap_or(&top);
    let known = request.notes.len();
    let place = Place::decide(&mut request, args.isolation, runner, false, clone)?;
    let site = site(&mut request, clone, &place.parent(runner, &top)?)?;
    // After the site has taken the policy's hash: what the job's file says of its machine is no policy.
    if let Some(tuning) = Inputs::from_runner(runner)?.tuning {
        request.config.host.tuning = tuning;
    }
    let settings = Settings {
        journal: Some(output.clone()),
        raw: Some(folder.join("raw")),
        owner: Some(top.clone()),
        ..Settings::default()
    };
    let mut progress = stage::progress(args.quiet);
    let mut measured = stage::measure(&request, &site, place, settings, &mut *progress);
    let asked = stage::asked(&request, Some(&site));
    drop(site);
    if let Ok(results) = &mut measured {
        // The report's job has the request as the gate made it: what was found out here goes with the results.
        results.warnings.extend(asked.request.notes.iter().skip(known).cloned());
        request.notes.truncate(known);
        results.asked = Some(Box::new(Asked { request: request.clone(), ..asked }));
        crate::results::write(&output, results).with_context(|| format!("writing {}", output.display()))?;
    }
    give_to_owner(&folder, &top);
    measured?;
    Ok(output)
}

/// Checks out from the clone that an earlier step made, into a folder below `parent`.
///
/// # Errors
/// When there is no clone, or it lacks a commit; the message names the step that helps.
pub(crate) fn site(request: &mut Request, top: &Path, parent: &Path) -> Result<Site> {
    let workspace = Workspace::create(parent)?;
    let step = format!(
        "the job must check out first: `uses: actions/checkout` with `ref: {}`, `fetch-depth: 0` and \
         `persist-credentials: false`",
        request.commits.head.sha
    );
    let repository = Repository::from_clone(&workspace, top).with_context(|| step.clone())?;
    for sha in [&request.commits.base.sha, &request.commits.head.sha] {
        repository.resolve(sha).with_context(|| format!("commit {sha} is not in the clone; {step}"))?;
    }
    Site::open(workspace, repository, request)
}
