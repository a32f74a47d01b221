//! The two things that only GraphQL can do: hiding a comment, and telling whether a comment is ours.

use super::call::{Address, Call};
use super::transport::JSON;
use super::{Client, GitHubError, Repository, Result};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Why a comment is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Classifier {
    /// Another comment says the same.
    Duplicate,
    /// A newer comment took its place.
    Outdated,
}

const MINIMIZE: &str = "mutation($id: ID!, $classifier: ReportedContentClassifiers!) { \
    minimizeComment(input: {subjectId: $id, classifier: $classifier}) { minimizedComment { isMinimized } } }";

const OURS: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id viewerDidAuthor } } }";

/// How many nodes GitHub takes in one query.
const MAX_NODES: usize = 100;

impl Client {
    /// Sends a document. GraphQL answers 200 with `errors[]` when it fails.
    fn graphql(&self, document: &str, variables: &Value, what: String) -> Result<Value> {
        #[derive(Deserialize)]
        struct Answer {
            #[serde(default)]
            data: Value,
            #[serde(default)]
            errors: Vec<Problem>,
        }
        #[derive(Deserialize)]
        struct Problem {
            #[serde(default)]
            message: String,
        }
        let call = Call {
            what,
            method: Method::POST,
            address: Address::GraphQl,
            body: Some(json!({ "query": document, "variables": variables })),
            // Hiding twice is hiding once.
            repeatable: true,
            accept_status: &[],
            accept: JSON,
        };
        let answer: Answer = self.json(&call)?;
        if answer.errors.is_empty() {
            return Ok(answer.data);
        }
        Err(GitHubError::graphql(&call.what, answer.errors.into_iter().map(|problem| problem.message).collect()))
    }
}

impl Repository<'_> {
    /// Hides a comment.
    pub(crate) fn minimize(&self, node_id: &str, classifier: Classifier) -> Result<()> {
        let classifier = match classifier {
            Classifier::Duplicate => "DUPLICATE",
            Classifier::Outdated => "OUTDATED",
        };
        let what = format!("hide a comment of {}", self.name());
        let data =
            self.client().graphql(MINIMIZE, &json!({ "id": node_id, "classifier": classifier }), what.clone())?;
        match data.pointer("/minimizeComment/minimizedComment/isMinimized") {
            Some(Value::Bool(true)) => Ok(()),
            _ => Err(GitHubError::graphql(&what, vec!["the comment is still shown".to_owned()])),
        }
    }

    /// Which of these comments (by node id) the token's own account wrote.
    pub(crate) fn written_by_us(&self, node_ids: &[&str]) -> Result<BTreeSet<String>> {
        let mut ours = BTreeSet::new();
        for ids in node_ids.chunks(MAX_NODES) {
            let what = format!("find our comments in {}", self.name());
            let data = self.client().graphql(OURS, &json!({ "ids": ids }), what)?;
            let nodes = data.get("nodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            ours.extend(nodes.iter().filter_map(|node| {
                let wrote = node.get("viewerDidAuthor").and_then(Value::as_bool)?;
                wrote.then(|| node.get("id").and_then(Value::as_str).map(str::to_owned))?
            }));
        }
        Ok(ours)
    }
}
