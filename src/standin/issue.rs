//! Comments and reactions.

use super::answer::Answer;
use super::request::Request;
use super::route::Routed;
use super::shape::Shapes;
use super::state::{Note, Repo, State};
use serde_json::Value;

/// What may write comments on pull requests.
const COMMENTS: &[&str] = &["issues", "pull_requests"];

/// What GitHub accepts in a comment, in characters.
const MAX_BODY: usize = 65_536;

const REACTIONS: &[&str] = &["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];

pub(super) fn route(state: &mut State, request: &Request<'_>, name: &str, rest: &[&str]) -> Routed {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let answer = match (request.method, rest) {
        ("GET", ["issues", on, "comments"]) => list(state, request, name, number(on)),
        ("POST", ["issues", on, "comments"]) => create(state, request, name, number(on)),
        ("GET", ["issues", "comments", id]) => Ok(get(state, request, name, number(id))),
        ("PATCH", ["issues", "comments", id]) => update(state, request, name, number(id)),
        ("DELETE", ["issues", "comments", id]) => delete(state, request, name, number(id)),
        ("POST", ["issues", "comments", id, "reactions"]) => react(state, request, name, number(id)),
        ("DELETE", ["issues", "comments", id, "reactions", reaction]) => {
            unreact(state, request, name, number(id), number(reaction))
        }
        _ => return Routed::Unknown,
    };
    Routed::Known(answer.unwrap_or_else(|refusal| refusal))
}

/// The repository, if there is such a conversation in it.
fn conversation<'s>(state: &'s State, name: &str, on: u64) -> Result<&'s Repo, Answer> {
    let repo = &state.repositories[name];
    if !repo.has_issues && !repo.pulls.contains_key(&on) {
        return Err(Answer::refuse(410, "Issues are disabled for this repo"));
    }
    let known = repo.pulls.contains_key(&on) || repo.comments.iter().any(|note| note.on == on);
    if known { Ok(repo) } else { Err(Answer::not_found()) }
}

fn unlocked(repo: &Repo, on: u64, what: &str) -> Result<(), Answer> {
    let locked = repo.pulls.get(&on).is_some_and(|pull| pull.locked);
    if locked {
        Err(Answer::refuse(403, &format!("Unable to {what} comment because issue is locked.")))
    } else {
        Ok(())
    }
}

fn list(state: &State, request: &Request<'_>, name: &str, on: u64) -> Result<Answer, Answer> {
    let repo = conversation(state, name, on)?;
    let shapes = Shapes { api: request.api, state };
    let notes = repo.comments.iter().filter(|note| note.on == on);
    Ok(request.list(notes.map(|note| shapes.comment(repo, note)).collect(), repo.id))
}

fn create(state: &mut State, request: &Request<'_>, name: &str, on: u64) -> Result<Answer, Answer> {
    let login = request.may_write(COMMENTS)?.login.clone();
    unlocked(conversation(state, name, on)?, on, "create")?;
    let body = text(request)?;
    let id = state.add_comment(name, on, &login, &body);
    Ok(shown(state, request, name, id, 201))
}

fn get(state: &State, request: &Request<'_>, name: &str, id: u64) -> Answer {
    shown(state, request, name, id, 200)
}

fn update(state: &mut State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    let token = request.may_write(COMMENTS)?.clone();
    let body = text(request)?;
    let now = state.time();
    let on = note(state, name, id)?.on;
    unlocked(&state.repositories[name], on, "update")?;
    let note = note(state, name, id)?;
    // A job's token may edit any comment as far as its rights go; a person without rights only their own. The stand-in
    // knows persons with write access only, so that a foreign comment is refused to a job alone.
    if !token.personal && note.author.as_deref() != Some(token.login.as_str()) {
        return Err(Answer::refuse(403, "You cannot edit this comment"));
    }
    note.body = body;
    note.updated = now;
    let next = note.overwrites.pop_front();
    let answer = shown(state, request, name, id, 200);
    if let Some(text) = next {
        self::note(state, name, id)?.body = text;
    }
    Ok(answer)
}

fn delete(state: &mut State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    request.may_write(COMMENTS)?;
    note(state, name, id)?;
    if let Some(repo) = state.repositories.get_mut(name) {
        repo.comments.retain(|note| note.id != id);
    }
    Ok(Answer::empty(204))
}

fn react(state: &mut State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    let login = request.may_write(COMMENTS)?.login.clone();
    let content = request.json()?.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !REACTIONS.contains(&content.as_str()) {
        return Err(Answer::invalid("Reaction", "content", "invalid", None));
    }
    let next = state.number();
    let note = note(state, name, id)?;
    let existing = note.reactions.iter().find(|(_, who, what)| *who == login && *what == content).cloned();
    let (status, reaction) = match existing {
        Some(reaction) => (200, reaction),
        None => {
            note.reactions.push((next, login, content));
            (201, note.reactions[note.reactions.len() - 1].clone())
        }
    };
    Ok(Answer::json(status, &Shapes { api: request.api, state }.reaction(&reaction)))
}

fn unreact(state: &mut State, request: &Request<'_>, name: &str, id: u64, reaction: u64) -> Result<Answer, Answer> {
    request.may_write(COMMENTS)?;
    let note = note(state, name, id)?;
    let before = note.reactions.len();
    note.reactions.retain(|(known, ..)| *known != reaction);
    if note.reactions.len() == before { Err(Answer::not_found()) } else { Ok(Answer::empty(204)) }
}

fn note<'s>(state: &'s mut State, name: &str, id: u64) -> Result<&'s mut Note, Answer> {
    let notes = state.repositories.get_mut(name).map(|repo| &mut repo.comments).ok_or_else(Answer::not_found)?;
    notes.iter_mut().find(|note| note.id == id).ok_or_else(Answer::not_found)
}

fn shown(state: &State, request: &Request<'_>, name: &str, id: u64, status: u16) -> Answer {
    let repo = &state.repositories[name];
    let shapes = Shapes { api: request.api, state };
    repo.comments
        .iter()
        .find(|note| note.id == id)
        .map_or_else(Answer::not_found, |note| Answer::json(status, &shapes.comment(repo, note)))
}

/// The text of a comment to be written, within GitHub's limit.
fn text(request: &Request<'_>) -> Result<String, Answer> {
    let value = request.json()?;
    let Some(body) = value.get("body").and_then(Value::as_str) else {
        return Err(Answer::invalid("IssueComment", "body", "missing_field", None));
    };
    if body.trim().is_empty() {
        return Err(Answer::invalid("IssueComment", "data", "unprocessable", Some("Body cannot be blank")));
    }
    if body.chars().count() > MAX_BODY { Err(Answer::too_long()) } else { Ok(body.to_owned()) }
}
