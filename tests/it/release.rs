//! What a release is made of, and how `host/action.yml` gets the binary that belongs to it: the real scripts, in a
//! repository of their own, against a place of releases that really serves.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub(crate) fn sha256(file: &Path) -> String {
    let ran = Command::new("sha256sum").arg(file).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

fn asset() -> String {
    format!("bench-bot-{}-unknown-linux-musl", std::env::consts::ARCH)
}

/// A place of releases: it serves one file under every address, and remembers what was asked for.
pub(crate) struct Releases {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Releases {
    pub(crate) fn serve(file: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/download", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
                for line in lines {
                    if line.is_empty() {
                        break;
                    }
                }
                seen.lock().unwrap().push(path);
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", file.len());
                // Whoever hangs up has seen enough.
                let _ = (&stream).write_all(head.as_bytes()).and_then(|()| (&stream).write_all(&file));
            }
        });
        Self { url, asked }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A folder as the runner checks the composite action out: `host/` of a release commit.
pub(crate) struct Action {
    temp: tempfile::TempDir,
}

impl Action {
    /// The action of a release whose binary has the checksum `sum`.
    pub(crate) fn released(sum: &str) -> Self {
        let this = Self::unreleased();
        fs::write(this.folder().join("VERSION"), format!("{VERSION}\n")).unwrap();
        let sums = format!("{}  bench-bot-riscv64-unknown-linux-musl\n{sum}  {}\n", "0".repeat(64), asset());
        fs::write(this.folder().join("checksums.txt"), sums).unwrap();
        this
    }

    fn unreleased() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for folder in ["host", "tools", "temp"] {
            fs::create_dir(temp.path().join(folder)).unwrap();
        }
        for file in ["action.yml", "run.sh"] {
            fs::copy(Path::new(ROOT).join("host").join(file), temp.path().join("host").join(file)).unwrap();
        }
        Self { temp }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.temp.path().join("host")
    }

    /// The step's script, as the runner starts it.
    pub(crate) fn script(&self, releases: &str) -> Command {
        let action: serde_yaml::Value =
            serde_yaml::from_str(&fs::read_to_string(self.folder().join("action.yml")).unwrap()).unwrap();
        let step = &action["runs"]["steps"][0];
        assert_eq!(step["shell"], "bash");
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).stdin(Stdio::null());
        command.env("GITHUB_ACTION_PATH", self.folder()).env("BENCH_BOT_RELEASES", releases);
        command.env("RUNNER_TOOL_CACHE", self.temp.path().join("tools"));
        command.env("RUNNER_TEMP", self.temp.path().join("temp"));
        command
    }

    fn run(&self, releases: &str) -> Output {
        self.script(releases).output().unwrap()
    }

    /// Files that were kept between jobs.
    fn kept(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.temp.path().join("tools")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
            }
        }
        files
    }
}

/// A binary that says that it ran.
const PROGRAM: &[u8] = b"#!/bin/sh\necho it ran\n";

fn sum_of(bytes: &[u8]) -> String {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("file"), bytes).unwrap();
    sha256(&temp.path().join("file"))
}

#[test]
fn the_composite_action_downloads_the_binary_of_its_release_once_and_checks_it() {
    let releases = Releases::serve(PROGRAM.to_vec());
    let action = Action::released(&sum_of(PROGRAM));
    for _ in 0..2 {
        let ran = action.run(&releases.url);
        assert!(ran.status.success() && text(&ran) == "it ran\n", "{}", text(&ran));
    }
    assert_eq!(releases.asked(), [format!("/download/{VERSION}/{}", asset())], "the second job has it");

    // What lies in the cache of a machine that stays is checked every time.
    let kept = action.kept();
    assert_eq!(kept.len(), 1);
    fs::write(&kept[0], "#!/bin/sh\necho somebody else\n").unwrap();
    let ran = action.run(&releases.url);
    assert!(ran.status.success() && text(&ran) == "it ran\n", "{}", text(&ran));
    assert_eq!(releases.asked().len(), 2);
}

#[test]
fn threat_30_a_binary_with_another_checksum_is_refused_and_never_run() {
    let releases = Releases::serve(b"#!/bin/sh\necho not ours\n".to_vec());
    let action = Action::released(&sum_of(PROGRAM));
    let ran = action.run(&releases.url);
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
    assert!(text(&ran).contains("::error title=bench-bot::the checksum of"), "{}", text(&ran));
    assert!(!text(&ran).contains("not ours"), "{}", text(&ran));
    assert_eq!(action.kept(), Vec::<PathBuf>::new());
}

#[test]
fn the_composite_action_says_why_there_is_no_binary() {
    let ran = Action::unreleased().run("http://127.0.0.1:9/none");
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran).contains("this commit is no release"), "{}", text(&ran));

    // Nothing listens there in any test environment.
    let ran = Action::released(&sum_of(PROGRAM)).run("http://127.0.0.1:9/none");
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran).contains("::error title=bench-bot::cannot download http://127.0.0.1:9/none/"), "{}", text(&ran));

    let action = Action::released("no checksum");
    let ran = action.run("http://127.0.0.1:9/none");
    assert!(text(&ran).contains("has no binary for"), "{}", text(&ran));
}

