//! Git on real repositories.

use super::*;
use crate::config::{ExtraRepository, Overlay};
use crate::side::PerSide;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

struct Rig {
    temp: tempfile::TempDir,
    user: PathBuf,
    work: Workspace,
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]).args(args).current_dir(folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "T").env(format!("GIT_{who}_EMAIL"), "t@example.com");
    }
    let output = command.output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn commit(folder: &Path, file: &str, content: &str) -> String {
    if let Some(parent) = folder.join(file).parent() {
        fs::create_dir_all(parent).expect("folder");
    }
    fs::write(folder.join(file), content).expect("file");
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", &format!("change {file} to {content}")]);
    git(folder, &["rev-parse", "HEAD"])
}

/// A user's repository: main has two commits, `feature` leaves from the first.
fn rig() -> Rig {
    let temp = tempfile::tempdir().expect("temp");
    let user = temp.path().join("user");
    fs::create_dir(&user).expect("folder");
    git(&user, &["init", "-q", "-b", "main"]);
    commit(&user, "bench.sh", "one");
    git(&user, &["tag", "v1.0"]);
    git(&user, &["branch", "feature"]);
    commit(&user, "other", "main moves on");
    git(&user, &["checkout", "-q", "feature"]);
    commit(&user, "bench.sh", "two");
    let work = Workspace::create(temp.path()).expect("workspace");
    Rig { temp, user, work }
}

fn pair<'s>(base: &'s str, head: &'s str) -> PerSide<&'s str> {
    PerSide { base, head }
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Every file of a folder with its content, for "nothing was touched". Of objects, which git freshens when it meets them
/// again, the times are not looked at.
fn content(folder: &Path) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("folder").flatten() {
            let metadata = fs::symlink_metadata(entry.path()).expect("metadata");
            if metadata.is_dir() {
                open.push(entry.path());
            }
            let bytes = if metadata.is_file() { fs::read(entry.path()).expect("file") } else { Vec::new() };
            let object = entry.path().components().any(|part| part.as_os_str() == "objects");
            found.insert(entry.path(), (metadata.mode(), if object { 0 } else { metadata.mtime_nsec() }, bytes));
        }
    }
    found
}

fn untouched(folder: &Path, before: &BTreeMap<PathBuf, (u32, i64, Vec<u8>)>) {
    let after = content(folder);
    let paths = before.keys().chain(after.keys());
    let touched: Vec<&PathBuf> = paths.filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(touched.is_empty(), "{touched:?}");
}

#[test]
fn a_clone_is_resolved_compared_and_read_without_being_touched() {
    let rig = rig();
    let before = content(&rig.user);
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let base = repository.resolve("main").expect("main");
    let head = repository.resolve("HEAD").expect("HEAD");
    let fork = repository.resolve("v1.0").expect("tag");
    assert_eq!(repository.merge_base(&base, &head).expect("related"), fork);
    assert_eq!(repository.behind(&fork, &base).expect("count"), 1);
    assert_eq!(repository.subject(&head).expect("subject"), "change bench.sh to two");
    assert_eq!(repository.changed_paths(&fork, &head).expect("diff"), ["bench.sh"]);
    assert_eq!(repository.read_file(&head, "bench.sh").expect("file"), Some(b"two".to_vec()));
    assert_eq!(repository.read_file(&head, "absent").expect("none"), None);
    assert_eq!(repository.resolve("HEAD~1").expect("an expression"), fork);
    let branch = repository.default_branch().expect("asked").expect("main");
    assert_eq!((branch.name.as_str(), branch.sha), ("main", base));
    let error = repository.resolve("--upload-pack=touch x").expect_err("no such name");
    assert!(matches!(error, GitError::NotFound { .. }), "{error}");
    untouched(&rig.user, &before);
}

