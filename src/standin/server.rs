//! The stand-in's HTTP: axum on loopback, one handler for everything.

use super::answer::{Answer, Body as AnswerBody};
use super::request::Request as Asked;
use super::route::{self, Routed};
use super::{Exchange, Fault, Observer, Options, Server, State, action, lock};
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State as Extracted};
use axum::response::Response;
use http::HeaderMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Largest request that is read, in bytes.
const MAX_REQUEST: usize = 16 * 1024 * 1024;

/// What the servers share.
pub(super) struct Shared {
    base_path: String,
    api: SocketAddr,
    storage: SocketAddr,
    observer: Option<Observer>,
    pub(super) state: Mutex<State>,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) log: Mutex<Vec<Exchange>>,
    pub(super) problems: Mutex<Vec<String>>,
}

impl Shared {
    pub(super) fn api_url(&self) -> String {
        format!("http://{}{}", self.api, self.base_path)
    }

    pub(super) fn graphql_url(&self) -> String {
        format!("http://{}{}", self.api, self.graphql_path())
    }

    pub(super) fn storage_url(&self) -> String {
        format!("http://{}", self.storage)
    }

    fn graphql_path(&self) -> String {
        format!("{}/graphql", self.base_path.strip_suffix("/v3").unwrap_or(&self.base_path))
    }

    fn complain(&self, problem: String) {
        lock(&self.problems).push(problem);
    }
}

/// Takes the ports, and gives what serves them until it is told to stop.
pub(super) fn bind(options: Options) -> io::Result<(Arc<Shared>, impl FnOnce(oneshot::Receiver<()>) + Send)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let (api, storage) = (listener()?, listener()?);
    let shared = Arc::new(Shared {
        base_path: options.base_path.trim_end_matches('/').to_owned(),
        api: api.local_addr()?,
        storage: storage.local_addr()?,
        observer: options.observer,
        state: Mutex::new(options.state),
        faults: Mutex::default(),
        log: Mutex::default(),
        problems: Mutex::default(),
    });
    let (api, storage) = {
        let _guard = runtime.enter();
        (tokio::net::TcpListener::from_std(api)?, tokio::net::TcpListener::from_std(storage)?)
    };
    let router = |kind| Router::new().fallback(handle).with_state((Arc::clone(&shared), kind));
    let (api_router, storage_router) = (router(Server::Api), router(Server::Storage));
    let serve = move |stopped: oneshot::Receiver<()>| {
        runtime.spawn(async move { axum::serve(api, api_router).await });
        runtime.spawn(async move { axum::serve(storage, storage_router).await });
        // Either it was told to stop or whoever could tell is gone. Connections end with the runtime.
        let _ = runtime.block_on(stopped);
    };
    Ok((shared, serve))
}

fn listener() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

async fn handle(Extracted((shared, server)): Extracted<(Arc<Shared>, Server)>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_REQUEST).await.unwrap_or_default();
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut exchange = Exchange {
        server,
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        authorization: text("authorization"),
        headers: headers(&parts.headers),
        body: body.to_vec(),
        status: 0,
        answer: Vec::new(),
        injected: false,
    };
    let answer = answer(&shared, &mut exchange);
    finish(&shared, exchange, &answer);
    respond(&shared, answer).await
}

fn headers(map: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let others = map.iter().filter(|(name, _)| *name != "authorization");
    others.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// Finds the answer: a fault's, or the one that the state gives.
fn answer(shared: &Shared, exchange: &mut Exchange) -> Answer {
    if exchange.server == Server::Api {
        let graphql = shared.graphql_path();
        if exchange.path == graphql {
            (exchange.server, exchange.path) = (Server::GraphQl, "/graphql".to_owned());
        } else if let Some(path) = exchange.path.strip_prefix(&shared.base_path) {
            exchange.path = path.to_owned();
        } else {
            shared.complain(format!("{} is not below the API's address", exchange.path));
            return Answer::not_found();
        }
    }
    let fault = Fault::fire(&mut lock(&shared.faults), &exchange.method, &exchange.path);
    exchange.injected = fault.is_some();
    match fault {
        Some((answer, false)) => answer,
        Some((answer, true)) => {
            carry_out(shared, exchange);
            answer
        }
        None => carry_out(shared, exchange),
    }
}

fn carry_out(shared: &Shared, exchange: &Exchange) -> Answer {
    let what = format!("{} {}", exchange.method, exchange.path);
    let mut state = lock(&shared.state);
    if exchange.server == Server::Storage {
        if exchange.authorization.is_some() {
            shared.complain(format!("{what}: the storage saw a token"));
        }
        return action::stored(&state, &exchange.path).unwrap_or_else(|| {
            shared.complain(format!("unexpected request to the storage: {what}"));
            Answer::empty(404)
        });
    }
    let (api, storage) = (shared.api_url(), shared.storage_url());
    let target = format!("{}?{}", exchange.path, exchange.query);
    let mut request = Asked::new(&exchange.method, &target, &exchange.body, &api, &storage);
    if let Err(refusal) = request.authenticate(&state, exchange.authorization.as_deref()) {
        return refusal;
    }
    if exchange.server == Server::GraphQl {
        return route::graphql(&mut state, &request).unwrap_or_else(|reason| {
            shared.complain(format!("GraphQL: {reason}"));
            Answer::json(200, &serde_json::json!({ "errors": [{ "message": reason }] }))
        });
    }
    match route::rest(&mut state, &request) {
        Routed::Known(answer) => answer,
        Routed::Unknown => {
            shared.complain(format!("unexpected request: {what}"));
            Answer::not_found()
        }
    }
}

fn finish(shared: &Shared, mut exchange: Exchange, answer: &Answer) {
    exchange.status = answer.status;
    if let AnswerBody::Bytes(bytes) = &answer.body {
        exchange.answer.clone_from(bytes);
    }
    if let Some(observer) = &shared.observer {
        for problem in observer(&exchange) {
            shared.complain(format!("{} {}: {problem}", exchange.method, exchange.path));
        }
    }
    lock(&shared.log).push(exchange);
}

async fn respond(shared: &Shared, answer: Answer) -> Response {
    let number = lock(&shared.log).len();
    let mut response = Response::builder().status(answer.status);
    let given = |name: &str| answer.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let usual = [
        ("x-github-request-id", format!("STND:{number:04X}")),
        ("x-github-media-type", "github.v3; format=json".to_owned()),
        ("x-ratelimit-limit", "1000".to_owned()),
        ("x-ratelimit-remaining", 1_000_usize.saturating_sub(number).max(1).to_string()),
    ];
    for (name, value) in usual.iter().filter(|(name, _)| !given(name)) {
        response = response.header(*name, value);
    }
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let body = match answer.body {
        AnswerBody::Bytes(bytes) => Body::from(bytes),
        AnswerBody::HangUp => Body::new(Cut),
        AnswerBody::Never => std::future::pending().await,
    };
    // Headers of the stand-in and of its tests are well-formed; one that is not shows as an empty 200.
    response.body(body).unwrap_or_default()
}

/// A body that breaks before its first byte: the server then ends the connection without having sent anything.
struct Cut;

impl HttpBody for Cut {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        Poll::Ready(Some(Err(io::Error::other("the connection ends here"))))
    }
}
