//! Stories over real parts: HTTP, git, processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here; helpers outside test functions too")]

mod actions;
mod bot;
mod config;
mod docs;
mod formats;
mod gate;
mod github;
mod host;
mod init;
mod measure;
mod release;
mod run;
mod sandbox;
