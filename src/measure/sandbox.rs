//! Commands in containers: one long-lived container a side, beside our own, with the same paths inside.
//!
//! ```text
//! begin: lock → images → containers → every step: other side frozen, network and CPUs as the step needs, launcher → end
//! ```
//!
//! What a container may do is all in [`container`]; what runs inside it is [`launcher`]. After a container has started,
//! nothing of ours on the outside opens a file of its tree.

mod container;
mod decide;
mod engine;
mod environment;
mod folders;
mod frame;
mod helper;
mod identity;
mod images;
pub mod launcher;
mod lock;
mod step;
mod toolchain;

pub use decide::{Facts, Refusal, Where, decide, registry_logins};
pub use environment::unused_toolchains;
pub use folders::owner;
pub use helper::{HelperOptions, HostHelper};
pub use images::SideImage;

use crate::config::Suite;
use crate::measure::exec::ExecError;
use crate::measure::process::{Placement, RoundHook, SideFolders};
use crate::measure::signal;
use crate::results::KnobOutcome;
use crate::side::{PerSide, Side};
use anyhow::Context;
use engine::{Attached, Engine};
use folders::Places;
use identity::Identity;
use images::Images;
use lock::Lock;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where a side's tree is, in both sides' containers.
pub(crate) const TREE: &str = "/bench/tree";
/// Where a side's private folder is.
pub(crate) const PRIVATE: &str = "/bench/private";
/// The suite's user's home.
pub(crate) const HOME: &str = "/bench/private/home";

/// Amounts that a container may not exceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Memory of each container, in bytes, without swap.
    pub memory: u64,
    /// Processes and threads of each container.
    pub pids: i64,
    /// Open files of each process.
    pub files: i64,
    /// Shared memory, in bytes.
    pub shm: u64,
    /// Free space below which the run stops, in bytes.
    pub disk: u64,
    /// The engine's network for `setup` and `prepare`.
    pub network: String,
}

impl Default for Limits {
    /// Four fifths of the machine's memory, since the other side's container is frozen meanwhile.
    fn default() -> Self {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total =
            text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
        Self {
            memory: total.map_or(2 << 30, |kib: u64| kib * 1024 / 5 * 4),
            pids: 4096,
            // What an engine can give that may not raise its own limit, too.
            files: 16_384,
            shm: 256 << 20,
            disk: 2 << 30,
            network: "bridge".to_owned(),
        }
    }
}

/// What a sandbox is started with.
pub struct Options<'o> {
    /// The suites that will run.
    pub suites: &'o [Suite],
    /// Each side's tree and private folder, as we see them. They were made for this run, below `work`.
    pub folders: PerSide<SideFolders>,
    /// A folder of ours alone, in a place that the engine's host sees too.
    pub work: &'o Path,
    /// User and group of the commands, never root: see [`owner`].
    pub owner: (u32, u32),
    /// The run, for labels and names.
    pub run: &'o str,
    /// How long to wait for another measurement on this host.
    pub patience: Duration,
    /// Limits.
    pub limits: Limits,
    /// A static build of bench-bot; `None`: the program that runs now.
    pub launcher: Option<PathBuf>,
    /// Hears what takes time: pulls, waiting.
    pub progress: &'o mut dyn FnMut(&str),
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Another run measures on this host (exit code 3).
    #[error("another benchmark run used this Docker host for {minutes} minutes; give this one a runner of its own")]
    Busy {
        /// How long was waited.
        minutes: u64,
    },
    /// An image cannot be had.
    #[error(
        "image {reference} of suite {suite} cannot be had; set `image:` to one that can, or log in to its registry"
    )]
    Image {
        /// The image.
        reference: String,
        /// The suite.
        suite: String,
        /// What the engine said.
        #[source]
        source: anyhow::Error,
    },
    /// A Dockerfile cannot be built.
    #[error(
        "the image of {path} cannot be built; its context is empty, so that it cannot copy files of the repository"
    )]
    Build {
        /// The Dockerfile.
        path: String,
        /// What the engine said.
        #[source]
        source: anyhow::Error,
    },
    /// `prepare:` failed.
    #[error("`prepare:` of suite {suite} ended with {code}:\n{tail}")]
    Prepare {
        /// The suite.
        suite: String,
        /// Its exit code.
        code: i64,
        /// The end of what it printed. Unescaped.
        tail: String,
    },
    /// The user or the runner asked to stop.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// Anything else.
    #[error("starting the sandbox")]
    Broken(#[source] anyhow::Error),
}