#[test]
fn checkouts_are_repositories_of_their_own() {
    let rig = rig();
    let before = content(&rig.user);
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let (base, head) = (repository.resolve("v1.0").expect("tag"), repository.resolve("feature").expect("branch"));
    let made = repository.checkouts(&rig.work, pair(&base, &head), &CheckoutOptions::default()).expect("checked out");
    assert_eq!(made.warnings, Vec::<String>::new());
    for (side, sha, text) in [(Side::Base, &base, "one"), (Side::Head, &head, "two")] {
        let tree = &made.folders.get(side).tree;
        assert_eq!(read(tree.join("bench.sh")), text);
        assert_eq!(git(tree, &["rev-parse", "HEAD"]), *sha);
        assert_eq!(git(tree, &["status", "--porcelain"]), "");
        assert_eq!(git(tree, &["describe", "--tags", "--abbrev=0"]), "v1.0", "tools ask git for the version");
        assert_eq!(git(tree, &["remote"]), "");
        assert!(!tree.join(".git/objects/info/alternates").exists());
        assert!(!git(tree, &["config", "--local", "--list"]).contains("url"));
        git(tree, &["fsck", "--connectivity-only"]);
    }
    let [base_tree, head_tree] = [&made.folders.base.tree, &made.folders.head.tree];
    assert_eq!(base_tree.as_os_str().len(), head_tree.as_os_str().len());
    assert_eq!(fs::metadata(rig.work.path()).expect("there").permissions().mode() & 0o777, 0o700);
    // Destroying a checkout does no harm to the clone.
    fs::remove_dir_all(head_tree.join(".git/objects")).expect("removed");
    assert_eq!(git(&rig.user, &["fsck"]), "");
    untouched(&rig.user, &before);
    let path = rig.work.path().to_owned();
    drop(rig.work);
    assert!(!path.exists());
}

#[test]
fn what_the_repository_configures_is_not_run() {
    let rig = rig();
    let proof = rig.temp.path().join("ran");
    let run = format!("touch {}", proof.display());
    for hook in ["post-checkout", "reference-transaction", "post-index-change", "pre-commit"] {
        let path = rig.user.join(".git/hooks").join(hook);
        fs::create_dir_all(rig.user.join(".git/hooks")).expect("hooks");
        fs::write(&path, format!("#!/bin/sh\n{run}\n")).expect("hook");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mode");
    }
    commit(&rig.user, ".gitattributes", "* filter=evil diff=evil\n");
    for (key, value) in [
        ("core.fsmonitor", run.clone()),
        ("filter.evil.smudge", format!("{run}; cat")),
        ("filter.evil.clean", format!("{run}; cat")),
        ("diff.evil.textconv", format!("{run}; cat")),
        ("diff.external", run.clone()),
        ("core.pager", run.clone()),
    ] {
        git(&rig.user, &["config", key, &value]);
    }
    fs::write(rig.user.join("bench.sh"), "three").expect("file");
    fs::remove_file(&proof).ok();
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let base = repository.resolve("v1.0").expect("tag");
    let snapshot = repository.snapshot().expect("snapshot");
    repository.changed_paths(&base, &snapshot.sha).expect("diff");
    let made = repository.checkouts(&rig.work, pair(&base, &snapshot.sha), &CheckoutOptions::default()).expect("made");
    assert_eq!(read(made.folders.head.tree.join("bench.sh")), "three");
    assert!(!proof.exists(), "something that the repository configures was run");
}

