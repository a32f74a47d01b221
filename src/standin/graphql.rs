//! GraphQL, as far as comments need it.

mod document;

use super::answer::Answer;
use super::request::Request;
use super::shape::node_id;
use super::state::{Note, State, Token};
use document::Field;
use serde_json::{Map, Value, json};

/// Answers a document. `Err`: GitHub would not understand it, which is a fault of the client.
pub(super) fn answer(state: &mut State, request: &Request<'_>) -> Result<Answer, String> {
    let Some(token) = request.token.clone() else {
        return Ok(Answer::refuse(401, "This endpoint requires you to be authenticated."));
    };
    let body: Value = serde_json::from_slice(request.body).map_err(|error| error.to_string())?;
    let document = body.get("query").and_then(Value::as_str).ok_or("there is no query")?;
    let variables = body.get("variables").and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut data, mut errors) = (Map::new(), Vec::new());
    for field in document::read(document, &variables)? {
        let value = match field.name.as_str() {
            "minimizeComment" => minimize(state, &token, &field),
            _ => nodes(state, &token, &field),
        };
        match value {
            Ok(value) => data.insert(field.name, value),
            Err((kind, message)) => {
                errors.push(json!({ "type": kind, "path": [field.name], "message": message }));
                data.insert(field.name, Value::Null)
            }
        };
    }
    let mut value = json!({ "data": data });
    if !errors.is_empty() {
        value["errors"] = json!(errors);
    }
    Ok(Answer::json(200, &value))
}

type Refusal = (&'static str, String);

fn minimize(state: &mut State, token: &Token, field: &Field) -> Result<Value, Refusal> {
    let text = |name: &str| field.arguments["input"].get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if !token.writes.contains("pull_requests") && !token.writes.contains("issues") {
        return Err(("FORBIDDEN", "Resource not accessible by integration".to_owned()));
    }
    let id = text("subjectId");
    let note = state
        .repositories
        .values_mut()
        .flat_map(|repo| &mut repo.comments)
        .find(|note| node_id("IssueComment", note.id) == id)
        .ok_or_else(|| ("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'")))?;
    note.minimized = Some(text("classifier").to_lowercase());
    Ok(json!({ "minimizedComment": { "isMinimized": true } }))
}

fn nodes(state: &State, token: &Token, field: &Field) -> Result<Value, Refusal> {
    let notes: Vec<&Note> = state.repositories.values().flat_map(|repo| &repo.comments).collect();
    let ids = field.arguments["ids"].as_array().map(Vec::as_slice).unwrap_or_default();
    let node = |id: &Value| {
        let note = notes.iter().find(|note| *id == json!(node_id("IssueComment", note.id)));
        note.map_or(Value::Null, |note| {
            json!({
                "id": id, "viewerDidAuthor": note.author.as_deref() == Some(token.login.as_str()),
                "isMinimized": note.minimized.is_some(),
            })
        })
    };
    Ok(ids.iter().map(node).collect())
}
