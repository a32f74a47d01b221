//! Repositories inside a checkout: submodules, further repositories, and the content of Git LFS.

use super::checkout::make_way;
use super::clone::init_bare;
use super::command::Protocols;
use super::remote::check_url;
use super::tree::{Entry, placed};
use super::{CheckoutOptions, GitError, Repository, Source, Workspace};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Deepest nesting of submodules.
const DEPTH_LIMIT: usize = 10;

/// One commit of another repository, fetched and ready to be put into a checkout.
#[derive(Debug)]
pub(super) struct Nested {
    repository: Repository,
    sha: String,
    path: PathBuf,
}

impl Nested {
    /// Writes it below `tree`.
    pub(super) fn place(&self, tree: &Path) -> Result<(), GitError> {
        self.repository.check_tree(&self.sha)?;
        make_way(tree, &self.path)?;
        let target = tree.join(&self.path);
        let occupied = match fs::read_dir(&target) {
            Ok(mut entries) => entries.next().is_some() || fs::symlink_metadata(&target).is_ok_and(|m| m.is_symlink()),
            Err(_) => fs::symlink_metadata(&target).is_ok(),
        };
        if occupied {
            let reason = "something is there already".to_owned();
            return Err(GitError::Refused { what: format!("putting a repository at {}", self.path.display()), reason });
        }
        fs::create_dir_all(&target)
            .map_err(|source| GitError::Io { what: format!("making {}", target.display()), source })?;
        let reference = self.repository.keep("pinned", &self.sha)?;
        self.repository.write_repository(
            &self.repository.bare,
            &target,
            format!("+{reference}:{reference}\n"),
            &self.sha,
        )
    }
}

impl Repository {
    /// Resolves and fetches the further repositories, once for both sides.
    pub(super) fn resolve_extra(
        &self,
        workspace: &Workspace,
        options: &CheckoutOptions,
    ) -> Result<Vec<Nested>, GitError> {
        let server =
            if options.server.is_empty() { "https://github.com" } else { options.server.trim_end_matches('/') };
        let mut nested = Vec::new();
        for extra in &options.extra {
            let path = placed(&extra.path)?.to_owned();
            let short = !extra.repo.contains(':') && !extra.repo.starts_with('/') && extra.repo.split('/').count() == 2;
            let url = if short { format!("{server}/{}.git", extra.repo) } else { extra.repo.clone() };
            let repository = self.sibling(workspace, &url)?;
            let sha = repository.resolve(&extra.reference)?;
            repository.fetch(&[&sha])?;
            nested.push(Nested { repository, sha, path });
        }
        Ok(nested)
    }

