use super::*;
use crate::format::number::Num;

fn source(text: &str) -> Source {
    Source::new(None, text.as_bytes())
}

fn lines(source: &Source) -> Vec<(usize, &str)> {
    source.lines().filter(|(_, line)| !line.trim().is_empty()).collect()
}

#[test]
fn documents_and_the_lines_between_them_keep_their_line_numbers() {
    let source = source("one\n{\"a\": [1,\n 2]} rest\n[INFO] two\n  {\"b\": 1}{\"c\": 2}\nthree\r\n");
    let documents: Vec<usize> = source.documents.iter().map(|document| document.line).collect();
    assert_eq!(documents, [2, 5, 5]);
    assert_eq!(lines(&source), [(1, "one"), (3, " rest"), (4, "[INFO] two"), (6, "three")]);
    assert_eq!(source.broken, None);
}

#[test]
fn a_document_that_breaks_off_hides_only_itself() {
    let source = source("{\n \"a\": 1,\n{\"b\": 2}\ntext\n");
    assert_eq!(source.documents.len(), 1);
    assert_eq!((source.documents[0].line, source.documents[0].shape.has(&["b"])), (3, true));
    let broken = source.broken.as_ref().unwrap();
    assert_eq!((broken.line, broken.expected.as_str()), (3, "key must be a string"));
}

#[test]
fn nothing_inside_a_document_without_an_end_is_taken_for_a_document() {
    let source = source("{\"list\": [\n{\"name\": \"a\", \"unit\": \"ns\", \"value\": 1},\n{\"name\": \"b\",");
    assert!(source.documents.is_empty());
    assert!(source.broken.unwrap().expected.starts_with("the JSON ends too early"));
}

#[test]
fn bare_numbers_that_json_lacks_are_read_and_strings_stay() {
    let text = "{\"a\": NaN, \"b\": [Infinity, -Infinity, nan, -nan, inf,-inf], \"c\": \"NaN, inf\", \"d\": 1}";
    let source = source(text);
    assert_eq!(source.broken, None);
    #[derive(serde::Deserialize)]
    struct All {
        a: Num,
        b: Vec<Num>,
        c: String,
    }
    let all: All = source.decode(Format::Pyperf, &source.documents[0]).unwrap();
    assert!(all.a.0.is_nan() && all.b[2].0.is_nan() && all.b[3].0.is_nan());
    assert_eq!(
        (all.b[0].0, all.b[1].0, all.b[4].0, all.b[5].0),
        (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY)
    );
    assert_eq!(all.c, "NaN, inf");
}

#[test]
fn escape_sequences_go_and_everything_else_stays() {
    assert_eq!(source("\u{1b}[1;32ma\u{1b}[0m \u{1b}]0;title\u{7}b\u{1b}(c \u{1b}").text, "a bc ");
    assert_eq!(source("[1mno escape").text, "[1mno escape");
}

#[test]
fn a_missing_end_is_closed_behind_the_last_whole_element() {
    assert_eq!(closed("{\"a\": [{\"b\": \"}]\"}, {\"c\": [1, 2"), Some("{\"a\": [{\"b\": \"}]\"}]}".to_owned()));
    for text in ["{\"a\": [1, 2", "{\"a\": {\"b\": 1}", "", "]", "{]"] {
        assert_eq!(closed(text), None, "{text}");
    }
}

#[test]
fn errors_count_lines_from_the_start_of_the_output() {
    let source = source("log\nlog\n{\"value\":\n \"x\"}\n");
    #[derive(Debug, serde::Deserialize)]
    struct Value {
        #[expect(dead_code, reason = "only its reading is tested")]
        value: Num,
    }
    let error = source.decode::<Value>(Format::Bmf, &source.documents[0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "standard output, line 4: reading bmf: invalid value: string \"x\", expected a number"
    );
}
