//! What the stand-in answers to a request of the REST API.

use super::answer::Answer;
use super::request::Request;
use super::shape::Shapes;
use super::state::{Repo, State};
use super::{action, graphql, issue};
use serde_json::{Value, json};

/// An answer, and whether the stand-in knows such a request at all.
pub(super) enum Routed {
    Known(Answer),
    Unknown,
}

/// Answers a request below the API's address.
pub(super) fn rest(state: &mut State, request: &Request<'_>) -> Routed {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let (name, rest) = match path.as_slice() {
        ["repos", owner, name, rest @ ..] => (format!("{owner}/{name}"), rest),
        ["repositories", id, rest @ ..] => {
            let found = state.repositories.values().find(|repo| repo.id.to_string() == *id);
            (found.map(|repo| repo.full_name.clone()).unwrap_or_default(), rest)
        }
        _ => return Routed::Unknown,
    };
    let Some(name) = spelled(state, &name) else { return Routed::Known(missing(state, request, &name, rest)) };
    if state.repositories[&name].private && request.token.is_none() {
        return Routed::Known(Answer::not_found());
    }
    for route in [issue::route, action::route, read] {
        if let Routed::Known(answer) = route(state, request, &name, rest) {
            return Routed::Known(answer);
        }
    }
    Routed::Unknown
}

/// Answers a request to GraphQL.
pub(super) fn graphql(state: &mut State, request: &Request<'_>) -> Result<Answer, String> {
    graphql::answer(state, request)
}

/// GitHub does not mind the case of a name.
fn spelled(state: &State, name: &str) -> Option<String> {
    state.repositories.keys().find(|known| known.eq_ignore_ascii_case(name)).cloned()
}

/// A repository that was renamed or moved is found by its number; any other is not there.
fn missing(state: &State, request: &Request<'_>, name: &str, rest: &[&str]) -> Answer {
    let moved = state.repositories.values().find(|repo| repo.former_names.iter().any(|former| former == name));
    let Some(repo) = moved else { return Answer::not_found() };
    let query: Vec<String> = request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let slash = if rest.is_empty() { "" } else { "/" };
    let url = format!("{}/repositories/{}{slash}{}{query}", request.api, repo.id, rest.join("/"));
    let (status, message) =
        if request.method == "GET" { (301, "Moved Permanently") } else { (307, "Temporary Redirect") };
    let value = json!({ "message": message, "url": url, "documentation_url": "https://docs.github.com/rest" });
    Answer::json(status, &value).with("location", url)
}

/// Repositories, pull requests, commits and files: what is only read.
fn read(state: &mut State, request: &Request<'_>, name: &str, rest: &[&str]) -> Routed {
    if request.method != "GET" {
        return Routed::Unknown;
    }
    let answer = match rest {
        [] => {
            let shapes = Shapes { api: request.api, state };
            Answer::json(200, &shapes.repository(&state.repositories[name]))
        }
        ["pulls"] => pulls(state, request, name, |_| true),
        ["pulls", number] => pull(state, request, name, number),
        ["pulls", number, "files"] => files(state, request, name, number),
        ["commits", sha, "pulls"] => {
            let sha = (*sha).to_owned();
            pulls(state, request, name, move |pull_sha| pull_sha == sha)
        }
        ["commits", reference @ ..] => commit(state, request, name, &reference.join("/")),
        ["compare", range @ ..] => compare(state, request, name, &range.join("/")),
        ["contents", path @ ..] => contents(state, request, name, &path.join("/")),
        ["collaborators", login, "permission"] => permission(state, request, name, login),
        _ => return Routed::Unknown,
    };
    Routed::Known(answer)
}

fn pull(state: &mut State, request: &Request<'_>, name: &str, number: &str) -> Answer {
    let shapes = Shapes { api: request.api, state };
    let repo = &state.repositories[name];
    let Some(pull) = number.parse().ok().and_then(|number: u64| repo.pulls.get(&number)) else {
        return Answer::not_found();
    };
    let (number, answer) = (pull.number, Answer::json(200, &shapes.pull(repo, pull, true)));
    if let Some(pull) = state.repositories.get_mut(name).and_then(|repo| repo.pulls.get_mut(&number))
        && let Some(pushed) = pull.pushes.pop_front()
    {
        pull.head_sha = pushed;
    }
    answer
}

fn pulls(state: &State, request: &Request<'_>, name: &str, with: impl Fn(&str) -> bool) -> Answer {
    let shapes = Shapes { api: request.api, state };
    let repo = &state.repositories[name];
    let wanted = request.query.get("state").map_or("open", String::as_str);
    let everything = request.path.iter().any(|segment| segment == "commits") || wanted == "all";
    let found = repo.pulls.values().filter(|pull| {
        let value = shapes.pull(repo, pull, false);
        let head = request.query.get("head").is_none_or(|head| value["head"]["label"] == **head);
        head && with(&pull.head_sha) && (everything || value["state"] == wanted)
    });
    request.list(found.map(|pull| shapes.pull(repo, pull, false)).collect(), repo.id)
}

