//! A request as the stand-in's routes see it, and pages of a list.

use super::answer::Answer;
use super::state::{State, Token};
use serde_json::Value;
use std::collections::BTreeMap;

/// A request below the API's address.
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    /// Decoded segments of the path.
    pub(super) path: Vec<String>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: &'a [u8],
    /// Whose token came with it.
    pub(super) token: Option<Token>,
    /// The API's address.
    pub(super) api: &'a str,
    /// Address of the place that artifacts are downloaded from.
    pub(super) storage: &'a str,
}

impl<'a> Request<'a> {
    /// Reads a request's line; the bearer is resolved by [`Request::authenticate`].
    pub(super) fn new(method: &'a str, target: &str, body: &'a [u8], api: &'a str, storage: &'a str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.split('/').filter(|segment| !segment.is_empty()).map(decode).collect();
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let query = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(k, v)| (decode(k), decode(v)));
        Self { method, path, query: query.collect(), body, token: None, api, storage }
    }

    /// Finds out whose token it is; an unknown one is refused.
    pub(super) fn authenticate(&mut self, state: &State, authorization: Option<&str>) -> Result<(), Answer> {
        let Some(header) = authorization else { return Ok(()) };
        let token = header.strip_prefix("Bearer ").or_else(|| header.strip_prefix("token ")).unwrap_or(header);
        let found = state.tokens.get(token).cloned();
        self.token = Some(found.ok_or_else(|| Answer::refuse(401, "Bad credentials"))?);
        Ok(())
    }

    /// The body as JSON; an unreadable one is refused.
    pub(super) fn json(&self) -> Result<Value, Answer> {
        serde_json::from_slice(self.body).map_err(|_| Answer::refuse(400, "Problems parsing JSON"))
    }

    /// Whether the token may write any of `scopes`; the refusal if not.
    pub(super) fn may_write(&self, scopes: &[&str]) -> Result<&Token, Answer> {
        let token = self.token.as_ref().ok_or_else(|| Answer::refuse(401, "Requires authentication"))?;
        if scopes.iter().any(|scope| token.writes.contains(scope)) {
            return Ok(token);
        }
        let accepted: Vec<String> = scopes.iter().map(|scope| format!("{scope}=write")).collect();
        Err(Answer::no_permission(token.personal, &accepted.join("; ")))
    }

    fn count(&self, name: &str, default: usize) -> usize {
        self.query.get(name).and_then(|text| text.parse().ok()).filter(|&count| count > 0).unwrap_or(default)
    }

    /// The elements of the page that was asked for, and the `Link` header. GitHub's links lead to the repository by its
    /// number, whatever the name in the request was.
    pub(super) fn page(&self, all: Vec<Value>, repository: u64) -> (Vec<Value>, Option<String>) {
        let size = self.count("per_page", 30).min(100);
        let page = self.count("page", 1);
        let last = all.len().div_ceil(size).max(1);
        // Both `/repos/owner/name/…` and `/repositories/number/…` lead here.
        let prefix = if self.path.first().is_some_and(|first| first == "repos") { 3 } else { 2 };
        let rest = self.path.get(prefix..).unwrap_or_default().join("/");
        let others: String = self
            .query
            .iter()
            .filter(|(name, _)| *name != "page" && *name != "per_page")
            .map(|(name, value)| format!("&{name}={}", encode(value)))
            .collect();
        let link = |page: usize, relation: &str| {
            let api = self.api;
            format!("<{api}/repositories/{repository}/{rest}?per_page={size}&page={page}{others}>; rel=\"{relation}\"")
        };
        let mut links = Vec::new();
        if page > 1 {
            links.push(link(page - 1, "prev"));
        }
        if page < last {
            links.extend([link(page + 1, "next"), link(last, "last")]);
        }
        if page > 1 {
            links.push(link(1, "first"));
        }
        let elements = all.into_iter().skip((page - 1) * size).take(size).collect();
        (elements, (!links.is_empty()).then(|| links.join(", ")))
    }

    /// A page as an answer.
    pub(super) fn list(&self, all: Vec<Value>, repository: u64) -> Answer {
        let (elements, link) = self.page(all, repository);
        let answer = Answer::json(200, &Value::Array(elements));
        match link {
            Some(link) => answer.with("link", link),
            None => answer,
        }
    }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], digits) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
