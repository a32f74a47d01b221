//! The check run: the report's verdict beside the commit.
//!
//! It is made when the run has ended, in one call, so that no check can be left "in progress".

use super::{CheckRun, ErrorKind, Repository, Result};
use serde::Serialize;
use serde_json::{Value, json};

/// What GitHub accepts for `summary`, in bytes.
const MAX_SUMMARY: usize = 65_535;

/// What a check says in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Nothing that `fail-on` names.
    Success,
    /// Something that `fail-on` names.
    Failure,
    /// There is something to see, and nothing that fails.
    Neutral,
    /// Somebody cancelled the run.
    Cancelled,
    /// The run took too long.
    TimedOut,
}

/// A check run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Name; the same for every run of the same suites, so that a branch protection can require it.
    pub name: String,
    /// Commit that it is about.
    pub head_sha: String,
    /// What it says in the end.
    pub conclusion: Conclusion,
    /// One line.
    pub title: String,
    /// Markdown; cut at a line's end where it is too long.
    pub summary: String,
    /// Where the details are.
    pub details_url: Option<String>,
}

impl Repository<'_> {
    /// Makes a check run that has ended; `None` if the token may not, which is the rule for tokens of people and for
    /// jobs without `checks: write`.
    ///
    /// # Errors
    /// When GitHub refuses for another reason or cannot be reached.
    pub fn conclude(&self, check: &Check) -> Result<Option<CheckRun>> {
        unless_forbidden(self.create_check_run(self::body(check, true)))
    }

    /// Changes the check run `id`, which must be one of ours; `None` if the token may not.
    ///
    /// # Errors
    /// When GitHub refuses for another reason or cannot be reached.
    pub fn conclude_again(&self, id: u64, check: &Check) -> Result<Option<CheckRun>> {
        unless_forbidden(self.update_check_run(id, self::body(check, false)))
    }
}

fn unless_forbidden(result: Result<CheckRun>) -> Result<Option<CheckRun>> {
    match result {
        Ok(run) => Ok(Some(run)),
        Err(error) if matches!(error.kind, ErrorKind::PermissionMissing | ErrorKind::Forbidden) => {
            tracing::info!("no check run: {error}");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn body(check: &Check, new: bool) -> Value {
    let mut body = json!({
        "name": check.name,
        "status": "completed",
        "conclusion": check.conclusion,
        "output": { "title": check.title, "summary": cut(&check.summary) },
    });
    if new {
        body["head_sha"] = json!(check.head_sha);
    }
    if let Some(url) = &check.details_url {
        body["details_url"] = json!(url);
    }
    body
}

/// `text`, or as many whole lines of it as fit.
fn cut(text: &str) -> String {
    const NOTE: &str = "\n\n(The rest is in the run's step summary.)";
    if text.len() <= MAX_SUMMARY {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_SUMMARY - NOTE.len());
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}{NOTE}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::{MAX_SUMMARY, cut};

    #[test]
    fn a_long_summary_is_cut_at_a_lines_end() {
        let line = "ä".repeat(99);
        let long = format!("{line}\n").repeat(2_000);
        let short = cut(&long);
        assert!(short.len() <= MAX_SUMMARY);
        assert!(short.lines().take_while(|found| !found.is_empty()).all(|found| found == line));
        assert!(short.ends_with("step summary.)"));
        assert_eq!(cut("short"), "short");
    }
}
