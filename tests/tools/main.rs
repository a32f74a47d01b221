//! Small real projects, measured with the tools that their people use: base, head with another algorithm, no
//! configuration, and the verdict that everybody would give.
//!
//! Each project is `tests/data/projects/<tool>`: `base` is complete, `head` holds the files that the change replaces.
//! The changes are so large that no machine is too noisy for them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here; helpers outside test functions too")]

#[path = "../it/bot.rs"]
#[allow(dead_code, reason = "shared with the other stories, which use more of it")]
mod bot;
mod cargo;
mod go;
mod java;
mod native;
mod node;
mod project;
mod python;
mod several;
