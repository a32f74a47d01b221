//! One method for each call of the REST API.

use super::object::{
    Artifact, CheckRun, Comment, Commit, Comparison, PullRequest, Reaction, RepositoryInfo, RepositoryPermission,
    StatusState, WorkflowRun,
};
use super::transport::JSON;
use super::{Client, ErrorKind, GitHubError, Result};
use base64::Engine as _;
use http::Method;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The elements of a page. A page of the longest comments would not fit into the answer that is read.
const PAGE: usize = 100;

/// The elements of a page when a hundred were too large.
const SMALL_PAGE: usize = 20;

/// A request to be sent, perhaps more than once.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// For messages: `create a comment on org/app#7`.
    pub(crate) what: String,
    pub(crate) method: Method,
    pub(crate) address: Address,
    pub(crate) body: Option<Value>,
    /// Whether it may be sent again when nobody knows if it was carried out.
    pub(crate) repeatable: bool,
    /// Statuses beside 2xx that are answers.
    pub(crate) accept_status: &'static [u16],
    pub(crate) accept: &'static str,
}

/// Where a request goes.
#[derive(Debug, Clone)]
pub(crate) enum Address {
    /// Below the API's address, with query.
    Path(String),
    /// As a `Link` header had it.
    Verbatim(Url),
    /// GraphQL.
    GraphQl,
}

impl Call {
    pub(crate) fn new(method: Method, path: String, what: String) -> Self {
        let (address, repeatable) = (Address::Path(path), method != Method::POST);
        Self { what, method, address, body: None, repeatable, accept_status: &[], accept: JSON }
    }

    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// May be sent again although it is a POST: doing it twice does no harm.
    pub(crate) const fn harmless(mut self) -> Self {
        self.repeatable = true;
        self
    }

    pub(crate) const fn accepting(mut self, status: &'static [u16]) -> Self {
        self.accept_status = status;
        self
    }

    pub(crate) fn at(mut self, url: Url) -> Self {
        self.address = Address::Verbatim(url);
        self
    }
}

/// A repository on the client's server.
#[derive(Debug, Clone)]
pub struct Repository<'a> {
    client: &'a Client,
    name: String,
}

impl<'a> Repository<'a> {
    pub(super) fn new(client: &'a Client, name: &str) -> Result<Self> {
        let fine = |part: &str| {
            !matches!(part, "" | "." | "..") && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        };
        match name.split_once('/') {
            Some((owner, repository)) if fine(owner) && fine(repository) => Ok(Self { client, name: name.to_owned() }),
            _ => Err(GitHubError::local(format!("{name:?} is not a repository: write owner/name"))),
        }
    }