#[test]
fn the_working_tree_is_snapshotted_as_it_is() {
    let rig = rig();
    fs::write(rig.user.join(".gitignore"), "ignored\nforced\n").expect("file");
    git(&rig.user, &["add", "-A"]);
    git(&rig.user, &["commit", "-q", "-m", "ignore"]);
    let clean = rig.temp.path().join("work-clean");
    fs::create_dir(&clean).expect("folder");
    {
        let work = Workspace::create(&clean).expect("workspace");
        let repository = Repository::from_clone(&work, &rig.user).expect("opened");
        let snapshot = repository.snapshot().expect("snapshot");
        assert_eq!((snapshot.uncommitted, snapshot.sha), (false, git(&rig.user, &["rev-parse", "HEAD"])));
    }
    fs::write(rig.user.join("bench.sh"), "changed").expect("file");
    fs::write(rig.user.join("new file"), "new").expect("file");
    fs::write(rig.user.join("ignored"), "ignored").expect("file");
    fs::write(rig.user.join("forced"), "forced").expect("file");
    git(&rig.user, &["add", "-f", "forced"]);
    fs::remove_file(rig.user.join(".gitignore")).expect("deleted");
    fs::write(rig.user.join(".gitignore"), "ignored\nforced\nlog\n").expect("file");
    let before = content(&rig.user);
    let repository = Repository::from_clone(&rig.work, &rig.user.join(".")).expect("opened");
    let snapshot = repository.snapshot().expect("snapshot");
    assert!(snapshot.uncommitted);
    assert_eq!(repository.snapshot().expect("again").sha, snapshot.sha, "the same tree gives the same commit");
    let base = repository.resolve("v1.0").expect("tag");
    let made = repository.checkouts(&rig.work, pair(&base, &snapshot.sha), &CheckoutOptions::default()).expect("made");
    let tree = &made.folders.head.tree;
    assert_eq!(read(tree.join("bench.sh")), "changed");
    assert_eq!(read(tree.join("new file")), "new");
    assert_eq!(read(tree.join("forced")), "forced");
    assert!(!tree.join("ignored").exists());
    let written = |name: &str| fs::metadata(tree.join(name)).and_then(|file| file.modified()).expect("a time");
    assert!(written("new file") < written("bench.sh") && written("forced") < written(".gitignore"), "rebuilt by make");
    untouched(&rig.user, &before);
}

#[test]
fn a_shallow_clone_works_as_far_as_it_reaches() {
    let rig = rig();
    let shallow = rig.temp.path().join("shallow");
    let url = format!("file://{}", rig.user.display());
    git(rig.temp.path(), &["clone", "-q", "--depth=1", "--no-single-branch", &url, "shallow"]);
    let repository = Repository::from_clone(&rig.work, &shallow).expect("opened");
    let (base, head) = (repository.resolve("main").expect("origin's"), repository.resolve("feature").expect("branch"));
    let error = repository.merge_base(&base, &head).expect_err("cut off");
    assert!(error.to_string().contains("git fetch --unshallow"), "{error}");
    let made = repository.checkouts(&rig.work, pair(&base, &head), &CheckoutOptions::default()).expect("made");
    assert_eq!(read(made.folders.head.tree.join("bench.sh")), "two");
    git(&made.folders.head.tree, &["fsck", "--connectivity-only"]);
}

#[test]
fn unrelated_histories_are_an_error_that_says_what_to_do() {
    let rig = rig();
    git(&rig.user, &["checkout", "-q", "--orphan", "island"]);
    commit(&rig.user, "bench.sh", "island");
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let (base, head) = (repository.resolve("main").expect("main"), repository.resolve("island").expect("island"));
    let error = repository.merge_base(&base, &head).expect_err("unrelated");
    assert!(matches!(error, GitError::Unrelated { .. }));
    assert!(error.to_string().contains("--base"), "{error}");
}

