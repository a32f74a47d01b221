//! Runs, artifacts, check runs and statuses.

use super::answer::Answer;
use super::request::Request;
use super::route::Routed;
use super::shape::{Shapes, node_id};
use super::state::{Check, State, Status};
use serde_json::{Value, json};

const CONCLUSIONS: &[&str] =
    &["action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out"];

/// What GitHub accepts in a check run's summary, in characters.
const MAX_SUMMARY: usize = 65_535;

pub(super) fn route(state: &mut State, request: &Request<'_>, name: &str, rest: &[&str]) -> Routed {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let answer = match (request.method, rest) {
        ("GET", ["actions", "runs", id]) => Ok(run(state, request, name, number(id))),
        ("POST", ["actions", "runs", id, "cancel"]) => cancel(state, request, name, number(id)),
        ("GET", ["actions", "runs", id, "artifacts"]) => Ok(artifacts(state, request, name, number(id))),
        ("GET", ["actions", "artifacts", id, "zip"]) => download(state, request, name, number(id)),
        ("POST", ["check-runs"]) => create_check(state, request, name),
        ("PATCH", ["check-runs", id]) => update_check(state, request, name, number(id)),
        ("POST", ["statuses", sha]) => status(state, request, name, sha),
        _ => return Routed::Unknown,
    };
    Routed::Known(answer.unwrap_or_else(|refusal| refusal))
}

fn run(state: &State, request: &Request<'_>, name: &str, id: u64) -> Answer {
    let repo = &state.repositories[name];
    let shapes = Shapes { api: request.api, state };
    repo.runs.get(&id).map_or_else(Answer::not_found, |run| Answer::json(200, &shapes.run(repo, id, run)))
}

fn cancel(state: &mut State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    request.may_write(&["actions"])?;
    let run = state.repositories.get_mut(name).and_then(|repo| repo.runs.get_mut(&id)).ok_or_else(Answer::not_found)?;
    if run.status == "completed" {
        return Err(Answer::refuse(409, "Cannot cancel a workflow run that is completed."));
    }
    run.status = "completed".to_owned();
    run.conclusion = Some("cancelled".to_owned());
    Ok(Answer::json(202, &json!({})))
}

fn artifacts(state: &State, request: &Request<'_>, name: &str, run: u64) -> Answer {
    let repo = &state.repositories[name];
    if !repo.runs.contains_key(&run) {
        return Answer::not_found();
    }
    let shapes = Shapes { api: request.api, state };
    let wanted = request.query.get("name");
    let found = repo.artifacts.iter().filter(|kept| kept.run == run && wanted.is_none_or(|name| *name == kept.name));
    let all: Vec<Value> = found.map(|kept| shapes.artifact(repo, kept)).collect();
    let total = all.len();
    let (page, link) = request.page(all, repo.id);
    let answer = Answer::json(200, &json!({ "total_count": total, "artifacts": page }));
    match link {
        Some(link) => answer.with("link", link),
        None => answer,
    }
}

fn download(state: &State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    // Even for a public repository GitHub wants to know who downloads.
    request.token.as_ref().ok_or_else(|| Answer::refuse(401, "Requires authentication"))?;
    let kept = state.repositories[name].artifacts.iter().find(|kept| kept.id == id).ok_or_else(Answer::not_found)?;
    if kept.expired {
        return Err(Answer::refuse(410, "Artifact has expired"));
    }
    let location = format!("{}/artifact/{id}?se=2026-01-05T08%3A01%3A00Z&sig=a-secret-signature", request.storage);
    Ok(Answer::empty(302).with("location", location))
}

/// What the storage answers: the archive.
pub(super) fn stored(state: &State, path: &str) -> Option<Answer> {
    let id: u64 = path.strip_prefix("/artifact/")?.parse().ok()?;
    let kept = state.repositories.values().flat_map(|repo| &repo.artifacts).find(|kept| kept.id == id)?;
    Some(Answer::new(200, "application/zip", kept.archive.clone()))
}