fn files(state: &State, request: &Request<'_>, name: &str, number: &str) -> Answer {
    let repo = &state.repositories[name];
    let Some(pull) = number.parse().ok().and_then(|number: u64| repo.pulls.get(&number)) else {
        return Answer::not_found();
    };
    let file = |path: &String| {
        let url = format!("{}/repos/{name}/contents/{path}?ref={}", request.api, pull.head_sha);
        json!({
            "sha": pull.head_sha, "filename": path, "status": "modified", "additions": 1, "deletions": 1, "changes": 2,
            "blob_url": url, "raw_url": url, "contents_url": url,
        })
    };
    request.list(pull.changed.iter().map(file).collect(), repo.id)
}

fn commit(state: &State, request: &Request<'_>, name: &str, reference: &str) -> Answer {
    let shapes = Shapes { api: request.api, state };
    let repo = &state.repositories[name];
    let found = repo.resolve(reference).and_then(|sha| repo.commits.get_key_value(&sha));
    match found {
        Some((sha, node)) => Answer::json(200, &shapes.commit(repo, sha, node)),
        None => {
            let message = format!("No commit found for SHA: {reference}");
            let url = "https://docs.github.com/rest/commits/commits#get-a-commit";
            Answer::json(422, &json!({ "message": message, "documentation_url": url, "status": "422" }))
        }
    }
}

fn compare(state: &State, request: &Request<'_>, name: &str, range: &str) -> Answer {
    let shapes = Shapes { api: request.api, state };
    let repo = &state.repositories[name];
    let resolve = |text: &str| repo.resolve(text.split_once(':').map_or(text, |(_, branch)| branch));
    let Some((base, head)) = range.split_once("...").and_then(|(base, head)| Some((resolve(base)?, resolve(head)?)))
    else {
        return Answer::not_found();
    };
    let (before, after) = (repo.history(&base), repo.history(&head));
    let common: Vec<&String> = before.intersection(&after).collect();
    // The best common ancestor has all the others in its history.
    let Some(best) = common.iter().max_by_key(|sha| repo.history(sha).len()) else {
        return Answer::refuse(404, &format!("No common ancestor between {base} and {head}."));
    };
    let (ahead, behind) = (after.difference(&before).count(), before.difference(&after).count());
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let commit = |sha: &str| shapes.commit(repo, sha, &repo.commits[sha]);
    let web = format!("https://github.com/{name}/compare/{base}...{head}");
    let value = json!({
        "url": format!("{}/repos/{name}/compare/{base}...{head}", request.api), "html_url": web, "permalink_url": web,
        "diff_url": format!("{web}.diff"), "patch_url": format!("{web}.patch"), "base_commit": commit(&base),
        "merge_base_commit": commit(best), "status": status, "ahead_by": ahead, "behind_by": behind,
        "total_commits": ahead, "commits": [], "files": [],
    });
    Answer::json(200, &value)
}

fn contents(state: &State, request: &Request<'_>, name: &str, path: &str) -> Answer {
    let repo = &state.repositories[name];
    let reference = request.query.get("ref").unwrap_or(&repo.default_branch);
    let Some(sha) = repo.resolve(reference) else {
        return Answer::refuse(404, &format!("No commit found for the ref {reference}"));
    };
    let url = format!("{}/repos/{name}/contents/{path}?ref={reference}", request.api);
    let entry = |path: &str, size: usize, kind: &str| {
        json!({
            "type": kind, "name": path.rsplit('/').next(), "path": path, "sha": sha, "size": size, "url": url, "html_url": url,
            "git_url": url, "download_url": url, "_links": { "self": url, "git": url, "html": url },
        })
    };
    let folder: Vec<Value> = repo
        .files
        .iter()
        .filter(|((commit, file), _)| *commit == sha && file.starts_with(&format!("{path}/")))
        .map(|((_, file), content)| entry(file, content.len(), "file"))
        .collect();
    match repo.files.get(&(sha.clone(), path.to_owned())) {
        Some(content) => {
            let mut value = entry(path, content.len(), "file");
            value["encoding"] = json!("base64");
            value["content"] = json!(wrapped_base64(content));
            Answer::json(200, &value)
        }
        None if !folder.is_empty() => Answer::json(200, &Value::Array(folder)),
        None => Answer::not_found(),
    }
}

/// GitHub breaks base64 into lines of 60.
fn wrapped_base64(content: &[u8]) -> String {
    use base64::Engine as _;
    let packed = base64::engine::general_purpose::STANDARD.encode(content);
    let lines = packed.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned() + "\n");
    lines.collect()
}

fn permission(state: &State, request: &Request<'_>, name: &str, login: &str) -> Answer {
    let repo: &Repo = &state.repositories[name];
    if !state.accounts.contains_key(login) {
        return Answer::refuse(404, &format!("{login} is not a user"));
    }
    let role = repo.roles.get(login).map(String::as_str).unwrap_or(if repo.private { "none" } else { "read" });
    // The older word knows four values only.
    let permission = match role {
        "admin" => "admin",
        "maintain" | "write" => "write",
        "triage" | "read" => "read",
        "none" => "none",
        _custom => "read",
    };
    let mut user = Shapes { api: request.api, state }.user(login);
    user["permissions"] = json!({
        "pull": permission != "none", "triage": permission != "none", "push": matches!(permission, "write" | "admin"),
        "maintain": permission == "admin", "admin": permission == "admin",
    });
    user["role_name"] = json!(role);
    Answer::json(200, &json!({ "permission": permission, "role_name": role, "user": user }))
}
