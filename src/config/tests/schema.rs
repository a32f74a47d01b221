use super::super::raw::RawConfig;
use super::EVERY_KEY;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The schema of the file, without `null`: a key without a value is refused.
fn schema() -> Value {
    let mut schema = serde_json::to_value(schemars::schema_for!(RawConfig)).unwrap();
    without_null(&mut schema);
    schema
}

fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    map["type"] = only.clone();
                }
            }
            if let Some(Value::Array(any)) = map.get_mut("anyOf") {
                any.retain(|one| one.get("type") != Some(&Value::from("null")));
                if let [Value::Object(only)] = any.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn complaints(yaml: &str) -> Vec<String> {
    let instance: Value = serde_yaml::from_str(yaml).unwrap();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    validator.iter_errors(&instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_schema_in_the_repository_is_current() {
    let path = file("docs/schema/config.schema.json");
    let current = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("BENCH_BOT_UPDATE").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "run the tests once with BENCH_BOT_UPDATE=1 to write {}", path.display());
}

#[test]
fn what_is_accepted_is_valid_by_the_schema() {
    let example = std::fs::read_to_string(file("bench-bot.example.yml")).unwrap();
    let short = "report: {fail-on: regression}\nhost: {boost: false, cpus: 3}\ncompare: {threshold: 0.02}\n";
    for yaml in [EVERY_KEY, &example, "{}", "rounds: {fixed: 20}", "rounds: 20", short] {
        super::good(yaml);
        assert_eq!(complaints(yaml), Vec::<String>::new(), "{yaml}");
    }
}

#[test]
fn what_an_editor_can_know_to_be_wrong_is_invalid_by_the_schema() {
    for yaml in [
        "suite: []",
        "rounds: 7",
        "rounds: 8+16",
        "budget: 10",
        "suites: [{run: [a]}]",
        "isolation: vm",
        "report: {fail-on: always}",
        "command: {permission: none}",
        "compare: {threshold: 2}",
        "suites: [{run: x, head: {filter: y}}]",
        "suites: [{run: x, setup: ~}]",
        "suites: [{checkout: {extra: [{repo: a/b, path: c}]}}]",
    ] {
        super::bad(yaml);
        assert!(!complaints(yaml).is_empty(), "{yaml}");
    }
}
