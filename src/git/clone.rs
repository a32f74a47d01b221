//! A clone of the user: read, never written.

use super::command::{Git, Protocols};
use super::{DefaultBranch, GitError, Repository, SNAPSHOT, Source, Workspace};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A user's clone.
#[derive(Debug, Clone)]
pub(super) struct Clone {
    /// What was opened.
    pub(super) path: PathBuf,
    /// Its working tree; `None` if it is bare.
    top: Option<PathBuf>,
    /// The git folder of this working tree.
    git_dir: PathBuf,
    /// The git folder that holds the objects.
    pub(super) common: PathBuf,
}

/// The working tree as a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit: `HEAD` itself if nothing is changed.
    pub sha: String,
    /// Whether there were changes or new files.
    pub uncommitted: bool,
    /// What the user must know, in words.
    pub notes: Vec<String>,
}

/// What git says of a folder without a repository, in our words.
fn no_repository(path: &Path, error: GitError) -> GitError {
    match error {
        GitError::Failed { stderr, .. } if stderr.contains("not a git repository") => {
            GitError::NoRepository { path: path.display().to_string() }
        }
        other => other,
    }
}

impl Repository {
    /// Whether it is a clone without a working tree.
    #[must_use]
    pub const fn is_bare_clone(&self) -> bool {
        matches!(&self.source, Source::Clone(clone) if clone.top.is_none())
    }

    /// Opens the clone that holds `path`, for reading.
    ///
    /// # Errors
    /// When there is no repository, or it lacks objects (a partial clone).
    pub fn from_clone(workspace: &Workspace, path: &Path) -> Result<Self, GitError> {
        let git = Git { protocols: Protocols::Local, credentials: None };
        let ask = |args: &[&str]| {
            git.at(path).args(["rev-parse", "--path-format=absolute"]).args(args).line("opening the repository")
        };
        let common = PathBuf::from(ask(&["--git-common-dir"]).map_err(|error| no_repository(path, error))?);
        let git_dir = PathBuf::from(ask(&["--git-dir"])?);
        let top = ask(&["--show-toplevel"]).ok().map(PathBuf::from);
        let format = git.at(path).args(["rev-parse", "--show-object-format"]).line("opening the repository")?;
        refuse_partial(&git, path)?;
        let bare = workspace.folder("git")?.join("clone.git");
        init_bare(&git, workspace.path(), &bare, &format)?;
        let objects = common.join("objects");
        if objects.as_os_str().as_bytes().contains(&b'\n') {
            return Err(GitError::Refused {
                what: objects.display().to_string(),
                reason: "its name has a line break".to_owned(),
            });
        }
        let mut line = objects.as_os_str().as_bytes().to_vec();
        line.push(b'\n');
        write(&bare.join("objects/info/alternates"), &line)?;
        if let Ok(shallow) = fs::read(common.join("shallow")) {
            write(&bare.join("shallow"), &shallow)?;
        }
        let clone = Clone { path: path.to_owned(), top, git_dir, common };
        let repository = Self { git, bare, source: Source::Clone(clone) };
        repository.import_tags(path)?;
        Ok(repository)
    }

    /// Tools ask git for the version: the tags come along.
    fn import_tags(&self, path: &Path) -> Result<(), GitError> {
        let format = "--format=create %(refname) %(objectname)";
        let lines = self.git.at(path).args(["for-each-ref", format, "refs/tags"]).run("listing tags")?;
        if !lines.is_empty() {
            self.git.at(&self.bare).args(["update-ref", "--stdin"]).stdin(lines).run("taking over tags")?;
        }
        Ok(())
    }

    pub(super) fn resolve_in_clone(&self, clone: &Clone, reference: &str) -> Result<String, GitError> {
        let remote = self.remote_name(clone)?;
        let names = [Some(reference.to_owned()), remote.map(|remote| format!("refs/remotes/{remote}/{reference}"))];
        for name in names.into_iter().flatten() {
            let commit = format!("{name}^{{commit}}");
            let call = self.git.at(&clone.path).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
            let output = call.output("resolving a name")?;
            if output.status == Ok(0) {
                return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
            }
        }
        let hint = match reference {
            "HEAD" => ": it has no commit yet",
            _ if self.is_shallow() => ": the clone is shallow, `git fetch --unshallow` completes it",
            _ => "",
        };
        Err(self.not_found(reference, hint))
    }

