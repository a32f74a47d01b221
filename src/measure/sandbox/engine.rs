//! The Docker engine behind its socket, as far as a sandbox needs it. Blocking; no docker command.

use crate::measure::exec::ExecError;
use crate::measure::signal;
use anyhow::{Context, Result, anyhow, bail};
use bollard::container::LogOutput;
use bollard::errors::Error as DockerError;
use bollard::exec::{CreateExecOptions, StartExecResults};
use bollard::models::{ContainerCreateBody, ContainerInspectResponse, ContainerStateStatusEnum, NetworkDisconnectRequest};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, CreateImageOptionsBuilder, InspectContainerOptions, ListContainersOptionsBuilder,
    RemoveContainerOptionsBuilder, StartContainerOptions,
};
use bollard::{API_DEFAULT_VERSION, Docker};
use futures_util::StreamExt;
use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::io::unix::AsyncFd;

/// Where the engine listens if `DOCKER_HOST` does not say otherwise.
pub(crate) const SOCKET: &str = "/var/run/docker.sock";
/// Limit of one ordinary answer.
const ANSWER: Duration = Duration::from_secs(120);

/// A connection to the engine.
pub(crate) struct Engine {
    docker: Docker,
    runtime: tokio::runtime::Runtime,
    socket: PathBuf,
}

/// An image that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    /// The engine's own id, which names exactly one image.
    pub(crate) id: String,
    /// Digest in the registry if it came from one, else the id.
    pub(crate) digest: String,
    /// Variables that the image sets.
    pub(crate) env: Vec<String>,
}

impl Engine {
    /// Connects to the engine that `DOCKER_HOST` names, or to the usual socket.
    ///
    /// # Errors
    /// When there is no engine, with what was tried.
    pub(crate) fn connect() -> Result<Self> {
        let socket = socket()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let docker = runtime
            .block_on(async {
                let path = socket.to_str().context("the socket's path is not UTF-8")?;
                // Long, since one answer may be a whole round; rounds have limits of their own.
                let docker = Docker::connect_with_unix(path, 24 * 3600, API_DEFAULT_VERSION)?;
                tokio::time::timeout(Duration::from_secs(20), docker.negotiate_version())
                    .await
                    .context("no answer within 20 s")?
                    .map_err(anyhow::Error::from)
            })
            .with_context(|| format!("asking the Docker engine at {}", socket.display()))?;
        Ok(Self { docker, runtime, socket })
    }

    /// Whether there is a socket that could be an engine's.
    pub(crate) fn available() -> bool {
        socket().is_ok_and(|path| path.exists())
    }

