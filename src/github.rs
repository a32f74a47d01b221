//! GitHub's REST and GraphQL API, as far as bench-bot needs it.
//!
//! [`Client`] is blocking. It keeps its runtime and its connections only while it is used: [`Client::disconnect`] ends both,
//! so that nothing of ours runs beside a benchmark. octocrab and reqwest carry the bytes; retries, redirects, paging,
//! limits and errors follow rules of our own, because a repeated POST is a second comment.

pub mod artifact;
mod call;
pub mod check;
pub mod comment;
mod error;
mod graphql;
mod object;
mod page;
mod retry;
mod transport;

pub use call::Repository;
pub use error::{ErrorKind, GitHubError};
pub use object::{
    Artifact, Branch, CheckRun, Comment, Commit, Comparison, PullRequest, Reaction, RepositoryInfo,
    RepositoryPermission, RepositoryRef, StatusState, User, WorkflowRun,
};
pub use retry::{Limits, Pause, Sleep};

pub(crate) use object::null_as_default;

use call::Call;
use error::Place;
use http::Method;
use reqwest::Url;
use retry::Attempts;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::fmt;
use std::time::Duration;
use transport::{Answer, Failure, Transport, Wire};

/// What a call gives: its answer, or why GitHub refused.
pub type Result<T> = std::result::Result<T, Box<GitHubError>>;

/// The largest answer that is read, in bytes. Larger ones are an error, not a surprise for memory.
pub const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// How many redirects one call follows.
const MAX_REDIRECTS: usize = 5;

/// A connection to one GitHub server with one token.
pub struct Client {
    api: Url,
    graphql: Url,
    token: Option<SecretString>,
    timeout: Duration,
    limits: Limits,
    pause: Box<dyn Pause>,
    transport: RefCell<Option<Transport>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("api", &self.api.as_str())
            .field("token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client for the server at `api`, such as `https://api.github.com` or `https://ghes.example/api/v3`
    /// (`GITHUB_API_URL`), with or without a token. Nothing is sent yet.
    ///
    /// # Errors
    /// When `api` is not an `http` or `https` address.
    pub fn new(api: &str, token: Option<SecretString>) -> Result<Self> {
        let api = address(api)?;
        let graphql = graphql_address(&api);
        Ok(Self {
            api,
            graphql,
            token,
            timeout: Duration::from_secs(30),
            limits: Limits::default(),
            pause: Box::new(Sleep),
            transport: RefCell::new(None),
        })
    }

    /// The same client with another GraphQL address (`GITHUB_GRAPHQL_URL`) than the one that follows from the API's.
    ///
    /// # Errors
    /// When `graphql` is not an `http` or `https` address.
    pub fn with_graphql(mut self, graphql: &str) -> Result<Self> {
        self.graphql = address(graphql)?;
        Ok(self)
    }

    /// The same client with another limit for one request, answer included. The default is 30 seconds.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same client with another way to wait between attempts.
    #[must_use]
    pub fn with_pause(mut self, pause: Box<dyn Pause>) -> Self {
        self.pause = pause;
        self
    }

    /// The same client with other limits for waiting.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The repository `owner/name` on this server.
    ///
    /// # Errors
    /// When `name` is not of that form.
    pub fn repository(&self, name: &str) -> Result<Repository<'_>> {
        Repository::new(self, name)
    }

    /// Ends the runtime and every connection. The next call makes them anew.
    pub fn disconnect(&self) {
        self.transport.replace(None);
    }

    /// Whether there is a token to send.
    #[must_use]
    pub const fn has_token(&self) -> bool {
        self.token.is_some()
    }

