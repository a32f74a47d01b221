//! What the comment says while there is no report: the run is on its way, or it ended without one. An old table must
//! not stay green above a run that failed.

use crate::github::comment::State;
use std::fmt::Write as _;

/// How much of a reason is shown, in bytes.
const MAX_REASON: usize = 4 * 1024;

/// A run without a report.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// What has become of it.
    pub state: State,
    /// Base commit, in full.
    pub base: &'a str,
    /// Head commit, in full.
    pub head: &'a str,
    /// Web address of the run.
    pub run_url: Option<&'a str>,
    /// Why, in words or as the last lines of output. From outside: shown in a fence.
    pub reason: Option<&'a str>,
}

/// The comment's Markdown, without marker.
#[must_use]
pub fn notice(notice: &Notice<'_>) -> String {
    let (base, head) = (short(notice.base), short(notice.head));
    let sides = format!("`{head}` (head) against `{base}` (base)");
    let sentence = match notice.state {
        State::Running => format!("**Benchmarks are running**: {sides}. The report will replace this text."),
        State::Done => format!("**Benchmarks have ended**: {sides}."),
        State::Failed => format!("**The benchmark run failed**: nothing is known of {sides}."),
        State::Cancelled => format!("**The benchmark run was cancelled**: nothing is known of {sides}."),
        State::TimedOut => format!("**The benchmark run took too long** and was stopped: nothing is known of {sides}."),
        State::NothingMeasured => {
            format!("**Nothing was measured**: no benchmark gave a comparable row for {sides}.")
        }
    };
    let mut text = sentence;
    if let Some(url) = notice.run_url {
        // Writing to a String cannot fail.
        let _ = write!(text, " [Run]({url})");
    }
    if let Some(reason) = notice.reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        let reason = tail(reason);
        let fence = fence(&reason);
        let _ = write!(text, "\n\n{fence}text\n{reason}\n{fence}");
    }
    text.push('\n');
    text
}

/// The first seven digits of a commit id; nothing else gets into the text.
fn short(sha: &str) -> String {
    let digits: String = sha.chars().take_while(char::is_ascii_hexdigit).take(7).collect();
    if digits.is_empty() { "unknown".to_owned() } else { digits }
}

/// The last lines that fit, without control characters.
fn tail(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    if clean.len() <= MAX_REASON {
        return clean;
    }
    let start = clean.ceil_char_boundary(clean.len() - MAX_REASON);
    let start = clean[start..].find('\n').map_or(start, |line| start + line + 1);
    format!("…\n{}", &clean[start..])
}

/// A fence longer than any run of backticks inside.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::{Notice, notice};
    use crate::github::comment::State;

    fn failed<'a>(reason: &'a str) -> Notice<'a> {
        let (base, head) = ("b0b0b0b0b0b0", "a1a1a1a1a1a1");
        Notice {
            state: State::Failed,
            base,
            head,
            run_url: Some("https://github.com/o/r/actions/runs/1"),
            reason: Some(reason),
        }
    }

    #[test]
    fn a_fence_in_the_reason_does_not_end_the_fence() {
        let text = notice(&failed("before\n```\n@org/team <img src=x>\n`````\nafter"));
        let opening = text.lines().find(|line| line.ends_with("text") && line.starts_with('`')).unwrap();
        assert_eq!(opening, "``````text");
        assert_eq!(text.lines().filter(|line| line.starts_with("``````")).count(), 2);
    }

    #[test]
    fn a_long_reason_keeps_its_end() {
        let text = notice(&failed(&format!("{}the last line", "noise\n".repeat(5_000))));
        assert!(text.len() < 5_000 && text.contains("the last line"));
    }

    #[test]
    fn a_commit_id_that_is_none_is_not_shown() {
        let text = notice(&Notice { base: "<!-- x", head: "@everyone", ..failed("") });
        assert!(!text.contains("everyone") && !text.contains("<!--"), "{text}");
    }
}
