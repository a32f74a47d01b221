//! A server: exactly the commits that are needed, with as much history as the merge base takes.

use super::clone::init_bare;
use super::command::{Credentials, Git, Protocols};
use super::{DefaultBranch, GitError, Repository, Source, Workspace, is_sha};
use std::sync::Arc;

/// History fetched at first, in commits; it is deepened fourfold until the merge base is in it.
const FIRST_DEPTH: u32 = 50;
/// Beyond this depth the whole history is fetched.
const LAST_DEPTH: u32 = 4000;

impl Repository {
    /// Prepares to fetch from a server.
    ///
    /// # Errors
    /// When the address carries credentials or a protocol that is not allowed.
    pub fn from_remote(
        workspace: &Workspace,
        url: &str,
        protocols: Protocols,
        credentials: Option<Credentials>,
    ) -> Result<Self, GitError> {
        check_url(url, protocols)?;
        let git = Git { protocols, credentials: credentials.map(Arc::new) };
        let bare = workspace.folder("git")?.join("remote.git");
        init_bare(&git, workspace.path(), &bare, "sha1")?;
        Ok(Self { git, bare, source: Source::Remote { url: url.to_owned() } })
    }

    /// Fetches commits by id, with their trees and no history. A clone has everything already.
    ///
    /// # Errors
    /// When the server does not have one, or does not answer.
    pub fn fetch(&self, shas: &[&str]) -> Result<(), GitError> {
        match &self.source {
            Source::Clone(_) => Ok(()),
            Source::Remote { url } => self.fetch_shas(url, shas, "--depth=1"),
        }
    }

    fn fetch_shas(&self, url: &str, shas: &[&str], depth: &str) -> Result<(), GitError> {
        let refspecs: Vec<String> = shas.iter().map(|sha| format!("+{sha}:refs/bench-bot/fetched-{sha}")).collect();
        let options =
            ["fetch", "--quiet", "--no-write-fetch-head", "--no-auto-maintenance", depth, "--end-of-options", url];
        let output = self.git.at(&self.bare).args(options).args(&refspecs).output("fetching commits")?;
        let (Ok(status) | Err(status)) = output.status;
        if output.status == Ok(0) {
            return Ok(());
        }
        if output.stderr.contains("not our ref") || output.stderr.contains("unadvertised") {
            let missing = shas.iter().find(|sha| output.stderr.contains(**sha));
            let missing = missing.map_or_else(|| shas.join(", "), |sha| (*sha).to_owned());
            return Err(self.not_found(&missing, ": it may have been deleted by a force push"));
        }
        Err(GitError::Failed {
            what: "fetching commits".to_owned(),
            command: format!("git fetch {depth} {url} {}", shas.join(" ")),
            status,
            stderr: output.stderr,
        })
    }

    pub(super) fn resolve_on_server(&self, url: &str, reference: &str) -> Result<String, GitError> {
        if is_sha(reference) {
            return Ok(reference.to_owned());
        }
        let listed = self.references(url, reference)?;
        let full = |name: String| {
            let peeled = listed.iter().find(|(_, found)| *found == format!("{name}^{{}}"));
            peeled.or_else(|| listed.iter().find(|(_, found)| *found == name)).map(|(sha, _)| sha.clone())
        };
        if reference == "HEAD" || reference.starts_with("refs/") {
            return full(reference.to_owned()).ok_or_else(|| self.not_found(reference, ""));
        }
        match (full(format!("refs/heads/{reference}")), full(format!("refs/tags/{reference}"))) {
            (Some(branch), Some(tag)) if branch != tag => Err(GitError::Refused {
                what: format!("the name {reference:?}"),
                reason: format!("it is both a branch and a tag: write refs/heads/{reference} or refs/tags/{reference}"),
            }),
            (Some(sha), _) | (None, Some(sha)) => Ok(sha),
            (None, None) => Err(self.not_found(reference, ": a commit needs its full id here")),
        }
    }

