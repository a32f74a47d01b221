//! The results that a report is made of, from files or artifacts: what can be used, and what cannot and why. One bad
//! file of a matrix must not hide what the other machines measured.

use super::read_file;
use crate::actions::Runner;
use crate::cli::args::ReportArgs;
use crate::cli::failure::Failure;
use crate::github::Repository;
use crate::github::artifact::RESULTS;
use crate::request::Request;
use crate::results::{self, Results, Stopped};
use crate::side::Side;
use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// Most files that one report is made of.
const MAX_FILES: usize = 256;

/// What was found.
pub(super) struct Gathered {
    /// Results of this request, at most one of each shard. Never empty.
    pub(super) results: Vec<Results>,
    /// What cannot be used, and why. Unescaped.
    pub(super) unusable: Vec<String>,
    /// When the oldest of the artifacts was made, where all of them tell.
    made: Option<Timestamp>,
}

impl Gathered {
    /// Whether every part is here and measured to its end after `since`: then it is no earlier attempt's.
    pub(super) fn is_whole(&self, since: Option<Timestamp>) -> bool {
        let parts = self.results.first().and_then(|first| first.shard).map_or(1, |shard| shard.count as usize);
        let ended = self.results.iter().all(|results| results.stopped != Stopped::Interrupted);
        let of_this_attempt = matches!((self.made, since), (Some(made), Some(since)) if made >= since);
        self.unusable.is_empty() && self.results.len() == parts && ended && of_this_attempt
    }
}

/// Bytes, where they came from, and when they were kept.
struct Found {
    place: String,
    bytes: Vec<u8>,
    made: Option<Timestamp>,
}

/// Results by path, or from the artifacts of `run`.
///
/// # Errors
/// When nothing is there, or nothing of it can be used.
pub(super) fn gather(
    args: &ReportArgs,
    runner: &Runner,
    repository: Option<&Repository<'_>>,
    run: Option<u64>,
    request: &Request,
) -> Result<Gathered> {
    let mut paths = args.results.clone();
    if paths.is_empty() {
        paths.extend(runner.input("results").map(PathBuf::from));
    }
    let artifact = args.artifact.as_deref().or_else(|| runner.input("artifact"));
    match (paths.is_empty(), artifact) {
        (false, _) => from_paths(&paths, request),
        (true, Some(name)) => {
            let repository = repository.context("artifacts are kept by GitHub, and the request names no repository")?;
            let run = run.context("GITHUB_RUN_ID is not set: which run's artifacts?")?;
            choose(from_artifacts(repository, run, name)?, request)
        }
        (true, None) => bail!("no results: name files with `results`, or an artifact with `artifact`"),
    }
}

/// Results by path: files, and folders of them.
///
/// # Errors
/// As [`gather`].
pub(super) fn from_paths(paths: &[PathBuf], request: &Request) -> Result<Gathered> {
    let mut found = Vec::new();
    for path in paths {
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                found.push(Err(nothing(format!("{} is not there: the measuring job left nothing", path.display()))));
            }
            Err(error) => found.push(Err(Error::new(error).context(format!("reading {}", path.display())))),
            Ok(metadata) if metadata.is_dir() => {
                let mut inside = Vec::new();
                collect(path, 0, &mut inside)?;
                inside.sort();
                if inside.is_empty() {
                    let message = format!("no {RESULTS} in {}: the measuring job left nothing", path.display());
                    found.push(Err(nothing(message)));
                }
                found.extend(inside.iter().map(|file| from_file(file)));
            }
            Ok(_) => found.push(from_file(path)),
        }
    }
    choose(found, request)
}

/// The measuring job left nothing: no fault of the report's.
fn nothing(message: String) -> Error {
    Failure::nothing_measured(message).into()
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> Result<()> {
    ensure!(depth < 4 && into.len() < MAX_FILES, "too many results in {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), depth + 1, into)?;
        } else if kind.is_file() && entry.file_name() == RESULTS {
            into.push(entry.path());
        }
    }
    Ok(())
}