impl From<anyhow::Error> for SandboxError {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast_ref::<ExecError>() {
            Some(ExecError::Interrupted(number)) => Self::Interrupted(*number),
            _ => Self::Broken(error),
        }
    }
}

impl SandboxError {
    fn interrupted() -> Self {
        Self::Interrupted(signal::received().unwrap_or(15))
    }
}

/// Executes commands in containers.
pub struct ContainerExec {
    // First: dropping the connections of `boxes` would end containers that are then removed twice.
    remains: Remains,
    suites: Vec<SuiteImages>,
    boxes: Vec<SideBox>,
    places: Places,
    placement: PerSide<Placement>,
    hook: Option<Box<dyn RoundHook>>,
    owner: (u32, u32),
    limits: Limits,
    outcomes: Vec<KnobOutcome>,
    /// Base has put something into its caches that head may not have yet.
    fresh_caches: bool,
    helpers: u32,
    started: Instant,
    _lock: Lock,
}

/// A suite and where its sides run.
struct SuiteImages {
    name: String,
    images: PerSide<SideImage>,
    network: PerSide<bool>,
}

/// A side's container for one image.
struct SideBox {
    side: Side,
    image: String,
    id: String,
    online: bool,
    /// The CPUs that it was restricted to, as a list; empty: none yet.
    pinned: String,
    /// Its end would be the container's.
    _attached: Attached,
}

/// What must not be left behind: removed when dropped, whatever happened.
struct Remains {
    engine: Arc<Engine>,
    identity: Identity,
    images: Vec<String>,
}

impl Drop for Remains {
    fn drop(&mut self) {
        let label = format!("{}={}", identity::RUN, self.identity.run);
        let found = self.engine.labelled(&label).map(|found| found.into_iter().map(|it| it.id).collect::<Vec<_>>());
        if let Err(error) = found.and_then(|ids| self.engine.remove(&ids)) {
            tracing::warn!("containers of this run could not be removed; the next run will: {error:#}");
        }
        for image in &self.images {
            self.engine.remove_image(image);
        }
    }
}

impl std::fmt::Debug for ContainerExec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContainerExec").field("run", &self.remains.identity.run).finish_non_exhaustive()
    }
}

/// Names of the credentials that this process was started with, also of those that it has removed since: whoever may
/// look at the process still sees them.
#[must_use]
pub fn initial_tokens() -> Vec<String> {
    use std::os::unix::ffi::OsStringExt;
    let text = std::fs::read("/proc/self/environ").unwrap_or_default();
    let pairs = text.split(|byte| *byte == 0).filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'=')?;
        Some((OsString::from_vec(line[..at].to_vec()), OsString::from_vec(line[at + 1..].to_vec())))
    });
    crate::measure::process::tokens(pairs)
}

/// Whether there is a Docker socket: `DOCKER_HOST`, or the usual one.
#[must_use]
pub fn socket_available() -> bool {
    Engine::available()
}

/// The first of `folders` that the engine sees too: in a container of our own, one that is mounted from its host.
///
/// # Errors
/// When there is no engine, or none of them is mounted.
pub fn visible(folders: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let engine = Engine::connect()?;
    let mut hidden = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        match engine.host_path(folder) {
            Ok(_) => return Ok(folder.clone()),
            Err(error) => hidden.push(format!("{error:#}")),
        }
    }
    anyhow::bail!("no folder for the checkouts: {}", hidden.join("; "))
}

