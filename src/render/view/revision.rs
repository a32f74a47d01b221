//! Commits, links, and the run that made the report.

use crate::render::ink::{Ink, Outside};
use crate::render::number;
use crate::report::{Report, Revision, RunInfo};
use serde::Serialize;

/// A commit as templates see it.
#[derive(Debug, Clone, Serialize)]
pub struct RevisionView {
    /// Full commit id, or empty for a file.
    pub sha: String,
    /// Its first seven digits.
    pub short: String,
    /// Its page on the server, or empty.
    pub url: String,
    /// What the user called it: branch, tag, file.
    pub label: Option<Outside>,
    /// First line of its message.
    pub subject: Option<Outside>,
}

/// The run on GitHub as templates see it.
#[derive(Debug, Clone, Serialize)]
pub struct RunView {
    /// Its page.
    pub url: String,
    /// Run id.
    pub id: u64,
    /// Attempt, from 1.
    pub attempt: u64,
    /// Name of the artifact with the raw samples, if one was uploaded.
    pub artifact: Option<Outside>,
    /// Where that is.
    pub artifact_url: String,
}

/// Whether `sha` is a commit id and nothing else.
fn is_sha(sha: &str) -> bool {
    (7..=64).contains(&sha.len()) && sha.chars().all(|c| c.is_ascii_hexdigit())
}

/// The repository's page; `None` if server or name are not what they should be, since links are made from them.
fn repository_url(run: &RunInfo) -> Option<String> {
    let word = |text: &str, extra: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.') || extra.contains(c))
    };
    let host = run.server.strip_prefix("https://").or_else(|| run.server.strip_prefix("http://"))?;
    let (owner, name) = run.repository.split_once('/')?;
    (word(host.trim_end_matches('/'), ":") && word(owner, "_") && word(name, "_"))
        .then(|| format!("{}/{owner}/{name}", run.server.trim_end_matches('/')))
}

/// `revision`, with its link where the run tells the server.
#[must_use]
pub fn revision(revision: &Revision, run: Option<&RunInfo>, ink: &Ink) -> RevisionView {
    let text = |text: &str| (!text.is_empty()).then(|| ink.outside(text));
    let sha = if is_sha(&revision.sha) { revision.sha.clone() } else { String::new() };
    RevisionView {
        short: sha.chars().take(7).collect(),
        url: commit_url(&sha, run),
        sha,
        label: text(&revision.label),
        subject: text(&revision.subject),
    }
}

fn commit_url(sha: &str, run: Option<&RunInfo>) -> String {
    match run.and_then(repository_url) {
        Some(repository) if !sha.is_empty() => format!("{repository}/commit/{sha}"),
        _ => String::new(),
    }
}

/// The run and its artifact.
#[must_use]
pub fn run(run: Option<&RunInfo>, artifact: Option<&str>, ink: &Ink) -> Option<RunView> {
    let run = run?;
    let url = format!("{}/actions/runs/{}", repository_url(run)?, run.id);
    Some(RunView {
        artifact: artifact.map(|name| ink.outside(name)),
        artifact_url: format!("{url}#artifacts"),
        url,
        id: run.id,
        attempt: run.attempt,
    })
}

/// How far base is behind.
#[must_use]
pub fn behind(base_behind: Option<u64>) -> String {
    match base_behind {
        None | Some(0) => String::new(),
        Some(n) => {
            let commits = number::count(usize::try_from(n).unwrap_or(usize::MAX), "commit", "commits");
            format!("base is {commits} behind its branch")
        }
    }
}

/// That the pull request has moved on since.
#[must_use]
pub fn moved(report: &Report, ink: &Ink) -> Option<String> {
    let now = report.run.as_ref()?.head_moved_to.as_ref().filter(|sha| is_sha(sha))?;
    let short = |sha: &str| ink.outside(&sha.chars().take(7).collect::<String>());
    Some(format!("Measured {}; head is now {}.", short(&report.revisions.head.sha), short(now)))
}

/// Whether the rows of a report are from more than one package.
#[must_use]
pub fn several_packages(report: &Report) -> bool {
    let mut packages = report.suites.iter().flat_map(|suite| &suite.rows).map(|row| row.benchmark.package.as_str());
    let first = packages.next();
    packages.any(|package| Some(package) != first)
}

/// The start that all packages of a report share, up to its last slash; empty for a single package.
#[must_use]
pub fn package_prefix(report: &Report) -> String {
    let mut packages = report.suites.iter().flat_map(|suite| &suite.rows).map(|row| row.benchmark.package.as_str());
    let Some(first) = packages.next() else {
        return String::new();
    };
    let mut shared = first.len();
    for package in packages {
        let same = first.bytes().zip(package.bytes()).take_while(|(a, b)| a == b).count();
        shared = shared.min(same);
    }
    if !several_packages(report) {
        return String::new();
    }
    while !first.is_char_boundary(shared) {
        shared -= 1;
    }
    first[..shared].rfind('/').map_or_else(String::new, |slash| first[..=slash].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(server: &str, repository: &str) -> RunInfo {
        RunInfo {
            repository: repository.into(),
            server: server.into(),
            id: 7,
            attempt: 1,
            pull_request: None,
            head_moved_to: None,
        }
    }

    #[test]
    fn links_are_made_of_nothing_but_plain_words() {
        assert_eq!(repository_url(&info("https://github.com", "o/r")).as_deref(), Some("https://github.com/o/r"));
        assert_eq!(
            repository_url(&info("https://ghe.x.org:8443/", "o/r.rs")).as_deref(),
            Some("https://ghe.x.org:8443/o/r.rs")
        );
        for (server, repository) in [
            ("javascript:alert(1)", "o/r"),
            ("https://evil.org/)[x](", "o/r"),
            ("https://github.com", "o/r)<img>"),
            ("https://github.com", "nothing"),
        ] {
            assert_eq!(repository_url(&info(server, repository)), None, "{server} {repository}");
        }
        let hostile = Revision { sha: "abc](x)".into(), ..Revision::default() };
        assert_eq!(revision(&hostile, Some(&info("https://github.com", "o/r")), &Ink::Plain).url, "");
    }
}
