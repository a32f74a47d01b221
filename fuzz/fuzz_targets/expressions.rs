//! Any texts as projections and a filter.
#![no_main]

use bench_bot::benchstat::Expressions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (String, String, String, String, String)| {
    let (table, row, col, ignore, filter) = texts;
    if let Err(error) = (Expressions { table, row, col, ignore, filter }).check() {
        // The caret stands under a place in the expression.
        assert!(error.error.offset <= error.error.query.len());
        assert!(error.to_string().ends_with('^'));
    }
});
