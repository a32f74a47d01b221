//! The Docker engine behind its socket, as far as a sandbox needs it. Blocking; no docker command.

mod attach;
mod exec;
mod image;
mod place;

pub(crate) use attach::{Attached, Input, Output};
pub(crate) use exec::Call;
pub(crate) use image::Image;
pub(crate) use place::own_container;

use crate::measure::exec::ExecError;
use crate::measure::signal;
use anyhow::{Context, Result, anyhow, bail};
use bollard::container::LogOutput;
use bollard::errors::Error as DockerError;
use bollard::models::{
    ContainerCreateBody, ContainerInspectResponse, ContainerStateStatusEnum, ContainerUpdateBody,
    NetworkConnectRequest, NetworkDisconnectRequest, VolumeCreateRequest,
};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions,
    ListContainersOptionsBuilder, ListImagesOptionsBuilder, RemoveContainerOptionsBuilder, StartContainerOptions,
    WaitContainerOptionsBuilder,
};
use bollard::{API_DEFAULT_VERSION, Docker};
use futures_util::StreamExt;
use futures_util::future::join_all;
use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;

/// Where the engine listens if `DOCKER_HOST` does not say otherwise.
const SOCKET: &str = "/var/run/docker.sock";
/// Limit of one ordinary answer.
const ANSWER: Duration = Duration::from_secs(120);
/// How often pausing is tried again.
const PAUSE_ATTEMPTS: u32 = 20;
/// Limit of cleaning up. A cancelled job gives 7.5 s until it is killed, so that most of it must fit there.
const CLEANING: Duration = Duration::from_secs(20);

/// A connection to the engine.
pub(crate) struct Engine {
    docker: Docker,
    runtime: tokio::runtime::Runtime,
    socket: PathBuf,
}

/// A container that was started, and the connection to its standard streams.
pub(crate) struct Started {
    /// The engine's id.
    pub(crate) id: String,
    /// The end of this is the end of the container's standard input.
    pub(crate) attached: Attached,
}

/// A container that exists, running or not.
pub(crate) struct Found {
    pub(crate) id: String,
    pub(crate) labels: HashMap<String, String>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("socket", &self.socket).finish_non_exhaustive()
    }
}

impl Engine {
    /// Connects to the engine that `DOCKER_HOST` names, or to the usual socket.
    ///
    /// # Errors
    /// When there is no engine, with what was tried.
    pub(crate) fn connect() -> Result<Arc<Self>> {
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
        Ok(Arc::new(Self { docker, runtime, socket }))
    }

    /// Whether there is a socket that could be an engine's.
    pub(crate) fn available() -> bool {
        socket().is_ok_and(|path| path.exists())
    }

