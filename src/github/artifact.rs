//! Files that another job kept. What is in them was written by whoever ran in that job: the archive is read in memory,
//! under limits, and gives one file of a known name or nothing.

use super::transport::{Answer, Cause, Failure};
use super::{Artifact, GitHubError, Repository};
use http::Method;
use reqwest::Url;
use sha2::{Digest, Sha256};
use std::io::{Cursor, Read};

/// The file that bench-bot looks for in an artifact.
pub const RESULTS: &str = "results.json";

/// Largest archive, in bytes.
pub const MAX_ARCHIVE: usize = 8 * 1024 * 1024;

/// Largest file inside, in bytes.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;

/// How many redirects lead to the archive.
const MAX_REDIRECTS: usize = 3;

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// GitHub refused.
    #[error(transparent)]
    GitHub(#[from] Box<GitHubError>),
    /// It can no longer be had.
    #[error("artifact {name:?} has expired; run the workflow again")]
    Expired {
        /// The artifact.
        name: String,
    },
    /// The place that GitHub named does not give it.
    #[error("artifact {name:?} cannot be downloaded: {reason}")]
    Download {
        /// The artifact.
        name: String,
        /// Why.
        reason: String,
    },
    /// It is not what it should be.
    #[error("artifact {name:?} is refused: {reason}")]
    Refused {
        /// The artifact.
        name: String,
        /// Why.
        reason: String,
    },
}

impl Repository<'_> {
    /// The newest artifact of each name among `artifacts` that begins with `prefix` and can be had, by name: a run that
    /// is tried again has each name more than once.
    #[must_use]
    pub fn newest(artifacts: Vec<Artifact>, prefix: &str) -> Vec<Artifact> {
        let mut newest = std::collections::BTreeMap::<String, Artifact>::new();
        for artifact in artifacts.into_iter().filter(|artifact| artifact.name.starts_with(prefix) && !artifact.expired)
        {
            let kept = newest.entry(artifact.name.clone()).or_insert_with(|| artifact.clone());
            if artifact.id > kept.id {
                *kept = artifact;
            }
        }
        newest.into_values().collect()
    }

    /// The one file `entry` of an artifact.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached, when the archive is too large, damaged, not the one that GitHub has
    /// the digest of, or holds anything but a regular file called `entry`.
    pub fn artifact_file(&self, artifact: &Artifact, entry: &str) -> Result<Vec<u8>, ArtifactError> {
        let refused = |reason: String| ArtifactError::Refused { name: artifact.name.clone(), reason };
        if artifact.expired {
            return Err(ArtifactError::Expired { name: artifact.name.clone() });
        }
        if artifact.size_in_bytes > MAX_ARCHIVE as u64 {
            return Err(refused(format!("it has {} bytes; at most {MAX_ARCHIVE} are read", artifact.size_in_bytes)));
        }
        let archive = self.archive(artifact)?;
        if let Some(digest) = &artifact.digest {
            let found = format!("sha256:{}", hexadecimal(&Sha256::digest(&archive)));
            if digest.starts_with("sha256:") && !digest.eq_ignore_ascii_case(&found) {
                return Err(refused(format!("its digest is {found}, GitHub knows it as {digest}")));
            }
        }
        only_file(&archive, entry, MAX_FILE).map_err(refused)
    }

    /// Downloads the archive. GitHub answers with a redirect to an address that works for a minute and that must not
    /// see the token.
    fn archive(&self, artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
        let path = format!("/actions/artifacts/{}/zip", artifact.id);
        let what = format!("download artifact {} of {}", artifact.id, self.name());
        let call = self.call(Method::GET, &path, what).accepting(&[302]);
        let client = self.client();
        let mut last = String::new();
        // The address may have ended before it was used: then a new one is needed, not a repetition.
        for _ in 0..3 {
            let answer = client.attempt(&call, |answer| Ok((answer.status, answer.location(), answer.body.clone())))?;
            let (302, location, _) = answer else { return Ok(answer.2) };
            let Some(url) = location else {
                last = "GitHub gave no address".to_owned();
                continue;
            };
            match self.blob(url) {
                Ok(bytes) => return Ok(bytes),
                Err(failure) if failure.cause == Cause::TooLarge => {
                    let reason = format!("it has more than {MAX_ARCHIVE} bytes");
                    return Err(ArtifactError::Refused { name: artifact.name.clone(), reason });
                }
                Err(failure) => last = failure.reason,
            }
            if !client.pause(std::time::Duration::from_secs(1)) {
                break;
            }
        }
        Err(ArtifactError::Download { name: artifact.name.clone(), reason: last })
    }

    fn blob(&self, mut url: Url) -> Result<Vec<u8>, Failure> {
        let client = self.client();
        let unknown = |reason: String| Failure { reason, cause: Cause::Unknown };
        for _ in 0..MAX_REDIRECTS {
            if client.is_encrypted() && url.scheme() != "https" {
                return Err(unknown("GitHub names an address without encryption".to_owned()));
            }
            let answer: Answer = client.wire(|transport| transport.download(&url, MAX_ARCHIVE))?;
            if answer.status == 200 {
                return Ok(answer.body);
            }
            let place = url.origin().ascii_serialization();
            url = answer
                .is_redirect()
                .then(|| answer.location())
                .flatten()
                .ok_or_else(|| unknown(format!("{place} answered {}", answer.status)))?;
        }
        Err(unknown("too many redirects".to_owned()))
    }
}

/// The content of the only file of a zip archive, which must be called `entry`.
fn only_file(archive: &[u8], entry: &str, limit: u64) -> Result<Vec<u8>, String> {
    let mut zip =
        zip::ZipArchive::new(Cursor::new(archive)).map_err(|error| format!("it is not a zip archive: {error}"))?;
    // The reader keeps one of several entries with the same name; the archive's own count shows them.
    if zip.len() != 1 || directory_entries(archive) != Some(1) {
        return Err(format!("it must hold {entry:?} alone"));
    }
    let file = zip.by_index(0).map_err(|error| format!("its entry cannot be read: {error}"))?;
    let name = file.name().map_err(|error| format!("the name of its entry is damaged: {error}"))?.into_owned();
    if name != entry {
        return Err(format!("it holds {:?} instead of {entry:?}", name.chars().take(80).collect::<String>()));
    }
    const TYPE: u32 = 0o170_000;
    const REGULAR: u32 = 0o100_000;
    let mode = file.unix_mode().map_or(0, |mode| mode & TYPE);
    if !file.is_file() || !matches!(mode, 0 | REGULAR) {
        return Err(format!("{entry:?} is not a regular file"));
    }
    // What the header says of the size is the writer's word; the stream is measured.
    let mut content = Vec::new();
    file.take(limit + 1).read_to_end(&mut content).map_err(|error| format!("{entry:?} is damaged: {error}"))?;
    if content.len() as u64 > limit {
        return Err(format!("{entry:?} has more than {limit} bytes"));
    }
    Ok(content)
}

/// How many entries the end of the central directory counts.
fn directory_entries(archive: &[u8]) -> Option<u16> {
    const END: [u8; 4] = *b"PK\x05\x06";
    let at = archive.windows(END.len()).rposition(|window| window == END)?;
    let count = archive.get(at + 10..at + 12)?;
    Some(u16::from_le_bytes([count[0], count[1]]))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
