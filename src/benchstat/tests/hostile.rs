//! Inputs and arguments that nobody means well with.

use super::compare_with;
use super::robustness::{Files, old_and_new, run};
use std::fmt::Write as _;

const LAYOUTS: [&str; 7] = ["default", "benchstat", "benchstat-v1", "benchcmp", "csv", "json", "markdown"];

#[test]
fn a_pipe_is_read_once() {
    // The shell's <(…) is one. Whoever opens it twice waits for ever.
    let files = old_and_new(b"", run(202).as_bytes());
    let pipe = files.path().join("pipe");
    let old = run(100);
    for layout in LAYOUTS {
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let done = std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&pipe, &old).expect("somebody reads"));
            let new = files.path().join("new.txt");
            let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
            compare_with(&["--layout".to_owned(), layout.to_owned(), path(&pipe), path(&new)], b"")
        });
        assert_eq!(done.code, 0, "{layout}: {}", done.err);
        std::fs::remove_file(&pipe).expect("the pipe");
    }
}

#[test]
fn names_may_be_longer_than_a_format_string_can_pad() {
    let name = "x".repeat(70_000);
    let text = run(100).replace("X-8", &format!("{name}-8")) + &run(100);
    let files = old_and_new(text.as_bytes(), text.as_bytes());
    for layout in LAYOUTS {
        let done = files.compare(&format!("--layout {layout} old.txt new.txt"));
        assert_eq!(done.code, 0, "{layout}: {}", done.err);
    }
    let done = files.compare("--layout benchcmp old.txt new.txt");
    let line = done.out.lines().find(|line| line.starts_with("BenchmarkX-8 ")).expect("the short name");
    assert_eq!(line.find("100"), Some(70_000 + "Benchmark-8".len() + 5));
    let done = files.compare(&format!("--row {name}@{name} old.txt new.txt"));
    assert_eq!(done.code, 2);
    assert!(done.err.ends_with(&format!("\n\t{}^", " ".repeat(70_001))));
}

#[test]
fn a_line_may_have_very_many_units_and_a_file_very_many_configuration_lines() {
    let mut wide = "BenchmarkX-8 1".to_owned();
    for number in 0..4_000 {
        // Writing into a string cannot fail.
        let _ = write!(wide, " {number} u{number}");
    }
    let mut stray = String::new();
    for number in 0..300 {
        let _ = write!(stray, "k{number}: v\nBenchmarkX-8 1 {number} ns/op\n");
    }
    for (text, rows) in [(wide, 4_000), (stray, 300)] {
        let files = old_and_new(text.as_bytes(), text.as_bytes());
        for layout in ["csv", "benchstat-v1", "benchcmp", "json"] {
            let done = files.compare(&format!("--layout {layout} old.txt new.txt"));
            // Without ns/op benchcmp has nothing to show, and says nothing else.
            assert_eq!(done.code, 0, "{layout}: {}", done.err);
            if layout == "csv" {
                assert_eq!(done.out.lines().filter(|line| line.starts_with("X-8,")).count(), rows);
            }
        }
    }
}

#[test]
fn fail_on_counts_in_layouts_without_verdicts_too() {
    let files = old_and_new(run(100).as_bytes(), run(202).as_bytes());
    for layout in LAYOUTS {
        let code = |words: &str| files.compare(&format!("--layout {layout} {words}")).code;
        assert_eq!(code("--fail-on regression old.txt new.txt"), 1, "{layout}");
        assert_eq!(code("--fail-on never,regression old.txt new.txt"), 1, "{layout}");
        assert_eq!(code("--fail-on regression new.txt old.txt"), 0, "{layout}");
        assert_eq!(code("--fail-on failure,inconclusive old.txt new.txt"), 0, "{layout}");
        assert_eq!(code("--fail-on regression --threshold 200% old.txt new.txt"), 0, "{layout}");
        assert_eq!(code("--fail-on regression old.txt missing.txt"), 2, "{layout}");
    }
    let done = files.compare_with("--layout benchstat --fail-on regression old.txt -", run(202).as_bytes());
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("- can be read only once"), "{}", done.err);
    let done = files.compare_with("--layout json --fail-on regression old.txt -", run(202).as_bytes());
    assert_eq!(done.code, 1, "{}", done.err);
}

