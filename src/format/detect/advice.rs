//! Outputs that benchmark tools print for people: recognised, to say how to get the one with values.

use crate::format::source::Source;
use regex::Regex;
use std::sync::LazyLock;

/// A line that tells the tool, and what to do.
static KNOWN: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let table = [
        (
            r"^Benchmark\s+Time\s+CPU\s+Iterations",
            "this is Google Benchmark's table; add --benchmark_format=json, or --benchmark_out=FILE --benchmark_out_format=json with `output`",
        ),
        (
            r"^name,iterations,real_time,cpu_time,time_unit",
            "this is Google Benchmark's CSV; use --benchmark_format=json",
        ),
        (
            r"^command,mean,stddev,median,user,system,min,max",
            "this is hyperfine's CSV, which lacks the samples; use --export-json FILE with `output: FILE`",
        ),
        (
            r"^\s*Time \((mean|abs) .*\):|^\| Command \| Mean \[|^\| Command\s*$",
            "this is hyperfine's text; use --export-json FILE with `output: FILE`",
        ),
        (r"^benchmark name\s+samples\s+iterations\s+est", "this is Catch2's console reporter; use --reporter xml"),
        (
            r"^Name \(time in \S+\)\s+Min",
            "this is pytest-benchmark's table; use --benchmark-json=FILE with `output: FILE`",
        ),
        (r"^(Mean \+- std dev|.*: Mean \+- std dev): ", "this is pyperf's text; use -o FILE with `output: FILE`"),
        (
            r"^\| Benchmark\s+\| \S+\s+\| \S+.*\|",
            "this is the table of pyperf compare_to; let each side write its values with -o FILE and `output: FILE`",
        ),
        (
            r"^\[\s*\d+\.\d+%\] ···",
            "this is asv's console; use asv run --record-samples and `output` with the results folder",
        ),
        (
            r"^Benchmark\s.*Mode\s+(Threads\s+)?(Cnt|Samples)\s+Score\s",
            "this is JMH's text; use -rf json -rff FILE with `output: FILE`",
        ),
        (
            r"^\|\s*(Namespace|Type|Method)\s*\|.*\bMean\b.*\|",
            "this is BenchmarkDotNet's table; use --exporters JSON and `output` with the results folder",
        ),
        (
            r"avg \(min … max\)|^benchmark\s+time \(avg\)|^\| benchmark\s*\|\s*(avg|time/iter)",
            "this is a table of mitata or deno bench; print JSON (mitata: run({format: 'json'}), deno bench --json)",
        ),
        (
            r"^[│|]\s*\(index\)\s*[│|]\s*Task [Nn]ame",
            "this is tinybench's console.table; print JSON.stringify(bench.table()), or better the tasks with results",
        ),
        (
            r"^\s*name\s+hz\s+min\s+max\s+mean\s+p75",
            "this is vitest's table; use --outputJson FILE with `output: FILE`",
        ),
        (r"^(├─|╰─) [^│]*$", "this is divan's list of benchmarks, without times; drop --list or --test"),
        (
            r"Performance counter stats for",
            "this is perf stat's table; use perf stat -j, or -x, with `2>&1` or -o FILE and `output: FILE`",
        ),
    ];
    let compiled = table.into_iter().filter_map(|(pattern, advice)| Some((Regex::new(pattern).ok()?, advice)));
    compiled.collect()
});

/// What the text seems to be and what to do, if it is one of these.
pub(super) fn advice(source: &Source) -> Option<String> {
    source.lines().find_map(|(_, line)| {
        KNOWN.iter().find(|(pattern, _)| pattern.is_match(line)).map(|(_, advice)| (*advice).to_owned())
    })
}
