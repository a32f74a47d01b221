use super::*;
use serde_json::{Value as Json, json};

/// A small valid file.
fn sample() -> Json {
    let round = |side: &str, value: f64| {
        json!({"side": side, "at": 1.5, "outcome": {"status": "ok", "seconds": 2.0}, "values": [
            {"row": 0, "value": value, "inner": {"min": 1.0, "q1": 1.0, "q3": 2.0, "max": 3.0, "count": 5}, "iterations": 7},
            {"row": 1, "value": null}]})
    };
    let block = json!({"rounds": [round("base", 1.0), round("head", 1.1), round("head", 1.2), round("base", 1.3)]});
    let outcome = json!({"status": "ok", "seconds": 0.0});
    json!({
        "schema": 1, "tool": "bench-bot 0.1.0", "commits": {"base": "a".repeat(40), "head": "b".repeat(64)},
        "config_hash": "c".repeat(64), "seed": "d".repeat(32), "started": "2026-11-30T20:00:00Z", "finished": "2026-11-30T20:10:00Z",
        "stopped": "completed", "machine": {"cpu": "x", "cpus": 2}, "suites": [{
            "name": "codec", "run": {"base": "go test", "head": "go test"}, "format": "go",
            "setup": {"base": outcome, "head": {"status": {"exit": 2}, "seconds": 1.0, "tail": "no"}},
            "warmup": {"base": round("base", 1.0), "head": null},
            "rows": [{"benchmark": {"name": "A"}, "unit": "sec/op"}, {"benchmark": {"name": "A"}, "unit": "B/op"}],
            "stages": [{"kind": "screen", "planned_blocks": 4, "blocks": [block]},
                       {"kind": "confirm", "planned_blocks": 8, "suspects": [0], "equivalence": [1], "blocks": []}],
        }],
    })
}

fn reading(json: &Json) -> Result<Results, ResultsError> {
    read(json.to_string().as_bytes())
}

#[test]
fn a_valid_file_is_read_and_written_back_the_same() {
    let results = reading(&sample()).expect("valid");
    assert!(
        results.suites[0].stages[0].blocks[0].rounds[0].values[1].value.is_nan(),
        "null is a value that is not finite"
    );
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join("results.json");
    write(&path, &results).expect("written");
    let again = read(&std::fs::read(&path).expect("file")).expect("valid");
    assert_eq!(format!("{again:?}"), format!("{results:?}"));
}

#[test]
fn what_is_impossible_is_refused_with_its_place() {
    let round = "/suites/0/stages/0/blocks/0/rounds/1";
    let long = "x".repeat(70_000);
    let many: Vec<Json> =
        (0..10_001).map(|i| json!({"benchmark": {"name": format!("B{i}")}, "unit": "sec/op"})).collect();
    let cases: Vec<(String, Json, &str)> = vec![
        ("/commits/base".into(), json!("main"), "commits.base"),
        ("/commits/head".into(), json!("A".repeat(40)), "commits.head"),
        ("/seed".into(), json!("12"), "seed"),
        ("/config_hash".into(), json!("zz"), "config_hash"),
        ("/started".into(), json!("yesterday"), "started"),
        ("/suites/0/name".into(), json!(""), "suites[0]"),
        ("/suites/0/run/head".into(), json!(long), "suites[0].run.head"),
        ("/suites/0/rows".into(), json!(many), "suites[0].rows"),
        ("/suites/0/rows/1/unit".into(), json!("sec/op"), "suites[0].rows[1]"),
        ("/suites/0/rows/0/benchmark/name".into(), json!("x".repeat(1025)), "suites[0].rows[0]"),
        ("/suites/0/warmup/base/side".into(), json!("head"), "suites[0].warmup.base"),
        ("/suites/0/stages/1/kind".into(), json!("screen"), "suites[0].stages[1]"),
        ("/suites/0/stages/1/suspects".into(), json!([2]), "suites[0].stages[1]"),
        ("/suites/0/stages/1/equivalence".into(), json!([0]), "suites[0].stages[1]"),
        ("/suites/0/stages/0/planned_blocks".into(), json!(51), "suites[0].stages[0]"),
        (format!("{round}/side"), json!("base"), "suites[0].stages[0].blocks[0]"),
        (format!("{round}/values/0/row"), json!(9), "suites[0].stages[0].blocks[0].rounds[1]"),
        (format!("{round}/values/0/row"), json!(1), "suites[0].stages[0].blocks[0].rounds[1]"),
        (format!("{round}/values/0/inner/q1"), json!(9.0), "suites[0].stages[0].blocks[0].rounds[1]"),
        (format!("{round}/outcome/seconds"), json!(-1.0), "suites[0].stages[0].blocks[0].rounds[1]"),
        (
            format!("{round}/outcome"),
            json!({"status": "ok", "seconds": 1.0, "tail": "x".repeat(5000)}),
            "suites[0].stages[0].blocks[0].rounds[1]",
        ),
    ];
    for (pointer, value, expected) in cases {
        let mut json = sample();
        *json.pointer_mut(&pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        match reading(&json) {
            Err(ResultsError::Invalid { place, .. }) => assert_eq!(place, expected, "{pointer}"),
            other => panic!("{pointer}: {other:?}"),
        }
    }
}

#[test]
fn a_file_of_another_shape_is_refused() {
    let mut unknown = sample();
    unknown["verdict"] = json!("no regression");
    assert!(matches!(reading(&unknown), Err(ResultsError::Json(reason)) if reason.contains("verdict")));
    let mut newer = sample();
    newer["schema"] = json!(2);
    assert_eq!(reading(&newer), Err(ResultsError::Schema { found: 2 }));
    let text = sample().to_string().replacen("\"seed\":", "\"seed\":\"x\",\"seed\":", 1);
    assert!(matches!(read(text.as_bytes()), Err(ResultsError::Json(reason)) if reason.contains("twice")));
    let text = sample().to_string().replacen("1.3", "1e999", 1);
    assert!(matches!(read(text.as_bytes()), Err(ResultsError::Json(_))));
    let suite = sample()["suites"][0].clone();
    let mut twice = sample();
    twice["suites"] = json!([suite, suite]);
    assert!(matches!(reading(&twice), Err(ResultsError::Invalid { place, .. }) if place == "suites[1]"));
}

/// Compares a schema in the repository with what the types say.
pub(crate) fn assert_current(file: &str, schema: &schemars::Schema) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(file);
    let current = format!("{}\n", serde_json::to_string_pretty(schema).expect("JSON"));
    if std::env::var_os("BENCH_BOT_UPDATE").is_some() {
        std::fs::write(&path, &current).expect("the schema");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "run the tests once with BENCH_BOT_UPDATE=1 to write {}", path.display());
}

#[test]
fn the_schema_in_the_repository_is_current_and_holds_for_the_sample() {
    let schema = schemars::schema_for!(Results);
    assert_current("results.schema.json", &schema);
    let validator = jsonschema::validator_for(&serde_json::to_value(&schema).expect("JSON")).expect("a schema");
    let sample = sample();
    let faults: Vec<String> =
        validator.iter_errors(&sample).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let written = serde_json::to_value(reading(&sample).expect("valid")).expect("JSON");
    assert!(validator.is_valid(&written));
}