impl ContainerExec {
    /// Waits for other runs on this host, gets the images, and starts both sides' containers.
    ///
    /// # Errors
    /// When something of it cannot be had; nothing is left behind then.
    pub fn begin(options: Options<'_>) -> Result<Self, SandboxError> {
        let engine = Engine::connect()?;
        let identity = Identity::new(options.run);
        let places = Places::make(&engine, &options)?;
        let progress = options.progress;
        // Made first: whatever is interrupted below, what it made carries the run's label.
        let mut remains = Remains { engine: Arc::clone(&engine), identity: identity.clone(), images: Vec::new() };
        let lock = Lock::acquire(&engine, &identity, &places.launcher, options.patience, progress)?;
        lock::remove_orphans(&engine)?;
        let mut resolver = Images::new(&engine, &identity, &options.limits, progress, &mut remains.images);
        let mut suites = Vec::new();
        for suite in options.suites {
            suites.push(SuiteImages {
                name: suite.name.clone(),
                images: resolver.of(suite, &options.folders.base.tree)?,
                network: PerSide::from_fn(|side| suite.sides.get(side).network),
            });
        }
        let mut exec = Self {
            remains,
            suites,
            boxes: Vec::new(),
            places,
            placement: PerSide::default(),
            hook: None,
            owner: options.owner,
            limits: options.limits,
            outcomes: Vec::new(),
            fresh_caches: false,
            helpers: 0,
            started: Instant::now(),
            _lock: lock,
        };
        exec.start_boxes()?;
        Ok(exec)
    }

    /// Sets CPUs and priority of each side's rounds, as far as they can be had: see [`Self::process_outcomes`].
    ///
    /// # Errors
    /// When it cannot be tried.
    pub fn place(&mut self, placement: PerSide<Placement>) -> Result<(), SandboxError> {
        self.placement = placement;
        self.try_placement()
    }

    /// Sets what is called around every warm-up and counted round.
    pub fn hook(&mut self, hook: Box<dyn RoundHook>) {
        self.hook = Some(hook);
    }

    /// One container for each side and image.
    fn start_boxes(&mut self) -> Result<(), SandboxError> {
        let (engine, identity) = (Arc::clone(&self.remains.engine), self.remains.identity.clone());
        for side in Side::BOTH {
            for suite in &self.suites {
                let image = &suite.images.get(side).id;
                if self.boxes.iter().any(|one| one.side == side && one.image == *image) {
                    continue;
                }
                let folders = self.places.sides.get(side);
                let body = container::side(
                    image,
                    &identity,
                    &self.places.launcher,
                    (&folders.tree, &folders.private),
                    self.owner,
                    &self.limits,
                );
                let name = identity.name(&format!("{side}-{}", self.boxes.len()));
                let started = engine.start(&name, body)?;
                self.boxes.push(SideBox {
                    side,
                    image: image.clone(),
                    id: started.id,
                    online: self.limits.network != "none",
                    pinned: String::new(),
                    _attached: started.attached,
                });
            }
        }
        Ok(())
    }

    /// The image of each suite and side.
    pub fn images(&self) -> impl Iterator<Item = (&str, PerSide<&SideImage>)> {
        self.suites.iter().map(|suite| (suite.name.as_str(), suite.images.as_ref()))
    }

    /// The digests of each side's images, for [`crate::results::Machine::images`].
    #[must_use]
    pub fn digests(&self) -> PerSide<String> {
        PerSide::from_fn(|side| {
            let mut all: Vec<&str> = Vec::new();
            for suite in &self.suites {
                let digest = suite.images.get(side).digest.as_str();
                if !all.contains(&digest) {
                    all.push(digest);
                }
            }
            all.join(", ")
        })
    }

    /// What became of CPUs and priority, tried in a container.
    #[must_use]
    pub fn process_outcomes(&self) -> &[KnobOutcome] {
        &self.outcomes
    }

    /// Empties the sides' folders, from inside, so that whoever deletes them finds no file of foreign code, and ends.
    ///
    /// # Errors
    /// When something could not be deleted.
    pub fn finish(mut self) -> anyhow::Result<()> {
        for side in Side::BOTH {
            let private = &self.places.sides.get(side).private;
            let tree = &self.places.sides.get(side).tree;
            let binds = [container::Bind::new(tree, TREE), container::Bind::new(private, PRIVATE)];
            self.by_hand(side, &binds, &["wipe", TREE, PRIVATE])
                .with_context(|| format!("emptying {side}'s folders"))?;
        }
        Ok(())
    }
}
