//! Why GitHub did not do what was asked, and what to do about it.

use super::transport::{Answer, Cause, Failure};
use http::Method;
use reqwest::Url;
use serde::Deserialize;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A call that did not succeed. Its message is one line; texts that GitHub sent are inside and unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubError {
    /// What the status and the text mean.
    pub kind: ErrorKind,
    /// What was tried, such as `create a comment on org/app#7`; empty if nothing was sent.
    pub what: String,
    /// Status of the answer, if there was one.
    pub status: Option<u16>,
    /// GitHub's message, or why there was no answer.
    pub message: String,
    /// The entries of `errors[]`, each as one line.
    pub details: Vec<String>,
    /// `x-github-request-id`, for GitHub's support.
    pub request_id: Option<String>,
    /// `x-accepted-github-permissions`: what the token would need.
    pub accepted_permissions: Option<String>,
    /// The request may have been carried out although this is an error.
    pub maybe_applied: bool,
}

/// What a refusal means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// 401: the token is missing, expired or wrong.
    Unauthorized,
    /// 403: the token lacks a permission.
    PermissionMissing,
    /// 403: the conversation is locked.
    Locked,
    /// 403 or 429: too many requests.
    RateLimited {
        /// How long the server asked to wait; `None` if it named no time.
        wait: Option<Duration>,
        /// A secondary limit, for bursts, rather than the hourly one.
        secondary: bool,
    },
    /// 403 for another reason.
    Forbidden,
    /// 404: not there, or the token may not see it.
    NotFound,
    /// 410: issues are disabled, the artifact has expired, or this version of the API has ended.
    Gone,
    /// 422: the comment is longer than GitHub accepts.
    BodyTooLong,
    /// 422: taken for spam.
    Spam,
    /// 422 or 400 for another reason: the request was wrong.
    Invalid,
    /// 5xx, 406 or 408.
    Server,
    /// A success that is not JSON, as some proxies give.
    NotJson,
    /// No answer at all.
    Connection,
    /// The answer is larger than what is read.
    TooLarge,
    /// GraphQL answered with errors.
    GraphQl,
    /// A redirect that must not be followed.
    Redirect,
    /// The client could not work: a wrong address, no certificates.
    Local,
    /// The program was asked to stop while it waited for the next attempt.
    Stopped,
    /// Any other status.
    Other,
}

/// The permission that comments on pull requests need; GitHub names a second one that would do as well.
const COMMENT: &str = "pull-requests: write";

/// What is being tried, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) what: &'a str,
    pub(crate) method: &'a Method,
}

/// GitHub's body of an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Refusal {
    message: String,
    errors: Vec<serde_json::Value>,
}

impl fmt::Display for GitHubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.what.is_empty() {
            write!(f, "cannot {}: ", self.what)?;
        }
        if let Some(status) = self.status {
            write!(f, "GitHub answered {status}: ")?;
        }
        f.write_str(&one_line(&self.message))?;
        for detail in &self.details {
            write!(f, "; {}", one_line(detail))?;
        }
        if let Some(permissions) = &self.accepted_permissions {
            write!(f, " (needs {})", one_line(permissions))?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request id {})", one_line(id))?;
        }
        Ok(())
    }
}

impl std::error::Error for GitHubError {}

impl GitHubError {
    fn new(kind: ErrorKind, what: &str, message: String) -> Box<Self> {
        Box::new(Self {
            kind,
            what: what.to_owned(),
            status: None,
            message,
            details: Vec::new(),
            request_id: None,
            accepted_permissions: None,
            maybe_applied: false,
        })
    }

    /// Wrong use of the client itself.
    pub(crate) fn local(message: String) -> Box<Self> {
        Self::new(ErrorKind::Local, "", message)
    }

    /// A conversation that is known to be locked before anything is tried.
    pub(crate) fn locked(what: String) -> Box<Self> {
        Self::new(ErrorKind::Locked, &what, "the conversation is locked".to_owned())
    }

    /// No answer.
    pub(crate) fn broken(place: Place<'_>, failure: &Failure) -> Box<Self> {
        let kind = match failure.cause {
            Cause::NotSent | Cause::Unknown => ErrorKind::Connection,
            Cause::TooLarge => ErrorKind::TooLarge,
            Cause::Setup => ErrorKind::Local,
        };
        let mut error = Self::new(kind, place.what, failure.reason.clone());
        error.maybe_applied = writes(place) && matches!(failure.cause, Cause::Unknown | Cause::TooLarge);
        error
    }

