use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, fixture, keys, output, read, warned};

#[test]
fn means_are_read_with_their_test_case_and_sections() {
    let (format, parsed) = read("catch2/shapes-2.13.10.xml");
    assert_eq!(format.name(), "catch2");
    assert_eq!(
        keys(&parsed),
        [
            ("Construction | `x`/inner <b>", "Fib 10", "sec/op"),
            (
                "Construction | `x`/inner <b>",
                "a name that is long enough to be wrapped over several lines of the console reporter",
                "sec/op"
            ),
            ("Construction | `x`/other", "Fib 10", "sec/op"),
            ("after", "ünïcode λ", "sec/op"),
        ]
    );
    close(parsed.measurements[0].values[0], 267.066e-9);
    assert_eq!((parsed.measurements[0].iterations, parsed.measurements[0].line), (Some(82), 8));
    assert_eq!(failures(&parsed), [("throws", Failed, "no file & <none>")]);
}

#[test]
fn several_programs_and_a_log_between_them_are_read() {
    let xml = String::from_utf8(fixture("catch2/shapes-2.13.10.xml")).unwrap();
    let (_, parsed) = output(format!("building...\n{xml}\nRandomness < 1 & more\n{xml}").as_bytes()).unwrap();
    assert_eq!(parsed.measurements[0].values, [267.066 / 1e9, 267.066 / 1e9]);
}

#[test]
fn what_was_measured_before_the_program_ended_is_kept() {
    let xml = String::from_utf8(fixture("catch2/shapes-2.13.10.xml")).unwrap();
    let cut = &xml[..xml.find("<Section name=\"other\"").unwrap()];
    let (_, parsed) = output(cut.as_bytes()).unwrap();
    assert_eq!(parsed.measurements.len(), 2);
    assert!(warned(&parsed, "the XML ends early"));
    let error = output(&xml.as_bytes()[..300]).unwrap_err().to_string();
    assert!(error.starts_with("standard output, line ") && error.contains("reading catch2: "), "{error}");
}

#[test]
fn an_exception_fails_the_test_case() {
    let xml = "<Catch name=\"c\">\n<TestCase name=\"opens\">\n<Exception filename=\"c.cc\" line=\"3\">\n no file &lt;x&gt;\n</Exception>\n<OverallResult success=\"false\"/>\n</TestCase>\n</Catch>\n";
    let (_, parsed) = output(xml.as_bytes()).unwrap();
    assert_eq!(failures(&parsed), [("opens", Failed, "no file<x>")]);
}

#[test]
fn a_mean_that_is_no_number_is_named_with_its_line() {
    let xml = "<Catch name=\"c\">\n<BenchmarkResults name=\"a\" iterations=\"1\">\n<mean value=\"fast\"/>\n</BenchmarkResults></Catch>";
    let error = output(xml.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "standard output, line 3: reading catch2: expected a number, found \"fast\"");
    let (_, parsed) = output(xml.replace("fast", "nan").as_bytes()).unwrap();
    assert_eq!(failures(&parsed), [("a", Failed, "sec/op is not a finite number")]);
}
