//! One call of git: hardened, watched, with its errors in words.

use super::GitError;
use crate::measure::signal;
use crate::measure::supervise::{Capture, Ended, pidfd, reap, watch};
use base64::Engine;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use secrecy::{ExposeSecret, SecretString};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most bytes of git's output that are taken.
const OUTPUT_LIMIT: usize = 256 << 20;
/// Longest time of one call.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// A token for one server, sent as a header and never written down.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The server that it is for, such as `https://github.com`.
    pub server: String,
    /// The token.
    pub token: SecretString,
}

/// Which protocols git may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocols {
    /// Only https: everywhere but in a terminal.
    Https,
    /// Also ssh and local paths: a user's own clone, and tests.
    Local,
}

/// How git is called.
#[derive(Debug, Clone)]
pub(super) struct Git {
    pub(super) protocols: Protocols,
    pub(super) credentials: Option<Arc<Credentials>>,
}

/// Settings of every call: nothing of the machine, the user or the repository decides what runs.
const CONFIG: &[(&str, &str)] = &[
    ("advice.detachedHead", "false"),
    ("core.askPass", ""),
    ("core.attributesFile", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.symlinks", "true"),
    ("core.untrackedCache", "false"),
    ("credential.helper", ""),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("http.followRedirects", "initial"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("protocol.https.allow", "always"),
    ("protocol.version", "2"),
    ("safe.directory", "*"),
    ("submodule.recurse", "false"),
];

/// Variables of ours that git may see: how to find programs, and how to reach the network.
const PASSED: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "https_proxy",
    "http_proxy",
    "no_proxy",
];

impl Git {
    /// A call in `folder`.
    pub(super) fn at(&self, folder: &Path) -> Call<'_> {
        Call {
            git: self,
            folder: folder.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            config: Vec::new(),
            stdin: None,
            as_user: false,
        }
    }
}

/// A call that is being put together.
#[derive(Debug)]
pub(super) struct Call<'g> {
    git: &'g Git,
    folder: PathBuf,
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    config: Vec<(String, String)>,
    stdin: Option<Vec<u8>>,
    as_user: bool,
}