    pub(super) fn default_branch_of_clone(&self, clone: &Clone) -> Result<Option<DefaultBranch>, GitError> {
        let mut candidates = Vec::new();
        if let Some(remote) = self.remote_name(clone)? {
            let call =
                self.git.at(&clone.path).args(["symbolic-ref", "--quiet", &format!("refs/remotes/{remote}/HEAD")]);
            let output = call.output("finding the default branch")?;
            candidates.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
            candidates
                .extend(["main", "master", "trunk", "develop"].map(|name| format!("refs/remotes/{remote}/{name}")));
        } else {
            candidates.extend(["main", "master", "trunk", "develop"].map(|name| format!("refs/heads/{name}")));
        }
        for name in candidates.iter().filter(|name| !name.is_empty()) {
            if let Ok(sha) = self.resolve_in_clone(clone, name) {
                let short = name.trim_start_matches("refs/remotes/").trim_start_matches("refs/heads/");
                return Ok(Some(DefaultBranch { name: short.to_owned(), sha }));
            }
        }
        Ok(None)
    }

    /// `origin`, or the only remote.
    fn remote_name(&self, clone: &Clone) -> Result<Option<String>, GitError> {
        let text = self.git.at(&clone.path).args(["remote"]).line("listing remotes")?;
        let names: Vec<&str> = text.lines().collect();
        let chosen =
            names.iter().find(|name| **name == "origin").or(if names.len() == 1 { names.first() } else { None });
        Ok(chosen.map(|name| (*name).to_owned()))
    }

    /// The address of the clone's remote, if it has one.
    pub(super) fn remote_url(&self, clone: &Clone) -> Result<Option<String>, GitError> {
        let Some(remote) = self.remote_name(clone)? else { return Ok(None) };
        let call = self.git.at(&clone.path).args(["config", "--get", &format!("remote.{remote}.url")]);
        let output = call.output("reading the remote's address")?;
        Ok((output.status == Ok(0)).then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }

    /// Makes a commit of the working tree as it is: changed, deleted, and new files that are not ignored.
    ///
    /// The user's index, references, stash and objects are not touched: a copy of the index is used, and everything is
    /// written into our own repository. The user's filters do not run, so that what is measured is what is on disk.
    ///
    /// # Errors
    /// When the clone is bare or has no commit yet, or the new files are beyond the limits.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        let refused = |reason: &str| GitError::Refused { what: self.place(), reason: reason.to_owned() };
        let Source::Clone(clone) = &self.source else {
            return Err(refused("only a clone on this machine has a working tree"));
        };
        let top = clone.top.as_ref().ok_or_else(|| refused("a bare repository has no working tree"))?;
        let head = self.resolve_in_clone(clone, "HEAD")?;
        self.prepare_index(clone)?;
        let excludes = self.user_setting(clone, &["--type=path", "core.excludesFile"])?;
        let mode = self.user_setting(clone, &["core.fileMode"])?;
        let call = |args: &[&str]| {
            let mut call = self.git.at(top).args(args).env("GIT_DIR", &self.bare).env("GIT_WORK_TREE", top);
            call = call.env("GIT_INDEX_FILE", self.bare.join("index"));
            call = call.config("core.bare", "false").config("core.fileMode", mode.as_deref().unwrap_or("true"));
            excludes.iter().fold(call, |call, path| call.config("core.excludesFile", path))
        };
        check_new_files(top, &call(&["ls-files", "-z", "--others", "--exclude-standard"]).run("listing new files")?)?;
        call(&["add", "--all", "--ignore-errors", "--", "."]).run("reading the working tree")?;
        let tree = call(&["write-tree"]).line("writing the snapshot")?;
        let unchanged = tree
            == self
                .git
                .at(&self.bare)
                .args(["rev-parse", "--verify", &format!("{head}^{{tree}}")])
                .line("reading HEAD")?;
        let notes = self.dirty_submodules(&head)?;
        if unchanged {
            return Ok(Snapshot { sha: head, uncommitted: false, notes });
        }
        let date = self.git.at(&self.bare).args(["show", "-s", "--format=%ct +0000", &head]).line("reading HEAD")?;
        let commit = call(&["commit-tree", &tree, "-p", &head, "-m", "uncommitted changes"]);
        let commit = ["AUTHOR", "COMMITTER"].iter().fold(commit, |call, who| {
            let call = call
                .env(&format!("GIT_{who}_NAME"), "bench-bot")
                .env(&format!("GIT_{who}_EMAIL"), "bench-bot@localhost");
            call.env(&format!("GIT_{who}_DATE"), &date)
        });
        let sha = commit.line("writing the snapshot")?;
        self.keep(SNAPSHOT, &sha)?;
        Ok(Snapshot { sha, uncommitted: true, notes })
    }

