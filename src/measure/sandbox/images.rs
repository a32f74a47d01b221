//! The image of each suite and side: named by policy or found by base's toolchain, resolved once, prepared once.

use super::engine::{Engine, Image};
use super::identity::Identity;
use super::toolchain;
use super::{Limits, SandboxError};
use super::{container, environment};
use crate::config::{Suite, Template};
use crate::side::{PerSide, Side};
use anyhow::Context;
use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Limit of `prepare:`.
const PREPARE_LIMIT: Duration = Duration::from_secs(3600);
/// How much of a failed command's output is shown, in bytes.
const TAIL: usize = 4096;

/// An image that sides run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideImage {
    /// What names it: a reference, or a Dockerfile's path.
    pub reference: String,
    /// Where the name comes from, in words.
    pub why: String,
    /// Digest of exactly this image; of the image that it was made from where it was prepared.
    pub digest: String,
    /// Whether `prepare:` ran on it.
    pub prepared: bool,
    /// The engine's id.
    pub(super) id: String,
    /// The environment that it gives.
    pub(super) env: BTreeMap<String, String>,
}

/// Resolves images, each only once.
pub(super) struct Images<'i> {
    pub(super) engine: &'i Arc<Engine>,
    pub(super) identity: &'i Identity,
    pub(super) limits: &'i Limits,
    pub(super) progress: &'i mut dyn FnMut(&str),
    /// What was made for this run alone, to be removed.
    pub(super) made: &'i mut Vec<String>,
    known: BTreeMap<String, Image>,
    prepared: BTreeMap<(String, String), Image>,
}

impl<'i> Images<'i> {
    pub(super) fn new(
        engine: &'i Arc<Engine>,
        identity: &'i Identity,
        limits: &'i Limits,
        progress: &'i mut dyn FnMut(&str),
        made: &'i mut Vec<String>,
    ) -> Self {
        let (known, prepared) = Default::default();
        Self { engine, identity, limits, progress, made, known, prepared }
    }

    /// Both sides' images of a suite. `base` is base's tree: head's never names an image.
    pub(super) fn of(&mut self, suite: &Suite, base: &Path) -> Result<PerSide<SideImage>, SandboxError> {
        let sides = PerSide { base: self.named(suite, Side::Base, base)?, head: self.named(suite, Side::Head, base)? };
        let Some(prepare) = suite.prepare.as_deref().filter(|command| !command.trim().is_empty()) else {
            return Ok(sides);
        };
        let prepared = PerSide {
            base: self.prepared(suite, prepare, sides.base)?,
            head: self.prepared(suite, prepare, sides.head)?,
        };
        Ok(prepared)
    }

    fn named(&mut self, suite: &Suite, side: Side, base: &Path) -> Result<SideImage, SandboxError> {
        let one = suite.sides.get(side);
        // What names an image names it for the whole run; a Dockerfile is named by its text.
        let (key, reference, why) = match (&one.image, &one.dockerfile) {
            (Some(image), _) => {
                let why = if suite.detected { "by what base's files ask for" } else { "by the configuration" };
                (image.clone(), image.clone(), why.to_owned())
            }
            (None, Some(file)) => {
                (format!("\n{}", file.text), file.path.clone(), "a Dockerfile of the target branch".to_owned())
            }
            (None, None) => {
                // Base's settings choose for both: head's command must not choose an image of its own.
                let chosen = toolchain::choose(base, &suite.sides.base);
                (chosen.reference.clone(), chosen.reference, chosen.why)
            }
        };
        let image = match (self.known.get(&key), one.dockerfile.as_ref().filter(|_| one.image.is_none())) {
            (Some(image), _) => image.clone(),
            (None, Some(file)) => self.built(file)?,
            (None, None) => self.engine.image(&reference, self.progress).map_err(|source| SandboxError::Image {
                reference: reference.clone(),
                suite: suite.name.clone(),
                source,
            })?,
        };
        self.known.insert(key, image.clone());
        Ok(SideImage {
            reference,
            why,
            digest: image.digest,
            prepared: false,
            env: environment::of_image(&image.env),
            id: image.id,
        })
    }

    fn built(&mut self, file: &Template) -> Result<Image, SandboxError> {
        let failed = |source| SandboxError::Build { path: file.path.clone(), source };
        let tag = format!("bench-bot/built:{}-{}", self.identity.run, self.made.len());
        self.made.push(tag.clone());
        (self.progress)(&format!("building the image of {}", file.path));
        self.engine.build(&tag, &file.text, &self.identity.labels()).map_err(failed)
    }

    fn prepared(&mut self, suite: &Suite, command: &str, from: SideImage) -> Result<SideImage, SandboxError> {
        let key = (from.id.clone(), command.to_owned());
        let image = match self.prepared.get(&key) {
            Some(image) => image.clone(),
            None => {
                let image = self.prepare(suite, command, &from)?;
                self.prepared.insert(key, image.clone());
                image
            }
        };
        Ok(SideImage { prepared: true, env: environment::of_image(&image.env), id: image.id, ..from })
    }

    /// Runs `prepare:` once in a container of its own, and makes an image of what it leaves.
    fn prepare(&mut self, suite: &Suite, command: &str, from: &SideImage) -> Result<Image, SandboxError> {
        let number = self.made.len();
        let name = self.identity.name(&format!("prepare-{number}"));
        let started = self.engine.start(&name, container::preparing(&from.id, self.identity, command, self.limits))?;
        (self.progress)(&format!("preparing the image of suite {}", suite.name));
        let (output, _input) = started.attached.split(PREPARE_LIMIT);
        let mut tail = String::new();
        let mut lines = output.take(256 << 20);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).context("reading what `prepare:` prints")? > 0 {
            let text = String::from_utf8_lossy(&line);
            tracing::info!("prepare: {}", text.trim_end());
            tail.push_str(&text);
            if tail.len() > 4 * TAIL {
                let from = tail.ceil_char_boundary(tail.len() - TAIL);
                tail.drain(..from);
            }
            line.clear();
        }
        let code = self.engine.ended(&started.id, PREPARE_LIMIT)?;
        if code != Some(0) {
            self.engine.remove(std::slice::from_ref(&started.id))?;
            let from = tail.ceil_char_boundary(tail.len().saturating_sub(TAIL));
            return Err(SandboxError::Prepare {
                suite: suite.name.clone(),
                code: code.unwrap_or(-1),
                tail: tail[from..].trim_end().to_owned(),
            });
        }
        let tag = format!("bench-bot/prepared:{}-{number}", self.identity.run);
        self.made.push(tag.clone());
        let image = self.engine.commit(&started.id, &tag, &self.identity.labels());
        self.engine.remove(std::slice::from_ref(&started.id))?;
        Ok(image.context("keeping what `prepare:` made")?)
    }
}
