//! Two texts, divided by a line `--`, through the whole of `bench-bot compare` in one of its layouts.
#![no_main]

use bench_bot::benchstat::cli::{CompareArgs, FailOnArg, FileLayout, Others, Streams, run};
use bench_bot::benchstat::report_text;
use bench_bot::render::{self, CommentOptions};
use bench_bot::report::Report;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The two inputs: the text before a line `--` and the text after it, or two halves.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    const LINE: &[u8] = b"\n--\n";
    let at = bytes.windows(LINE.len()).position(|window| window == LINE);
    at.map_or_else(|| bytes.split_at(bytes.len() / 2), |at| (&bytes[..=at], &bytes[at + LINE.len()..]))
}

/// Row, column, table and ignored keys. Which of them are used depends on the input.
const EXPRESSIONS: [[&str; 4]; 4] = [
    [".fullname", ".file", ".config", ""],
    [".name", "/size@num,.file", "pkg", "note"],
    [".fullname@alpha", ".file /format@(gob json)", ".config@alpha", "/gomaxprocs"],
    ["/n .unit", ".name", "", ".fullname"],
];

const LAYOUTS: [FileLayout; 7] = [
    FileLayout::Default,
    FileLayout::Benchstat,
    FileLayout::BenchstatV1,
    FileLayout::Benchcmp,
    FileLayout::Csv,
    FileLayout::Json,
    FileLayout::Markdown,
];

fn arguments(layout: FileLayout, expressions: [&str; 4], files: &[PathBuf; 2]) -> CompareArgs {
    let [row, col, table, ignore] = expressions.map(str::to_owned);
    CompareArgs {
        files: files.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        base: Vec::new(),
        head: Vec::new(),
        format: "auto".to_owned(),
        alpha: None,
        confidence: 0.95,
        filter: "*".to_owned(),
        table,
        row,
        col,
        ignore,
        layout,
        threshold: None,
        correction: None,
        fail_on: vec![FailOnArg::Regression],
        geomean: true,
        best: false,
    }
}

fn show(report: &Report, layout: FileLayout) -> Result<String, String> {
    match layout {
        FileLayout::Json => serde_json::to_string(report).map_err(|error| error.to_string()),
        FileLayout::Markdown => {
            let options = CommentOptions { classic: Some(report_text), ..CommentOptions::default() };
            let body = render::comment(report, &options).map_err(|error| error.to_string())?.body;
            // GitHub refuses more.
            assert!(body.len() <= 65_536);
            Ok(body)
        }
        _ => Ok(render::terminal(report, 100, false)),
    }
}

fuzz_target!(|bytes: &[u8]| {
    static FILES: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("bench-bot-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the inputs");
        ["old.txt", "new.txt"].map(|name| folder.join(name))
    });
    let (old, new) = halves(bytes);
    for (path, text) in FILES.iter().zip([old, new]) {
        std::fs::write(path, text).expect("an input");
    }
    // One layout an input: to make a whole page takes longer than everything before it.
    let choice = bytes.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let layout = LAYOUTS[choice % LAYOUTS.len()];
    let args = arguments(layout, EXPRESSIONS[choice / LAYOUTS.len() % EXPRESSIONS.len()], &FILES);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams { stdin: &mut std::io::empty(), out: &mut out, err: &mut err };
    let others = Others { render: &show, measured: &|_| Err("results that were measured".to_owned()) };
    let code = match run(&args, &mut streams, &others) {
        Ok(code) => {
            assert!(code <= 1);
            code
        }
        Err(error) => error.exit_code(),
    };
    // What was compared is shown.
    assert!(code >= 2 || !out.is_empty() || matches!(layout, FileLayout::BenchstatV1 | FileLayout::Benchcmp));
    assert!(std::str::from_utf8(&out).is_ok());
});