    /// An answer whose status is not a success.
    pub(crate) fn refused(place: Place<'_>, answer: &Answer) -> Box<Self> {
        let refusal: Refusal = serde_json::from_slice(&answer.body).unwrap_or_default();
        let message = if refusal.message.is_empty() { excerpt(answer) } else { refusal.message };
        let details: Vec<String> = refusal.errors.iter().map(detail).collect();
        let kind = classify(answer, &message, &details);
        let mut error = Self::new(kind, place.what, message);
        error.details = details;
        error.maybe_applied = writes(place) && matches!(kind, ErrorKind::Server);
        error.with_headers(answer)
    }

    /// A success whose body cannot be read.
    pub(crate) fn unreadable(place: Place<'_>, answer: &Answer, reason: String) -> Box<Self> {
        let html = answer.header("content-type").is_some_and(|kind| kind.contains("html"));
        let what = if html {
            "a web page instead of JSON, as a proxy gives"
        } else {
            "something that is not the JSON expected"
        };
        let mut error = Self::new(ErrorKind::NotJson, place.what, format!("{what} ({reason})"));
        error.maybe_applied = writes(place);
        error.with_headers(answer)
    }

    /// A redirect of a write to another server.
    pub(crate) fn left(place: Place<'_>, url: &Url) -> Box<Self> {
        let to = url.origin().ascii_serialization();
        Self::new(
            ErrorKind::Redirect,
            place.what,
            format!(
                "the server redirects to {to}, where neither the token nor the text is sent; set the API address to it if that is right"
            ),
        )
    }

    /// A redirect without a usable target.
    pub(crate) fn lost(place: Place<'_>, answer: &Answer) -> Box<Self> {
        Self::new(ErrorKind::Redirect, place.what, "a redirect without a usable address".to_owned())
            .with_headers(answer)
    }

    /// Too many redirects.
    pub(crate) fn circling(place: Place<'_>, url: &Url) -> Box<Self> {
        let to = url.origin().ascii_serialization();
        Self::new(ErrorKind::Redirect, place.what, format!("too many redirects, the last one to {to}"))
    }

    /// A list that does not end.
    pub(crate) fn endless(place: Place<'_>, pages: usize) -> Box<Self> {
        Self::new(ErrorKind::Other, place.what, format!("the list has more than {pages} pages"))
    }

    /// Errors of a GraphQL answer.
    pub(crate) fn graphql(what: &str, messages: Vec<String>) -> Box<Self> {
        let mut messages = messages.into_iter();
        let mut error = Self::new(ErrorKind::GraphQl, what, messages.next().unwrap_or_default());
        error.details = messages.collect();
        error
    }

    pub(crate) fn stopped(mut self: Box<Self>) -> Box<Self> {
        self.kind = ErrorKind::Stopped;
        self
    }

    fn with_headers(mut self: Box<Self>, answer: &Answer) -> Box<Self> {
        self.status = Some(answer.status);
        self.request_id = answer.header("x-github-request-id").map(str::to_owned);
        self.accepted_permissions =
            answer.header("x-accepted-github-permissions").filter(|text| !text.is_empty()).map(workflow_permissions);
        self
    }

    /// What the user can do about it, in one sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self.kind {
            ErrorKind::Unauthorized => {
                "The token is missing, expired or wrong: check the input `token` (a job's own token \
                ends with the job, an App's after one hour)."
                    .to_owned()
            }
            ErrorKind::PermissionMissing => format!(
                "Give the job `permissions: {}`. On a pull request from a fork GitHub's token can only read: use the \
                 `workflow_run` pair of workflows, whose report job may write.",
                self.accepted_permissions.as_deref().filter(|any| !any.contains(COMMENT)).unwrap_or(COMMENT),
            ),
            ErrorKind::Locked => "Unlock the conversation to get comments again.".to_owned(),
            ErrorKind::RateLimited { .. } => "Run the job again later: GitHub's rate limit is used up.".to_owned(),
            ErrorKind::Forbidden => {
                "GitHub forbids it for a reason other than the token's permissions: read its words.".to_owned()
            }
            ErrorKind::NotFound => {
                "Not found, or the token lacks access: check that it may read this repository and that \
                the pull request still is where it was."
                    .to_owned()
            }
            ErrorKind::Gone => {
                "It is gone: issues are disabled in this repository, the artifact has expired, or this version of \
                the API has ended."
                    .to_owned()
            }
            ErrorKind::Spam => "GitHub takes the comment for spam: the author of the token may be flagged.".to_owned(),
            ErrorKind::BodyTooLong => "Choose a layout with fewer rows, or a filter.".to_owned(),
            ErrorKind::Invalid => {
                "The request was wrong, which is a fault of bench-bot: please report it with this message.".to_owned()
            }
            ErrorKind::Redirect => "Set GITHUB_API_URL to the address that the server redirects to.".to_owned(),
            ErrorKind::Server
            | ErrorKind::NotJson
            | ErrorKind::Connection
            | ErrorKind::TooLarge
            | ErrorKind::GraphQl
            | ErrorKind::Local
            | ErrorKind::Stopped
            | ErrorKind::Other => {
                "Run the job again; if it stays, read GitHub's status page and the network settings of the runner."
                    .to_owned()
            }
        }
    }
}

