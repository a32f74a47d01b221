//! The judge of the stand-in and of the client: GitHub's own OpenAPI description, cut down to what bench-bot uses.

use bench_bot::standin::{Exchange, Observer, Server};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

const DESCRIPTION: &str = include_str!("../../data/github/openapi.json");

static JUDGE: LazyLock<Judge> = LazyLock::new(Judge::new);

/// Checks every exchange with the REST API.
pub(crate) fn observer() -> Observer {
    Box::new(|exchange| JUDGE.problems(exchange))
}

struct Judge {
    paths: Map<String, Value>,
    components: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Judge {
    fn new() -> Self {
        let mut description: Value = serde_json::from_str(DESCRIPTION).unwrap();
        to_json_schema(&mut description["components"]["schemas"]);
        to_json_schema(&mut description["components"]["responses"]);
        to_json_schema(&mut description["paths"]);
        let paths = description["paths"].as_object().unwrap().clone();
        Self { paths, components: description["components"].clone(), validators: Mutex::default() }
    }

    fn problems(&self, exchange: &Exchange) -> Vec<String> {
        if exchange.server != Server::Api {
            return Vec::new();
        }
        let mut problems = headers(exchange);
        let Some((template, parameters)) = self.find(&exchange.path) else {
            problems.push("GitHub has no such path, or openapi.json lacks it".to_owned());
            return problems;
        };
        let method = exchange.method.to_lowercase();
        let operation = &self.paths[&template][&method];
        if operation.is_null() {
            problems.push(format!("{template} has no {method}, or openapi.json lacks it"));
            return problems;
        }
        problems.extend(self.addressed(operation, exchange, &parameters));
        let key = format!("{method} {template}");
        problems.extend(self.asked(operation, exchange, &key));
        if !exchange.injected {
            problems.extend(self.answered(operation, exchange, &key));
        }
        problems
    }

    /// The template of a path, the most literal one that fits, and the values of its parameters.
    fn find(&self, path: &str) -> Option<(String, HashMap<String, String>)> {
        let asked: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let asked: Vec<&str> = match asked.as_slice() {
            ["repositories", _, rest @ ..] => ["repos", "owner", "name"].iter().chain(rest).copied().collect(),
            other => other.to_vec(),
        };
        let fits = |template: &&String| fit(template, &asked).is_some();
        let literal = |template: &&String| template.split('/').filter(|segment| !segment.starts_with('{')).count();
        let best = self.paths.keys().filter(fits).max_by_key(literal)?;
        Some((best.clone(), fit(best, &asked)?))
    }

    /// Path and query parameters.
    fn addressed(&self, operation: &Value, exchange: &Exchange, parameters: &HashMap<String, String>) -> Vec<String> {
        let known: Vec<&Value> =
            operation["parameters"].as_array().into_iter().flatten().map(|parameter| self.resolve(parameter)).collect();
        let find = |place: &str, name: &str| {
            known.iter().find(|parameter| parameter["in"] == place && parameter["name"] == name).copied()
        };
        let mut problems = Vec::new();
        for (name, value) in parameters {
            let integer = find("path", name).is_some_and(|parameter| parameter["schema"]["type"] == "integer");
            if integer && value.parse::<u64>().is_err() {
                problems.push(format!("{name} = {value:?} is no integer"));
            }
        }
        for pair in exchange.query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match find("query", name) {
                None => problems.push(format!("there is no query parameter {name}")),
                Some(parameter) => {
                    let schema = &parameter["schema"];
                    let allowed = schema["enum"].as_array().is_none_or(|values| values.contains(&json!(value)));
                    if !allowed || (schema["type"] == "integer" && value.parse::<u64>().is_err()) {
                        problems.push(format!("query parameter {name} cannot be {value:?}"));
                    }
                }
            }
        }
        problems
    }

    fn asked(&self, operation: &Value, exchange: &Exchange, key: &str) -> Vec<String> {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        match (schema.is_null(), exchange.body.is_empty()) {
            (true, true) => Vec::new(),
            (true, false) => vec!["a body where none belongs".to_owned()],
            (false, true) if operation["requestBody"]["required"] == true => vec!["the body is missing".to_owned()],
            (false, true) => Vec::new(),
            (false, false) => self.check(&format!("{key} request"), schema, &exchange.body),
        }
    }

    fn answered(&self, operation: &Value, exchange: &Exchange, key: &str) -> Vec<String> {
        let status = exchange.status;
        if matches!(status, 204 | 301 | 302 | 304 | 307 | 308) {
            return Vec::new();
        }
        let response = self.resolve(&operation["responses"][status.to_string()]);
        let schema = &response["content"]["application/json"]["schema"];
        if !schema.is_null() {
            return self.check(&format!("{key} {status}"), schema, &exchange.answer);
        }
        // The description does not list every refusal; all have a message.
        let message = serde_json::from_slice::<Value>(&exchange.answer).is_ok_and(|value| value["message"].is_string());
        if status >= 400 && message { Vec::new() } else { vec![format!("{status} is not described for this")] }
    }

