//! One exchange of bytes: octocrab on reqwest, on a current-thread runtime that lives as long as the value.

use super::MAX_ANSWER;
use http::{HeaderMap, Method, Request, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use octocrab::{OctoBody, Octocrab};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Once;
use std::time::Duration;
use tokio::runtime::{Builder as RuntimeBuilder, Runtime};

/// The version of the REST API that every request names.
const API_VERSION: &str = "2022-11-28";

/// What GitHub asks clients to accept.
pub(crate) const JSON: &str = "application/vnd.github+json";

/// A runtime and the connections that live on it.
pub(crate) struct Transport {
    // Dropped first: connections are tasks of the runtime.
    octocrab: Octocrab,
    http: reqwest::Client,
    /// There until the value is dropped.
    runtime: Option<Runtime>,
}

/// A request, ready to be sent.
pub(crate) struct Wire<'a> {
    pub(crate) method: &'a Method,
    pub(crate) url: &'a Url,
    pub(crate) body: Option<&'a serde_json::Value>,
    /// Only where the address may see it.
    pub(crate) token: Option<&'a SecretString>,
    pub(crate) accept: &'static str,
}

/// An answer with whatever status.
pub(crate) struct Answer {
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) reason: String,
    pub(crate) cause: Cause,
}

/// What a failure means for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It cannot have reached the server.
    NotSent,
    /// It may have been carried out.
    Unknown,
    /// The answer is larger than the limit.
    TooLarge,
    /// The client itself cannot work.
    Setup,
}

impl Failure {
    fn setup(reason: String) -> Self {
        Self { reason, cause: Cause::Setup }
    }
}

impl Answer {
    /// A header's text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) const fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }

    /// Where a redirect leads.
    pub(crate) fn location(&self) -> Option<Url> {
        self.url.join(self.header("location")?).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    }

    /// The path for messages. Queries can hold signatures and are left out.
    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }
}

impl Transport {
    pub(crate) fn new(api: &Url, timeout: Duration) -> Result<Self, Failure> {
        install_ring();
        let runtime = RuntimeBuilder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::setup(format!("the network runtime does not start: {error}")))?;
        let http = http_client(api, timeout)?;
        let guard = runtime.enter();
        // The path of the API's address is in every URL already: octocrab would put it in front of GraphQL's too.
        let octocrab = Octocrab::builder()
            .base_uri(api.origin().ascii_serialization())
            .and_then(|builder| builder.build_with_reqwest(http.clone()))
            .map_err(|error| Failure::setup(format!("the HTTP client does not start: {}", chain(&error))))?;
        drop(guard);
        Ok(Self { octocrab, http, runtime: Some(runtime) })
    }

    /// Sends a request to the API, headers of the API included.
    pub(crate) fn api(&self, wire: &Wire<'_>) -> Result<Answer, Failure> {
        let request = request(wire)?;
        self.wait(async {
            let response = self.octocrab.send(request).await.map_err(|error| failure(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, MAX_ANSWER).collect().await.map_err(|error| failure(&*error))?;
            Ok(Answer {
                url: wire.url.clone(),
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: body.to_bytes().to_vec(),
            })
        })
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(work),
            None => Err(Failure::setup("the network runtime has ended".to_owned())),
        }
    }

    /// Gets a file from anywhere: no token, no header of the API.
    pub(crate) fn download(&self, url: &Url, limit: usize) -> Result<Answer, Failure> {
        self.wait(async {
            let response = self.http.get(url.clone()).send().await.map_err(|error| failure(&error))?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = Limited::new(reqwest::Body::from(response), limit);
            let body = body.collect().await.map_err(|error| failure(&*error))?.to_bytes().to_vec();
            Ok(Answer { url: url.clone(), status, headers, body })
        })
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        // A name that is still being looked up must not hold up the end of the program.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Chooses ring for the whole process, once; whoever came first wins.
fn install_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::debug!("another crypto provider is installed already");
        }
    });
}

fn http_client(api: &Url, timeout: Duration) -> Result<reqwest::Client, Failure> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(10).min(timeout))
        .timeout(timeout)
        .user_agent(concat!("bench-bot/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none());
    if api.scheme() == "http" {
        // A plain address needs no certificates, and a bare container has none: reading them would fail.
        builder = builder.tls_certs_only([]);
    }
    if api.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| {
        Failure::setup(format!("the HTTP client does not start: {}; are CA certificates installed?", chain(&error)))
    })
}

fn request(wire: &Wire<'_>) -> Result<Request<OctoBody>, Failure> {
    let broken = |error: &dyn Error| Failure::setup(format!("the request cannot be written: {error}"));
    let mut request = Request::builder()
        .method(wire.method)
        .uri(wire.url.as_str())
        .header(header::ACCEPT, wire.accept)
        .header("x-github-api-version", API_VERSION);
    if let Some(token) = wire.token {
        let mut value = http::HeaderValue::try_from(format!("Bearer {}", token.expose_secret()))
            .map_err(|_| Failure::setup("the token holds characters that no token has".to_owned()))?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    let body = match wire.body {
        Some(json) => {
            request = request.header(header::CONTENT_TYPE, "application/json");
            OctoBody::from(serde_json::to_vec(json).map_err(|error| broken(&error))?)
        }
        None if *wire.method == Method::GET => OctoBody::empty(),
        None => {
            request = request.header(header::CONTENT_LENGTH, "0");
            OctoBody::empty()
        }
    };
    request.body(body).map_err(|error| broken(&error))
}

fn failure(error: &(dyn Error + 'static)) -> Failure {
    let mut cause = Cause::Unknown;
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<LengthLimitError>() {
            return Failure { reason: format!("the answer is larger than {MAX_ANSWER} bytes"), cause: Cause::TooLarge };
        }
        if error.downcast_ref::<reqwest::Error>().is_some_and(|error| error.is_connect() || error.is_builder()) {
            cause = Cause::NotSent;
        }
        next = error.source();
    }
    Failure { reason: chain(error), cause }
}

/// The innermost reasons of an error in words. The outer layers say nothing, or show addresses whose query can hold a
/// signature.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut words = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_timeout() => "timed out".to_owned(),
            Some(error) if error.is_connect() => "cannot connect".to_owned(),
            Some(_) => "the request failed".to_owned(),
            None if error.is::<octocrab::Error>() => String::new(),
            None => error.to_string(),
        };
        if !text.is_empty() && !words.ends_with(&text) {
            let separator = if words.is_empty() { "" } else { ": " };
            // Writing to a String cannot fail.
            let _ = write!(words, "{separator}{text}");
        }
        next = error.source();
    }
    words
}
