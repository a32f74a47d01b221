use crate::format::FailureKind::Failed;
use crate::format::tests::{close, failures, keys, output, read, row};

/// In the shape of Deno 1.31 and of later versions.
fn report(root: &str) -> String {
    format!(
        r#"{{"version":1,"runtime":"Deno/2.1.4 x86_64-unknown-linux-gnu","cpu":"x","benches":[
        {{"origin":"file://{root}/bench/a.ts","group":"url","name":"parse | `x`","baseline":true,"results":[{{"ok":{{"n":49,"min":1251.9,"max":1441.2,"avg":1308.5,"p75":1324.1,"p99":1441.2,"p995":1441.2,"p999":1441.2,"highPrecision":true,"usedExplicitTimers":false}}}}]}},
        {{"origin":"file://{root}/bench/a.ts","group":null,"name":"old","baseline":false,"result":{{"ok":{{"n":1,"avg":7}}}}}},
        {{"origin":"file://{root}/bench/sub/b.ts","group":null,"name":"fails","baseline":false,"results":[{{"failed":{{"exceptionMessage":"Error: no file","frames":[]}}}}]}}]}}"#
    )
}

#[test]
fn averages_groups_and_failures_are_read() {
    let (format, parsed) = output(report("/home/u/base").as_bytes()).unwrap();
    assert_eq!(format.name(), "deno");
    assert_eq!(keys(&parsed), [("a.ts", "url > parse | `x`", "sec/op"), ("a.ts", "old", "sec/op")]);
    let parse = row(&parsed, "url > parse | `x`", "sec/op");
    assert_eq!((parse.values.as_slice(), parse.iterations), (&[1308.5 / 1e9][..], Some(49)));
    assert_eq!(failures(&parsed), [("fails", Failed, "Error: no file")]);
    assert_eq!(parsed.failures[0].id.package, "sub/b.ts");
}

#[test]
fn absolute_paths_that_differ_between_sides_do_not_matter() {
    assert_eq!(output(report("/home/u/base").as_bytes()), output(report("/w").as_bytes()));
}

#[test]
fn what_deno_2_9_prints_is_read() {
    let (_, parsed) = read("deno/out-2.9.6.json");
    let names: Vec<&str> = keys(&parsed).iter().map(|(_, name, _)| *name).collect();
    assert_eq!(names, ["add | x", "async", "with start/end λ", "sorting > sort `n`", "sorting > reverse"]);
    close(row(&parsed, "sorting > reverse", "sec/op").values[0], 58.679_150_292_397_665e-9);
    assert_eq!(row(&parsed, "async", "sec/op").iterations, Some(178));

    let (_, parsed) = read("deno/failed-2.9.6.json");
    assert_eq!(keys(&parsed), [("bad.ts", "fine", "sec/op")]);
    assert_eq!(failures(&parsed).len(), 1);
    let (name, kind, message) = failures(&parsed)[0];
    assert_eq!((name, kind), ("boom", Failed));
    assert!(message.contains("no such thing"), "{message}");
}
