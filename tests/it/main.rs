//! Stories over real parts: HTTP, git, processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here; helpers outside test functions too")]

mod actions;
mod bot;
mod config;
mod docs;
mod gate;
mod github;
mod host;
mod measure;
mod run;
mod sandbox;
mod selftest;
