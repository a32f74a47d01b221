//! The comment and paging against an emulator that we did not write: npm `emulate`, pinned in `tests/emulate`.
//!
//! It needs Node, so it is asked for: `tests/emulate/install`, then `BENCH_BOT_EMULATE=1`. Without it each test says on
//! standard error that it did nothing.

use super::{client, raw, sticky};
use bench_bot::github::Client;
use bench_bot::github::comment::{Action, Marker, Meta, Outcome, Sticky, upsert};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

const REPO: &str = "octo/demo";

/// A running emulator with one pull request. It ends with the value.
struct Peer {
    process: Child,
    /// Kept open: a write to a closed pipe would end the emulator.
    _output: BufReader<ChildStdout>,
    url: String,
    pull: u64,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Peer {
    /// `None`, said aloud, if nobody asked for the peer.
    fn start(test: &str) -> Option<Self> {
        if std::env::var_os("BENCH_BOT_EMULATE").is_none() {
            // Not `eprintln!`: that is kept from sight when a test passes.
            let note = format!(
                "\nSKIPPED {test}: run tests/emulate/install and set BENCH_BOT_EMULATE=1 to test against npm emulate\n"
            );
            std::io::stderr().write_all(note.as_bytes()).unwrap();
            return None;
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/emulate");
        let program = folder.join("node_modules/.bin/emulate");
        assert!(
            program.exists(),
            "BENCH_BOT_EMULATE is set and {} is missing: run tests/emulate/install",
            program.display()
        );
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut process = Command::new("node")
            .arg(program)
            .args(["start", "--service", "github", "--port", &port.to_string(), "--seed"])
            .arg(folder.join("seed.yaml"))
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        // It prints its tokens after it has begun to listen.
        let ready = output.by_ref().lines().map_while(Result::ok).any(|line| line.contains("bot-token"));
        let mut peer = Self { process, _output: output, url: format!("http://localhost:{port}"), pull: 0 };
        assert!(ready, "the emulator ended before it listened");
        peer.pull =
            peer.post("bot-token", "pulls", &serde_json::json!({ "title": "x", "head": "change", "base": "main" }));
        Some(peer)
    }

    /// Posts something into the repository; its number.
    fn post(&self, token: &str, path: &str, body: &serde_json::Value) -> u64 {
        let path = format!("/repos/{REPO}/{path}");
        let (status, text) = raw(&self.url, "POST", &path, &format!("Bearer {token}"), &body.to_string());
        assert_eq!(status, 201, "{text}");
        let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
        answer.get("number").or_else(|| answer.get("id")).and_then(serde_json::Value::as_u64).unwrap()
    }

    fn comment(&self, token: &str, body: &str) -> u64 {
        self.post(token, &format!("issues/{}/comments", self.pull), &serde_json::json!({ "body": body }))
    }

    fn client(&self, token: &str) -> Client {
        client(&self.url, token, &Arc::default())
    }

    fn sticky(&self, run: u64) -> Sticky<'static> {
        Sticky { pull_request: self.pull, bot_login: Some("bench-bot"), ..sticky(run) }
    }

    fn upsert(&self, run: u64, body: &str) -> Outcome {
        let client = self.client("bot-token");
        let repository = client.repository(REPO).unwrap();
        upsert(&repository, &self.sticky(run), |level| (level == 0).then(|| body.to_owned())).unwrap()
    }

    /// Authors and texts of the comments that begin with our marker.
    fn marked(&self) -> Vec<(String, String)> {
        let comments = self.client("bot-token").repository(REPO).unwrap().comments(self.pull).unwrap();
        let marker = Marker::report("bench");
        let marked = comments.into_iter().filter(|comment| marker.opens(&comment.body));
        marked.map(|comment| (comment.user.unwrap().login, comment.body)).collect()
    }

    fn text(&self, run: u64, body: &str) -> String {
        let sticky = self.sticky(run);
        sticky.marker.wrap(&sticky.meta, body)
    }
}

#[test]
fn emulate_create_then_edit_then_nothing() {
    let Some(peer) = Peer::start("emulate_create_then_edit_then_nothing") else { return };
    let first = peer.upsert(1, "first");
    let second = peer.upsert(2, "second");
    let third = peer.upsert(2, "second");
    let late = peer.upsert(1, "late");
    let actions = [first.action, second.action, third.action, late.action];
    assert_eq!(actions, [Action::Created, Action::Updated, Action::Unchanged, Action::LeftNewer]);
    assert_eq!((first.id, second.id), (second.id, third.id));
    assert_eq!(peer.marked(), [("bench-bot".to_owned(), peer.text(2, "second"))]);
}

#[test]
fn emulate_the_marker_on_the_last_of_several_pages() {
    let Some(peer) = Peer::start("emulate_the_marker_on_the_last_of_several_pages") else { return };
    for number in 0..129 {
        peer.comment("human-token", &format!("comment {number}"));
    }
    let id = peer.comment("bot-token", &peer.text(1, "old"));
    let outcome = peer.upsert(2, "new");
    assert_eq!((outcome.action, outcome.id), (Action::Updated, Some(id)));
    assert_eq!(peer.client("bot-token").repository(REPO).unwrap().comments(peer.pull).unwrap().len(), 130);
}

#[test]
fn emulate_a_human_who_quotes_the_marker_and_a_deleted_comment() {
    let Some(peer) = Peer::start("emulate_a_human_who_quotes_the_marker_and_a_deleted_comment") else { return };
    let forged = peer.text(99, "merge it");
    peer.comment("human-token", &forged);
    let first = peer.upsert(1, "first");
    assert_eq!(first.action, Action::Created);
    let client = peer.client("bot-token");
    let repository = client.repository(REPO).unwrap();
    repository.delete_comment(first.id.unwrap()).unwrap();
    repository.delete_comment(first.id.unwrap()).unwrap();
    assert_eq!(peer.upsert(2, "second").action, Action::Created);
    let expected = [("alice".to_owned(), forged), ("bench-bot".to_owned(), peer.text(2, "second"))];
    assert_eq!(peer.marked(), expected);
}

#[test]
fn emulate_reads_and_refusals() {
    let Some(peer) = Peer::start("emulate_reads_and_refusals") else { return };
    let client = peer.client("bot-token");
    let repository = client.repository(REPO).unwrap();
    let pull = repository.pull_request(peer.pull).unwrap();
    assert!(pull.is_open() && !pull.is_fork());
    assert_eq!(repository.info().unwrap().default_branch, "main");
    assert!(repository.pull_request(4711).is_err());
    let anonymous = peer.client("");
    let refused = upsert(&anonymous.repository(REPO).unwrap(), &peer.sticky(1), |_| Some("x".to_owned())).unwrap_err();
    assert_eq!(refused.status, Some(401), "{refused}");
    let meta = Meta::of(&peer.text(1, "x")).unwrap();
    assert_eq!(meta.run, 1);
}
