use crate::format::tests::{keys, output, row};

#[test]
fn samples_are_read_and_versions_and_browsers_tell_them_apart() {
    let stdout = br#"{"benchmarks":[
        {"name":"render","bytesSent":1024,"version":"","measurement":{"name":"fcp","mode":"performance"},"browser":{"name":"chrome","headless":true},"mean":{"low":1,"high":2},"differences":[null],"samples":[12.5,13.0]},
        {"name":"render","bytesSent":0,"version":"main","measurement":{"name":"fcp"},"browser":{"name":"chrome"},"mean":{"low":1,"high":2},"differences":[null],"samples":[11.0]}]}"#;
    let (format, parsed) = output(stdout).unwrap();
    assert_eq!(format.name(), "tachometer");
    let name = "render/measurement=fcp/browser=chrome";
    assert_eq!(row(&parsed, name, "sec/op").values, [0.0125, 0.013]);
    assert_eq!(row(&parsed, name, "sent-B").values, [1024.0]);
    assert_eq!(keys(&parsed)[2].1, "render/version=main/measurement=fcp/browser=chrome");
}