#[test]
fn a_server_gives_what_is_needed_and_the_nearest_merge_base() {
    let rig = rig();
    // Two hundred commits after the fork, on both branches: deeper than what is fetched at first.
    for branch in ["main", "feature"] {
        git(&rig.user, &["checkout", "-q", branch]);
        let stream: String = (0..200)
            .map(|i| {
                format!(
                    "commit refs/heads/{branch}\ncommitter T <t@example.com> {} +0000\ndata 1\nx\n{}\n",
                    2_000_000_000 + i,
                    if i == 0 { format!("from {}", git(&rig.user, &["rev-parse", branch])) } else { String::new() }
                )
            })
            .collect();
        let input = rig.temp.path().join("stream");
        fs::write(&input, stream).expect("file");
        let status = Command::new("git")
            .args(["fast-import", "--quiet", "--force"])
            .current_dir(&rig.user)
            .stdin(fs::File::open(&input).expect("file"))
            .status()
            .expect("git");
        assert!(status.success());
    }
    let url = format!("file://{}", rig.user.display());
    let repository = Repository::from_remote(&rig.work, &url, Protocols::Local, None).expect("prepared");
    let (base, head) =
        (repository.resolve("main").expect("main"), repository.resolve("refs/heads/feature").expect("feature"));
    let fork = git(&rig.user, &["rev-parse", "v1.0"]);
    assert_eq!(repository.resolve("v1.0").expect("tag"), fork);
    assert_eq!(repository.merge_base(&base, &head).expect("found"), fork);
    assert_eq!(repository.behind(&fork, &base).expect("count"), 201);
    let made = repository.checkouts(&rig.work, pair(&fork, &head), &CheckoutOptions::default()).expect("made");
    assert_eq!(read(made.folders.head.tree.join("bench.sh")), "two");
    assert_eq!(repository.default_branch().expect("asked").expect("HEAD").name, "feature");
    for absent in ["nothing", "--upload-pack=touch x", "v1"] {
        assert!(matches!(repository.resolve(absent), Err(GitError::NotFound { .. })), "{absent}");
    }
    let error = repository.fetch(&["0123456789012345678901234567890123456789"]).expect_err("unknown commit");
    assert!(matches!(error, GitError::NotFound { .. }), "{error}");
    assert!(matches!(Repository::from_remote(&rig.work, &url, Protocols::Https, None), Err(GitError::Refused { .. })));
}

#[test]
fn a_nearer_merge_base_behind_the_cut_is_found() {
    // main and side both contain `near` (old by path length on main), but `far` is reached over short paths.
    let rig = rig();
    let user = &rig.user;
    git(user, &["checkout", "-q", "-b", "m", "v1.0"]);
    let far = git(user, &["rev-parse", "HEAD"]);
    let near = commit(user, "near", "near");
    for i in 0..120 {
        git(user, &["commit", "-q", "--allow-empty", "-m", &format!("long {i}")]);
    }
    git(user, &["branch", "long"]);
    git(user, &["checkout", "-q", "-b", "one", &far]);
    git(user, &["merge", "-q", "--no-edit", "--no-ff", "long"]);
    git(user, &["checkout", "-q", "-b", "two", &far]);
    git(user, &["merge", "-q", "--no-edit", "--no-ff", &near]);
    git(user, &["commit", "-q", "--allow-empty", "-m", "two"]);
    let url = format!("file://{}", user.display());
    let repository = Repository::from_remote(&rig.work, &url, Protocols::Local, None).expect("prepared");
    let (one, two) = (repository.resolve("one").expect("one"), repository.resolve("two").expect("two"));
    assert_eq!(git(user, &["merge-base", "one", "two"]), near, "what git says with the whole history");
    assert_eq!(repository.merge_base(&one, &two).expect("found"), near);
}

#[test]
fn a_name_that_is_branch_and_tag_must_be_written_out_on_a_server() {
    let rig = rig();
    git(&rig.user, &["tag", "main", "feature"]);
    let url = format!("file://{}", rig.user.display());
    let repository = Repository::from_remote(&rig.work, &url, Protocols::Local, None).expect("prepared");
    let error = repository.resolve("main").expect_err("two meanings");
    assert!(error.to_string().contains("refs/heads/main"), "{error}");
    assert_eq!(
        repository.resolve("refs/heads/main").expect("branch"),
        git(&rig.user, &["rev-parse", "refs/heads/main"])
    );
}

