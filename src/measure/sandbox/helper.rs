//! The host's settings from inside a container: one helper container of bench-bot's own image, with just the files that
//! it sets. It restores and ends when its standard input does, and so whenever we do.

use super::container::{self, Bind};
use super::engine::{Engine, Input, Output, own_container};
use super::identity::Identity;
use crate::config::Host;
use crate::host::HostError;
use crate::host::helper::{ARGUMENT, Client};
use crate::results::KnobOutcome;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The volume of the journal, which no other image's container ever mounts.
const JOURNAL: &str = "bench-bot-journal";
/// Limit of one answer; a frequency governor may take a while on a large machine.
const ANSWER: Duration = Duration::from_secs(60);
/// How long the helper may take to restore.
const RESTORING: Duration = Duration::from_secs(20);

/// Files of the host that the helper gets, below `/sys` or `/proc`, and whether it may only read them. The frequency
/// settings are all in one folder.
const FILES: &[(&str, bool)] = &[
    ("sys/devices/system/cpu", false),
    ("proc/sys/kernel/perf_cpu_time_max_percent", false),
    ("proc/sys/kernel/perf_event_max_sample_rate", false),
    ("proc/sys/kernel/random/boot_id", true),
];

/// What a helper is started with.
#[derive(Debug, Clone)]
pub struct HelperOptions {
    /// The image, which holds `bench-bot` as its own; `None`: that of this process's own container.
    pub image: Option<String>,
    /// Where the host's `/sys` is on the host.
    pub sys: PathBuf,
    /// Where the host's `/proc` is on the host.
    pub proc: PathBuf,
    /// Name of the journal's volume.
    pub journal: String,
    /// The run, for labels.
    pub run: String,
}

impl HelperOptions {
    /// The host's own trees, by our own image.
    #[must_use]
    pub fn new(run: &str) -> Self {
        Self { image: None, sys: "/sys".into(), proc: "/proc".into(), journal: JOURNAL.to_owned(), run: run.to_owned() }
    }
}

/// A helper container that has set what was asked for.
pub struct HostHelper {
    engine: Arc<Engine>,
    id: String,
    client: Option<Client<Output, Input>>,
}

impl std::fmt::Debug for HostHelper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostHelper").field("id", &self.id).finish_non_exhaustive()
    }
}

impl HostHelper {
    /// Whether this process is in a container, so that the host's files are out of its reach.
    #[must_use]
    pub fn is_needed() -> bool {
        own_container().is_some()
    }

    /// Starts the helper and sets what `host` asks for.
    ///
    /// # Errors
    /// When the container cannot be started; or with `tuning: require`, when a setting is refused
    /// ([`HostError::Required`] in the chain).
    pub fn begin(options: &HelperOptions, host: &Host) -> Result<Self> {
        let engine = Engine::connect()?;
        let identity = Identity::new(&options.run);
        let image = match &options.image {
            Some(image) => engine.find_image(image)?.with_context(|| format!("there is no image {image}"))?.id,
            None => {
                let own = own_container().context("this process is in no container whose image could be used")?;
                engine.image_of(&own)?
            }
        };
        let mut binds = Vec::new();
        for (file, read_only) in FILES {
            let Some((tree, rest)) = file.split_once('/') else { continue };
            let source = if tree == "sys" { options.sys.join(rest) } else { options.proc.join(rest) };
            // Our own view shows whether this kernel has the file: it is the same kernel.
            if source.exists() {
                let source = engine.kernel_path(&source)?;
                binds.push(Bind { source, target: format!("/host/{file}"), read_only: *read_only });
            }
        }
        engine.volume(&options.journal)?;
        let program =
            ["bench-bot", ARGUMENT, "--sys", "/host/sys", "--proc", "/host/proc", "--journal", "/host/journal"];
        let body = container::helper(&image, &identity, &program, &binds, (&options.journal, "/host/journal"));
        let started = engine.start(&identity.name("helper"), body).context("the helper for the host's settings")?;
        let (output, input) = started.attached.split(ANSWER);
        match Client::begin(output, input, host) {
            Ok(client) => Ok(Self { engine, id: started.id, client: Some(client) }),
            Err(error) => {
                let _ = engine.ended(&started.id, RESTORING);
                let _ = engine.remove(&[started.id]);
                Err(error.into())
            }
        }
    }

    /// What became of each setting.
    #[must_use]
    pub fn outcomes(&self) -> &[KnobOutcome] {
        self.client.as_ref().map_or(&[], Client::outcomes)
    }

    /// What a reader must know, in words.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.client.as_ref().map_or(&[], Client::notes)
    }

    /// Brings the settings in force to those of one side, before a round of that side.
    ///
    /// # Errors
    /// As [`crate::host::Session::apply_side`].
    pub fn apply_side(&mut self, host: &Host) -> Result<Vec<KnobOutcome>, HostError> {
        self.client.as_mut().map_or_else(|| Ok(Vec::new()), |client| client.apply_side(host))
    }

    /// Puts everything back and says what became of each setting.
    ///
    /// # Errors
    /// When the helper is gone; it has restored by itself then.
    pub fn finish(mut self) -> Result<Vec<KnobOutcome>, HostError> {
        self.client.take().map_or_else(|| Ok(Vec::new()), Client::finish)
    }
}

impl Drop for HostHelper {
    fn drop(&mut self) {
        // The end of its input makes it restore; it is not killed before it has.
        drop(self.client.take());
        if let Err(error) = self.engine.wait_for_end(&self.id, RESTORING) {
            tracing::warn!("the helper for the host's settings does not end: {error:#}");
        }
        let _ = self.engine.remove(std::slice::from_ref(&self.id));
    }
}
