//! A stand-in for GitHub: a real HTTP server on loopback that remembers what it is told, pages its lists, refuses what
//! GitHub refuses, and fails on demand. `bench-bot demo` and every test use this one.
//!
//! What it cannot do is not overlooked: a request that it does not know is recorded and makes
//! [`Standin::assert_clean`] fail, as does a fault that never fired and whatever the observer finds.

mod action;
mod answer;
mod fault;
mod graphql;
mod issue;
mod request;
mod route;
mod server;
mod shape;
pub mod state;

pub use fault::Fault;
pub use state::State;

use secrecy::SecretString;
use server::Shared;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A job's token that may write everything.
pub const TOKEN: &str = "stand-in-token";

/// A job's token that may only read, as a fork's pull request has.
pub const READ_ONLY_TOKEN: &str = "stand-in-read-only-token";

/// A token of the person `octocat`, who may write.
pub const PERSONAL_TOKEN: &str = "stand-in-personal-token";

/// Looks at every exchange; what it gives back are faults of the client or of the stand-in.
pub type Observer = Box<dyn Fn(&Exchange) -> Vec<String> + Send + Sync>;

/// How a stand-in is to be.
#[derive(Default)]
pub struct Options {
    /// What comes between host and paths: empty as on github.com, `/api/v3` as on GitHub Enterprise Server.
    pub base_path: String,
    /// Looks at every exchange.
    pub observer: Option<Observer>,
    /// What the server knows.
    pub state: State,
}

/// A request and what was answered.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Who was asked.
    pub server: Server,
    /// Method.
    pub method: String,
    /// Path below the API's address, without query.
    pub path: String,
    /// Query without `?`.
    pub query: String,
    /// The `authorization` header.
    pub authorization: Option<String>,
    /// Other headers of the request, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body of the request.
    pub body: Vec<u8>,
    /// Status of the answer.
    pub status: u16,
    /// Body of the answer.
    pub answer: Vec<u8>,
    /// Whether the answer came from a fault.
    pub injected: bool,
}

/// Which of the stand-in's servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// The REST API.
    Api,
    /// GraphQL.
    GraphQl,
    /// The place that artifacts are downloaded from: another host, which must not see a token.
    Storage,
}

/// A running stand-in. It ends with the value.
pub struct Standin {
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Standin {
    /// Starts a stand-in on free ports of 127.0.0.1, in a thread and a runtime of its own.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(options: Options) -> io::Result<Self> {
        let (shared, serve) = server::bind(options)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("github stand-in".to_owned()).spawn(move || serve(stopped))?;
        Ok(Self { shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Address of the REST API, for `GITHUB_API_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.api_url()
    }

    /// Address of GraphQL, for `GITHUB_GRAPHQL_URL`.
    #[must_use]
    pub fn graphql_url(&self) -> String {
        self.shared.graphql_url()
    }

    /// Address of the other host, which must not see a token.
    #[must_use]
    pub fn storage_url(&self) -> String {
        self.shared.storage_url()
    }

    /// A token that may write everything.
    #[must_use]
    pub fn token(&self) -> SecretString {
        SecretString::from(TOKEN)
    }

    /// Looks at or changes what the server knows.
    pub fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut lock(&self.shared.state))
    }

    /// Makes a request to come fail.
    pub fn fail(&self, fault: Fault) {
        lock(&self.shared.faults).push(fault);
    }

    /// Every exchange so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.shared.log).clone()
    }

    /// Method and path of every exchange so far that is not a GET.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        let log = lock(&self.shared.log);
        log.iter().filter(|seen| seen.method != "GET").map(|seen| format!("{} {}", seen.method, seen.path)).collect()
    }

    /// Everything that should not have happened: unknown requests, tokens at the wrong host, complaints of the observer,
    /// faults that never fired.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems = lock(&self.shared.problems).clone();
        problems.extend(lock(&self.shared.faults).iter().filter_map(Fault::pending));
        problems
    }

    /// For tests: fails if anything happened that should not have.
    ///
    /// # Panics
    /// When [`Standin::problems`] is not empty.
    pub fn assert_clean(&self) {
        let problems = self.problems();
        assert!(problems.is_empty(), "the stand-in complains:\n{}", problems.join("\n"));
    }
}

impl Drop for Standin {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended already.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A panic in one test's closure must not hide what the others saw.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
