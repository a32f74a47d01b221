//! A Python environment for each side.
//!
//! `pip install .` writes into the environment that is active, and an editable install leaves a pointer to the tree
//! there: with one environment for both sides, the second install wins and both sides measure it. So each side gets a
//! virtual environment of its own that sees the packages of the caller's, but not its `.pth` files, through which an
//! editable install (perhaps of the user's own working tree) would come in.

use super::SideFolders;
use crate::measure::supervise::{Capture, Ended, pidfd, reap, watch};
use nix::unistd::Pid;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Words that make a command a Python command.
const WORDS: &[&str] = &[
    "python", "python3", "pip", "pip3", "pytest", "py.test", "pyperf", "uv", "poetry", "pdm", "hatch", "tox", "nox",
    "asv", "maturin",
];
/// Longest time that making an environment may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the caller's interpreter says of itself.
const ASK: &str = "import json, sys, sysconfig; print(json.dumps({'executable': sys.executable, \
    'scripts': sysconfig.get_path('scripts'), \
    'packages': [p for p in sys.path if p.endswith(('site-packages', 'dist-packages'))]}))";

/// Files that make a folder a project of Python.
const PROJECT: [&str; 8] =
    ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini", "noxfile.py", "conftest.py"];
/// How deep projects are looked for, and among how many names.
const DEPTH: usize = 3;
const NAMES: usize = 20_000;

/// Whether a command of this tree might use Python without saying so, as `make install` does.
pub(super) fn has_project(tree: &Path) -> bool {
    let mut folders = vec![(tree.to_owned(), 0)];
    let mut names = 0;
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            names += 1;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if PROJECT.contains(&name) {
                return true;
            }
            let hidden = name.starts_with('.') || name == "node_modules";
            if depth < DEPTH && !hidden && names < NAMES && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    false
}

