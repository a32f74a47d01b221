use super::Line;
use crate::format::FailureKind::{Failed, Skipped};
use crate::format::tests::{failures, output, row};
use crate::unit::Direction;

#[test]
fn every_member_is_understood_among_other_output() {
    let stdout = br#"starting
{"name": "parse/n=10", "unit": "ns/op", "value": 120.5}
{"name": "parse/n=10", "unit": "ns/op", "value": 121.5}
{"name": "emit", "package": "codec", "unit": "MiB/s", "values": [1, 2, 3], "iterations": 50}
{"name": "emit", "package": "codec", "unit": "nodes", "value": 7, "better": "lower", "exact": true}
{"name": "gone", "error": "no file | `x`"}
{"name": "later", "package": "codec", "skipped": "needs a network"}
done
"#;
    let (format, parsed) = output(stdout).unwrap();
    assert_eq!(format.name(), "json-lines");
    let parse = row(&parsed, "parse/n=10", "sec/op");
    assert_eq!((parse.values.as_slice(), parse.line), (&[120.5 / 1e9, 121.5 / 1e9][..], 2));
    let emit = row(&parsed, "emit", "B/s");
    assert_eq!((emit.values.len(), emit.iterations, emit.id.package.as_str()), (3, Some(50), "codec"));
    let nodes = parsed.units["nodes"];
    assert_eq!((nodes.better, nodes.exact), (Some(Direction::Lower), Some(true)));
    assert_eq!(failures(&parsed), [("gone", Failed, "no file | `x`"), ("later", Skipped, "needs a network")]);
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (line, expected) in [
        (r#"{"name": "a", "unit": "ns", "value": 1, "beter": "lower"}"#, "unknown field `beter`"),
        (r#"{"name": "a", "unit": "ns", "value": 1, "values": [1]}"#, "a: expected `value` or `values`, found both"),
        (r#"{"name": "a", "unit": "ns", "values": []}"#, "a: expected at least one number in `values`"),
        (r#"{"name": "a", "unit": "ns", "value": "fast"}"#, "expected a number"),
        (
            r#"{"name": "a", "unit": "ns", "value": 1, "better": "up"}"#,
            "unknown variant `up`, expected `lower` or `higher`",
        ),
    ] {
        let stdout = format!("{{\"name\": \"ok\", \"unit\": \"ns\", \"value\": 1}}\n{line}\n");
        let error = output(stdout.as_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with("standard output, line 2: reading json-lines: ") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn the_documentation_holds_the_schema_of_a_line() {
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Line)).unwrap();
    let document = include_str!("../../../docs/formats.md");
    assert!(document.contains(&schema), "docs/formats.md must hold this schema:\n{schema}");
}