    /// Waits for `future`, for a stop signal, or for the limit.
    fn wait<T>(&self, limit: Duration, future: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.block_on(async {
            let signalled = async {
                match signal::wake().map(AsyncFd::new) {
                    Some(Ok(fd)) => drop(fd.readable().await),
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = signalled => Err(anyhow!(ExecError::Interrupted(signal::received().unwrap_or(15)))),
                done = tokio::time::timeout(limit, future) => {
                    done.with_context(|| format!("no answer from {} within {} s", self.socket.display(), limit.as_secs()))?
                }
            }
        })
    }

    /// Like [`Self::wait`], but goes on after a stop signal: for cleaning up.
    fn insist<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), future).await? })
    }

    /// The image that `reference` names, pulled if it is not here. `progress` hears of every layer.
    ///
    /// # Errors
    /// When it cannot be had; the message names the image.
    pub(crate) fn image(&self, reference: &str, mut progress: impl FnMut(&str)) -> Result<Image> {
        let found = self.wait(ANSWER, async { Ok(self.docker.inspect_image(reference).await) })?;
        let inspected = match found {
            Ok(image) => image,
            Err(error) if status(&error) == Some(404) => {
                self.pull(reference, &mut progress).with_context(|| format!("pulling image {reference}"))?;
                self.wait(ANSWER, async { Ok(self.docker.inspect_image(reference).await?) })?
            }
            Err(error) => return Err(anyhow!(error).context(format!("looking for image {reference}"))),
        };
        let id = inspected.id.context("an image without an id")?;
        let digest = inspected.repo_digests.unwrap_or_default().into_iter().next().unwrap_or_else(|| id.clone());
        let env = inspected.config.and_then(|config| config.env).unwrap_or_default();
        Ok(Image { id, digest, env })
    }

    fn pull(&self, reference: &str, progress: &mut impl FnMut(&str)) -> Result<()> {
        // Without a tag the engine would pull every one of them.
        let tagged = reference.contains('@') || reference.rsplit('/').next().is_some_and(|name| name.contains(':'));
        let full = if tagged { reference.to_owned() } else { format!("{reference}:latest") };
        let options = CreateImageOptionsBuilder::default().from_image(&full).build();
        // No credentials: a login of the runner is not the pull request's.
        let mut stream = Box::pin(self.docker.create_image(Some(options), None, None));
        self.wait(Duration::from_secs(1800), async {
            while let Some(step) = stream.next().await {
                let step = step?;
                if let Some(error) = step.error_detail.and_then(|detail| detail.message) {
                    bail!(error);
                }
                progress(&format!("{} {}", step.id.unwrap_or_default(), step.status.unwrap_or_default()));
            }
            Ok(())
        })
    }

    /// Creates and starts a container.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn start(&self, name: &str, body: ContainerCreateBody) -> Result<String> {
        self.wait(ANSWER, async {
            let options = CreateContainerOptionsBuilder::default().name(name).build();
            let made = self.docker.create_container(Some(options), body).await?;
            if let Err(error) = self.docker.start_container(&made.id, None::<StartContainerOptions>).await {
                let force = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
                let _ = self.docker.remove_container(&made.id, Some(force)).await;
                return Err(error.into());
            }
            Ok(made.id)
        })
        .with_context(|| format!("starting container {name}"))
    }

    /// Runs a program as root in a container: `input` on its standard input, its standard output to `take`.
    /// Gives its exit code and the end of its standard error.
    ///
    /// # Errors
    /// When the engine refuses, the limit passes, or `take` refuses what came.
    pub(crate) fn exec(
        &self,
        container: &str,
        program: &[&str],
        input: &[u8],
        limit: Duration,
        mut take: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(i64, String)> {
        self.wait(limit, async {
            let options = CreateExecOptions {
                attach_stdin: Some(true),
                attach_stdout: Some(true),
                attach_stderr: Some(true),
                cmd: Some(program.to_vec()),
                user: Some("0:0"),
                working_dir: Some("/"),
                ..CreateExecOptions::default()
            };
            let exec = self.docker.create_exec(container, options).await?;
            let StartExecResults::Attached { mut output, input: mut stdin } =
                self.docker.start_exec(&exec.id, None).await?
            else {
                bail!("the engine detached from a command");
            };
            stdin.write_all(input).await?;
            stdin.flush().await?;
            let mut complaint = String::new();
            while let Some(piece) = output.next().await {
                match piece? {
                    LogOutput::StdErr { message } if complaint.len() < 4096 => {
                        complaint.push_str(&String::from_utf8_lossy(&message));
                    }
                    LogOutput::StdOut { message } => take(&message).map_err(anyhow::Error::msg)?,
                    _ => {}
                }
            }
            drop(stdin);
            let ended = self.docker.inspect_exec(&exec.id).await?;
            Ok((ended.exit_code.unwrap_or(-1), complaint))
        })
    }

    /// Freezes a container and checks that it is frozen.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn pause(&self, container: &str) -> Result<()> {
        self.wait(ANSWER, async {
            match self.docker.pause_container(container).await {
                Err(error) if status(&error) != Some(409) => return Err(error.into()),
                _ => {}
            }
            self.expect_state(container, ContainerStateStatusEnum::PAUSED).await
        })
        .context("pausing the other side")
    }

    /// Lets a frozen container go on, and checks that it does.
    ///
    /// # Errors
    /// When it does not.
    pub(crate) fn unpause(&self, container: &str) -> Result<()> {
        self.wait(ANSWER, async {
            match self.docker.unpause_container(container).await {
                // Not paused.
                Err(error) if !matches!(status(&error), Some(409 | 500)) => return Err(error.into()),
                _ => {}
            }
            self.expect_state(container, ContainerStateStatusEnum::RUNNING).await
        })
        .context("waking this side")
    }

    async fn expect_state(&self, container: &str, wanted: ContainerStateStatusEnum) -> Result<()> {
        let state = self.docker.inspect_container(container, None::<InspectContainerOptions>).await?.state;
        let found = state.and_then(|state| state.status);
        if found != Some(wanted) {
            bail!("the container is {found:?} and should be {wanted:?}");
        }
        Ok(())
    }

    /// Takes every network from a container.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn cut_network(&self, container: &str) -> Result<()> {
        self.wait(ANSWER, async {
            for name in networks(&self.docker.inspect_container(container, None::<InspectContainerOptions>).await?) {
                if name == "none" {
                    continue;
                }
                let request = NetworkDisconnectRequest { container: container.to_owned(), force: Some(true) };
                self.docker.disconnect_network(&name, request).await?;
            }
            Ok(())
        })
        .context("taking the network from a side")
    }

    /// Removes a container and its anonymous volumes; one that is gone is no error.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn remove(&self, container: &str) -> Result<()> {
        self.insist(async {
            let force = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
            match self.docker.remove_container(container, Some(force)).await {
                Err(error) if !matches!(status(&error), Some(404 | 409)) => Err(error.into()),
                _ => Ok(()),
            }
        })
        .with_context(|| format!("removing container {container}"))
    }

    /// Containers with a label, running or not: id and labels.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn labelled(&self, label: &str) -> Result<Vec<(String, HashMap<String, String>)>> {
        self.wait(ANSWER, async {
            let filters = HashMap::from([("label".to_owned(), vec![label.to_owned()])]);
            let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
            let found = self.docker.list_containers(Some(options)).await?;
            Ok(found.into_iter().filter_map(|it| Some((it.id?, it.labels.unwrap_or_default()))).collect())
        })
    }

    /// Whether a container exists and runs or is paused.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn alive(&self, container: &str) -> Result<bool> {
        self.wait(ANSWER, async {
            match self.docker.inspect_container(container, None::<InspectContainerOptions>).await {
                Ok(found) => Ok(found.state.is_some_and(|state| state.running == Some(true))),
                Err(error) if status(&error) == Some(404) => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Where a path of ours is on the engine's host: the same path, or, if we are in a container ourselves, what is
    /// mounted there.
    ///
    /// # Errors
    /// When we are in a container and the path is not in any mount: the engine could not see it.
    pub(crate) fn host_path(&self, path: &Path) -> Result<PathBuf> {
        let Some(own) = own_container() else { return Ok(path.to_owned()) };
        let mounts = self.wait(ANSWER, async {
            match self.docker.inspect_container(&own, None::<InspectContainerOptions>).await {
                Ok(found) => Ok(Some(found.mounts.unwrap_or_default())),
                // A container of another engine: paths are as they are seen from here.
                Err(error) if status(&error) == Some(404) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })?;
        let Some(mounts) = mounts else { return Ok(path.to_owned()) };
        let nearest = mounts
            .iter()
            .filter_map(|mount| Some((PathBuf::from(mount.destination.as_deref()?), mount.source.as_deref()?)))
            .filter(|(destination, _)| path.starts_with(destination))
            .max_by_key(|(destination, _)| destination.components().count());
        let (destination, source) = nearest.with_context(|| {
            format!("{} is inside this container only; the folder must be mounted from the host", path.display())
        })?;
        let inside = path.strip_prefix(&destination)?;
        Ok(if inside.as_os_str().is_empty() { source.into() } else { Path::new(source).join(inside) })
    }
}

fn socket() -> Result<PathBuf> {
    match std::env::var("DOCKER_HOST") {
        Ok(host) if !host.is_empty() => match host.strip_prefix("unix://") {
            Some(path) => Ok(PathBuf::from(path)),
            None => bail!("DOCKER_HOST is {host}: only unix:// sockets are supported"),
        },
        _ => Ok(PathBuf::from(SOCKET)),
    }
}

fn status(error: &DockerError) -> Option<u16> {
    match error {
        DockerError::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

fn networks(container: &ContainerInspectResponse) -> Vec<String> {
    let settings = container.network_settings.as_ref();
    settings.and_then(|settings| settings.networks.as_ref()).map(|n| n.keys().cloned().collect()).unwrap_or_default()
}

/// The id of the container that this process is in, if the engine's own mounts show it.
pub(crate) fn own_container() -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    container_id(&mounts)
}

/// The engine mounts `…/containers/ID/hostname` and its like into every container.
fn container_id(mountinfo: &str) -> Option<String> {
    mountinfo.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (root, place) = (fields.nth(3)?, fields.next()?);
        if !matches!(place, "/etc/hostname" | "/etc/resolv.conf" | "/etc/hosts") {
            return None;
        }
        let id = root.split('/').rev().nth(1)?;
        (id.len() == 64 && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| id.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_container_is_known_by_its_mounts() {
        let id = "8f3b2c".to_owned() + &"0".repeat(58);
        let inside = format!(
            "1 0 0:1 / / rw - overlay overlay rw\n\
             2 1 8:1 /var/lib/docker/containers/{id}/hostname /etc/hostname rw,relatime - ext4 /dev/sda1 rw\n"
        );
        assert_eq!(container_id(&inside), Some(id));
        assert_eq!(container_id("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"), None);
        assert_eq!(container_id("2 1 8:1 /containers/short/hostname /etc/hostname rw - ext4 x rw\n"), None);
    }
}
