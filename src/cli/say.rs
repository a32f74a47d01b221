//! Words for the user that survive a closed pipe or a full disk: `println!` would panic and hide the exit code. In a job's
//! log nothing of them is a command to the runner, whoever chose the words.

use std::borrow::Cow;
use std::io::{self, Write};

/// A line on standard output.
macro_rules! out {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), "{}", crate::cli::say::plain(&format!($($words)*)));
    }};
}

/// Text on standard output, without a line end.
macro_rules! part {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stdout(), "{}", crate::cli::say::plain(&format!($($words)*)));
    }};
}

/// A line on standard error.
macro_rules! err {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", crate::cli::say::plain(&format!($($words)*)));
    }};
}

pub(crate) use {err, out, part};

/// The text as it is, or in a job of GitHub Actions without anything that the runner would obey.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        without_orders(text)
    } else {
        text.into()
    }
}

/// The runner obeys lines that begin with `::`, and the older `##[` anywhere; a carriage return ends a line too.
fn without_orders(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##[") {
        return text.into();
    }
    let lines = text.split_inclusive(['\n', '\r']);
    let tame = |line: &str| {
        let bar = if line.trim_start().starts_with("::") { "| " } else { "" };
        format!("{bar}{}", line.replace("##[", "# #["))
    };
    lines.map(tame).collect::<String>().into()
}

/// Standard error for diagnostics.
pub(crate) struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(plain(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::without_orders;

    #[test]
    fn nothing_is_left_that_the_runner_obeys() {
        for (text, expected) in [
            ("a row of std::vec", "a row of std::vec"),
            ("::error::x", "| ::error::x"),
            ("a\n  ::set-output name=run::true\nb", "a\n|   ::set-output name=run::true\nb"),
            ("a\r::add-mask::b", "a\r| ::add-mask::b"),
            ("said ##[set-output name=run;]true", "said # #[set-output name=run;]true"),
            ("", ""),
        ] {
            assert_eq!(without_orders(text), expected, "{text:?}");
        }
    }
}