    /// `owner/name`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The client.
    #[must_use]
    pub const fn client(&self) -> &'a Client {
        self.client
    }

    pub(crate) fn call(&self, method: Method, path: &str, what: String) -> Call {
        Call::new(method, format!("/repos/{}{path}", self.name), what)
    }

    fn get(&self, path: &str, what: String) -> Call {
        self.call(Method::GET, path, what)
    }

    /// The repository itself.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn info(&self) -> Result<RepositoryInfo> {
        self.client.json(&self.get("", format!("read the repository {}", self.name)))
    }

    /// Pull request `number`.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached; `NotFound` if `number` is no pull request.
    pub fn pull_request(&self, number: u64) -> Result<PullRequest> {
        self.client.json(&self.get(&format!("/pulls/{number}"), format!("read pull request {}#{number}", self.name)))
    }

    /// Open pull requests whose head is `branch` of `owner`'s repository, whatever their target.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn pull_requests_from(&self, owner: &str, branch: &str) -> Result<Vec<PullRequest>> {
        let head = format!("{}:{}", query(owner), query(branch));
        let path = format!("/pulls?state=open&per_page={PAGE}&head={head}");
        self.client.pages(self.get(&path, format!("list pull requests of {}", self.name)), |page| page)
    }

    /// Pull requests that hold commit `sha`, in any state.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn pull_requests_with(&self, sha: &str) -> Result<Vec<PullRequest>> {
        let path = format!("/commits/{}/pulls?per_page={PAGE}", segments(sha)?);
        self.client.pages(self.get(&path, format!("find pull requests of {} with {sha}", self.name)), |page| page)
    }

    /// Paths that pull request `number` touches; GitHub lists at most 3,000.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn changed_files(&self, number: u64) -> Result<Vec<String>> {
        #[derive(Deserialize)]
        struct File {
            filename: String,
            #[serde(default)]
            previous_filename: Option<String>,
        }
        let path = format!("/pulls/{number}/files?per_page={PAGE}");
        let call = self.get(&path, format!("list the files of {}#{number}", self.name));
        let files: Vec<File> = self.client.pages(call, |page| page)?;
        Ok(files.into_iter().flat_map(|file| [Some(file.filename), file.previous_filename]).flatten().collect())
    }

    /// How `head` relates to `base`; each a commit, a branch, or `owner:branch`.
    ///
    /// # Errors
    /// `NotFound` for commits without common history or unknown ones, `Server` for comparisons that are too large: use
    /// git then.
    pub fn compare(&self, base: &str, head: &str) -> Result<Comparison> {
        let path = format!("/compare/{}...{}?per_page=1", segments(base)?, segments(head)?);
        self.client.json(&self.get(&path, format!("compare {base} with {head} in {}", self.name)))
    }

    /// The commit that a branch, a tag or a commit id names; `None` if it names nothing.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn commit(&self, reference: &str) -> Result<Option<Commit>> {
        let path = format!("/commits/{}", segments(reference)?);
        match self.client.json(&self.get(&path, format!("resolve {reference} in {}", self.name))) {
            Err(error) if error.kind == ErrorKind::Invalid => Ok(None),
            other => found(other),
        }
    }

    /// What `login` may do here; `None` for a stranger.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached. Whoever asks must take every error for "no".
    pub fn permission(&self, login: &str) -> Result<Option<RepositoryPermission>> {
        let path = format!("/collaborators/{}/permission", segments(login)?);
        let call = self.get(&path, format!("read the permission of {login} in {}", self.name));
        found(self.client.json(&call))
    }

    /// The file `path` at `reference`; `None` if there is none.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached, or `path` is not a file of at most 1 MiB.
    pub fn contents(&self, path: &str, reference: &str) -> Result<Option<Vec<u8>>> {
        let what = format!("read {path} at {reference} in {}", self.name);
        let call = self.get(&format!("/contents/{}?ref={}", segments(path)?, query(reference)), what);
        let Some(value) = found(self.client.json::<Value>(&call))? else { return Ok(None) };
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        match (text("type"), text("encoding"), text("content")) {
            (Some("file"), Some("base64"), Some(content)) => {
                let packed: String = content.split_whitespace().collect();
                let bytes = base64::engine::general_purpose::STANDARD.decode(packed);
                bytes.map(Some).map_err(|_| GitHubError::local(format!("{path} at {reference}: its base64 is damaged")))
            }
            (kind, ..) => Err(GitHubError::local(format!(
                "{path} at {reference} is not a file that can be read: {}",
                kind.unwrap_or("a folder")
            ))),
        }
    }

    /// Every comment on issue or pull request `number`, oldest first.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn comments(&self, number: u64) -> Result<Vec<Comment>> {
        let list = |size: usize| {
            let path = format!("/issues/{number}/comments?per_page={size}");
            self.client.pages(self.get(&path, format!("list the comments of {}#{number}", self.name)), |page| page)
        };
        match list(PAGE) {
            Err(error) if error.kind == ErrorKind::TooLarge => list(SMALL_PAGE),
            other => other,
        }
    }

    /// One comment; `None` if it was deleted.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn comment(&self, id: u64) -> Result<Option<Comment>> {
        found(
            self.client
                .json(&self.get(&format!("/issues/comments/{id}"), format!("read comment {id} of {}", self.name))),
        )
    }

    /// Creates a comment. Sent once: a POST whose answer is lost may have been carried out, so look before repeating.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached; then `maybe_applied` tells whether the comment may be there.
    pub fn create_comment_once(&self, number: u64, body: &str) -> Result<Comment> {
        let path = format!("/issues/{number}/comments");
        let call = self.call(Method::POST, &path, format!("create a comment on {}#{number}", self.name));
        self.client.once(&call.body(json!({ "body": body })), &super::decode)
    }

    /// Replaces a comment's text.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn update_comment(&self, id: u64, body: &str) -> Result<Comment> {
        let path = format!("/issues/comments/{id}");
        let call = self.call(Method::PATCH, &path, format!("update comment {id} of {}", self.name));
        self.client.json(&call.body(json!({ "body": body })))
    }

    /// Deletes a comment; one that is gone already is fine.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn delete_comment(&self, id: u64) -> Result<()> {
        let path = format!("/issues/comments/{id}");
        let call = self.call(Method::DELETE, &path, format!("delete comment {id} of {}", self.name));
        found(self.client.done(&call)).map(|_| ())
    }

    /// Reacts to a comment with `eyes`, `rocket`, `confused`, `-1` …; a reaction that is there already is given back.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn react(&self, comment: u64, content: &str) -> Result<Reaction> {
        let path = format!("/issues/comments/{comment}/reactions");
        let call = self.call(Method::POST, &path, format!("react to comment {comment} of {}", self.name));
        self.client.json(&call.body(json!({ "content": content })).harmless())
    }

    /// Takes a reaction back; one that is gone already is fine.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn unreact(&self, comment: u64, reaction: u64) -> Result<()> {
        let path = format!("/issues/comments/{comment}/reactions/{reaction}");
        let call =
            self.call(Method::DELETE, &path, format!("take back a reaction to comment {comment} of {}", self.name));
        found(self.client.done(&call)).map(|_| ())
    }

    /// A run of a workflow.
    ///
    /// # Errors
    /// When GitHub refuses or cannot be reached.
    pub fn run(&self, id: u64) -> Result<WorkflowRun> {
        self.client.json(&self.get(&format!("/actions/runs/{id}"), format!("read run {id} of {}", self.name)))
    }

    /// Asks for a run to be cancelled; `false` if it has ended already.
    ///
    /// # Errors
    /// When GitHub refuses (needs `actions: write`) or cannot be reached.
    pub fn cancel_run(&self, id: u64) -> Result<bool> {
        let path = format!("/actions/runs/{id}/cancel");
        let call = self.call(Method::POST, &path, format!("cancel run {id} of {}", self.name));
        self.client.attempt(&call.harmless().accepting(&[409]), |answer| Ok(answer.status != 409))
    }

    /// The artifacts of a run, only those called `name` if it is given.
    ///
    /// # Errors
    /// When GitHub refuses (needs `actions: read`) or cannot be reached.
    pub fn artifacts(&self, run: u64, name: Option<&str>) -> Result<Vec<Artifact>> {
        #[derive(Deserialize)]
        struct Page {
            artifacts: Vec<Artifact>,
        }
        let filter = name.map(|name| format!("&name={}", query(name))).unwrap_or_default();
        let path = format!("/actions/runs/{run}/artifacts?per_page={PAGE}{filter}");
        let call = self.get(&path, format!("list the artifacts of run {run} of {}", self.name));
        self.client.pages(call, |page: Page| page.artifacts)
    }

    /// Creates a check run from its JSON.
    pub(super) fn create_check_run(&self, body: Value) -> Result<CheckRun> {
        let call = self.call(Method::POST, "/check-runs", format!("create a check run in {}", self.name));
        self.client.json(&call.body(body).harmless())
    }

    /// Changes a check run.
    pub(super) fn update_check_run(&self, id: u64, body: Value) -> Result<CheckRun> {
        let what = format!("update check run {id} of {}", self.name);
        self.client.json(&self.call(Method::PATCH, &format!("/check-runs/{id}"), what).body(body))
    }

    /// Sets a status on a commit. `description` is cut to the 140 characters that GitHub keeps.
    ///
    /// # Errors
    /// When GitHub refuses (needs `statuses: write`) or cannot be reached.
    pub fn set_status(
        &self,
        sha: &str,
        state: StatusState,
        context: &str,
        description: &str,
        link: Option<&str>,
    ) -> Result<()> {
        let path = format!("/statuses/{}", segments(sha)?);
        let call = self.call(Method::POST, &path, format!("set the status of {sha} in {}", self.name));
        let description: String = description.chars().take(140).collect();
        let mut body = json!({ "state": state, "context": context, "description": description });
        if let Some(link) = link {
            body["target_url"] = json!(link);
        }
        self.client.done(&call.body(body).harmless())
    }
}

/// `None` for what is not there.
fn found<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A path of one or more segments, each percent-encoded. Dot segments would lead to another call, so they are refused.
fn segments(path: &str) -> Result<String> {
    if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(GitHubError::local(format!("{path:?} cannot be part of an address")));
    }
    Ok(encode(path, b"/:"))
}

/// A value of a query, percent-encoded.
fn query(value: &str) -> String {
    encode(value, b"")
}

fn encode(text: &str, keep: &[u8]) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || keep.contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::{query, segments};

    #[test]
    fn a_reference_cannot_lead_to_another_call() {
        for hostile in ["../../../user", "a/../b", "..", ".", "a//b", "", "/a", "a/"] {
            assert!(segments(hostile).is_err(), "{hostile:?}");
        }
    }

    #[test]
    fn slashes_of_a_branch_stay_and_everything_else_is_encoded() {
        assert_eq!(segments("feature/ä ?#%").unwrap(), "feature/%C3%A4%20%3F%23%25");
        assert_eq!(query("a&b=c/d"), "a%26b%3Dc%2Fd");
    }
}
