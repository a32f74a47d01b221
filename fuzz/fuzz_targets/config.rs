//! Any text as a configuration.
#![no_main]

use bench_bot::config::load;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = load("bench-bot.yml", text) {
        assert_eq!(error.file, "bench-bot.yml");
        assert!(error.line <= text.lines().count() + 1);
        assert!(!error.message.is_empty());
    }
});
