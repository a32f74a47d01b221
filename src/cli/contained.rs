//! Measuring in containers: the sandbox around what [`crate::cli::stage`] does on the host.

use crate::cli::site::Site;
use crate::cli::stage::{Settings, with_tools};
use crate::host::{self, JournalPlace, Observer, Roots, Session};
use crate::measure::Options;
use crate::measure::progress::{Event, Progress};
use crate::measure::sandbox::{self, ContainerExec};
use crate::request::Request;
use crate::results::Results;
use crate::side::PerSide;
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// Measures in one container a side, which the engine beside us starts.
///
/// # Errors
/// As on the host; also when an image or a container cannot be had.
pub(crate) fn measure(
    request: &Request,
    site: &Site,
    settings: Settings,
    progress: &mut dyn Progress,
) -> Result<Results> {
    let roots = Roots::live();
    let mut machine = host::machine(&roots);
    let mut dockerfiles = BTreeMap::new();
    for side in request.config.suites.iter().flat_map(|suite| [&suite.sides.base, &suite.sides.head]) {
        let Some(path) = &side.dockerfile else { continue };
        // From base, never from head.
        let text = site.repository.read_file(&request.commits.base.sha, path)?;
        let text = text.with_context(|| format!("base has no {path}, which `dockerfile` names"))?;
        dockerfiles.insert(path.clone(), String::from_utf8(text).with_context(|| format!("{path} is not UTF-8"))?);
    }
    let run = request.origin.as_ref().map_or_else(|| std::process::id().to_string(), |origin| origin.run.to_string());
    let work = site.folder().join("sandbox");
    std::fs::create_dir_all(&work).with_context(|| format!("making {}", work.display()))?;
    let mut exec = ContainerExec::begin(sandbox::Options {
        suites: &request.config.suites,
        dockerfiles: &dockerfiles,
        folders: site.checkouts.folders.clone(),
        work: &work,
        owner: sandbox::owner(settings.owner.as_deref().unwrap_or(Path::new(".")))?,
        run: &run,
        patience: request.config.budget,
        limits: sandbox::Limits::default(),
        launcher: None,
        progress: &mut |text| progress.event(&Event::Note(text)),
    })?;
    machine.container = true;
    machine.images = Some(exec.digests());
    // Only what belongs to processes: the host's own files are not ours inside a container.
    let host_config = crate::config::Host { governor: None, boost: None, ..request.config.host.clone() };
    let session = Rc::new(RefCell::new(Session::begin(&host_config, roots.clone(), JournalPlace::standard())?));
    let observer = Observer::new(Rc::clone(&session), &request.config, &roots, machine.steal_observable);
    let placement = observer.placement();
    exec.place(PerSide { base: placement.clone(), head: placement })?;
    exec.hook(Box::new(observer));
    let options = Options {
        machine,
        journal: settings.journal,
        raw: settings.raw,
        disk: Some(site.folder().to_owned()),
        spent: settings.spent,
        warnings: session.borrow().notes().to_vec(),
        config_hash: Some(site.config_hash.clone()),
    };
    let measured = with_tools(request, &mut exec, &options, progress);
    let mut tuning = exec.process_outcomes().to_vec();
    let ended = exec.finish();
    let session = Rc::try_unwrap(session).map(|session| session.into_inner().finish()).unwrap_or_default();
    tuning.extend(session.into_iter().filter(|outcome| !matches!(outcome.knob.as_str(), "cpu affinity" | "nice")));
    let mut results = measured?;
    ended?;
    results.tuning = tuning;
    results.warnings.extend(host::rules::warnings(&results));
    Ok(results)
}