    /// Waits for `future`, for a stop signal, or for the limit.
    fn wait<T>(&self, limit: Duration, future: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                number = stop_signal() => Err(anyhow!(ExecError::Interrupted(number))),
                done = tokio::time::timeout(limit, future) => {
                    let silent = || format!("no answer from {} within {} s", self.socket.display(), limit.as_secs());
                    done.with_context(silent)?
                }
            }
        })
    }

    /// Like [`Self::wait`], but goes on after a stop signal: for cleaning up.
    fn insist<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.block_on(async { tokio::time::timeout(CLEANING, future).await? })
    }

    /// Creates a container, attaches to its standard input and output, and starts it.
    ///
    /// # Errors
    /// When the engine refuses; [`is_taken`] tells whether it is for the name.
    pub(crate) fn start(self: &Arc<Self>, name: &str, body: ContainerCreateBody) -> Result<Started> {
        let (id, streams) = self
            .wait(ANSWER, async {
                let options = CreateContainerOptionsBuilder::default().name(name).build();
                let id = self.docker.create_container(Some(options), body).await?.id;
                let options =
                    AttachContainerOptionsBuilder::default().stream(true).stdin(true).stdout(true).stderr(true).build();
                let started = async {
                    let streams = self.docker.attach_container(&id, Some(options)).await?;
                    self.docker.start_container(&id, None::<StartContainerOptions>).await?;
                    Ok::<_, DockerError>(streams)
                };
                match started.await {
                    Ok(streams) => Ok((id, streams)),
                    Err(error) => {
                        let _ = self.docker.remove_container(&id, Some(force())).await;
                        Err(error.into())
                    }
                }
            })
            .with_context(|| format!("starting container {name}"))?;
        Ok(Started { id, attached: Attached::new(self, streams) })
    }

    /// Waits for the end of a container and gives its exit code; one that is gone has ended.
    ///
    /// # Errors
    /// When the limit passes.
    pub(crate) fn ended(&self, container: &str, limit: Duration) -> Result<Option<i64>> {
        self.wait(limit, async {
            let options = WaitContainerOptionsBuilder::default().condition("not-running").build();
            match self.docker.wait_container(container, Some(options)).next().await {
                Some(Ok(ended)) => Ok(Some(ended.status_code)),
                Some(Err(DockerError::DockerContainerWaitError { code, .. })) => Ok(Some(code)),
                Some(Err(error)) if status(&error) != Some(404) => Err(error.into()),
                _ => Ok(None),
            }
        })
    }

    /// Like [`Self::ended`], but goes on after a stop signal: for cleaning up.
    ///
    /// # Errors
    /// When the limit passes.
    pub(crate) fn wait_for_end(&self, container: &str, limit: Duration) -> Result<()> {
        self.insist(async {
            let options = WaitContainerOptionsBuilder::default().condition("not-running").build();
            let mut ended = self.docker.wait_container(container, Some(options));
            tokio::time::timeout(limit, ended.next()).await.map(drop).context("it still runs")
        })
    }

    /// Waits until a container is gone, or the limit passes.
    pub(crate) fn removed(&self, container: &str, limit: Duration) {
        let options = WaitContainerOptionsBuilder::default().condition("removed").build();
        let mut gone = self.docker.wait_container(container, Some(options));
        let _ = self.wait(limit, async {
            gone.next().await;
            Ok(())
        });
    }

    /// Freezes a container or lets it go on, and checks that it is so.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn freeze(&self, container: &str, frozen: bool) -> Result<()> {
        use ContainerStateStatusEnum::{PAUSED, RUNNING};
        let wanted = if frozen { PAUSED } else { RUNNING };
        self.wait(ANSWER, async {
            if self.state(container).await? == Some(wanted) {
                return Ok(());
            }
            if frozen {
                self.pause(container).await?;
            } else {
                self.docker.unpause_container(container).await?;
            }
            match self.state(container).await? {
                Some(found) if found == wanted => Ok(()),
                found => bail!("the container is {found:?} and should be {wanted:?}"),
            }
        })
        .with_context(|| if frozen { "pausing the other side" } else { "waking a side" })
    }

    /// Pauses a container. The kernel may need more time to freeze everything than an engine of a busy machine waits.
    async fn pause(&self, container: &str) -> Result<()> {
        let mut attempts = 0;
        loop {
            match self.docker.pause_container(container).await {
                Err(error) if status(&error) == Some(500) && attempts < PAUSE_ATTEMPTS => attempts += 1,
                done => return Ok(done?),
            }
        }
    }

    async fn state(&self, container: &str) -> Result<Option<ContainerStateStatusEnum>> {
        Ok(self.inspect(container).await?.state.and_then(|state| state.status))
    }

    async fn inspect(&self, container: &str) -> Result<ContainerInspectResponse, DockerError> {
        self.docker.inspect_container(container, None::<InspectContainerOptions>).await
    }

    /// Takes every network from a container, or gives it `network`.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn network(&self, container: &str, network: Option<&str>) -> Result<()> {
        self.wait(ANSWER, async {
            let has = networks(&self.inspect(container).await?);
            if let Some(network) = network {
                if !has.iter().any(|name| name == network) {
                    let request = NetworkConnectRequest { container: container.to_owned(), endpoint_config: None };
                    self.docker.connect_network(network, request).await?;
                }
                return Ok(());
            }
            for name in has.iter().filter(|name| *name != "none") {
                let request = NetworkDisconnectRequest { container: container.to_owned(), force: Some(true) };
                self.docker.disconnect_network(name, request).await?;
            }
            Ok(())
        })
        .context("changing the network of a side")
    }

    /// Restricts a container to some CPUs.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn pin(&self, container: &str, cpus: &str) -> Result<()> {
        let body = ContainerUpdateBody { cpuset_cpus: Some(cpus.to_owned()), ..ContainerUpdateBody::default() };
        self.wait(ANSWER, async { Ok(self.docker.update_container(container, body).await?) })
            .with_context(|| format!("restricting a side to CPUs {cpus}"))
    }

    /// Makes a named volume unless it is there.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn volume(&self, name: &str) -> Result<()> {
        let request = VolumeCreateRequest { name: Some(name.to_owned()), ..VolumeCreateRequest::default() };
        self.wait(ANSWER, async { Ok(self.docker.create_volume(request).await.map(drop)?) })
            .with_context(|| format!("making volume {name}"))
    }

    /// Removes containers with their anonymous volumes, all at once; one that is gone is no error. Goes on after a stop
    /// signal.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn remove(&self, containers: &[String]) -> Result<()> {
        self.insist(async {
            let each = containers.iter().map(|id| async move {
                match self.docker.remove_container(id, Some(force())).await {
                    Err(error) if status(&error) == Some(409) => {
                        // It is being removed already; that has an end too.
                        let options = WaitContainerOptionsBuilder::default().condition("removed").build();
                        let mut gone = self.docker.wait_container(id, Some(options));
                        gone.next().await;
                        Ok(())
                    }
                    Err(error) if status(&error) != Some(404) => Err(anyhow!(error)),
                    _ => Ok(()),
                }
            });
            join_all(each).await.into_iter().collect()
        })
        .context("removing containers")
    }

    /// Containers with a label (`name` or `name=value`). Goes on after a stop signal.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn labelled(&self, label: &str) -> Result<Vec<Found>> {
        self.insist(async {
            let filters = HashMap::from([("label".to_owned(), vec![label.to_owned()])]);
            let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
            let found = self.docker.list_containers(Some(options)).await?;
            Ok(found
                .into_iter()
                .filter_map(|it| Some(Found { id: it.id?, labels: it.labels.unwrap_or_default() }))
                .collect())
        })
        .context("listing containers")
    }

    /// Images with a label.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn labelled_images(&self, label: &str) -> Result<Vec<Found>> {
        self.insist(async {
            let filters = HashMap::from([("label".to_owned(), vec![label.to_owned()])]);
            let options = ListImagesOptionsBuilder::default().filters(&filters).build();
            let found = self.docker.list_images(Some(options)).await?;
            Ok(found.into_iter().map(|it| Found { id: it.id, labels: it.labels }).collect())
        })
        .context("listing images")
    }

    /// Whether a container exists and runs, or is paused.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub(crate) fn alive(&self, container: &str) -> Result<bool> {
        self.wait(ANSWER, async {
            match self.inspect(container).await {
                Ok(found) => Ok(found.state.is_some_and(|state| state.running == Some(true))),
                Err(error) if status(&error) == Some(404) => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
    }
}

/// The number of the stop signal, once there is one.
async fn stop_signal() -> i32 {
    let pipe = signal::wake().and_then(|wake| wake.try_clone_to_owned().ok());
    if let Some(Ok(pipe)) = pipe.map(Receiver::from_owned_fd) {
        loop {
            if let Some(number) = signal::received() {
                return number;
            }
            if pipe.readable().await.is_err() {
                break;
            }
        }
    }
    std::future::pending().await
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

/// Whether a container could not be created since its name is in use.
pub(crate) fn is_taken(error: &anyhow::Error) -> bool {
    error.downcast_ref::<DockerError>().and_then(status) == Some(409)
}

fn networks(container: &ContainerInspectResponse) -> Vec<String> {
    let settings = container.network_settings.as_ref();
    settings.and_then(|settings| settings.networks.as_ref()).map(|n| n.keys().cloned().collect()).unwrap_or_default()
}

fn force() -> bollard::query_parameters::RemoveContainerOptions {
    RemoveContainerOptionsBuilder::default().force(true).v(true).build()
}

/// What an attached stream said, without the engine's framing.
fn stdout_of(piece: LogOutput) -> Option<Vec<u8>> {
    match piece {
        LogOutput::StdOut { message } => Some(message.to_vec()),
        _ => None,
    }
}