#[test]
fn submodules_and_further_repositories_come_along_on_request() {
    let rig = rig();
    let library = rig.temp.path().join("library");
    fs::create_dir(&library).expect("folder");
    git(&library, &["init", "-q", "-b", "main"]);
    let old = commit(&library, "lib.txt", "old");
    commit(&library, "lib.txt", "new");
    git(&rig.user, &["submodule", "--quiet", "add", "../library", "vendor/lib"]);
    git(&rig.user.join("vendor/lib"), &["checkout", "-q", &old]);
    commit(&rig.user, "bench.sh", "with submodule");
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let (base, head) = (repository.resolve("v1.0").expect("tag"), repository.resolve("HEAD").expect("head"));
    let extra = ExtraRepository {
        repo: library.display().to_string(),
        reference: "main".to_owned(),
        path: "data/lib".to_owned(),
    };
    let options = CheckoutOptions { submodules: true, extra: vec![extra], ..CheckoutOptions::default() };
    let made = repository.checkouts(&rig.work, pair(&base, &head), &options).expect("made");
    let head_tree = &made.folders.head.tree;
    assert_eq!(read(head_tree.join("vendor/lib/lib.txt")), "old", "the commit that head pins");
    for side in Side::BOTH {
        assert_eq!(read(made.folders.get(side).tree.join("data/lib/lib.txt")), "new");
    }
    assert!(!head_tree.join("vendor/lib/.git/objects/info/alternates").exists());
    assert!(!made.folders.base.tree.join("vendor").exists());
    assert!(repository.snapshot().expect("snapshot").notes[0].contains("submodules"));
}

#[test]
fn nothing_is_written_through_a_link_of_the_commit() {
    let rig = rig();
    let outside = rig.temp.path().join("outside");
    fs::create_dir(&outside).expect("folder");
    symlink(&outside, rig.user.join("data")).expect("link");
    commit(&rig.user, "payload", "x");
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let head = repository.resolve("HEAD").expect("head");
    let extra = ExtraRepository {
        repo: rig.user.display().to_string(),
        reference: "main".to_owned(),
        path: "data/lib".to_owned(),
    };
    let options = CheckoutOptions { extra: vec![extra], ..CheckoutOptions::default() };
    let error = repository.checkouts(&rig.work, pair(&head, &head), &options).expect_err("refused");
    assert!(error.to_string().contains("in its way"), "{error}");
    assert_eq!(fs::read_dir(&outside).expect("folder").count(), 0);
}

#[test]
fn an_overlay_takes_files_of_the_commit_and_fails_loudly() {
    let rig = rig();
    commit(&rig.user, "bench/new_test.sh", "from head");
    fs::set_permissions(rig.user.join("bench/new_test.sh"), fs::Permissions::from_mode(0o755)).expect("mode");
    commit(&rig.user, "bench/more", "more");
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let (base, head) = (repository.resolve("v1.0").expect("tag"), repository.resolve("HEAD").expect("head"));
    let commits = pair(&base, &head);
    let made = repository.checkouts(&rig.work, commits, &CheckoutOptions::default()).expect("made");
    let overlay = |path: &str| Overlay { from: Side::Head, paths: vec![path.to_owned()], to: Side::Base };
    let written = repository.overlay(&made, commits, &overlay("bench/")).expect("overlaid");
    assert_eq!(written, ["bench/more", "bench/new_test.sh"]);
    let file = made.folders.base.tree.join("bench/new_test.sh");
    assert_eq!(
        (read(&file).as_str(), fs::metadata(&file).expect("there").permissions().mode() & 0o111),
        ("from head", 0o111)
    );
    let error = repository.overlay(&made, commits, &overlay("absent_test.go")).expect_err("absent");
    assert!(error.to_string().contains("absent_test.go"), "{error}");
    assert!(repository.overlay(&made, commits, &overlay("../x")).is_err());
}

