//! Stage 1.

pub mod command;
mod markdown;
mod quote;
