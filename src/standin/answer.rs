//! Answers of the stand-in, and how they become HTTP.

use serde_json::{Value, json};

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
}

/// What follows the head of an answer.
#[derive(Debug, Clone)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// The connection ends instead.
    HangUp,
    /// Nothing ever comes.
    Never,
}

impl Answer {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", value.to_string().into_bytes())
    }

    pub(super) fn new(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: Body::Bytes(body) }
    }

    pub(super) const fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Bytes(Vec::new()) }
    }

    pub(super) const fn broken(body: Body) -> Self {
        Self { status: 200, headers: Vec::new(), body }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// GitHub's form of a refusal.
    pub(super) fn refuse(status: u16, message: &str) -> Self {
        let value = json!({
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": status.to_string(),
        });
        Self::json(status, &value)
    }

    pub(super) fn not_found() -> Self {
        Self::refuse(404, "Not Found")
    }

    /// GitHub's form of a request that is wrong.
    pub(super) fn invalid(resource: &str, field: &str, code: &str, message: Option<&str>) -> Self {
        let mut error = json!({ "resource": resource, "field": field, "code": code });
        if let Some(message) = message {
            error["message"] = json!(message);
        }
        let value = json!({
            "message": "Validation Failed",
            "errors": [error],
            "documentation_url": "https://docs.github.com/rest/issues/comments#create-an-issue-comment",
            "status": "422",
        });
        Self::json(422, &value)
    }

    /// A text that is longer than a comment can be.
    pub(super) fn too_long() -> Self {
        let message = "Body is too long (maximum is 65536 characters)";
        Self::invalid("IssueComment", "data", "unprocessable", Some(message))
    }

    /// The token may not do this.
    pub(super) fn no_permission(personal: bool, accepted: &str) -> Self {
        let whose = if personal { "personal access token" } else { "integration" };
        Self::refuse(403, &format!("Resource not accessible by {whose}"))
            .with("x-accepted-github-permissions", accepted)
    }
}
