//! Parts of simulations: repeatable random numbers, and noise models of machines.
//!
//! [`crate::compare::simulate`] puts them together with the decisions of this program.

pub mod noise;
pub mod random;