    /// A copy of the user's index: it knows files that are tracked though ignored, and sparse checkouts.
    fn prepare_index(&self, clone: &Clone) -> Result<(), GitError> {
        let copy = |from: &Path, name: &str| match fs::copy(from, self.bare.join(name)) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(GitError::Io { what: format!("reading {}", from.display()), source }),
        };
        copy(&clone.git_dir.join("index"), "index")?;
        for entry in fs::read_dir(&clone.git_dir).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str().filter(|name| name.starts_with("sharedindex.")) {
                copy(&entry.path(), name)?;
            }
        }
        fs::create_dir_all(self.bare.join("info"))
            .map_err(|source| GitError::Io { what: "preparing a snapshot".to_owned(), source })?;
        copy(&clone.common.join("info/exclude"), "info/exclude")
    }

    /// A setting as the user has it, their own and the machine's configuration included: only read, never obeyed.
    fn user_setting(&self, clone: &Clone, key: &[&str]) -> Result<Option<String>, GitError> {
        let call = self.git.at(&clone.path).args(["config", "--get"]).args(key).with_user_settings();
        let output = call.output("reading a setting")?;
        Ok((output.status == Ok(0)).then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }

    fn dirty_submodules(&self, head: &str) -> Result<Vec<String>, GitError> {
        let any = self.entries(head, &[])?.iter().any(|entry| entry.mode == "160000");
        let note = "submodules are measured at their commits: uncommitted changes inside of them are not";
        Ok(if any { vec![note.to_owned()] } else { Vec::new() })
    }
}

/// New files are read whole: a forgotten data set should be an error and not a full disk.
fn check_new_files(top: &Path, listing: &[u8]) -> Result<(), GitError> {
    let paths: Vec<&[u8]> = listing.split(|byte| *byte == 0).filter(|path| !path.is_empty()).collect();
    let size = |path: &&[u8]| {
        fs::symlink_metadata(top.join(std::ffi::OsStr::from_bytes(path))).map_or(0, |metadata| metadata.len())
    };
    let bytes = paths.iter().map(size).fold(0_u64, u64::saturating_add);
    if paths.len() > super::FILES_LIMIT || bytes > super::BYTES_LIMIT {
        return Err(GitError::Refused {
            what: "the working tree".to_owned(),
            reason: format!("it has {} new files with {} MiB: ignore or remove them", paths.len(), bytes >> 20),
        });
    }
    Ok(())
}

fn refuse_partial(git: &Git, path: &Path) -> Result<(), GitError> {
    let output = git
        .at(path)
        .args(["config", "--get", "extensions.partialClone"])
        .output("reading the repository's settings")?;
    if output.status != Ok(0) {
        return Ok(());
    }
    Err(GitError::Refused {
        what: path.display().to_string(),
        reason: "it is a partial clone and lacks file contents: `git config --unset extensions.partialClone`, then \
                 `git fetch --refetch` completes it"
            .to_owned(),
    })
}

/// Makes an empty bare repository.
pub(super) fn init_bare(git: &Git, inside: &Path, bare: &Path, format: &str) -> Result<(), GitError> {
    let format = format!("--object-format={format}");
    let call = git.at(inside).args(["init", "--quiet", "--bare", "--template=", "--initial-branch=none", &format]);
    call.args([bare]).run("making a repository").map(drop)?;
    let info = bare.join("objects/info");
    fs::create_dir_all(&info).map_err(|source| GitError::Io { what: format!("making {}", info.display()), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    fs::write(path, bytes).map_err(|source| GitError::Io { what: format!("writing {}", path.display()), source })
}

/// Credentials that a clone keeps in its own configuration (as some checkout actions leave them), by key: foreign code
/// must not run beside them.
///
/// # Errors
/// When git fails.
pub fn persisted_credentials(path: &Path) -> Result<Vec<String>, GitError> {
    let git = Git { protocols: Protocols::Https, credentials: None };
    let output = git
        .at(path)
        .args(["config", "--local", "--includes", "--list", "-z"])
        .output("reading the clone's settings")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut keys: Vec<String> = text
        .split('\0')
        .filter_map(|line| line.split_once('\n'))
        .filter(|(key, value)| {
            let secret_url = || {
                let user = value.split_once("://").and_then(|(_, rest)| rest.split('/').next()?.rsplit_once('@'));
                user.is_some_and(|(user, _)| user.contains(':'))
            };
            key.ends_with(".extraheader") || (key.ends_with(".url") && secret_url())
        })
        .map(|(key, _)| key.to_owned())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}
