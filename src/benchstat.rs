//! Comparing files of results: benchstat's grammar and numbers, and the layouts of the tools of old.
//!
//! [`cli::run`] is `bench-bot compare`. The layouts `benchstat`, `benchstat-v1` and `benchcmp` give the text of those
//! tools; `docs/benchstat.md` lists where they differ on purpose.

mod batch;
mod benchcmp;
mod builder;
mod columns;
mod csv;
mod error;
mod filter;
mod grid;
mod hash;
mod input;
mod intern;
mod interval;
mod load;
mod logarithm;
mod measured;
mod mismatch;
mod number;
mod order;
mod parallel;
mod projection;
mod report;
mod sample;
mod show;
mod syntax;
mod table;
mod text;
mod units;
mod utest;
mod v1;

pub mod cli;

#[cfg(test)]
mod tests;

pub use builder::{ExpressionError, Expressions};
pub use error::CompareError;
pub use filter::Filter;
pub use input::{Input, inputs};
pub use measured::MeasuredFile;
pub use report::text as report_text;
pub use syntax::SyntaxError;
