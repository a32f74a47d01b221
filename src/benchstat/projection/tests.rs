//! Projections by example.

use super::*;

fn projections(queries: [&str; 2]) -> ([Projection; 2], Filter) {
    let mut parser = Parser::default();
    let mut filter = Filter::everything();
    let drafts = queries.map(|q| parser.parse(q, &mut filter, false).unwrap_or_else(|e| panic!("{e}")));
    (parser.finish(drafts), filter)
}

fn texts(projection: &mut Projection, names: &[&str]) -> Vec<String> {
    let mut symbols = Interner::default();
    let mut keys: Vec<KeyId> = names
        .iter()
        .map(|name| {
            let observation = Observation { file: "f", configuration: &[("pkg", "p")], name };
            projection.project(&observation, &mut symbols)
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    projection.sort(&mut keys, &symbols);
    keys.iter().map(|key| projection.text(*key, &symbols)).collect()
}

const NAMES: [&str; 4] = ["B/size=16k/x-8", "A/size=4k/x-8", "A/size=1Mi/x", "A/size=4k/x-8"];

#[test]
fn parts_that_are_named_elsewhere_are_taken_out_of_full_names() {
    let ([mut full, mut size], _) = projections([".fullname", "/size"]);
    assert_eq!(texts(&mut full, &NAMES), ["B/x-8", "A/x-8", "A/x"]);
    assert_eq!(texts(&mut size, &NAMES), ["16k", "4k", "1Mi"]);
    let ([mut full, _], _) = projections([".fullname", "/gomaxprocs .name"]);
    assert_eq!(texts(&mut full, &NAMES), ["*/size=16k/x", "*/size=4k/x", "*/size=1Mi/x"]);
}

#[test]
fn orders_are_those_asked_for() {
    for (query, expected) in [
        ("/size", ["16k", "4k", "1Mi"]),
        ("/size@first", ["16k", "4k", "1Mi"]),
        ("/size@alpha", ["16k", "1Mi", "4k"]),
        ("/size@num", ["4k", "16k", "1Mi"]),
        ("/size@(1Mi 4k 16k)", ["1Mi", "4k", "16k"]),
    ] {
        let ([mut projection, _], _) = projections([query, ""]);
        assert_eq!(texts(&mut projection, &NAMES), expected, "{query}");
    }
}

#[test]
fn a_fixed_order_excludes_other_values() {
    let (_, filter) = projections(["/size@(1Mi \"4k\")", ""]);
    let held = |name| filter.values(&Observation { file: "", configuration: &[], name }, &[("a", "a")]);
    assert_eq!(held("A/size=4k"), [true]);
    assert_eq!(held("A/size=16k"), [false]);
    assert_eq!(held("A"), [false]);
}

#[test]
fn errors_name_the_place() {
    for (query, message, offset) in [
        ("a,,b", "expected key", 2),
        (",a", "expected key", 0),
        ("a@", "expected named sort order or parenthesized list", 2),
        ("a@,b", "expected named sort order or parenthesized list", 2),
        ("a@(", "missing )", 3),
        ("a@(,", "missing )", 3),
        ("a@()", "nothing to match", 3),
        ("a@(x @", "missing )", 5),
        ("a@foo", "unknown order \"foo\"", 2),
        ("a .unit", ".unit is only allowed in filters", 2),
        (".config@(a)", "fixed order not allowed for .config", 8),
        ("\"\"", "key must not be empty", 0),
        ("a:b", "expected key", 1),
        // What breaks the grammar comes first, wherever it stands.
        (".unit a@foo \"\" b:", "expected key", 16),
        (".unit a@foo", ".unit is only allowed in filters", 0),
        ("a@fo\u{301}o", "unknown order \"fo\u{301}o\"", 2),
    ] {
        let error = Parser::default().parse(query, &mut Filter::everything(), false).expect_err(query);
        assert_eq!((error.message.as_str(), error.offset), (message, offset), "{query}");
    }
}