fn create_check(state: &mut State, request: &Request<'_>, name: &str) -> Result<Answer, Answer> {
    if request.may_write(&["checks"])?.personal {
        return Err(Answer::refuse(403, "You must authenticate via a GitHub App."));
    }
    let body = request.json()?;
    let field = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let missing = |field: &str| Answer::invalid("CheckRun", field, "missing_field", None);
    let check = Check {
        id: state.number(),
        name: field("name").ok_or_else(|| missing("name"))?,
        head_sha: field("head_sha").ok_or_else(|| missing("head_sha"))?,
        conclusion: None,
        title: String::new(),
        summary: String::new(),
    };
    if !state.repositories[name].commits.contains_key(&check.head_sha) {
        return Err(Answer::refuse(422, &format!("No commit found for SHA: {}", check.head_sha)));
    }
    let check = filled(check, &body)?;
    let answer = Answer::json(201, &Shapes { api: request.api, state }.check(&state.repositories[name], &check));
    if let Some(repo) = state.repositories.get_mut(name) {
        repo.checks.push(check);
    }
    Ok(answer)
}

fn update_check(state: &mut State, request: &Request<'_>, name: &str, id: u64) -> Result<Answer, Answer> {
    request.may_write(&["checks"])?;
    let body = request.json()?;
    let checks = state.repositories.get_mut(name).map(|repo| &mut repo.checks).ok_or_else(Answer::not_found)?;
    let check = checks.iter_mut().find(|check| check.id == id).ok_or_else(Answer::not_found)?;
    *check = filled(check.clone(), &body)?;
    let check = check.clone();
    Ok(Answer::json(200, &Shapes { api: request.api, state }.check(&state.repositories[name], &check)))
}

/// A check run with what a request says of it.
fn filled(mut check: Check, body: &Value) -> Result<Check, Answer> {
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
    if let Some(conclusion) = text("/conclusion") {
        if !CONCLUSIONS.contains(&conclusion) {
            return Err(Answer::invalid("CheckRun", "conclusion", "invalid", None));
        }
        check.conclusion = Some(conclusion.to_owned());
    }
    if let Some(name) = text("/name") {
        name.clone_into(&mut check.name);
    }
    if let (Some(title), Some(summary)) = (text("/output/title"), text("/output/summary")) {
        if summary.chars().count() > MAX_SUMMARY {
            return Err(Answer::invalid("CheckRun", "summary", "too_long", None));
        }
        (check.title, check.summary) = (title.to_owned(), summary.to_owned());
    }
    Ok(check)
}

fn status(state: &mut State, request: &Request<'_>, name: &str, sha: &str) -> Result<Answer, Answer> {
    let login = request.may_write(&["statuses"])?.login.clone();
    let body = request.json()?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    if !matches!(text("state"), Some("error" | "failure" | "pending" | "success")) {
        return Err(Answer::invalid("Status", "state", "invalid", None));
    }
    if text("description").is_some_and(|description| description.chars().count() > 140) {
        let message = "description is too long (maximum is 140 characters)";
        return Err(Answer::invalid("Status", "description", "custom", Some(message)));
    }
    let status = Status {
        sha: sha.to_owned(),
        context: text("context").unwrap_or("default").to_owned(),
        state: text("state").unwrap_or_default().to_owned(),
    };
    let (id, now) = (state.number(), state.time());
    let creator = Shapes { api: request.api, state }.user(&login);
    let value = json!({
        "id": id, "node_id": node_id("Status", id), "url": format!("{}/repos/{name}/statuses/{sha}", request.api),
        "avatar_url": null, "state": status.state, "description": text("description"), "target_url": text("target_url"),
        "context": status.context, "created_at": now, "updated_at": now, "creator": creator,
    });
    if let Some(repo) = state.repositories.get_mut(name) {
        repo.statuses.push(status);
    }
    Ok(Answer::json(201, &value))
}
