//! The client, the comment and publishing over real HTTP, against the stand-in that GitHub's own description judges.

mod artifact;
mod comment;
mod emulate;
mod errors;
pub(crate) mod openapi;
mod publish;
mod race;
mod reads;
mod standin;
mod threats;
mod tls;

use bench_bot::config::CommentMode;
use bench_bot::github::comment::{Marker, Meta, Outcome, State as RunState, Sticky, upsert};
use bench_bot::github::{Client, Limits, Result};
use bench_bot::standin::{Options, Standin, State, TOKEN};
use secrecy::SecretString;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The repository and the pull request of these tests.
pub(crate) const REPO: &str = "org/app";
pub(crate) const PR: u64 = 7;
pub(crate) const BASE: &str = "b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0";
pub(crate) const HEAD: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";

/// A stand-in with one repository and one pull request, and a client whose waits are recorded instead of slept.
pub(crate) struct Rig {
    pub(crate) github: Standin,
    pub(crate) client: Client,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with_token(TOKEN)
    }

    pub(crate) fn with_token(token: &str) -> Self {
        Self::at("", token)
    }

    pub(crate) fn at(base_path: &str, token: &str) -> Self {
        let github = start(base_path);
        let waits = Arc::new(Mutex::new(Vec::new()));
        let client = client(&github.url(), token, &waits);
        Self { github, client, waits }
    }

    /// Another client of the same server.
    pub(crate) fn another(&self, token: &str) -> Client {
        client(&self.github.url(), token, &Arc::default())
    }

    /// The waits so far, in whole seconds.
    pub(crate) fn waits(&self) -> Vec<u64> {
        self.waits.lock().unwrap().iter().map(Duration::as_secs).collect()
    }

    pub(crate) fn upsert(&self, run: u64, body: &str) -> Result<Outcome> {
        upsert_by(&self.client, &sticky(run), body)
    }

    /// Authors and texts of the comments that people see.
    pub(crate) fn visible(&self) -> Vec<(String, String)> {
        self.github.with(|state| {
            let notes = state.repositories[REPO].visible(PR);
            notes.iter().map(|note| (note.author.clone().unwrap_or_default(), note.body.clone())).collect()
        })
    }

    /// Makes a comment on the pull request.
    pub(crate) fn comment(&self, author: &str, body: &str) -> u64 {
        self.github.with(|state| state.add_comment(REPO, PR, author, body))
    }
}

pub(crate) fn start(base_path: &str) -> Standin {
    let mut state = State::default();
    state.add_repository(REPO).add_pull(PR, BASE, HEAD);
    let observer = Some(openapi::observer());
    Standin::start(Options { base_path: base_path.to_owned(), observer, state }).unwrap()
}

pub(crate) fn client(url: &str, token: &str, waits: &Arc<Mutex<Vec<Duration>>>) -> Client {
    let waits = Arc::clone(waits);
    let token = (!token.is_empty()).then(|| SecretString::from(token));
    let limits = Limits { jitter: false, ..Limits::default() };
    let record = move |wait: Duration| {
        waits.lock().unwrap().push(wait);
        true
    };
    Client::new(url, token).unwrap().with_limits(limits).with_pause(Box::new(record))
}

pub(crate) fn sticky(run: u64) -> Sticky<'static> {
    Sticky {
        pull_request: PR,
        marker: Marker::report("bench"),
        meta: Meta::new(run, 1, BASE, HEAD, RunState::Done),
        mode: CommentMode::Update,
        create: true,
        bot_login: None,
    }
}

/// Upserts a text that has no smaller form.
pub(crate) fn upsert_by(client: &Client, sticky: &Sticky<'_>, body: &str) -> Result<Outcome> {
    let repository = client.repository(REPO)?;
    upsert(&repository, sticky, |level| (level == 0).then(|| body.to_owned()))
}

/// The whole text of a comment of ours.
pub(crate) fn ours(run: u64, body: &str) -> String {
    let sticky = sticky(run);
    sticky.marker.wrap(&sticky.meta, body)
}

/// Sends a request as a careless client would, without any header of the API: status and body of the answer.
pub(crate) fn raw(url: &str, method: &str, path: &str, authorization: &str, body: &str) -> (u16, String) {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    // The older version: its answers come in one piece and end the connection.
    let request = format!(
        "{method} {path} HTTP/1.0\r\nhost: {host}\r\nauthorization: {authorization}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}
