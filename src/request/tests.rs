use super::*;
use crate::config::Rounds;
use crate::measure::tests::{request as sample, suite};
use crate::results::tests::assert_current;

fn reading(request: &Request) -> Result<Request, RequestError> {
    read(&serde_json::to_vec(request).expect("JSON"))
}

#[test]
fn a_valid_request_is_read_back_the_same() {
    let request = sample(vec![suite("codec")]);
    assert_eq!(reading(&request), Ok(request.clone()));
    assert_eq!(request.config_hash(), reading(&request).expect("valid").config_hash());
    let mut other = request.clone();
    other.config.compare.threshold = 0.5;
    assert_ne!(other.config_hash(), request.config_hash(), "another policy");
    other.config = request.config.clone();
    other.filter = "x".to_owned();
    assert_eq!(other.config_hash(), request.config_hash(), "the policy alone");
}

#[test]
fn what_is_impossible_is_refused_with_its_place() {
    type Break = fn(&mut Request);
    let cases: [(Break, &str); 7] = [
        (|r| r.commits.head.sha = "HEAD".to_owned(), "commits.head"),
        (|r| r.config.suites.push(suite("codec")), "config.suites"),
        (|r| r.config.compare.alpha = 1.5, "config.compare.alpha"),
        (|r| r.config.budget = std::time::Duration::ZERO, "at config:"),
        (|r| r.config.rounds = Rounds::Fixed(7), "must be even"),
        (|r| r.filter = "(".to_owned(), "no regular expression"),
        (|r| r.suites = vec!["nope".to_owned()], "there is no suite"),
    ];
    for (spoil, expected) in cases {
        let mut request = sample(vec![suite("codec")]);
        spoil(&mut request);
        let error = reading(&request).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_request_of_another_shape_is_refused() {
    let request = sample(vec![suite("codec")]);
    let mut json = serde_json::to_value(&request).expect("JSON");
    json["token"] = "x".into();
    assert!(matches!(read(json.to_string().as_bytes()), Err(RequestError::Json(_))));
    json["schema"] = 9.into();
    assert_eq!(read(json.to_string().as_bytes()), Err(RequestError::Schema { found: 9 }));
}

#[test]
fn the_schema_in_the_repository_is_current_and_holds_for_the_sample() {
    let schema = schemars::schema_for!(Request);
    assert_current("request.schema.json", &schema);
    let validator = jsonschema::validator_for(&serde_json::to_value(&schema).expect("JSON")).expect("a schema");
    let json = serde_json::to_value(sample(vec![suite("codec")])).expect("JSON");
    let faults: Vec<String> =
        validator.iter_errors(&json).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?}");
}