fn from_file(path: &Path) -> Result<Found> {
    Ok(Found { place: path.display().to_string(), bytes: read_file(path, results::SIZE_LIMIT)?, made: None })
}

fn from_artifacts(repository: &Repository<'_>, run: u64, name: &str) -> Result<Vec<Result<Found>>> {
    let (exact, prefix) = match name.strip_suffix('*') {
        Some(prefix) => (None, prefix),
        None => (Some(name), name),
    };
    let artifacts = Repository::newest(repository.artifacts(run, exact)?, prefix);
    if artifacts.is_empty() {
        return Err(nothing(format!("run {run} has no artifact `{name}`: the measuring job left nothing")));
    }
    ensure!(artifacts.len() <= MAX_FILES, "run {run} has {} artifacts `{name}`: too many", artifacts.len());
    let download = |artifact: &crate::github::Artifact| {
        let place = format!("artifact {}", artifact.name);
        let bytes = repository.artifact_file(artifact, RESULTS).with_context(|| place.clone())?;
        Ok(Found { place, bytes, made: artifact.created_at.as_deref().and_then(|at| at.parse().ok()) })
    };
    Ok(artifacts.iter().map(download).collect())
}

/// Sorts what can be used from what cannot.
fn choose(found: Vec<Result<Found>>, request: &Request) -> Result<Gathered> {
    let mut gathered = Gathered { results: Vec::new(), unusable: Vec::new(), made: None };
    let (mut errors, mut times) = (Vec::new(), Vec::new());
    for one in found {
        let read = one.and_then(|Found { place, bytes, made }| {
            let read = results::read(&bytes).map_err(Error::from).and_then(|read| {
                belongs(&read, request)?;
                fits(&read, &gathered.results)?;
                Ok(read)
            });
            read.map(|read| (read, made)).with_context(|| place)
        });
        match read {
            Ok((read, made)) => {
                gathered.results.push(read);
                times.push(made);
            }
            Err(error) => errors.push(error),
        }
    }
    gathered.made = times.into_iter().collect::<Option<Vec<_>>>().and_then(|times| times.into_iter().min());
    if gathered.results.is_empty() {
        return Err(alone_or_together(errors));
    }
    gathered.unusable = errors.iter().map(|error| format!("{error:#}")).collect();
    Ok(gathered)
}

/// Results of the two commits and the policy of the request.
fn belongs(read: &Results, request: &Request) -> Result<()> {
    for side in Side::BOTH {
        let (measured, wanted) = (read.commits.get(side), &request.commits.get(side).sha);
        ensure!(measured == wanted, "it is of another commit: {side} is {measured}, and {wanted} was asked for");
    }
    ensure!(
        read.config_hash == request.config_hash(),
        "it was measured under another configuration than the one in force"
    );
    Ok(())
}

/// A part that was not there yet, of the same division.
fn fits(read: &Results, others: &[Results]) -> Result<()> {
    let count = |results: &Results| results.shard.map_or(1, |shard| shard.count);
    if let Some(other) = others.iter().find(|other| count(other) != count(read)) {
        bail!("it is of {} shards, and the results before it of {}", count(read), count(other));
    }
    match read.shard {
        _ if others.iter().all(|other| other.shard != read.shard) => Ok(()),
        Some(shard) => Err(anyhow!("it is shard {}/{} once more", shard.index, shard.count)),
        None => Err(anyhow!("it is a second results file of a run without shards")),
    }
}

/// One error as it is, several in one line.
fn alone_or_together(mut errors: Vec<Error>) -> Error {
    let text = errors.iter().map(|error| format!("{error:#}")).collect::<Vec<_>>().join("; ");
    let nothing_at_all = errors.iter().all(|error| error.downcast_ref::<Failure>().is_some());
    match (errors.pop(), errors.is_empty()) {
        (Some(error), true) => error,
        (Some(_), false) if !nothing_at_all => anyhow!("none of the results can be used: {text}"),
        _ => nothing(if text.is_empty() { "there are no results".to_owned() } else { text }),
    }
}
