//! One measurement at a time on one engine's host, and the removal of what dead runs left there.
//!
//! The lock is a container with a fixed name, which the engine gives to one at a time. Its process ends with its
//! standard input, and so with us, however we end.

use super::SandboxError;
use super::container;
use super::engine::{Attached, Engine, own_container};
use super::identity::{self, Identity};
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The name of the container that is the lock.
const NAME: &str = "bench-bot-lock";
/// An image without a file, for where bench-bot has no image of its own.
const EMPTY: &str = "bench-bot/empty:1";
/// How often a holder's life is looked at while waiting for its end.
const LOOK: Duration = Duration::from_secs(10);

/// Held until dropped.
pub(super) struct Lock {
    engine: Arc<Engine>,
    id: String,
    _attached: Attached,
}

impl Lock {
    /// Waits until no other run measures on this host, at most `patience`.
    pub(super) fn acquire(
        engine: &Arc<Engine>,
        identity: &Identity,
        launcher: &Path,
        patience: Duration,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, SandboxError> {
        let image = own_image(engine).context("an image for the lock")?;
        let begin = Instant::now();
        loop {
            match engine.start(NAME, container::hold(&image, identity, launcher)) {
                Ok(started) => {
                    return Ok(Self { engine: Arc::clone(engine), id: started.id, _attached: started.attached });
                }
                Err(error) if !super::engine::is_taken(&error) => return Err(error.into()),
                Err(_) => {}
            }
            let left = patience.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(SandboxError::Busy { minutes: patience.as_secs().div_ceil(60) });
            }
            progress("another benchmark runs on this host; waiting for its end");
            // Either it ends, or we look again whether its owner is gone.
            engine.removed(NAME, LOOK.min(left));
            if crate::measure::signal::received().is_some() {
                return Err(SandboxError::interrupted());
            }
            remove_orphans(engine)?;
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.engine.remove(std::slice::from_ref(&self.id)) {
            tracing::warn!("the lock on the Docker host: {error:#}");
        }
    }
}

/// The image that this process's own container was made from, or an empty one.
pub(super) fn own_image(engine: &Engine) -> anyhow::Result<String> {
    if let Some(own) = own_container()
        && let Ok(image) = engine.image_of(&own)
    {
        return Ok(image);
    }
    Ok(engine.empty_image(EMPTY)?.id)
}

/// Removes containers and images whose owner is gone.
pub(super) fn remove_orphans(engine: &Engine) -> anyhow::Result<()> {
    let orphans = |found: Vec<super::engine::Found>| -> Vec<String> {
        found.into_iter().filter(|it| identity::is_orphan(&it.labels, engine)).map(|it| it.id).collect()
    };
    let containers = orphans(engine.labelled(identity::RUN)?);
    if !containers.is_empty() {
        tracing::info!("removing {} containers of runs that were killed", containers.len());
        engine.remove(&containers)?;
    }
    for image in orphans(engine.labelled_images(identity::RUN)?) {
        engine.remove_image(&image);
    }
    Ok(())
}
