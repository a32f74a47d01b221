//! Outputs that are cut, overwritten or mixed up: an error or a result, never a panic.

use super::*;
use proptest::prelude::*;

/// Every format must survive `bytes`, and what it gives must be sound.
fn survive(bytes: &[u8]) {
    for format in Format::ALL.into_iter().map(Format::name).chain(["auto"]) {
        if let Ok((found, parsed)) = as_format(format, bytes) {
            for row in &parsed.measurements {
                assert!(
                    !row.values.is_empty() && row.values.iter().all(|value| value.is_finite()),
                    "{format}: {row:?}"
                );
                // `func Benchmark(b *testing.B)` is a benchmark that has no name besides the prefix.
                assert!(!row.id.name.is_empty() || found == Format::Go, "{format}");
            }
        }
    }
}

#[test]
fn a_line_that_is_cut_within_its_name_is_a_benchmark_without_one() {
    survive(b"Benchmark-8 100 2 ns/op\nBenchmark 100 2 ns/op\n");
    assert_eq!(keys(&output(b"Benchmark 100 2 ns/op\n").unwrap().1), [("", "", "sec/op")]);
}

#[test]
fn every_file_survives_being_cut_anywhere_in_its_first_lines() {
    for (name, bytes) in fixtures() {
        let window = bytes.len().min(400);
        for length in (0..window).step_by(7) {
            for format in ["auto", name.split('/').next().unwrap()] {
                drop(as_format(format, &bytes[..length]));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn cut_files_never_panic(pick in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let files = small();
        let bytes = &files[pick.index(files.len())].1;
        let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
        survive(&bytes[from.min(to)..from.max(to)]);
    }

    #[test]
    fn overwritten_files_never_panic(
        pick in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let files = small();
        let mut bytes = files[pick.index(files.len())].1.clone();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survive(&bytes);
    }

    #[test]
    fn numbers_of_any_size_never_panic(
        pick in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        number in prop::sample::select(vec!["-1", "1e999", "0", "18446744073709551616", "null", "\"NaN\"", "NaN", "[]", "{}", "1e-320", "\"\\u0000\""]),
    ) {
        let files = small();
        let text = String::from_utf8_lossy(&files[pick.index(files.len())].1).into_owned();
        // Replaces one number, wherever it stands.
        let digits: Vec<_> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        prop_assume!(!digits.is_empty());
        let start = digits[at.index(digits.len())];
        let end = start + text[start..].find(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c))).unwrap_or(text.len() - start);
        survive(format!("{}{number}{}", &text[..start], &text[end..]).as_bytes());
    }

    #[test]
    fn two_halves_of_two_files_never_panic(left in any::<prop::sample::Index>(), right in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()) {
        let files = small();
        let (left, right) = (&files[left.index(files.len())].1, &files[right.index(files.len())].1);
        let (before, after) = (at.index(left.len() + 1), at.index(right.len() + 1));
        survive(&[&left[..before], &right[after..]].concat());
    }
}

/// Files that are small enough to be read by every parser many times.
fn small() -> Vec<(String, Vec<u8>)> {
    fixtures().into_iter().filter(|(_, bytes)| !bytes.is_empty() && bytes.len() < 12_000).collect()
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        assert!(output(deep.as_bytes()).is_err());
        survive(format!("{{\"benchmarks\": [{{\"name\": \"a\", \"real_time\": 1, \"x\": {deep}}}]}}").as_bytes());
    }
    let groups = format!(
        r#"[{{"Julia": "1", "BenchmarkTools": "1"}}, [{}["Trial", {{"times": [1.0]}}]{}]]"#,
        r#"["BenchmarkGroup", {"data": {"a": "#.repeat(60),
        "}}]".repeat(60)
    );
    survive(groups.as_bytes());
}

#[test]
fn a_large_log_of_brackets_is_read_once() {
    // Each line starts like JSON and is none: reading must not start over from every one.
    let lines = "[1, 2, [3,\n".repeat(60_000);
    assert!(output(lines.as_bytes()).is_err());
    let lines = "{\"a\": 1,\n".repeat(60_000);
    assert!(output(lines.as_bytes()).is_err());
}
