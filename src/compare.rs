//! Results are compared: rows matched, tested, judged. Makes the [`crate::report::Report`].
