use crate::format::FailureKind::Failed;
use crate::format::tests::{failures, keys, output, read, row};

#[test]
fn rates_are_read_and_the_last_x_counts() {
    let (_, parsed) = read("benchmarkjs/failures-2.1.4.txt");
    assert_eq!(keys(&parsed), [("", "fib x 2 | `t`", "ops/s"), ("", "λ join", "ops/s"), ("", "<Test #4>", "ops/s")]);
    assert_eq!(row(&parsed, "fib x 2 | `t`", "ops/s").values, [2_678_277.0]);
    assert_eq!(failures(&parsed), [("throws", Failed, "")]);
    assert_eq!(row(&read("benchmarkjs/out.txt").1, "sort#native", "ops/s").values, [5520.0]);
}

#[test]
fn margins_and_messages_of_any_kind() {
    let text = "Running 6 benchmarks on Chromium...\n\
        text encoder utf8 x 28.33 ops/sec \u{b1}3.3% (13 runs sampled)\n\
        slow x 0.51 ops/sec +-16.6% (1 run sampled)\n\
        loud x 1,000 ops/sec +/-1% (9 runs sampled)\n\
        throws: TypeError: no file\n\
        this x line is not one\n\
        Done!\n";
    let (_, parsed) = output(text.as_bytes()).unwrap();
    assert_eq!(parsed.measurements.len(), 3);
    assert_eq!(row(&parsed, "slow", "ops/s").values, [0.51]);
    assert_eq!(failures(&parsed), [("throws", Failed, "TypeError: no file")]);
}

#[test]
fn a_terminal_without_unicode_is_read() {
    let (_, parsed) = output(b"fib x 7 ops/sec \xb11.2% (9 runs sampled)\n").unwrap();
    assert_eq!(row(&parsed, "fib", "ops/s").values, [7.0]);
}
