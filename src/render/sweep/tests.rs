use super::*;
use crate::render::samples::{self, Dice, spec, suite};
use crate::report::Verdict;

fn found(specs: &[samples::Spec]) -> Vec<Sweep> {
    find(&samples::report(vec![suite("s", specs, &mut Dice::new(1))]))
}

fn flat(name: &str) -> samples::Spec {
    spec(name, "sec/op", 1e-6, 0.0, 0.01, Verdict::Unchanged)
}

#[test]
fn the_glob_benchmarks_say_what_their_numbers_say() {
    // The document's prose claims that all get slower with more cpus and that the buffer hardly matters; its numbers do not.
    let sweeps = found(&samples::glob());
    let of = |family: &str| sweeps.iter().find(|sweep| sweep.family == family).unwrap().sentences().join("\n");
    let children = of("GlobChildren*");
    assert!(children.contains("faster at 2 cpus than at 1 in 10/10 (×0.66)"), "{children}");
    assert!(children.contains("faster at 4 cpus than at 1 in 10/10 (×0.83)"), "{children}");
    let glob = of("Glob*");
    assert!(glob.contains("×4.87 at 1 cpu") && glob.contains("×1.03 at 4 cpus"), "{glob}");
    let chan = of("Chan*");
    assert!(chan.contains("slower at 2 cpus than at 1 in 10/10"), "{chan}");
    assert_eq!(sweeps[0].values, ["0", "1", "2", "4", "8", "16", "32", "64", "128", "256"]);
    assert_eq!(sweeps[0].lines.len(), 6);
}

#[test]
fn a_keyed_parameter_is_found_and_the_longer_one_wins() {
    let names: Vec<String> =
        [16, 256, 4096].iter().flat_map(|n| ["a", "b"].map(|k| format!("Sort/n={n}/kind={k}"))).collect();
    let sweeps = found(&names.iter().map(|name| flat(name)).collect::<Vec<_>>());
    let families: Vec<&str> = sweeps.iter().map(|sweep| sweep.family.as_str()).collect();
    assert_eq!(families, ["Sort/n={n}/kind=a", "Sort/n={n}/kind=b"]);
    let sizes = ["4k", "1KiB", "1M"].map(|n| flat(&format!("Copy/size={n}")));
    assert_eq!(found(&sizes)[0].values, ["1KiB", "4k", "1M"]);
    let two = ["x=1/y=1", "x=1/y=2", "x=1/y=3", "x=2/y=1"].map(|n| flat(&format!("P/{n}")));
    assert_eq!(found(&two).iter().map(|s| s.parameter.as_str()).collect::<Vec<_>>(), ["y"]);
}

#[test]
fn few_rows_or_widths_in_names_are_no_sweep() {
    assert!(found(&[flat("Sort/n=1"), flat("Sort/n=2")]).is_empty());
    assert!(found(&["sha1", "sha256", "sha512"].map(flat)).is_empty());
    assert!(found(&[]).is_empty());
}

#[test]
fn processors_are_the_parameter_where_nothing_else_varies() {
    let specs: Vec<_> = [None, Some(2), Some(4)].into_iter().map(|procs| flat("Mutex").procs(procs)).collect();
    let sweeps = found(&specs);
    assert_eq!(sweeps.len(), 1);
    assert_eq!(
        (sweeps[0].parameter.as_str(), &sweeps[0].values[..]),
        ("processors", &["1", "2", "4"].map(String::from)[..])
    );
    assert_eq!(sweeps[0].lines.len(), 2);
    assert!(sweeps[0].lines.iter().all(|line| line.points.iter().all(Option::is_some)));
}

#[test]
fn the_configured_pattern_wins_and_a_bad_one_finds_nothing() {
    let mut report = samples::report(vec![suite("s", &["A1x", "A2x", "A3x"].map(flat), &mut Dice::new(1))]);
    assert!(find(&report).is_empty());
    report.suites[0].sweep = Some(crate::config::Sweep { capture: r"A(\d)x".into(), name: "size".into() });
    assert_eq!(find(&report)[0].family, "A{size}x");
    report.suites[0].sweep = Some(crate::config::Sweep { capture: "(".into(), name: "size".into() });
    assert!(find(&report).is_empty());
}

#[test]
fn a_diagram_has_as_many_points_as_values() {
    let sweeps = found(&samples::glob());
    let diagram = picture::diagram(&sweeps[0]).unwrap();
    let lines: Vec<&str> = diagram.mermaid.lines().filter(|line| line.trim_start().starts_with("line")).collect();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|line| line.matches(',').count() == 9), "{}", diagram.mermaid);
    assert!(diagram.mermaid.contains("y-axis \"µs/op\" 0 --> "), "{}", diagram.mermaid);
    assert_eq!(diagram.legend.matches('·').count(), 5);
}
