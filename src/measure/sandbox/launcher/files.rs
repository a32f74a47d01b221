//! Deleting and reading files as the suite's user, in a process of that user: root must not follow where foreign code
//! leads.

use super::{BINARY, SUBCOMMAND, rights};
use crate::measure::process::files::{Collected, Folder};
use crate::measure::sandbox::frame::{self, Frame, Head, Job};
use crate::results::StepStatus;
use anyhow::{Context, Result};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// What the process of the suite's user is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum FileWork {
    /// Delete what [`Job::remove`] names.
    Remove,
    /// Read what [`Job::collect`] names, and look for what [`Job::require`] names.
    Read,
}

/// What it found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Why it could not do its work.
    pub(super) refused: Option<String>,
    /// A required file that is not there.
    pub(super) missing: Option<String>,
    /// What a reader must know.
    pub(super) notes: Vec<String>,
    /// The files.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// Starts that process and waits for what it finds.
///
/// # Errors
/// When it cannot be started or does not answer as agreed.
pub(super) fn as_suite(job: &Job, work: FileWork) -> Result<Found> {
    let mut command = Command::new(BINARY);
    command.args([SUBCOMMAND, "files"]).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let plain = Job { cpus: Vec::new(), nice: None, ..job.clone() };
    rights::drop_in_child(&mut command, &plain, None)?;
    let mut child = command.spawn().context("starting the reader of files")?;
    if let Some(mut input) = child.stdin.take() {
        // One byte says what to do, the job says with what.
        let mut request = vec![if work == FileWork::Remove { b'-' } else { b'+' }];
        request.extend(Job { env: Default::default(), ..plain }.encode());
        input.write_all(&request).context("asking the reader of files")?;
    }
    let mut reader = frame::Reader::default();
    let mut output = child.stdout.take().context("the reader of files has no output")?;
    let mut chunk = vec![0; 1 << 16];
    loop {
        match output.read(&mut chunk)? {
            0 => break,
            n => reader.push(&chunk[..n]).map_err(anyhow::Error::msg).context("the reader of files")?,
        }
    }
    let _ = child.wait();
    let answer = reader.finish().map_err(anyhow::Error::msg).context("the reader of files")?;
    let missing = match answer.head.status {
        StepStatus::Missing(path) => Some(path),
        _ => None,
    };
    Ok(Found {
        refused: answer.head.broken,
        missing,
        notes: answer.head.notes,
        files: answer.files.into_iter().collect(),
    })
}

/// The process of the suite's user.
pub(super) fn main() -> ExitCode {
    let mut head = Head::default();
    let mut files = Vec::new();
    match asked().and_then(|(work, job)| do_work(work, &job, &mut head)) {
        Ok(found) => files.extend(found.map(|found| found.files).unwrap_or_default()),
        Err(error) => head.broken = Some(format!("{error:#}")),
    }
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let sent = frame::write(&mut out, &Frame::Head(Box::new(head)))
        .and_then(|()| {
            files.into_iter().try_for_each(|(path, bytes)| frame::write(&mut out, &Frame::File(path, bytes)))
        })
        .and_then(|()| frame::write(&mut out, &Frame::End))
        .and_then(|()| out.flush());
    if sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn asked() -> Result<(FileWork, Job)> {
    let mut work = [0];
    io::stdin().read_exact(&mut work).context("reading the request")?;
    let work = if work == *b"-" { FileWork::Remove } else { FileWork::Read };
    Ok((work, Job::read(&mut io::stdin()).context("reading the request")?))
}

fn do_work(work: FileWork, job: &Job, head: &mut Head) -> Result<Option<Collected>> {
    let shown = if job.directory.is_empty() { "." } else { &job.directory };
    let folder = Folder::open(Path::new(&job.tree), &job.directory).with_context(|| format!("folder {shown}"))?;
    if work == FileWork::Remove {
        for path in &job.remove {
            folder.remove(path).with_context(|| format!("{path} of an earlier round could not be deleted"))?;
        }
        return Ok(None);
    }
    let mut collected = folder.collect(&job.collect);
    head.notes = std::mem::take(&mut collected.notes);
    if let Some(missing) = job.require.iter().find_map(|path| folder.missing(path)) {
        head.status = StepStatus::Missing(missing);
    }
    Ok(Some(collected))
}