/// A clone of what a release is made from, and a folder with two binaries.
struct Source {
    temp: tempfile::TempDir,
}

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

impl Source {
    fn new() -> Self {
        let this = Self { temp: tempfile::tempdir().unwrap() };
        for folder in ["repo/scripts", "repo/host", "dist"] {
            fs::create_dir_all(this.temp.path().join(folder)).unwrap();
        }
        for file in ["scripts/release-commit", "scripts/release-notes", "host/action.yml", "host/run.sh", "Cargo.toml"]
        {
            fs::copy(Path::new(ROOT).join(file), this.repo().join(file)).unwrap();
        }
        // As it is on the branch, also if these tests run in a release.
        let action = fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap();
        let lines = action.lines().map(|line| if line.starts_with("  image: ") { "  image: Dockerfile" } else { line });
        fs::write(this.repo().join("action.yml"), lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let number = &VERSION[1..];
        let log = format!(
            "# Changelog\n\n## [Unreleased]\n\n## [{number}] - 2026-01-05\n\n### Added\n\n- Everything.\n\n## [0.0.1]\n\n- Less.\n"
        );
        fs::write(this.repo().join("CHANGELOG.md"), log).unwrap();
        for target in ["x86_64", "aarch64"] {
            fs::write(this.dist().join(format!("bench-bot-{target}-unknown-linux-musl")), target).unwrap();
        }
        this.git(&["init", "--quiet", "--initial-branch=main"]);
        this.git(&["config", "user.name", "Ada"]);
        this.git(&["config", "user.email", "ada@example.com"]);
        this.git(&["add", "--all"]);
        this.git(&["commit", "--quiet", "--message", "Everything"]);
        this
    }

    fn repo(&self) -> PathBuf {
        self.temp.path().join("repo")
    }

    fn dist(&self) -> PathBuf {
        self.temp.path().join("dist")
    }

    fn git(&self, args: &[&str]) -> String {
        let ran = Command::new("git")
            .args(args)
            .current_dir(self.repo())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(ran.status.success(), "git {args:?}: {}", text(&ran));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    fn release(&self, version: &str, image: &str) -> Output {
        Command::new(self.repo().join("scripts/release-commit"))
            .args([version, image])
            .arg(self.dist())
            .current_dir(self.temp.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap()
    }
}

fn image() -> String {
    format!("ghcr.io/org/bench-bot@{DIGEST}")
}

#[test]
fn threat_30_a_release_is_a_commit_off_the_branch_that_names_image_and_binaries() {
    let source = Source::new();
    let main = source.git(&["rev-parse", "main"]);
    let ran = source.release(VERSION, &image());
    assert!(ran.status.success(), "{}", text(&ran));

    let commit = source.git(&["rev-parse", &format!("{VERSION}^{{commit}}")]);
    assert_eq!(source.git(&["rev-parse", "main"]), main, "the branch stays where it is");
    assert_eq!(source.git(&["rev-parse", &format!("{commit}^")]), main);
    assert_eq!(
        source
            .git(&["branch", "--contains", &commit, "--format=%(refname)"])
            .lines()
            .filter(|name| name.starts_with("refs/"))
            .count(),
        0
    );
    assert_eq!(source.git(&["cat-file", "-t", VERSION]), "tag", "with its own date and author");
    let major = VERSION.split('.').next().unwrap();
    assert_eq!(source.git(&["rev-parse", &format!("{major}^{{commit}}")]), commit);
    assert_eq!(
        source.git(&["diff", "--name-only", &main, &commit]),
        "action.yml\nhost/VERSION\nhost/checksums.txt",
        "nothing else is in it"
    );
    let action = source.git(&["show", &format!("{commit}:action.yml")]);
    let action: serde_yaml::Value = serde_yaml::from_str(&action).unwrap();
    assert_eq!(action["runs"]["image"].as_str().unwrap(), format!("docker://{}", image()));
    assert_eq!(source.git(&["show", &format!("{commit}:host/VERSION")]), VERSION);
    // The sums are those of the files, as the tool that checks them sees it.
    let sums = source.git(&["show", &format!("{commit}:host/checksums.txt")]);
    assert_eq!(sums.lines().count(), 2, "{sums}");
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        assert_eq!(sum, sha256(&source.dist().join(name)));
    }
    assert!(text(&ran).contains(&commit), "it says which commit: {}", text(&ran));

    // The same version is made once.
    source.git(&["checkout", "--quiet", "main"]);
    let again = source.release(VERSION, &image());
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again).contains("exists"), "{}", text(&again));

    // The next one moves the major tag, and leaves the first where it was.
    let next = format!("{major}.999.0");
    for (file, from, to) in [
        ("Cargo.toml", format!("version = \"{}\"", &VERSION[1..]), format!("version = \"{}\"", &next[1..])),
        ("CHANGELOG.md", format!("## [{}]", &VERSION[1..]), format!("## [{}]", &next[1..])),
    ] {
        let path = source.repo().join(file);
        fs::write(&path, fs::read_to_string(&path).unwrap().replacen(&from, &to, 1)).unwrap();
    }
    source.git(&["commit", "--quiet", "--all", "--message", "Next"]);
    let ran = source.release(&next, &image());
    assert!(ran.status.success(), "{}", text(&ran));
    let second = source.git(&["rev-parse", &format!("{next}^{{commit}}")]);
    assert_eq!(source.git(&["rev-parse", &format!("{major}^{{commit}}")]), second);
    assert_eq!(source.git(&["rev-parse", &format!("{VERSION}^{{commit}}")]), commit);
}

