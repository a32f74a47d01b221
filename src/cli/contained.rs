//! Measuring in containers: one a side, beside our own.

use crate::cli::failure::Failure;
use crate::cli::site::Site;
use crate::cli::stage::{Settings, carry_out};
use crate::config::{Config, Host};
use crate::host::{self, JournalPlace, Observer, Roots, Session};
use crate::measure::exec::ExecError;
use crate::measure::process::Placement;
use crate::measure::progress::{Event, Progress};
use crate::measure::sandbox::{
    ContainerExec, HelperOptions, HostHelper, Limits, Options, SandboxError, owner, unused_toolchains,
};
use crate::request::Request;
use crate::results::{KnobOutcome, Machine, Results};
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// Measures in containers.
///
/// # Errors
/// When an image cannot be had, another run keeps the host too long, a setting is required and refused, a signal
/// arrives, or this program itself breaks.
pub(crate) fn measure_in_containers(
    request: &Request,
    site: &Site,
    settings: Settings,
    progress: &mut dyn Progress,
) -> Result<Results> {
    let run = request.origin.as_ref().map_or_else(|| "terminal".to_owned(), |it| format!("{}-{}", it.run, it.attempt));
    let mut exec = begin(request, site, settings.owner.as_deref(), &run, progress)?;
    let roots = Roots::live();
    let mut machine = host::machine(&roots);
    let warnings = describe(&exec, &mut machine);
    let host = &request.config.host;
    let helper = HostHelper::is_needed() && touches_files(&request.config) && has_files(&roots);
    let helper = if helper { Some(start_helper(&run, host, progress)?) } else { None };
    // What the helper sets is none of the session's business, which could only report that it is refused.
    let own = if helper.is_some() { without_files(host) } else { host.clone() };
    let session = Rc::new(RefCell::new(Session::begin(&own, roots.clone(), JournalPlace::standard())?));
    let mut observer = Observer::new(Rc::clone(&session), &request.config, &roots, machine.steal_observable);
    observer.trust_priority();
    let placement = Placement { nice: host.nice.map(i32::from), ..observer.placement() };
    exec.place(PerSide { base: placement.clone(), head: placement }).map_err(explain)?;
    let helper = helper.map(|helper| Rc::new(RefCell::new(helper)));
    if let Some(helper) = helper.clone() {
        observer.set_by(move |host| Ok(helper.borrow_mut().apply_side(host)?));
    }
    observer.require()?;
    exec.hook(Box::new(observer));
    let measured = carry_out(request, site, settings, &mut exec, machine, warnings, progress);
    let process = exec.process_outcomes().to_vec();
    // The observer's share of session and helper goes with the executor.
    let emptied = exec.finish();
    let notes = session.borrow().notes().to_vec();
    let mut tuning = Rc::try_unwrap(session).map(|session| session.into_inner().finish()).unwrap_or_default();
    let helper = helper.and_then(|helper| Rc::try_unwrap(helper).ok());
    if let Some(helper) = helper {
        match helper.into_inner().finish() {
            Ok(outcomes) => replace(&mut tuning, outcomes),
            Err(error) => tracing::warn!("{error}"),
        }
    }
    replace(&mut tuning, process);
    let mut results = measured?;
    emptied?;
    results.tuning = tuning;
    results.warnings.extend(notes);
    results.warnings.extend(host::rules::warnings(&results));
    Ok(results)
}

fn begin(
    request: &Request,
    site: &Site,
    workspace: Option<&Path>,
    run: &str,
    progress: &mut dyn Progress,
) -> Result<ContainerExec> {
    let chosen = |name: &String| request.suites.is_empty() || request.suites.contains(name);
    let suites: Vec<_> = request.config.suites.iter().filter(|suite| chosen(&suite.name)).cloned().collect();
    let top = workspace.unwrap_or(Path::new("."));
    let user = nix::unistd::geteuid();
    // Only root can hand the trees to somebody else.
    let owner = if user.is_root() {
        owner(top).with_context(|| format!("looking at {}", top.display()))?
    } else {
        (user.as_raw(), nix::unistd::getegid().as_raw())
    };
    ContainerExec::begin(Options {
        suites: &suites,
        folders: site.checkouts.folders.clone(),
        work: site.folder(),
        owner,
        run,
        patience: request.config.budget.min(request.config.max_time),
        limits: Limits::default(),
        launcher: None,
        progress: &mut |text| progress.event(&Event::Note(text)),
    })
    .map_err(explain)
}

/// Another run's turn is exit code 3, a signal its own.
fn explain(error: SandboxError) -> anyhow::Error {
    match error {
        SandboxError::Busy { .. } => Failure::nothing_measured(error.to_string()).into(),
        SandboxError::Interrupted(number) => ExecError::Interrupted(number).into(),
        other => other.into(),
    }
}

/// Puts the images into the machine's description, and gives what a reader must know about them.
fn describe(exec: &ContainerExec, machine: &mut Machine) -> Vec<String> {
    machine.container = true;
    machine.images = Some(exec.digests());
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for (suite, sides) in exec.images() {
        for side in Side::BOTH {
            let image = sides.get(side);
            let place = if sides.base == sides.head { suite.to_owned() } else { format!("{suite}, {side}") };
            let prepared = if image.prepared { ", prepared" } else { "" };
            lines.insert(format!("{} ({}{prepared}) for {place}", image.reference, image.why));
        }
    }
    let lines: Vec<String> = lines.into_iter().collect();
    let names: BTreeSet<&str> = exec.images().map(|(_, sides)| sides.base.reference.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    machine.details.insert("image".to_owned(), lines.join("; "));
    unused_toolchains(std::env::vars_os(), &names.join(" and ")).into_iter().collect()
}

fn start_helper(run: &str, host: &Host, progress: &mut dyn Progress) -> Result<HostHelper> {
    let helper = HostHelper::begin(&HelperOptions::new(run), host)?;
    for note in helper.notes() {
        progress.event(&Event::Note(note));
    }
    Ok(helper)
}

/// Whether any setting is asked for that is a file of the host.
fn touches_files(config: &Config) -> bool {
    let sides = config.suites.iter().flat_map(|suite| [&suite.sides.base, &suite.sides.head]);
    let hosts = sides.filter_map(|side| side.host.as_ref()).chain([&config.host]);
    hosts.into_iter().any(|host| host.tuning != crate::config::Tuning::Off && *host != without_files(host))
}

/// Whether the host has such files at all, as a container too can see. Virtual machines mostly have none.
pub(super) fn has_files(roots: &Roots) -> bool {
    let cpu = roots.sys.join("devices/system/cpu");
    let policies = std::fs::read_dir(cpu.join("cpufreq")).is_ok_and(|mut entries| entries.next().is_some());
    policies || ["cpu0/cpufreq", "intel_pstate/no_turbo"].iter().any(|file| cpu.join(file).exists())
}

/// The same without what is a file of the host.
fn without_files(host: &Host) -> Host {
    Host { governor: None, boost: None, epp: None, min_khz: None, max_khz: None, ..host.clone() }
}

/// Puts outcomes in place of those of the same settings.
fn replace(outcomes: &mut Vec<KnobOutcome>, newer: Vec<KnobOutcome>) {
    outcomes.retain(|old| newer.iter().all(|new| new.knob != old.knob));
    outcomes.extend(newer);
}
