//! Any text as a configuration.
#![no_main]

use bench_bot::config::load;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = load("bench-bot.yml", text) {
        assert_eq!(error.file, "bench-bot.yml");
        // YAML has more line breaks than others; CRLF counts twice here, which does not matter. A text that ends too soon
        // is at fault on the line after its last one.
        let breaks = text.matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
        assert!(error.line <= breaks + 2);
        assert!(!error.message.is_empty());
    }
});