#[test]
fn a_release_that_does_not_fit_together_is_refused_and_leaves_nothing() {
    let source = Source::new();
    let main = source.git(&["rev-parse", "main"]);
    let refused = |version: &str, image: &str, complaint: &str| {
        let ran = source.release(version, image);
        assert_eq!(ran.status.code(), Some(2), "{}", text(&ran));
        assert!(text(&ran).contains(complaint), "{complaint}: {}", text(&ran));
        assert_eq!((source.git(&["rev-parse", "HEAD"]), source.git(&["tag", "--list"])), (main.clone(), String::new()));
    };
    for version in ["1.2.3", "v1.2", "v01.2.3", "v1.2.3-rc1", "v1.2.3; touch X", "main"] {
        refused(version, &image(), "is not like v1.2.3");
    }
    for image in ["ghcr.io/org/bench-bot:v1.2.3", "ghcr.io/org/bench-bot@sha256:12", "x|y@sha256:"] {
        refused(VERSION, image, "does not name an image by digest");
    }
    refused("v77.0.0", &image(), "Cargo.toml says");
    fs::write(source.repo().join("action.yml"), "changed").unwrap();
    refused(VERSION, &image(), "there are changes");
    source.git(&["checkout", "--quiet", "action.yml"]);
    for file in fs::read_dir(source.dist()).unwrap().flatten() {
        fs::remove_file(file.path()).unwrap();
    }
    refused(VERSION, &image(), "no binaries in");
    fs::remove_dir(source.dist()).unwrap();
    assert!(!source.release(VERSION, &image()).status.success());
    assert_eq!((source.git(&["rev-parse", "HEAD"]), source.git(&["status", "--porcelain"])), (main, String::new()));
}

#[test]
fn the_notes_of_a_release_are_its_part_of_the_changelog() {
    let source = Source::new();
    let notes =
        |version: &str| Command::new(source.repo().join("scripts/release-notes")).arg(version).output().unwrap();
    let ran = notes(VERSION);
    assert!(ran.status.success());
    assert_eq!(text(&ran).trim(), "### Added\n\n- Everything.");
    let ran = notes("v77.0.0");
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran).contains("says nothing of 77.0.0"), "{}", text(&ran));
}

fn workflows() -> Vec<(String, String, serde_yaml::Value)> {
    let entries = fs::read_dir(Path::new(ROOT).join(".github/workflows")).unwrap().flatten();
    let read = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).unwrap();
        let yaml = serde_yaml::from_str(&text).unwrap();
        (entry.file_name().to_string_lossy().into_owned(), text, yaml)
    };
    entries.map(read).collect()
}

#[test]
fn threat_30_our_own_workflows_pin_every_action_and_have_the_least_permissions() {
    let mut writing = Vec::new();
    for (file, text, yaml) in workflows() {
        for line in text.lines().filter(|line| line.trim_start().trim_start_matches("- ").starts_with("uses:")) {
            let (sha, version) = line.split_once('@').unwrap().1.split_once(" # v").unwrap_or_else(|| panic!("{line}"));
            assert!(sha.len() == 40 && sha.bytes().all(|b| b.is_ascii_hexdigit()), "{file}: {line}");
            assert_eq!(version.split('.').count(), 3, "{file}: {line}");
        }
        assert_eq!(yaml["permissions"], serde_yaml::Value::Mapping(Default::default()), "{file}");
        for (name, job) in yaml["jobs"].as_mapping().unwrap() {
            let name = format!("{file}: {}", name.as_str().unwrap());
            let permissions = job["permissions"].as_mapping().unwrap_or_else(|| panic!("{name}"));
            if permissions.values().any(|level| level == "write") {
                writing.push(name.clone());
            }
            for step in job["steps"].as_sequence().unwrap() {
                if step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/checkout@")) {
                    assert_eq!(step["with"]["persist-credentials"], false, "{name}");
                }
                assert!(!step["run"].as_str().unwrap_or("").contains("${{"), "{name}");
            }
        }
    }
    assert_eq!(writing, ["release.yml: build", "release.yml: publish"], "only a release writes");
}

#[test]
fn every_script_that_a_workflow_runs_is_here_and_can_be_run() {
    let mut seen = 0;
    for (file, text, _) in workflows() {
        let words = text.split(|c: char| c.is_whitespace() || c == '"');
        for script in words.filter(|word| word.starts_with("scripts/") || word.starts_with(".ci/")) {
            let mode = fs::metadata(Path::new(ROOT).join(script)).unwrap_or_else(|_| panic!("{file}: {script}"));
            assert!(mode.permissions().mode() & 0o111 != 0, "{file}: {script}");
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}