fn writes(place: Place<'_>) -> bool {
    *place.method != Method::GET
}

fn classify(answer: &Answer, message: &str, details: &[String]) -> ErrorKind {
    let says = |text: &str| {
        let contains = |line: &str| line.to_ascii_lowercase().contains(text);
        contains(message) || details.iter().any(|detail| contains(detail))
    };
    match answer.status {
        401 => ErrorKind::Unauthorized,
        403 if says("resource not accessible by") => ErrorKind::PermissionMissing,
        403 | 429 => match rate_limit(answer, answer.status == 429 || says("secondary rate limit") || says("abuse")) {
            Some(limited) => limited,
            None if says("is locked") => ErrorKind::Locked,
            None => ErrorKind::Forbidden,
        },
        404 => ErrorKind::NotFound,
        410 => ErrorKind::Gone,
        422 if says("too long") => ErrorKind::BodyTooLong,
        422 if says("spam") => ErrorKind::Spam,
        400 | 422 => ErrorKind::Invalid,
        406 | 408 | 500..=599 => ErrorKind::Server,
        _ => ErrorKind::Other,
    }
}

/// The rate limit that a 403 or 429 speaks of, if any: by `retry-after`, by an exhausted quota, or by its words.
fn rate_limit(answer: &Answer, by_words: bool) -> Option<ErrorKind> {
    let now = now(answer);
    if let Some(after) = answer.header("retry-after") {
        let wait = after.trim().parse().map(Duration::from_secs).ok().or_else(|| Some(until(date(after)?, now)));
        return Some(ErrorKind::RateLimited { wait, secondary: true });
    }
    if answer.header("x-ratelimit-remaining") == Some("0") {
        // One second more: the reset is in whole seconds.
        let reset = answer.header("x-ratelimit-reset").and_then(|text| text.trim().parse::<u64>().ok());
        let wait = reset.map(|reset| until(reset, now) + Duration::from_secs(1));
        return Some(ErrorKind::RateLimited { wait, secondary: false });
    }
    by_words.then_some(ErrorKind::RateLimited { wait: None, secondary: true })
}

fn until(second: u64, now: u64) -> Duration {
    Duration::from_secs(second.saturating_sub(now))
}

/// The server's clock where it tells, ours otherwise: seconds since 1970.
fn now(answer: &Answer) -> u64 {
    answer
        .header("date")
        .and_then(date)
        .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs()))
}

/// An HTTP date as seconds since 1970.
fn date(text: &str) -> Option<u64> {
    let time = jiff::fmt::rfc2822::parse(text).ok()?;
    u64::try_from(time.timestamp().as_second()).ok()
}

/// An entry of `errors[]`: an object with `message`, or with `resource`, `field` and `code`, or a plain text.
fn detail(value: &serde_json::Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let part = |name: &str| value.get(name).and_then(serde_json::Value::as_str);
    let place = [part("resource"), part("field")].into_iter().flatten().collect::<Vec<_>>().join(".");
    match (part("message"), part("code")) {
        (Some(message), _) if place.is_empty() => message.to_owned(),
        (Some(message), _) => format!("{place}: {message}"),
        (None, Some(code)) => format!("{place}: {code}"),
        (None, None) => value.to_string(),
    }
}

/// `issues=write; pull_requests=write` → `issues: write` or `pull-requests: write`, as in a workflow file.
fn workflow_permissions(header: &str) -> String {
    let sets = header.split(';').map(|set| {
        let pairs = set.split(',').map(|pair| pair.trim().replace('_', "-").replacen('=', ": ", 1));
        pairs.collect::<Vec<_>>().join(" and ")
    });
    sets.collect::<Vec<_>>().join(" or ")
}

fn is_web_page(answer: &Answer) -> bool {
    answer.header("content-type").is_some_and(|kind| kind.contains("html"))
}

/// What can be said of a refusal that is not in GitHub's form.
fn excerpt(answer: &Answer) -> String {
    if is_web_page(answer) {
        return "(a web page)".to_owned();
    }
    let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(2_000)]);
    let line = one_line(&text);
    if line.is_empty() { "(no message)".to_owned() } else { line.chars().take(200).collect() }
}

/// Text of others on one line without control characters, for messages and logs.
fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}
