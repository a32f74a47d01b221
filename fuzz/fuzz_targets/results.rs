//! Any bytes as `results.json`, and the report of what can be read.
#![no_main]

use bench_bot::compare::{self, Context};
use bench_bot::config::{Config, Layout};
use bench_bot::render::{self, CommentOptions};
use bench_bot::{benchstat, results};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = results::read(bytes) else { return };
    let report = compare::report(std::slice::from_ref(&read), &Config::default(), &Context::default());
    for layout in [Layout::Benchstat, Layout::BenchstatV1, Layout::Benchcmp] {
        let _ = benchstat::report_text(&report, layout);
    }
    let _ = render::terminal(&report, 100, false);
    let options = CommentOptions::default();
    if let Ok(rendered) = render::comment(&report, &options) {
        assert!(rendered.body.len() <= 65_536);
    }
    let _ = render::html(&report, &options);
});
