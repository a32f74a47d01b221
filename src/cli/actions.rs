//! bench-bot inside GitHub Actions: the modes of the action, and what they share.

mod gate;
mod gather;
mod measure;
mod outcome;
mod report;
mod restore;
mod run;

pub(crate) use gate::gate;
pub(crate) use measure::{carry_out, measure};
pub(crate) use outcome::{Outcome, publish};
pub(crate) use report::{report, report_on};
pub(crate) use run::run;

use crate::actions::{Event, Runner};
use crate::cli::args::{GateArgs, MeasureArgs, OutputArgs, ReportArgs};
use crate::gate::{Decision, Gate};
use crate::github::{Client, Repository};
use crate::measure::signal;
use crate::request::{self, Request};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder that every mode writes into, below the workspace.
pub(crate) const FOLDER: &str = "bench-bot-out";

/// Does what the input `mode` says.
///
/// # Errors
/// As the mode itself; also for a mode that does not exist.
pub(crate) fn by_mode() -> Result<u8> {
    let runner = Runner::from_env();
    match runner.input("mode").unwrap_or("run") {
        "run" => run(&OutputArgs::default(), None),
        "gate" => gate(&GateArgs { output: Path::new(FOLDER).join("request.json") }),
        "measure" => measure(&MeasureArgs::default()),
        "report" => report(&ReportArgs::default()),
        "calibrate" => crate::cli::calibrate::in_actions(&runner),
        "restore" => restore::restore(),
        other => {
            bail!("input `mode` is `{other}`; it can be `run`, `gate`, `measure`, `report`, `calibrate` or `restore`")
        }
    }
}

/// A client for the server and the token of this job. It stops waiting when a signal arrives.
///
/// # Errors
/// When the server's address is none.
pub(crate) fn client(runner: &Runner) -> Result<Client> {
    let client = Client::new(runner.api_url(), runner.token())?;
    let client = match runner.graphql_url() {
        Some(url) => client.with_graphql(url)?,
        None => client,
    };
    Ok(client.with_pause(Box::new(pause)))
}

/// Waits, but not longer than until a signal arrives; `false` then.
fn pause(wait: Duration) -> bool {
    use nix::poll::{PollFd, PollFlags, ppoll};
    let mut fds: Vec<PollFd<'_>> = signal::wake().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).into_iter().collect();
    let timeout = nix::sys::time::TimeSpec::from_duration(wait);
    let _ = ppoll(&mut fds, Some(timeout), None);
    signal::received().is_none()
}

/// The event of this job and the repository that it happened in.
///
/// # Errors
/// When the event cannot be read, or nothing names the repository.
pub(crate) fn event<'c>(runner: &Runner, client: &'c Client) -> Result<(Event, Repository<'c>)> {
    let event = runner.event()?;
    let name = event.repository().map(|repository| repository.full_name);
    let name = name.or_else(|| runner.repository().map(str::to_owned));
    let name = name.context("neither the event nor GITHUB_REPOSITORY names the repository")?;
    Ok((event, client.repository(&name)?))
}

/// Decides, with the outputs of a gate and the reason in log and summary, also when nothing can be decided.
///
/// # Errors
/// As [`Gate::decide`]; the summary has it then.
pub(crate) fn decide(gate: &Gate<'_>, event: &Event, runner: &Runner) -> Result<Decision> {
    let decided = gate.decide(event).and_then(|decision| {
        crate::gate::announce(runner, &decision)?;
        Ok(decision)
    });
    decided.map_err(|error| {
        let text = error.to_string().replace(['`', '\n', '\r'], " ");
        for written in [
            runner.add_summary(&format!("**Nothing was measured**: `{}`\n", text.trim())).map(|_| ()),
            runner.set_output("run", "false"),
        ] {
            if let Err(second) = written {
                tracing::warn!("{second}");
            }
        }
        error.into()
    })
}

/// The request that was handed over: the JSON itself, or a file of it.
///
/// # Errors
/// When there is none, or it is not one.
pub(crate) fn request(given: Option<&str>, runner: &Runner) -> Result<Request> {
    let given = given.or_else(|| runner.input("request"));
    let given = given.context("no request: pass the output `request` of the gate job as the input `request`")?;
    let bytes = if given.trim_start().starts_with('{') {
        given.as_bytes().to_vec()
    } else {
        read_file(Path::new(given), crate::gate::MAX_REQUEST).context("the request")?
    };
    ensure!(
        bytes.len() <= crate::gate::MAX_REQUEST,
        "the request is longer than {} bytes, and no gate makes such a one",
        crate::gate::MAX_REQUEST
    );
    Ok(request::read(&bytes)?)
}

/// A file that somebody else may have put there: regular, and cut after one byte more than `limit`, so that whoever
/// checks its length sees that it is too long. A link is not followed, and a pipe not waited for.
///
/// # Errors
/// When there is no such file, or it is something else.
pub(crate) fn read_file(path: &Path, limit: usize) -> Result<Vec<u8>> {
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;
    let open = || -> std::io::Result<Vec<u8>> {
        let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
        let file = std::fs::File::options().read(true).custom_flags(flags).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    open().with_context(|| format!("reading {}", path.display()))
}

/// The workspace of the job, or the current folder.
pub(crate) fn workspace(runner: &Runner) -> Result<PathBuf> {
    match runner.workspace() {
        Some(path) => Ok(path),
        None => std::env::current_dir().context("the current folder"),
    }
}

/// Gives a file or folder that root made to whoever owns the workspace, so that later steps can use and remove it.
pub(crate) fn give_to_owner(path: &Path, workspace: &Path) {
    use std::os::unix::fs::MetadataExt;
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let Ok(owner) = std::fs::metadata(workspace) else { return };
    let give = |path: &Path| {
        if let Err(error) = std::os::unix::fs::lchown(path, Some(owner.uid()), Some(owner.gid())) {
            tracing::warn!("{} stays root's: {error}", path.display());
        }
    };
    give(path);
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            give(&entry.path());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
}