    /// Another repository, reached as this one is.
    fn sibling(&self, workspace: &Workspace, url: &str) -> Result<Self, GitError> {
        check_url(url, self.git.protocols)?;
        let name: String = Sha256::digest(url.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let bare = workspace.folder("git")?.join(format!("{name}.git"));
        if !bare.exists() {
            init_bare(&self.git, workspace.path(), &bare, "sha1")?;
        }
        Ok(Self { git: self.git.clone(), bare, source: Source::Remote { url: url.to_owned() } })
    }

    /// Writes the submodules of a commit into its checkout.
    pub(super) fn write_submodules(
        &self,
        workspace: &Workspace,
        tree: &Path,
        sha: &str,
        entries: &[Entry],
    ) -> Result<(), GitError> {
        let (url, modules) = match &self.source {
            Source::Clone(clone) => {
                let url = self.remote_url(clone)?.unwrap_or_else(|| clone.path.display().to_string());
                (url, Some(clone.common.join("modules")))
            }
            Source::Remote { url } => (url.clone(), None),
        };
        self.write_level(workspace, &Level { tree, sha, url: &url, modules: modules.as_deref(), depth: 0 }, entries)
    }

    fn write_level(&self, workspace: &Workspace, level: &Level<'_>, entries: &[Entry]) -> Result<(), GitError> {
        let links: Vec<&Entry> = entries.iter().filter(|entry| entry.mode == "160000").collect();
        if links.is_empty() {
            return Ok(());
        }
        let refused = |what: String, reason: &str| GitError::Refused { what, reason: reason.to_owned() };
        if level.depth >= DEPTH_LIMIT {
            return Err(refused("the submodules".to_owned(), "they are nested more than ten deep"));
        }
        let known = self.gitmodules(level.sha)?;
        for link in links {
            let path = link.name().ok_or_else(|| refused("a submodule".to_owned(), "its path is not UTF-8"))?;
            let (name, url) = known
                .get(path)
                .ok_or_else(|| refused(format!("the submodule {path}"), ".gitmodules has no address for it"))?;
            let url = join_url(level.url, url, self.git.protocols);
            let (nested, modules) = self.fetch_submodule(workspace, level, name, &url, &link.oid)?;
            let nested = Nested { repository: nested, sha: link.oid.clone(), path: placed(path)?.to_owned() };
            nested.place(level.tree)?;
            let inner = nested.repository.entries(&nested.sha, &[])?;
            let tree = level.tree.join(&nested.path);
            let below =
                Level { tree: &tree, sha: &nested.sha, url: &url, modules: modules.as_deref(), depth: level.depth + 1 };
            nested.repository.write_level(workspace, &below, &inner)?;
        }
        Ok(())
    }

    /// A submodule's commit: from the user's clone of it, if there is one that has it, else from its address.
    fn fetch_submodule(
        &self,
        workspace: &Workspace,
        level: &Level<'_>,
        name: &str,
        url: &str,
        sha: &str,
    ) -> Result<(Self, Option<PathBuf>), GitError> {
        let local = level
            .modules
            .filter(|_| !name.split('/').any(|part| matches!(part, "" | "." | "..")))
            .map(|modules| modules.join(name));
        if let Some(local) = local.filter(|local| local.is_dir())
            && let Some(path) = local.to_str()
        {
            let sibling = self.sibling(workspace, path)?;
            if sibling.fetch(&[sha]).is_ok() {
                return Ok((sibling, Some(local.join("modules"))));
            }
        }
        let sibling = self.sibling(workspace, url)?;
        sibling.fetch(&[sha])?;
        Ok((sibling, None))
    }

    /// Name and address of each submodule, by path.
    fn gitmodules(&self, sha: &str) -> Result<BTreeMap<String, (String, String)>, GitError> {
        let blob = format!("{sha}:.gitmodules");
        let output = self
            .git
            .at(&self.bare)
            .args(["config", "-z", "--no-includes", "--blob", &blob, "--list"])
            .output("reading .gitmodules")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut modules: BTreeMap<String, (Option<String>, Option<String>)> = BTreeMap::new();
        for (key, value) in text.split('\0').filter_map(|line| line.split_once('\n')) {
            let Some((name, field)) = key.strip_prefix("submodule.").and_then(|rest| rest.rsplit_once('.')) else {
                continue;
            };
            let module = modules.entry(name.to_owned()).or_default();
            match field {
                "path" => module.0 = Some(value.trim_end_matches('/').to_owned()),
                "url" => module.1 = Some(value.to_owned()),
                _ => {}
            }
        }
        Ok(modules.into_iter().filter_map(|(name, (path, url))| Some((path?, (name, url?)))).collect())
    }

    /// Replaces the pointers of Git LFS in a checkout by their content.
    pub(super) fn write_lfs(&self, tree: &Path) -> Result<(), GitError> {
        let version = self.git.at(tree).args(["lfs", "version"]).output("looking for git-lfs")?;
        if version.status != Ok(0) {
            let reason = "git-lfs is not installed".to_owned();
            return Err(GitError::Refused { what: "`checkout: {lfs: true}`".to_owned(), reason });
        }
        let addresses = match &self.source {
            // The user's own copies first: they need no network.
            Source::Clone(clone) => [Some(format!("file://{}", clone.common.display())), self.remote_url(clone)?],
            Source::Remote { url } => [Some(url.clone()), None],
        };
        let mut result = Ok(());
        for url in addresses.into_iter().flatten() {
            let call = self.git.at(tree).args(["lfs", "pull", "origin"]).config("remote.origin.url", &url);
            // It only writes content into a tree if it seems installed; the filter itself is not run here.
            let call = call
                .config("filter.lfs.smudge", "git-lfs smudge -- %f")
                .config("filter.lfs.clean", "git-lfs clean -- %f");
            let call = call.config("filter.lfs.process", "git-lfs filter-process").env("GIT_LFS_SKIP_SMUDGE", "0");
            result = call.run("fetching the content of Git LFS").map(drop);
            if result.is_ok() || matches!(result, Err(GitError::Interrupted(_))) {
                break;
            }
        }
        result
    }
}

/// One level of nested submodules.
struct Level<'l> {
    tree: &'l Path,
    sha: &'l str,
    /// What relative addresses refer to.
    url: &'l str,
    /// Where the user's clone keeps the submodules of this level.
    modules: Option<&'l Path>,
    depth: usize,
}

/// An address from `.gitmodules`, relative ones resolved against their parent's.
fn join_url(parent: &str, url: &str, protocols: Protocols) -> String {
    let mut joined = url.to_owned();
    if url.starts_with("./") || url.starts_with("../") {
        let mut base = parent.trim_end_matches('/').to_owned();
        let mut rest = url;
        loop {
            if let Some(after) = rest.strip_prefix("../") {
                let cut = base.rfind(['/', ':']).unwrap_or(0);
                base.truncate(cut);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("./") {
                rest = after;
            } else {
                break;
            }
        }
        joined = format!("{base}/{rest}");
    }
    // A runner has a token for https and no ssh key.
    if protocols == Protocols::Https {
        let ssh = joined.strip_prefix("ssh://git@").map(str::to_owned);
        let scp = joined
            .strip_prefix("git@")
            .and_then(|rest| rest.split_once(':'))
            .map(|(host, path)| format!("{host}/{path}"));
        if let Some(rest) = ssh.or(scp) {
            joined = format!("https://{rest}");
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_are_resolved_against_the_parent() {
        let https = |parent, url| join_url(parent, url, Protocols::Https);
        assert_eq!(https("https://github.com/o/r.git", "../s.git"), "https://github.com/o/s.git");
        assert_eq!(https("https://github.com/o/r", "../../p/s"), "https://github.com/p/s");
        assert_eq!(https("https://github.com/o/r", "git@github.com:o/s.git"), "https://github.com/o/s.git");
        assert_eq!(join_url("/srv/r", "../s", Protocols::Local), "/srv/s");
        assert_eq!(join_url("https://h/o/r", "git@h:o/s", Protocols::Local), "git@h:o/s");
    }
}
