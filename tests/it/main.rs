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
mod selftest;

/// Held by a test that runs bench commands in this very process, and by one whose guardians become orphans of it: the end
/// of a round ends whatever came to this process meanwhile.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
