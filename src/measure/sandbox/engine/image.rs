//! Images: found, pulled, built, committed, removed.

use super::{ANSWER, Engine, status};
use anyhow::{Context, Result, anyhow, bail};
use bollard::models::{ContainerConfig, ContainerInspectResponse};
use bollard::query_parameters::{
    BuildImageOptionsBuilder, CommitContainerOptionsBuilder, CreateImageOptionsBuilder, RemoveImageOptionsBuilder,
};
use futures_util::{Stream, StreamExt};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Limit of a pull or a build.
const LONG: Duration = Duration::from_secs(3600);

/// How often somebody hears of a long pull.
const TELL: Duration = Duration::from_secs(10);

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
    /// The image that `reference` names, pulled if it is not here. `progress` hears of it now and then.
    ///
    /// # Errors
    /// When it cannot be had; the message names the image.
    pub(crate) fn image(&self, reference: &str, progress: &mut dyn FnMut(&str)) -> Result<Image> {
        if let Some(image) = self.find_image(reference)? {
            return Ok(image);
        }
        self.pull(reference, progress).with_context(|| format!("pulling image {reference}"))?;
        self.find_image(reference)?.with_context(|| format!("image {reference} was pulled and is not here"))
    }

    /// The image that `reference` names, if it is here.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub(crate) fn find_image(&self, reference: &str) -> Result<Option<Image>> {
        let found = self.wait(ANSWER, async {
            match self.docker.inspect_image(reference).await {
                Err(error) if status(&error) == Some(404) => Ok(None),
                found => Ok(Some(found?)),
            }
        });
        let Some(found) = found.with_context(|| format!("looking for image {reference}"))? else { return Ok(None) };
        let id = found.id.context("an image without an id")?;
        let digests = found.repo_digests.unwrap_or_default();
        let name = reference.split(['@', ':']).next().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
        let named = digests.iter().find(|digest| digest.contains(&format!("{name}@")));
        let digest = named.or(digests.first()).unwrap_or(&id).clone();
        Ok(Some(Image { digest, env: found.config.and_then(|config| config.env).unwrap_or_default(), id }))
    }

    fn pull(&self, reference: &str, progress: &mut dyn FnMut(&str)) -> Result<()> {
        // Without a tag the engine would pull every one of them.
        let tagged = reference.contains('@') || reference.rsplit('/').next().is_some_and(|name| name.contains(':'));
        let full = if tagged { reference.to_owned() } else { format!("{reference}:latest") };
        let options = CreateImageOptionsBuilder::default().from_image(&full).build();
        // No credentials: a login of the runner is not the pull request's.
        let stream = self.docker.create_image(Some(options), None, None);
        progress(&format!("pulling {reference}"));
        let (mut layers, mut done) = (BTreeSet::new(), BTreeSet::new());
        let mut told = Instant::now();
        self.follow(stream, |step| {
            if let Some(error) = step.error_detail.and_then(|detail| detail.message) {
                bail!(error);
            }
            let Some((layer, status)) = step.id.zip(step.status) else { return Ok(()) };
            if matches!(status.as_str(), "Pull complete" | "Already exists") {
                done.insert(layer.clone());
            }
            layers.insert(layer);
            if told.elapsed() >= TELL {
                progress(&format!("pulling {reference}: {} of {} layers", done.len(), layers.len()));
                told = Instant::now();
            }
            Ok(())
        })
    }

    /// Builds an image from a Dockerfile alone: no file of any repository is in its context.
    ///
    /// # Errors
    /// When a step fails, with what it said.
    pub(crate) fn build(&self, tag: &str, dockerfile: &str, labels: &HashMap<String, String>) -> Result<Image> {
        let options = BuildImageOptionsBuilder::default().dockerfile("Dockerfile").t(tag).rm(true).forcerm(true);
        let options = options.labels(labels).build();
        let context = bollard::body_full(tar("Dockerfile", dockerfile.as_bytes()).into());
        let mut said = Vec::new();
        let built = self.follow(self.docker.build_image(options, None, Some(context)), |step| {
            for line in step.stream.unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
                tracing::info!("build: {line}");
                said.push(line.to_owned());
            }
            Ok(())
        });
        built.with_context(|| said[said.len().saturating_sub(20)..].join("\n"))?;
        self.find_image(tag)?.context("the build made no image")
    }

    /// Makes an image of a container.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn commit(&self, container: &str, tag: &str, labels: &HashMap<String, String>) -> Result<Image> {
        let (repo, version) = tag.rsplit_once(':').unwrap_or((tag, "latest"));
        let options = CommitContainerOptionsBuilder::default().container(container).repo(repo).tag(version).build();
        let config = ContainerConfig { labels: Some(labels.clone()), ..ContainerConfig::default() };
        self.wait(LONG, async { Ok(self.docker.commit_container(options, config).await.map(drop)?) })?;
        self.find_image(tag)?.context("the commit made no image")
    }

    /// An image without a single file, under `tag`.
    ///
    /// # Errors
    /// When the engine refuses.
    pub(crate) fn empty_image(&self, tag: &str) -> Result<Image> {
        if let Some(image) = self.find_image(tag)? {
            return Ok(image);
        }
        let (repo, version) = tag.rsplit_once(':').unwrap_or((tag, "latest"));
        let options = CreateImageOptionsBuilder::default().from_src("-").repo(repo).tag(version).build();
        let nothing = bollard::body_full(vec![0; 1024].into());
        self.follow(self.docker.create_image(Some(options), Some(nothing), None), |_| Ok(()))?;
        self.find_image(tag)?.context("the import made no image")
    }

    /// Removes images of ours; one that is gone or in use is no error. Goes on after a stop signal.
    pub(crate) fn remove_image(&self, tag: &str) {
        let options = RemoveImageOptionsBuilder::default().force(false).build();
        let removed = self.insist(async { Ok(self.docker.remove_image(tag, Some(options), None).await.map(drop)?) });
        if let Err(error) = removed {
            tracing::debug!("image {tag}: {error:#}");
        }
    }

    /// The image that a container was made from.
    ///
    /// # Errors
    /// When there is no such container.
    pub(crate) fn image_of(&self, container: &str) -> Result<String> {
        let found: ContainerInspectResponse = self.wait(ANSWER, async { Ok(self.inspect(container).await?) })?;
        found.image.context("a container without an image")
    }

    fn follow<T>(
        &self,
        stream: impl Stream<Item = Result<T, bollard::errors::Error>>,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut stream = Box::pin(stream);
        self.wait(LONG, async {
            while let Some(step) = stream.next().await {
                each(step.map_err(|error| anyhow!(error))?)?;
            }
            Ok(())
        })
    }
}

/// A tar archive (POSIX ustar) with one file.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(136, b"00000000000\0");
    // The checksum counts its own field as blanks.
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut archive = header.to_vec();
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(512) + 1024, 0);
    archive
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn the_archive_is_one_that_tar_reads() {
        let mut child = Command::new("tar").args(["-xOf", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = child.as_mut().unwrap();
        child.stdin.take().unwrap().write_all(&super::tar("Dockerfile", b"FROM scratch\n")).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(text, "FROM scratch\n");
    }
}
