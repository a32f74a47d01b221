//! `bench-bot run` in one job of GitHub Actions: gate, measure, report.

use super::measure::site;
use super::report::{Measured, Told, tell};
use super::{FOLDER, client, decide, event, give_to_owner, workspace};
use crate::actions::Runner;
use crate::cli::args::OutputArgs;
use crate::cli::failure::interrupted;
use crate::cli::site::Site;
use crate::cli::stage::{self, Place, Settings};
use crate::gate::{Decision, Form, Gate, Inputs};
use crate::git::{Credentials, Protocols, Repository as Clone, Workspace};
use crate::github::comment::State;
use crate::publish as publisher;
use crate::request::Request;
use crate::results::{self, Results};
use anyhow::{Context, Result};
use jiff::Timestamp;
use std::path::Path;

/// Gate, measure and report in this process.
///
/// # Errors
/// When the event must not start benchmarks, a token would share an environment with the pull request's code, a signal
/// arrives, or nothing could be compared.
pub(crate) fn run(output: &OutputArgs, isolation: Option<crate::cli::args::IsolationArg>) -> Result<u8> {
    let runner = Runner::from_env();
    let top = workspace(&runner)?;
    let client = client(&runner)?;
    let (event, repository) = event(&runner, &client)?;
    let inputs = Inputs::from_runner(&runner)?;
    let gate = Gate { repository: &repository, runner: &runner, inputs, form: Form::OneJob, now: Timestamp::now() };
    let mut request = match decide(&gate, &event, &runner)? {
        Decision::Run(allowed) => allowed.request,
        Decision::Nothing(nothing) => {
            crate::cli::say::out!("bench-bot: nothing to do, because {}", nothing.because);
            publisher::no_outputs(&runner)?;
            return Ok(0);
        }
    };
    // From here on the comment may say "running": whatever happens, it is told.
    let measured = measure(&runner, &mut request, &top, isolation, output, || client.disconnect());
    let told = match &measured {
        Ok((results, site)) => Told::Results(Measured::of(std::slice::from_ref(results), site.as_ref())),
        Err(error) => Told::Failure(
            if interrupted(error).is_some() { State::Cancelled } else { State::Failed },
            format!("{error:#}"),
        ),
    };
    let code = tell(&runner, Some(&repository), &request, &told, output);
    give_to_owner(&top.join(FOLDER), &top);
    measured?;
    code
}

fn measure(
    runner: &Runner,
    request: &mut Request,
    top: &Path,
    isolation: Option<crate::cli::args::IsolationArg>,
    output: &OutputArgs,
    silence: impl FnOnce(),
) -> Result<(Results, Option<Site>)> {
    let place = Place::decide(request, isolation, runner, true, top)?;
    let parent = place.parent(runner, top)?;
    let checked_out = top.join(".git").exists();
    let site = if checked_out { site(request, top, &parent)? } else { fetch(request, runner, &parent)? };
    let folder = top.join(FOLDER);
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let output_file = folder.join("results.json");
    let settings = Settings {
        journal: Some(output_file.clone()),
        raw: Some(folder.join("raw")),
        owner: Some(top.to_owned()),
        ..Settings::default()
    };
    // Nothing of ours runs beside a benchmark, no connection either.
    silence();
    let mut progress = stage::progress(output.quiet);
    let mut results = stage::measure(request, &site, place, settings, &mut *progress)?;
    results.asked = Some(Box::new(stage::asked(request, Some(&site))));
    results::write(&output_file, &results).with_context(|| format!("writing {}", output_file.display()))?;
    Ok((results, Some(site)))
}

/// The workspace is empty: fetches exactly the two commits. The token goes to git by its environment, never to disk.
fn fetch(request: &mut Request, runner: &Runner, parent: &Path) -> Result<Site> {
    let workspace = Workspace::create(parent)?;
    let origin = request.origin.as_ref().context("the request names no repository to fetch from")?;
    let url = format!("{}/{}.git", origin.server, origin.repository);
    let credentials = runner.token().map(|token| Credentials { server: origin.server.clone(), token });
    let repository = Clone::from_remote(&workspace, &url, Protocols::Https, credentials)?;
    repository.fetch(&[&request.commits.base.sha, &request.commits.head.sha])?;
    Site::open(workspace, repository, request)
}
