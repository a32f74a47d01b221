//! Where this process and its files are, as the engine sees them.

use super::{ANSWER, Engine, status};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

impl Engine {
    /// Where a path of ours is on the engine's host: the same path, or, if we are in a container ourselves, what is
    /// mounted there.
    ///
    /// # Errors
    /// When we are in a container and the path is not in any mount: the engine could not see it.
    pub(crate) fn host_path(&self, path: &Path) -> Result<PathBuf> {
        let path = std::path::absolute(path)?;
        let Some(mounts) = self.own_mounts()? else { return Ok(path) };
        let pairs = mounts.iter().map(|(destination, source)| (destination.as_str(), source.as_str()));
        mapped(&path, pairs).with_context(|| {
            format!("{} is inside this container only; the folder must be mounted from the host", path.display())
        })
    }

    /// Where a file of the kernel is on the engine's host: what is mounted in its place where we are, or itself.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub(crate) fn kernel_path(&self, path: &Path) -> Result<PathBuf> {
        let mounts = self.own_mounts()?.unwrap_or_default();
        let pairs = mounts.iter().map(|(destination, source)| (destination.as_str(), source.as_str()));
        Ok(mapped(path, pairs).unwrap_or_else(|| path.to_owned()))
    }

    /// Destination and source of each mount of our own container; `None` if we are in none of this engine's.
    fn own_mounts(&self) -> Result<Option<Vec<(String, String)>>> {
        let Some(own) = own_container() else { return Ok(None) };
        let mounts = self.wait(ANSWER, async {
            match self.inspect(&own).await {
                Ok(found) => Ok(Some(found.mounts.unwrap_or_default())),
                // A container of another engine: paths are as they are seen from here.
                Err(error) if status(&error) == Some(404) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })?;
        let pairs = |mounts: Vec<bollard::models::MountPoint>| {
            mounts.into_iter().filter_map(|mount| Some((mount.destination?, mount.source?))).collect()
        };
        Ok(mounts.map(pairs))
    }
}

/// `path` with the deepest mount's destination replaced by its source.
fn mapped<'m>(path: &Path, mounts: impl Iterator<Item = (&'m str, &'m str)>) -> Option<PathBuf> {
    let (destination, source) = mounts
        .filter(|(destination, _)| path.starts_with(destination))
        .max_by_key(|(destination, _)| Path::new(destination).components().count())?;
    let inside = path.strip_prefix(destination).ok()?;
    Some(if inside.as_os_str().is_empty() { source.into() } else { Path::new(source).join(inside) })
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
        (id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_owned())
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

    /// The mounts of GitHub's runner.
    #[test]
    fn a_path_is_found_through_the_deepest_mount() {
        let mounts = [
            ("/github/workspace", "/home/runner/work/demo/demo"),
            ("/github/runner_temp", "/home/runner/work/_temp"),
            ("/github", "/elsewhere"),
        ];
        let find = |path: &str| mapped(Path::new(path), mounts.into_iter());
        assert_eq!(find("/github/runner_temp/x/tree"), Some("/home/runner/work/_temp/x/tree".into()));
        assert_eq!(find("/github/workspace"), Some("/home/runner/work/demo/demo".into()));
        assert_eq!(find("/github/home"), Some("/elsewhere/home".into()));
        assert_eq!(find("/tmp/x"), None);
    }
}
