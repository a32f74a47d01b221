//! bench-bot tells maintainers what a pull request does to performance.
//!
//! Data flows one way: trigger → request → checkout → measure → results → compare → report → publish.

pub mod actions;
pub mod benchstat;
pub mod cli;
pub mod compare;
pub mod config;
pub mod demo;
pub mod detect;
pub mod format;
pub mod gate;
pub mod git;
pub mod github;
pub mod host;
pub mod init;
pub mod inspect;
pub mod measure;
pub mod publish;
pub mod render;
pub mod report;
pub mod request;
pub mod results;
pub mod selftest;
pub mod side;
pub mod standin;
pub mod stats;
pub mod unit;
