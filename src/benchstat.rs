//! benchstat's grammar and layouts: projections, filters, tables as text.

mod builder;
mod filter;
mod hash;
mod intern;
mod number;
mod order;
mod projection;
mod syntax;
mod utest;

pub use builder::{ExpressionError, Expressions};
pub use filter::Filter;
pub use syntax::SyntaxError;