    fn check(&self, key: &str, schema: &Value, body: &[u8]) -> Vec<String> {
        let Ok(mut value) = serde_json::from_slice::<Value>(body) else { return vec![format!("{key}: not JSON")] };
        allow_deleted_forks(&mut value);
        let validator = self.validator(key, schema);
        let show = |error: jsonschema::ValidationError<'_>| {
            format!("{key}: {:.300} at {}", error.to_string(), error.instance_path())
        };
        validator.iter_errors(&value).map(show).collect()
    }

    fn validator(&self, key: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let made = validators.entry(key.to_owned()).or_insert_with(|| {
            let mut root = schema.clone();
            root["components"] = self.components.clone();
            Arc::new(jsonschema::options().with_draft(Draft::Draft4).build(&root).unwrap())
        });
        Arc::clone(made)
    }

    /// What a `$ref` leads to.
    fn resolve<'v>(&'v self, value: &'v Value) -> &'v Value {
        let path = value["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/components"));
        path.and_then(|path| self.components.pointer(path)).unwrap_or(value)
    }
}

/// What GitHub asks of every client.
fn headers(exchange: &Exchange) -> Vec<String> {
    let values = |name: &str| -> Vec<&str> {
        exchange.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    };
    [("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")]
        .into_iter()
        .filter(|(name, expected)| values(name) != [*expected])
        .map(|(name, expected)| format!("header {name} is {:?}, not {expected:?}", values(name)))
        .chain(values("user-agent").is_empty().then(|| "there is no user-agent".to_owned()))
        .collect()
}

/// The parameters of `template` if it fits the path. The last parameter may hold slashes where GitHub allows it.
fn fit(template: &str, asked: &[&str]) -> Option<HashMap<String, String>> {
    let parts: Vec<&str> = template.trim_start_matches('/').split('/').collect();
    let mut found = HashMap::new();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        let wide = last && matches!(name, Some("path" | "ref" | "basehead"));
        let value = if wide { asked.get(index..)?.join("/") } else { (*asked.get(index)?).to_owned() };
        match name {
            Some(name) => {
                found.insert(name.to_owned(), value);
            }
            None if value == **part => {}
            None => return None,
        }
        if last && !wide && asked.len() != parts.len() {
            return None;
        }
    }
    Some(found)
}

/// A pull request whose fork was deleted has `head.repo: null`, which the description forgets.
fn allow_deleted_forks(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(allow_deleted_forks),
        Value::Object(_) if value.pointer("/head/repo") == Some(&Value::Null) => {
            value["head"]["repo"] = value["base"]["repo"].clone();
        }
        _ => {}
    }
}

/// OpenAPI 3.0 writes `nullable` where JSON Schema adds a type.
fn to_json_schema(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let nullable = map.get("nullable") == Some(&Value::Bool(true));
            if nullable {
                map.remove("nullable");
            }
            map.values_mut().for_each(to_json_schema);
            if nullable {
                add_null(map);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(to_json_schema),
        _ => {}
    }
}

fn add_null(map: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = map.get("type").cloned() {
        map.insert("type".to_owned(), json!([kind, "null"]));
        if let Some(Value::Array(values)) = map.get_mut("enum") {
            values.push(Value::Null);
        }
    } else {
        let inner = Value::Object(std::mem::take(map));
        map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
    }
}

#[cfg(test)]
mod tests {
    use super::JUDGE;
    use bench_bot::standin::{Exchange, Server};

    fn exchange(method: &str, path: &str, body: &str) -> Exchange {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Exchange {
            server: Server::Api,
            method: method.to_owned(),
            path: path.to_owned(),
            query: String::new(),
            authorization: None,
            headers: vec![
                header("accept", "application/vnd.github+json"),
                header("x-github-api-version", "2022-11-28"),
                header("user-agent", "test"),
            ],
            body: body.as_bytes().to_vec(),
            status: 0,
            answer: Vec::new(),
            injected: true,
        }
    }

    #[test]
    fn the_judge_finds_what_is_wrong_and_only_that() {
        let comments = "/repos/o/r/issues/7/comments";
        let judge = |method: &str, path: &str, body: &str| JUDGE.problems(&exchange(method, path, body));
        assert_eq!(judge("POST", comments, r#"{"body":"hi"}"#), [""; 0]);
        assert_eq!(judge("GET", "/repositories/12/commits/feature/x", ""), [""; 0]);
        for (method, path, body) in [
            ("POST", comments, r#"{"bdy":"hi"}"#),
            ("POST", comments, r#"{"body":5}"#),
            ("POST", comments, ""),
            ("GET", comments, "{}"),
            ("PUT", comments, "{}"),
            ("GET", "/repos/o/r/issues/seven/comments", ""),
            ("GET", "/repos/o/r/stargazers", ""),
        ] {
            assert_ne!(judge(method, path, body), [""; 0], "{method} {path} {body}");
        }
        let mut unknown_query = exchange("GET", comments, "");
        unknown_query.query = "pagesize=3".to_owned();
        assert_eq!(JUDGE.problems(&unknown_query).len(), 1);
    }
}