    pub(crate) fn pause(&self, wait: Duration) -> bool {
        self.pause.pause(wait)
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The address of `path` (with its query) below the API's address.
    fn endpoint(&self, path: &str) -> Result<Url> {
        let text = format!("{}{path}", self.api.as_str().trim_end_matches('/'));
        Url::parse(&text).map_err(|error| GitHubError::local(format!("{text} is not an address: {error}")))
    }

    /// Sends `call` and decodes the answer, again and again as the retry rules allow.
    pub(crate) fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T> {
        self.attempt(call, decode)
    }

    /// Sends `call` and ignores the body of the answer.
    pub(crate) fn done(&self, call: &Call) -> Result<()> {
        self.attempt(call, |_| Ok(()))
    }

    pub(crate) fn attempt<T>(
        &self,
        call: &Call,
        read: impl Fn(&Answer) -> std::result::Result<T, String>,
    ) -> Result<T> {
        let mut attempts = Attempts::new(&self.limits);
        loop {
            let error = match self.once(call, &read) {
                Ok(value) => return Ok(value),
                Err(error) if !call.repeatable && error.maybe_applied => return Err(error),
                Err(error) => error,
            };
            let Some(wait) = attempts.next(&error) else { return Err(error) };
            tracing::info!("{error}; next attempt in {:.0} s", wait.as_secs_f64());
            if !self.pause.pause(wait) {
                return Err(error.stopped());
            }
        }
    }

    /// Sends `call` exactly once.
    pub(crate) fn once<T>(&self, call: &Call, read: &impl Fn(&Answer) -> std::result::Result<T, String>) -> Result<T> {
        let url = match &call.address {
            call::Address::Path(path) => self.endpoint(path)?,
            call::Address::Verbatim(url) => url.clone(),
            call::Address::GraphQl => self.graphql.clone(),
        };
        let place = Place { what: &call.what, method: &call.method };
        let answer = self.follow(call, url, place)?;
        let request_id = answer.header("x-github-request-id").unwrap_or("none");
        tracing::debug!("{} {} → {} (request id {request_id})", call.method, answer.path(), answer.status);
        if !(200..300).contains(&answer.status) && !call.accept_status.contains(&answer.status) {
            return Err(GitHubError::refused(place, &answer));
        }
        read(&answer).map_err(|reason| GitHubError::unreadable(place, &answer, reason))
    }

    /// Sends and follows redirects by the rules: the token goes to the API's origin only, is dropped for good once a
    /// redirect left it, and nothing but a GET leaves it at all.
    fn follow(&self, call: &Call, mut url: Url, place: Place<'_>) -> Result<Answer> {
        let mut trusted = true;
        for _ in 0..=MAX_REDIRECTS {
            trusted &= self.is_ours(&url);
            if !trusted && call.method != Method::GET {
                return Err(GitHubError::left(place, &url));
            }
            let answer = self.exchange(call, &url, trusted, place)?;
            if !answer.is_redirect() || call.accept_status.contains(&answer.status) {
                return Ok(answer);
            }
            url = answer.location().ok_or_else(|| GitHubError::lost(place, &answer))?;
        }
        Err(GitHubError::circling(place, &url))
    }

    fn exchange(&self, call: &Call, url: &Url, trusted: bool, place: Place<'_>) -> Result<Answer> {
        let wire = Wire {
            method: &call.method,
            url,
            body: call.body.as_ref(),
            token: self.token.as_ref().filter(|_| trusted),
            accept: call.accept,
        };
        self.wire(|transport| transport.api(&wire)).map_err(|failure| GitHubError::broken(place, &failure))
    }

    pub(crate) fn wire<T>(
        &self,
        work: impl FnOnce(&Transport) -> std::result::Result<T, Failure>,
    ) -> std::result::Result<T, Failure> {
        let mut slot = self.transport.borrow_mut();
        let transport = match slot.take() {
            Some(transport) => transport,
            None => Transport::new(&self.api, self.timeout)?,
        };
        work(slot.insert(transport))
    }

    /// Whether the token may go to `url`: same scheme, host and port as the API (or as its GraphQL address).
    pub(crate) fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.api.origin() || url.origin() == self.graphql.origin()
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.api.scheme() == "https"
    }
}

fn decode<T: DeserializeOwned>(answer: &Answer) -> std::result::Result<T, String> {
    serde_json::from_slice(&answer.body).map_err(|error| error.to_string())
}

fn address(text: &str) -> Result<Url> {
    let url = Url::parse(text)
        .map_err(|error| GitHubError::local(format!("GitHub's API address {text:?} is not usable: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(GitHubError::local(format!("GitHub's API address {text:?} must begin with https:// or http://")));
    }
    Ok(url)
}

/// `https://host/api/v3` has its GraphQL at `https://host/api/graphql`, `https://api.github.com` at `/graphql`.
fn graphql_address(api: &Url) -> Url {
    let mut url = api.clone();
    let path = api.path().trim_end_matches('/');
    let parent = path.strip_suffix("/v3").unwrap_or(path);
    url.set_path(&format!("{parent}/graphql"));
    url
}

#[cfg(test)]
mod tests;