    /// What the server has under a name: id and full name.
    fn references(&self, url: &str, reference: &str) -> Result<Vec<(String, String)>, GitError> {
        // `ls-remote` reads patterns: a name with pattern characters matches itself too, and is compared exactly above.
        let call = self.git.at(&self.bare).args([
            "ls-remote",
            "--quiet",
            "--end-of-options",
            url,
            reference,
            &format!("{reference}^{{}}"),
        ]);
        let text = call.line("asking the server for a reference")?;
        Ok(text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(sha, name)| (sha.to_owned(), name.to_owned()))
            .collect())
    }

    pub(super) fn default_branch_of_server(&self, url: &str) -> Result<Option<DefaultBranch>, GitError> {
        let call = self.git.at(&self.bare).args(["ls-remote", "--quiet", "--symref", "--end-of-options", url, "HEAD"]);
        let text = call.line("asking the server for its default branch")?;
        let name = text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.split('\t').next());
        let sha = text.lines().find_map(|line| line.strip_suffix("\tHEAD").filter(|sha| is_sha(sha)));
        Ok(name.zip(sha).map(|(name, sha)| DefaultBranch { name: name.to_owned(), sha: sha.to_owned() }))
    }

    pub(super) fn merge_base_on_server(&self, url: &str, one: &str, other: &str) -> Result<String, GitError> {
        let mut depth = FIRST_DEPTH;
        self.fetch_shas(url, &[one, other], &format!("--depth={depth}"))?;
        loop {
            if let Some(found) = self.local_merge_base(one, other)? {
                return self.best_merge_base(url, one, other, &found);
            }
            if !self.is_shallow() {
                return Err(GitError::Unrelated { base: one.to_owned(), head: other.to_owned(), hint: String::new() });
            }
            depth *= 4;
            let option = if depth > LAST_DEPTH { "--unshallow".to_owned() } else { format!("--depth={depth}") };
            self.fetch_shas(url, &[one, other], &option)?;
        }
    }

    /// In cut history a nearer common ancestor may hide behind the cut. It is a descendant of the one that was found, so
    /// with all commits that are not older than that one, nothing is hidden.
    fn best_merge_base(&self, url: &str, one: &str, other: &str, found: &str) -> Result<String, GitError> {
        if !self.is_shallow() {
            return Ok(found.to_owned());
        }
        let date = self
            .git
            .at(&self.bare)
            .args(["show", "-s", "--format=%ct", "--end-of-options", found])
            .line("reading a commit")?;
        let since = date.parse::<i64>().map_or(date, |date| (date - 1).max(0).to_string());
        self.fetch_shas(url, &[one, other], &format!("--shallow-since=@{since}"))?;
        Ok(self.local_merge_base(one, other)?.unwrap_or_else(|| found.to_owned()))
    }
}

/// Refuses addresses that carry a password, name an option, or use a protocol that runs something.
pub(super) fn check_url(url: &str, protocols: Protocols) -> Result<(), GitError> {
    let local = protocols == Protocols::Local;
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let user = url.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'));
    let scp = scheme.is_none() && !url.contains("::") && url.split('/').next().is_some_and(|host| host.contains(':'));
    let reason = match scheme {
        _ if url.is_empty() || url.starts_with('-') || url.chars().any(char::is_control) => "it is not an address",
        _ if user.is_some_and(|(user, _)| user.contains(':')) => "it holds a password",
        Some("https") => return Ok(()),
        Some("ssh" | "file") if local => return Ok(()),
        None if local && (scp || url.starts_with('/')) => return Ok(()),
        _ => "only https is allowed here",
    };
    // The password must not be in a message.
    let shown = if user.is_some() { "an address".to_owned() } else { format!("the address {url:?}") };
    Err(GitError::Refused { what: shown, reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_addresses_pass() {
        for url in ["https://github.com/o/r", "https://github.com/o/r.git"] {
            assert!(check_url(url, Protocols::Https).is_ok(), "{url}");
        }
        for url in [
            "ext::sh -c touch% x",
            "--upload-pack=x",
            "git@github.com:o/r",
            "file:///x",
            "/x",
            "https://u:p@github.com/o/r",
            "http://x/y",
            "",
        ] {
            assert!(check_url(url, Protocols::Https).is_err(), "{url}");
        }
        for url in ["git@github.com:o/r", "ssh://git@h/o/r", "file:///x", "/x"] {
            assert!(check_url(url, Protocols::Local).is_ok(), "{url}");
        }
        for url in ["ext::sh -c touch% x", "fd::7", "relative/path", "-x"] {
            assert!(check_url(url, Protocols::Local).is_err(), "{url}");
        }
        let error = check_url("https://u:p4ss@github.com/o/r", Protocols::Local).expect_err("refused");
        assert!(!error.to_string().contains("p4ss"));
    }
}
