//! Words for the user that survive a closed pipe or a full disk: `println!` would panic and hide the exit code.

/// A line on standard output.
macro_rules! out {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($words)*);
    }};
}

/// Text on standard output, without a line end.
macro_rules! part {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stdout(), $($words)*);
    }};
}

/// A line on standard error.
macro_rules! err {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

pub(crate) use {err, out, part};
