//! Two checkouts that know nothing of each other: each a repository of its own, at a pinned commit.

use super::{GitError, Repository, SNAPSHOT, Workspace, side_reference};
use crate::config::{ExtraRepository, Suite};
use crate::measure::process::SideFolders;
use crate::side::{PerSide, Side};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// From 1970 to 1980: older than any file that is written today, and not too old for archives.
const LONG_AGO: Duration = Duration::from_hours(24 * 3653);

/// What a checkout holds beside the commit's own files: the union of what the suites ask for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckoutOptions {
    /// Submodules, recursively.
    pub submodules: bool,
    /// Content of Git LFS.
    pub lfs: bool,
    /// Further repositories.
    pub extra: Vec<ExtraRepository>,
    /// The server that `owner/name` refers to, such as `https://github.com`; empty: that one.
    pub server: String,
}

impl CheckoutOptions {
    /// What `suites` need together.
    #[must_use]
    pub fn of(suites: &[Suite], server: &str) -> Self {
        let mut options = Self { server: server.to_owned(), ..Self::default() };
        for checkout in suites.iter().map(|suite| &suite.checkout) {
            options.submodules |= checkout.submodules;
            options.lfs |= checkout.lfs;
            for extra in &checkout.extra {
                if !options.extra.contains(extra) {
                    options.extra.push(extra.clone());
                }
            }
        }
        options
    }
}

/// Two checkouts, ready to be handed to an executor. They live as long as their [`Workspace`].
#[derive(Debug)]
pub struct Checkouts {
    /// Where each side's tree and private folder are.
    pub folders: PerSide<SideFolders>,
    /// What a reader of the report must know, in words.
    pub warnings: Vec<String>,
}

impl Repository {
    /// Writes both sides' commits into checkouts of their own, `tree/base` and `tree/head` in the workspace.
    ///
    /// Each is a repository without a remote, without alternates, without hooks and without credentials, on a detached
    /// `HEAD`, with the history that is known here and the tags that lie in it.
    ///
    /// # Errors
    /// When a commit is missing, refused, or cannot be written.
    pub fn checkouts(
        &self,
        workspace: &Workspace,
        commits: PerSide<&str>,
        options: &CheckoutOptions,
    ) -> Result<Checkouts, GitError> {
        let mut warnings = Vec::new();
        let extra = self.resolve_extra(workspace, options)?;
        let folders =
            PerSide { base: self.folders(workspace, Side::Base)?, head: self.folders(workspace, Side::Head)? };
        for side in Side::BOTH {
            let sha = *commits.get(side);
            let tree = &folders.get(side).tree;
            let entries = self.check_tree(sha)?;
            let reference = self.keep(&side_reference(side), sha)?;
            self.write_checkout(tree, &reference, sha, &mut warnings)?;
            self.age_new_files(tree, sha)?;
            if options.submodules {
                self.write_submodules(workspace, tree, sha, &entries)?;
            }
            for nested in &extra {
                nested.place(tree)?;
            }
            if options.lfs {
                self.write_lfs(tree)?;
            }
        }
        warnings.dedup();
        Ok(Checkouts { folders, warnings })
    }

    fn folders(&self, workspace: &Workspace, side: Side) -> Result<SideFolders, GitError> {
        Ok(SideFolders {
            tree: workspace.folder(&format!("tree/{side}"))?,
            private: workspace.folder(&format!("side/{side}"))?,
        })
    }

    fn write_checkout(
        &self,
        tree: &Path,
        reference: &str,
        sha: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), GitError> {
        let mut refspecs = format!("+{reference}:refs/bench-bot/pinned\n");
        let merged = format!("--merged={sha}");
        match self
            .git
            .at(&self.bare)
            .args(["for-each-ref", "--format=+%(refname):%(refname)", &merged, "refs/tags"])
            .run("listing tags")
        {
            Ok(tags) => refspecs.push_str(&String::from_utf8_lossy(&tags)),
            Err(GitError::Interrupted(number)) => return Err(GitError::Interrupted(number)),
            Err(error) => warnings.push(format!("the checkouts have no tags: {error}")),
        }
        self.write_repository(&self.bare, tree, refspecs, sha)
    }

    /// Makes files that a snapshot has and its commit has not older than all others: a program that was built in the
    /// user's tree must not be taken for the one that this tree's sources give.
    fn age_new_files(&self, tree: &Path, sha: &str) -> Result<(), GitError> {
        let snapshot = self.git.at(&self.bare).args([
            "for-each-ref",
            "--format=%(objectname)",
            &format!("refs/bench-bot/{SNAPSHOT}"),
        ]);
        if snapshot.line("looking for a snapshot")? != sha {
            return Ok(());
        }
        for path in self.compare(&format!("{sha}^"), sha, &["--diff-filter=A"])? {
            let path = tree.join(path);
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                fs::File::open(&path)
                    .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH + LONG_AGO))
                    .map_err(|source| GitError::Io { what: format!("dating {}", path.display()), source })?;
            }
        }
        Ok(())
    }

    /// Makes a repository in `tree` with what `refspecs` take from `from`, and checks out `sha`.
    pub(super) fn write_repository(
        &self,
        from: &Path,
        tree: &Path,
        refspecs: String,
        sha: &str,
    ) -> Result<(), GitError> {
        let format = if sha.len() == 64 { "sha256" } else { "sha1" };
        let init = ["init", "--quiet", "--template=", "--initial-branch=none", &format!("--object-format={format}")];
        self.git.at(tree).args(init).run("making a checkout")?;
        // From one repository of ours into another: the only place where a local path is read, whatever is allowed else.
        let fetch = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--update-shallow",
            "--stdin",
            "--end-of-options",
        ];
        let call = self.git.at(tree).args(fetch).args([from]).config("protocol.file.allow", "always");
        call.stdin(refspecs).run("copying history into a checkout")?;
        self.git.at(tree).args(["checkout", "--quiet", "--force", "--detach", sha, "--"]).run("writing a checkout")?;
        self.verify(tree, sha)
    }

    /// What was written is what was asked for.
    fn verify(&self, tree: &Path, sha: &str) -> Result<(), GitError> {
        let found = self.git.at(tree).args(["rev-parse", "--verify", "HEAD"]).line("reading a checkout")?;
        if found != sha {
            return Err(GitError::Refused {
                what: tree.display().to_string(),
                reason: format!("it holds {found} instead of {sha}"),
            });
        }
        Ok(())
    }
}

/// Refuses to write below `tree` through a link, and makes the folders on the way.
pub(super) fn make_way(tree: &Path, relative: &Path) -> Result<(), GitError> {
    let mut folder = tree.to_owned();
    for part in relative.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                let reason = "a link or file is in its way".to_owned();
                return Err(GitError::Refused { what: format!("the path {}", relative.display()), reason });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                fs::create_dir(&folder)
                    .map_err(|source| GitError::Io { what: format!("making {}", folder.display()), source })?;
            }
            Err(source) => return Err(GitError::Io { what: format!("reading {}", folder.display()), source }),
        }
    }
    Ok(())
}