#[test]
fn errors_speak_of_files_and_options() {
    let files = Files::new(&[
        ("old.txt", run(100).as_bytes()),
        ("empty.txt", b""),
        ("text.txt", b"hello \x1b]0;title\x07world\n"),
        ("broken.json", b"{\"results\": [\n{\"command\": \"x\",\n"),
        ("half.txt", b"\xff\xfeB\0e"),
    ]);
    for (words, code, part) in [
        ("--layout benchstat old.txt empty.txt", 3, "empty.txt: the input is empty"),
        (
            "old.txt text.txt",
            2,
            "text.txt: this is no output of a benchmark tool that is known; it starts with \"hello",
        ),
        ("old.txt text.txt", 2, "--format"),
        (
            "--format hyperfine old.txt text.txt",
            2,
            "old.txt: asked to read hyperfine, but this looks like go; set --format go",
        ),
        ("old.txt broken.json", 2, "broken.json: line 3"),
        ("old.txt half.txt", 2, "half.txt"),
        ("x= old.txt", 2, "the path after x= is empty"),
    ] {
        let done = files.compare(words);
        assert_eq!(done.code, code, "{words}: {}", done.err);
        assert!(done.err.contains(part), "{words}: {}", done.err);
        assert!(!done.err.contains("standard output") && !done.err.contains('\u{1b}'), "{words}: {}", done.err);
    }
}

#[test]
fn an_option_given_twice_has_its_last_value() {
    let files = old_and_new(run(100).as_bytes(), run(202).as_bytes());
    let once = files.compare("--layout benchstat --row .name old.txt new.txt");
    let twice = files.compare("--layout csv --row .fullname --layout benchstat --row .name old.txt new.txt");
    assert!(once.out.contains("X   102.5n"), "{}", once.out);
    assert_eq!((twice.out, twice.code), (once.out, 0));
}

#[test]
fn keys_begin_with_letters_of_lower_case() {
    // The ordinal indicator and the letter in a circle look like lower case, but are no letters of that category.
    let text = format!("ª: a\nⓐ: b\nß: c\n{}", run(100));
    let done = old_and_new(text.as_bytes(), text.as_bytes()).compare("--layout benchstat old.txt new.txt");
    assert!(done.out.starts_with("ß: c\n    "), "{}", done.out);
}

#[test]
fn a_p_as_large_as_alpha_is_on_the_side_where_benchstat_has_it() {
    // p is 2/20, 2/70, 4/20: sums of probabilities that are a unit in the last place too large. All four cells are what
    // the real tool prints.
    let lines = |values: &[u32]| values.iter().map(|v| format!("BenchmarkX-8 1 {v} ns/op\n")).collect::<String>();
    for (old, new, alpha, cell) in [
        (&[1, 2, 3][..], &[4, 5, 6][..], "0.1", "~ (p=0.100 n=3)"),
        (&[1, 2, 3, 4], &[5, 6, 7, 8], "0.02857142857142857", "~ (p=0.029 n=4)"),
        (&[1, 2, 3, 4], &[5, 6, 7, 8], "0.02857142857142858", "+160.00% (p=0.029 n=4)"),
        (&[1, 2, 4], &[3, 5, 6], "0.2", "~ (p=0.200 n=3)"),
    ] {
        let files = old_and_new(lines(old).as_bytes(), lines(new).as_bytes());
        let done = files.compare(&format!("--layout benchstat --alpha {alpha} old.txt new.txt"));
        assert!(done.out.contains(cell), "{cell}: {}", done.out);
    }
}

#[test]
fn infinities_and_iterations_beyond_all_numbers_are_as_the_first_benchstat_has_them() {
    // The real tool's rows: nothing is within fences that are no numbers.
    let old = "BenchmarkX 1 inf ns/op\nBenchmarkX 1 inf ns/op\nBenchmarkY 99999999999999999999 5 ns/op\n";
    let new = "BenchmarkX 1 6 ns/op\nBenchmarkX 1 7 ns/op\nBenchmarkY 1 5 ns/op\nBenchmarkZ 0 5 ns/op\n";
    let done = old_and_new(old.as_bytes(), new.as_bytes()).compare("--layout benchstat-v1 old.txt new.txt");
    let expected = "\
name  old time/op  new time/op  delta
X     NaNns ±NaN%  6.50ns ± 8%   ~     (too few samples)
Y     5.00ns ± 0%  5.00ns ± 0%   ~     (all equal)
";
    assert_eq!(done.out, expected);
}