/// What git said.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: Result<i32, i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Call<'_> {
    pub(super) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    pub(super) fn config(mut self, key: &str, value: &str) -> Self {
        self.config.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Lets git read the configuration of the machine and the user, for a call that only shows a setting.
    pub(super) fn with_user_settings(mut self) -> Self {
        self.as_user = true;
        self
    }

    pub(super) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Calls git and wants success.
    pub(super) fn run(self, what: &str) -> Result<Vec<u8>, GitError> {
        let shown = self.shown();
        let output = self.output(what)?;
        match output.status {
            Ok(0) => Ok(output.stdout),
            Ok(status) => {
                Err(GitError::Failed { what: what.to_owned(), command: shown, status, stderr: output.stderr })
            }
            Err(number) => Err(GitError::Failed {
                what: what.to_owned(),
                command: shown,
                status: 128 + number,
                stderr: output.stderr,
            }),
        }
    }

    /// Like [`Call::run`], with one line of text.
    pub(super) fn line(self, what: &str) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run(what)?).trim_end_matches('\n').to_owned())
    }

    /// Calls git; the caller looks at the status.
    pub(super) fn output(self, what: &str) -> Result<Output, GitError> {
        let io = |error| GitError::Io { what: what.to_owned(), source: error };
        let mut child = self.command().map_err(io)?.spawn().map_err(io)?;
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(|error| io(std::io::Error::other(error)))?);
        let streams = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
        let watched = watched(pid, streams);
        if !matches!(watched, Ok((Ended::Exited, _))) {
            let _ = killpg(pid, Signal::SIGKILL);
        }
        let reaped = reap(pid, false);
        let (ended, [mut stdout, mut stderr]) = watched.map_err(io)?;
        match ended {
            Ended::Stopped(number) => return Err(GitError::Interrupted(number)),
            Ended::TimedOut => {
                return Err(io(std::io::Error::other(format!("git took more than {} s", PATIENCE.as_secs()))));
            }
            Ended::Exited => {}
        }
        stdout.finish();
        stderr.finish();
        // Ctrl-C in a terminal reaches helpers of git too: that is no failure of theirs.
        if let Some(number) = signal::received() {
            return Err(GitError::Interrupted(number));
        }
        if stdout.lost > 0 {
            return Err(io(std::io::Error::other(format!("git printed more than {} MiB", OUTPUT_LIMIT >> 20))));
        }
        let status = reaped.map_or(Err(0), |reaped| reaped.status);
        Ok(Output { status, stdout: stdout.bytes, stderr: String::from_utf8_lossy(&stderr.bytes).trim().to_owned() })
    }

    fn command(&self) -> std::io::Result<Command> {
        let mut command = Command::new("git");
        command.args(&self.args).current_dir(&self.folder).env_clear().process_group(0);
        let local = self.git.protocols == Protocols::Local;
        let user: &[&str] = if local { &["HOME", "SSH_AUTH_SOCK", "USER"] } else { &[] };
        for name in PASSED.iter().chain(user) {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        for (name, value) in [
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_EDITOR", "false"),
            ("GIT_LFS_SKIP_SMUDGE", "1"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_PAGER", "cat"),
            ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        if self.as_user {
            command.env_remove("GIT_CONFIG_GLOBAL").env_remove("GIT_CONFIG_NOSYSTEM");
            command.envs(std::env::var_os("XDG_CONFIG_HOME").map(|value| ("XDG_CONFIG_HOME", value)));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        let mut config: Vec<(String, String)> =
            CONFIG.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        if local {
            config.extend(["file", "ssh"].map(|name| (format!("protocol.{name}.allow"), "always".to_owned())));
        }
        config.extend(self.git.credentials.as_deref().map(header));
        config.extend(self.config.iter().cloned());
        command.env("GIT_CONFIG_COUNT", config.len().to_string());
        for (index, (key, value)) in config.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command.stdin(self.stdin_file()?).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    /// Input in an unlinked file: no pipe that both ends could wait on.
    fn stdin_file(&self) -> std::io::Result<Stdio> {
        let Some(bytes) = &self.stdin else { return Ok(Stdio::null()) };
        let mut file: File = tempfile::tempfile()?;
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file.into())
    }

    /// The command as a user would type it; credentials are never in it.
    fn shown(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        format!("git {}", shell_words::join(args))
    }
}

fn watched(pid: Pid, streams: [Option<OwnedFd>; 2]) -> std::io::Result<(Ended, [Capture; 2])> {
    let [stdout, stderr] =
        streams.map(|fd| Capture::new(fd.ok_or_else(|| std::io::Error::other("no pipe"))?, OUTPUT_LIMIT));
    let (mut stdout, mut stderr) = (stdout?, stderr?);
    let ended = watch(&pidfd(pid)?, &mut [&mut stdout, &mut stderr], Some(Instant::now() + PATIENCE), None)?;
    Ok((ended, [stdout, stderr]))
}

/// The token as a header for its server alone, as GitHub's own checkout sends it.
fn header(credentials: &Credentials) -> (String, String) {
    let pair = format!("x-access-token:{}", credentials.token.expose_secret());
    let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
    (
        format!("http.{}/.extraheader", credentials.server.trim_end_matches('/')),
        format!("AUTHORIZATION: basic {encoded}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_in_the_environment_and_nowhere_else() {
        let credentials = Credentials { server: "https://github.com/".to_owned(), token: "s3cret".to_owned().into() };
        let git = Git { protocols: Protocols::Https, credentials: Some(Arc::new(credentials)) };
        let call = git.at(Path::new("/")).args(["fetch", "https://github.com/o/r"]);
        assert!(!call.shown().contains("s3cret"));
        assert!(!format!("{call:?}").contains("s3cret"));
        let command = call.command().expect("command");
        let value = |name: &str| {
            let found = command.get_envs().find(|(key, _)| *key == name);
            found.and_then(|(_, value)| value).map(|value| value.to_string_lossy().into_owned())
        };
        let index = (0..100).find(|i| {
            value(&format!("GIT_CONFIG_KEY_{i}")).is_some_and(|k| k == "http.https://github.com/.extraheader")
        });
        let header = value(&format!("GIT_CONFIG_VALUE_{}", index.expect("a header"))).expect("a value");
        // base64 of "x-access-token:s3cret", from coreutils.
        assert_eq!(header, "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46czNjcmV0");
        assert!(value("HOME").is_none() && value("GIT_DIR").is_none());
    }
}
