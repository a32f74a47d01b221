//! Running a program in a container.

use super::Engine;
use anyhow::{Context, Result, bail};
use bollard::container::LogOutput;
use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// Most of a program's standard error that is kept, in bytes.
const COMPLAINT_LIMIT: usize = 4096;

/// A program to run in a container.
pub(crate) struct Call<'c> {
    /// The container.
    pub(crate) container: &'c str,
    /// The program and its arguments.
    pub(crate) program: &'c [&'c str],
    /// `uid:gid`.
    pub(crate) user: &'c str,
    /// For its standard input.
    pub(crate) input: &'c [u8],
    /// How long it may take.
    pub(crate) limit: Duration,
    /// Asked once a second meanwhile; an error ends the waiting.
    pub(crate) check: &'c dyn Fn() -> Result<()>,
}

impl Engine {
    /// Runs a program: its standard output goes to `take`. Gives its exit code and the start of its standard error.
    ///
    /// The program may still run after an error; whoever asked ends the container then.
    ///
    /// # Errors
    /// When the engine refuses, the limit passes, the check fails, or `take` refuses what came.
    pub(crate) fn exec(
        &self,
        call: &Call<'_>,
        mut take: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(i64, String)> {
        self.wait(call.limit, async {
            let options = CreateExecOptions {
                attach_stdin: Some(true),
                attach_stdout: Some(true),
                attach_stderr: Some(true),
                cmd: Some(call.program.to_vec()),
                user: Some(call.user),
                working_dir: Some("/"),
                ..CreateExecOptions::default()
            };
            let exec = self.docker.create_exec(call.container, options).await?;
            let start = StartExecOptions { output_capacity: Some(1 << 18), ..StartExecOptions::default() };
            let StartExecResults::Attached { mut output, mut input } =
                self.docker.start_exec(&exec.id, Some(start)).await?
            else {
                bail!("the engine detached from a program");
            };
            input.write_all(call.input).await.context("writing to the program")?;
            input.flush().await?;
            let mut complaint = Vec::new();
            let mut second = tokio::time::interval(Duration::from_secs(1));
            second.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                let piece = tokio::select! {
                    piece = output.next() => piece,
                    _ = second.tick() => {
                        (call.check)()?;
                        continue;
                    }
                };
                match piece.transpose()? {
                    None => break,
                    Some(LogOutput::StdOut { message }) => take(&message).map_err(anyhow::Error::msg)?,
                    Some(LogOutput::StdErr { message }) => {
                        let room = COMPLAINT_LIMIT - complaint.len();
                        complaint.extend_from_slice(&message[..room.min(message.len())]);
                    }
                    Some(_) => {}
                }
            }
            // Kept open until now: some engines end the program's output with its input.
            drop(input);
            let ended = self.docker.inspect_exec(&exec.id).await?;
            Ok((ended.exit_code.unwrap_or(-1), String::from_utf8_lossy(&complaint).trim().to_owned()))
        })
    }
}
