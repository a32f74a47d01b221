//! Faults on demand: the nth request of a kind fails in a chosen way.

use super::answer::{Answer, Body};

/// A fault that waits for its request. One that never fired makes the test fail.
#[derive(Debug, Clone)]
pub struct Fault {
    method: String,
    path: String,
    skip: usize,
    times: usize,
    kind: Kind,
    applied: bool,
}

#[derive(Debug, Clone)]
enum Kind {
    Answer(Answer),
    HangUp,
    Silence,
}

impl Fault {
    fn new(method: &str, path: &str, kind: Kind) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), skip: 0, times: 1, kind, applied: false }
    }

    /// Answers with `status` and GitHub's form of a refusal. In `path`, below the API's address and without query, `*`
    /// stands for one segment.
    #[must_use]
    pub fn refuse(method: &str, path: &str, status: u16, message: &str) -> Self {
        Self::new(method, path, Kind::Answer(Answer::refuse(status, message)))
    }

    /// Answers with any status, content type and text.
    #[must_use]
    pub fn answer(method: &str, path: &str, status: u16, content_type: &str, body: &str) -> Self {
        Self::new(method, path, Kind::Answer(Answer::new(status, content_type, body.as_bytes().to_vec())))
    }

    /// Answers 200 with a web page, as some proxies do.
    #[must_use]
    pub fn web_page(method: &str, path: &str) -> Self {
        Self::answer(
            method,
            path,
            200,
            "text/html; charset=utf-8",
            "<!DOCTYPE html><title>Sign in</title><h1>Proxy</h1>",
        )
    }

    /// Answers with GitHub's own page for an overload: 502 and HTML.
    #[must_use]
    pub fn overload(method: &str, path: &str) -> Self {
        let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body>\r\n</html>\r\n";
        Self::answer(method, path, 502, "text/html", page)
    }

    /// Answers with a redirect to `to`.
    #[must_use]
    pub fn redirect(method: &str, path: &str, status: u16, to: &str) -> Self {
        Self::refuse(method, path, status, "Moved").header("location", to)
    }

    /// Answers that the hourly limit is used up until `reset` (seconds since 1970).
    #[must_use]
    pub fn primary_limit(method: &str, path: &str, reset: u64) -> Self {
        Self::refuse(method, path, 403, "API rate limit exceeded for installation ID 1.")
            .header("x-ratelimit-remaining", "0")
            .header("x-ratelimit-reset", &reset.to_string())
    }

    /// Answers that there were too many requests in a short time; with `retry_after` (seconds or a date) if it is given.
    #[must_use]
    pub fn secondary_limit(method: &str, path: &str, retry_after: Option<&str>) -> Self {
        let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        let fault = Self::refuse(method, path, 403, message);
        match retry_after {
            Some(time) => fault.header("retry-after", time),
            None => fault,
        }
    }

    /// Ends the connection without an answer.
    #[must_use]
    pub fn hang_up(method: &str, path: &str) -> Self {
        Self::new(method, path, Kind::HangUp)
    }

    /// Never answers.
    #[must_use]
    pub fn silence(method: &str, path: &str) -> Self {
        Self::new(method, path, Kind::Silence)
    }

    /// The same, carried out before it fails: the answer is lost, not the request.
    #[must_use]
    pub const fn after_applying(mut self) -> Self {
        self.applied = true;
        self
    }

    /// The same for the `nth` matching request, counted from 1.
    #[must_use]
    pub const fn nth(mut self, nth: usize) -> Self {
        self.skip = nth.saturating_sub(1);
        self
    }

    /// The same for so many requests in a row.
    #[must_use]
    pub const fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Kind::Answer(answer) = &mut self.kind {
            answer.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// What is left to do, in words, if anything.
    pub(super) fn pending(&self) -> Option<String> {
        (self.times > 0)
            .then(|| format!("the fault for {} {} is still waiting ({} times)", self.method, self.path, self.times))
    }

    /// The failure for a request, and whether the request is carried out before.
    pub(super) fn fire(faults: &mut [Self], method: &str, path: &str) -> Option<(Answer, bool)> {
        let waiting = faults.iter_mut().filter(|fault| fault.times > 0 && fault.method == method);
        for fault in waiting.filter(|fault| matches(&fault.path, path)) {
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            fault.times -= 1;
            let answer = match &fault.kind {
                Kind::Answer(answer) => answer.clone(),
                Kind::HangUp => Answer::broken(Body::HangUp),
                Kind::Silence => Answer::broken(Body::Never),
            };
            return Some((answer, fault.applied));
        }
        None
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut left, mut right) = (pattern.split('/'), path.split('/'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(expected), Some(found)) if expected == "*" || expected == found => {}
            _ => return false,
        }
    }
}