/// Whether a command seems to use Python.
pub(super) fn names_python(command: &str) -> bool {
    command
        .split(|c: char| c.is_whitespace() || ";&|()<>\"'`$={}".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .any(|word| {
            WORDS.contains(&word) || word.strip_prefix("python3.").is_some_and(|minor| minor.parse::<u8>().is_ok())
        })
}

#[derive(Debug, Deserialize)]
struct Interpreter {
    executable: PathBuf,
    scripts: PathBuf,
    packages: Vec<PathBuf>,
}

/// Makes the side's environment and returns its variables; `Ok(None)` where there is no Python.
///
/// # Errors
/// What went wrong, in words; installs are then shared by both sides.
pub(super) fn prepare(
    folders: &SideFolders,
    directory: &Path,
    env: &BTreeMap<String, OsString>,
) -> Result<Option<BTreeMap<String, OsString>>, String> {
    let venv = folders.private.join("venv");
    let outer = match ask("python3", directory, env) {
        Ok(Some(outer)) => outer,
        // One that does not start is an error, unless the other does.
        first => match ask("python", directory, env) {
            Ok(Some(outer)) => outer,
            _ => return first.map(|_| None),
        },
    };
    let mut make = Command::new(&outer.executable);
    // Isolated: a module of the tree must not be taken for one of the library's.
    make.args(["-I", "-m", "venv", "--without-pip"]).arg(&venv);
    let (ok, _, errors) = output(make, directory, env).map_err(|error| error.to_string())?;
    if !ok {
        return Err(format!("python -m venv: {}", errors.trim()));
    }
    let python = venv.join("bin/python");
    let inner = ask(python.to_str().ok_or("the private folder's path is not UTF-8")?, directory, env)?
        .ok_or("the new virtual environment has no interpreter")?;
    let own = inner.packages.iter().find(|path| path.starts_with(&venv)).ok_or("it has no site-packages")?;
    let lines: Vec<String> =
        outer.packages.iter().filter_map(|path| path.to_str()).map(|path| format!("{path}\n")).collect();
    fs::write(own.join("outer.pth"), lines.concat()).map_err(|error| error.to_string())?;
    copy_scripts(&outer, &venv.join("bin")).map_err(|error| error.to_string())?;
    let path = super::environment::prefixed([venv.join("bin")], env.get("PATH"));
    Ok(Some(BTreeMap::from([("VIRTUAL_ENV".to_owned(), venv.into_os_string()), ("PATH".to_owned(), path)])))
}

/// Tools such as `pytest` name their interpreter in their first line: with the outer one they would leave the side's
/// environment.
fn copy_scripts(outer: &Interpreter, bin: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(&outer.scripts) else { return Ok(()) };
    for entry in entries.flatten() {
        let target = bin.join(entry.file_name());
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) || target.exists() {
            continue;
        }
        let mut text = Vec::new();
        fs::File::open(entry.path())?.take(64 << 10).read_to_end(&mut text)?;
        let Some(rest) = text.strip_prefix(b"#!") else { continue };
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let interpreter = String::from_utf8_lossy(&rest[..end]);
        if !interpreter.contains("python") {
            continue;
        }
        let mut script = format!("#!{}", bin.join("python").display()).into_bytes();
        script.extend_from_slice(&rest[end..]);
        fs::write(&target, script)?;
        fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// `Ok(None)`: there is no such program.
fn ask(program: &str, directory: &Path, env: &BTreeMap<String, OsString>) -> Result<Option<Interpreter>, String> {
    // Found by the child's own PATH: `Command` would look into ours.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"command -v "$0" >/dev/null || exit 0; exec "$0" -I -c "$1""#, program, ASK]);
    let (ok, text, errors) = output(command, directory, env).map_err(|error| format!("{program}: {error}"))?;
    if ok && text.trim().is_empty() {
        return Ok(None);
    }
    let said = || errors.lines().last().unwrap_or_default().trim().to_owned();
    if !ok {
        return Err(format!("{program} does not start: {}", said()));
    }
    serde_json::from_str(text.trim()).map(Some).map_err(|error| format!("{program} says nothing of itself: {error}"))
}

/// Runs a command and returns whether it succeeded, with its output and errors.
fn output(
    mut command: Command,
    directory: &Path,
    env: &BTreeMap<String, OsString>,
) -> std::io::Result<(bool, String, String)> {
    command
        .env_clear()
        .envs(env)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id()).map_err(std::io::Error::other)?);
    let mut streams = Vec::new();
    for fd in [child.stdout.take().map(std::os::fd::OwnedFd::from), child.stderr.take().map(std::os::fd::OwnedFd::from)]
    {
        streams.push(Capture::new(fd.ok_or_else(|| std::io::Error::other("no pipe"))?, 1 << 20)?);
    }
    let handle = pidfd(pid)?;
    let ended = watch(&handle, &mut streams.iter_mut().collect::<Vec<_>>(), Some(Instant::now() + PATIENCE), None)?;
    if ended != Ended::Exited {
        let _ = child.kill();
    }
    let reaped = reap(pid, false);
    for stream in &mut streams {
        stream.finish();
    }
    let [stdout, stderr] = [0, 1].map(|index| String::from_utf8_lossy(&streams[index].bytes).into_owned());
    Ok((ended == Ended::Exited && reaped.is_some_and(|reaped| reaped.status == Ok(0)), stdout, stderr))
}

#[cfg(test)]
mod tests {
    use super::{has_project, names_python};
    use std::fs;

    #[test]
    fn a_project_of_python_is_found_below_the_top() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("bindings/python/src")).unwrap();
        fs::create_dir_all(temp.path().join(".venv")).unwrap();
        fs::write(temp.path().join(".venv/setup.py"), "").unwrap();
        fs::write(temp.path().join("gen.py"), "").unwrap();
        assert!(!has_project(temp.path()));
        fs::write(temp.path().join("bindings/python/pyproject.toml"), "").unwrap();
        assert!(has_project(temp.path()));
    }

    #[test]
    fn python_commands_are_known_by_their_words() {
        for command in [
            "pytest benches",
            "FOO=1 python3 -m pyperf",
            "./.venv/bin/pip install -e .",
            "(cd x; python3.12 b.py)",
            "uv run bench",
        ] {
            assert!(names_python(command), "{command}");
        }
        for command in ["go test ./...", "cargo bench", "./pythonic", "echo pipe | cat"] {
            assert!(!names_python(command), "{command}");
        }
    }
}
