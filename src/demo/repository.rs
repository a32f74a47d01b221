//! The throw-away repository: a script that counts primes, made slower and then faster.

use crate::standin::Standin;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CONFIG: &str = r#"# Whole-process times of a script: any command can be a benchmark.
suites:
  - name: primes
    run: awk -v n={n} -f primes.awk
    format: process
    parameters: {n: [10000, 20000]}
host: {tuning: off}
"#;

/// Tries every divisor up to the square root.
const BASE: &str = r#"# Counts the primes up to n.
BEGIN {
  for (i = 2; i <= n * 4; i++) {
    prime = 1
    for (d = 2; d * d <= i; d++) if (i % d == 0) { prime = 0; break }
    count += prime
  }
  print count
}
"#;

/// Forgets where to stop.
const SLOWER: &str = r#"# Counts the primes up to n.
BEGIN {
  for (i = 2; i <= n * 4; i++) {
    prime = 1
    for (d = 2; d * d <= i * 4 && d < i; d++) if (i % d == 0) { prime = 0; break }
    count += prime
  }
  print count
}
"#;

/// The sieve of Eratosthenes.
const FASTER: &str = r#"# Counts the primes up to n, by the sieve of Eratosthenes.
BEGIN {
  for (i = 2; i <= n * 4; i++) {
    if (i in composite) continue
    count++
    for (m = i * i; m <= n * 4; m += i) composite[m]
  }
  print count
}
"#;

/// The repository and its commits.
pub(super) struct Demo {
    pub(super) path: PathBuf,
    pub(super) base: String,
    /// Heads of the pull request, one a push.
    pub(super) heads: [String; 2],
    /// Their subjects.
    pub(super) subjects: [&'static str; 2],
}

impl Demo {
    /// Makes the repository with three commits.
    pub(super) fn create(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path.join(".github")).with_context(|| format!("making {}", path.display()))?;
        git(path, &["init", "--quiet", "--initial-branch=main"])?;
        std::fs::write(path.join(".github/bench-bot.yml"), CONFIG)?;
        let base = commit(path, BASE, "Count primes")?;
        git(path, &["checkout", "--quiet", "-b", "sieve"])?;
        let subjects = ["Simplify the loop", "Count primes with a sieve"];
        let slower = commit(path, SLOWER, subjects[0])?;
        let faster = commit(path, FASTER, subjects[1])?;
        Ok(Self { path: path.to_owned(), base, heads: [slower, faster], subjects })
    }

    /// Tells the stand-in of the repository and its pull request.
    pub(super) fn introduce(&self, standin: &Standin, name: &str, number: u64) {
        standin.with(|state| {
            state.account("ada");
            let repo = state.add_repository(name);
            repo.commits.clear();
            repo.add_commit(&self.base, "Count primes", &[]);
            repo.add_commit(&self.heads[0], self.subjects[0], &[&self.base]);
            repo.add_commit(&self.heads[1], self.subjects[1], &[&self.heads[0]]);
            repo.refs.insert("heads/main".to_owned(), self.base.clone());
            repo.files.insert((self.base.clone(), ".github/bench-bot.yml".to_owned()), CONFIG.as_bytes().to_vec());
            let pull = repo.add_pull(number, &self.base, &self.heads[0]);
            "Count primes faster".clone_into(&mut pull.title);
            "ada".clone_into(&mut pull.author);
            "sieve".clone_into(&mut pull.head_ref);
            pull.changed = vec!["primes.awk".to_owned()];
        });
    }

    /// Moves the pull request's head.
    pub(super) fn push(&self, standin: &Standin, name: &str, number: u64, push: usize) {
        standin.with(|state| {
            if let Some(repo) = state.repositories.get_mut(name) {
                repo.refs.insert(format!("pull/{number}/head"), self.heads[push].clone());
                if let Some(pull) = repo.pulls.get_mut(&number) {
                    pull.head_sha.clone_from(&self.heads[push]);
                }
            }
        });
    }

    /// The event that GitHub sends for the push.
    pub(super) fn event(&self, name: &str, number: u64, push: usize) -> Value {
        let user = json!({"login": "ada", "id": 1815, "type": "User"});
        let repository = json!({"id": 1, "full_name": name, "fork": false, "private": false, "default_branch": "main",
            "name": "primes", "owner": {"login": "acme", "id": 2, "type": "Organization"}});
        let branch = |sha: &str, reference: &str| json!({"sha": sha, "ref": reference, "label": format!("acme:{reference}"), "repo": repository});
        json!({
            "action": if push == 0 { "opened" } else { "synchronize" },
            "number": number,
            "pull_request": {
                "number": number, "state": "open", "draft": false, "merged": false, "locked": false,
                "title": "Count primes faster", "html_url": format!("https://github.example/{name}/pull/{number}"),
                "user": user, "base": branch(&self.base, "main"), "head": branch(&self.heads[push], "sieve"),
            },
            "repository": repository,
            "sender": user,
        })
    }
}

fn commit(path: &Path, program: &str, subject: &str) -> Result<String> {
    std::fs::write(path.join("primes.awk"), program)?;
    git(path, &["add", "--all"])?;
    git(path, &["commit", "--quiet", "--no-gpg-sign", "--message", subject])?;
    git(path, &["rev-parse", "HEAD"])
}

/// Runs git without the user's own settings.
fn git(path: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(path)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .context("running git: is it installed?")?;
    let (command, said) = (args.join(" "), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "git {command} failed: {said}");
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