#[test]
fn a_commit_with_a_hostile_name_is_refused_before_it_is_written() {
    let rig = rig();
    let blob = git(&rig.user, &["rev-parse", "HEAD:bench.sh"]);
    let tree_input = rig.temp.path().join("tree");
    fs::write(&tree_input, format!("100644 blob {blob}\tbad\nname\0")).expect("file");
    let made = Command::new("git")
        .args(["mktree", "-z"])
        .current_dir(&rig.user)
        .stdin(fs::File::open(&tree_input).expect("file"))
        .output()
        .expect("git");
    let tree = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let sha = git(&rig.user, &["commit-tree", &tree, "-m", "bad"]);
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let error = repository.checkouts(&rig.work, pair(&sha, &sha), &CheckoutOptions::default()).expect_err("refused");
    assert!(error.to_string().contains("control character"), "{error}");
}

#[test]
fn credentials_that_a_checkout_left_are_found() {
    let rig = rig();
    assert_eq!(persisted_credentials(&rig.user).expect("read"), Vec::<String>::new());
    git(&rig.user, &["config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x"]);
    git(&rig.user, &["config", "remote.origin.url", "https://x-access-token:secret@github.com/o/r"]);
    assert_eq!(
        persisted_credentials(&rig.user).expect("read"),
        ["http.https://github.com/.extraheader", "remote.origin.url"]
    );
}

#[test]
fn a_worktree_of_the_user_and_a_subfolder_are_clones_too() {
    let rig = rig();
    git(&rig.user, &["worktree", "add", "-q", "--detach", "../second", "v1.0"]);
    let second = rig.temp.path().join("second");
    fs::create_dir(second.join("sub")).expect("folder");
    fs::write(second.join("sub/new"), "new").expect("file");
    let repository = Repository::from_clone(&rig.work, &second.join("sub")).expect("opened");
    let snapshot = repository.snapshot().expect("snapshot");
    assert_eq!(repository.resolve("HEAD").expect("head"), git(&second, &["rev-parse", "HEAD"]));
    assert_eq!(repository.read_file(&snapshot.sha, "sub/new").expect("file"), Some(b"new".to_vec()));
}

/// Needs git-lfs for its second half; without it the first half is what a user of `lfs: true` sees.
#[test]
fn the_content_of_git_lfs_comes_along_on_request() {
    let rig = rig();
    let content = "large".repeat(1000);
    let pointer = |content: &str| {
        let oid: String = sha2::Digest::finalize(<sha2::Sha256 as sha2::Digest>::new_with_prefix(content))
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        (format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {}\n", content.len()), oid)
    };
    let (text, oid) = pointer(&content);
    fs::write(rig.user.join(".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n").expect("file");
    commit(&rig.user, "data.bin", &text);
    let store = rig.user.join(".git/lfs/objects").join(&oid[..2]).join(&oid[2..4]);
    fs::create_dir_all(&store).expect("folder");
    fs::write(store.join(&oid), &content).expect("object");
    let repository = Repository::from_clone(&rig.work, &rig.user).expect("opened");
    let head = repository.resolve("HEAD").expect("head");
    let plain = Workspace::create(rig.temp.path()).expect("workspace");
    let made = repository.checkouts(&plain, pair(&head, &head), &CheckoutOptions::default()).expect("made");
    assert_eq!(read(made.folders.head.tree.join("data.bin")), text, "without a request the pointer stays");
    let options = CheckoutOptions { lfs: true, ..CheckoutOptions::default() };
    let made = repository.checkouts(&rig.work, pair(&head, &head), &options);
    if Command::new("git").args(["lfs", "version"]).output().is_ok_and(|output| output.status.success()) {
        assert_eq!(read(made.expect("made").folders.head.tree.join("data.bin")), content);
    } else {
        assert!(made.expect_err("no git-lfs").to_string().contains("git-lfs is not installed"));
    }
}
