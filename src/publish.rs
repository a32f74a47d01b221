//! A rendered report is published: comment, check run, summary, outputs.
