//! Evidence: what the method of this program does on machines whose truth is known, simulated and real.
//!
//! [`simulated`] draws noise and decides; [`goals`] measures a synthetic benchmark with exact injected effects in real
//! processes, undisturbed and disturbed; [`schedules`] compares identical binaries under three schedules; [`overhead`]
//! measures this program itself.

pub(crate) mod goals;
mod laboratory;
pub(crate) mod overhead;
pub mod regime;
pub(crate) mod schedules;
pub(crate) mod share;
pub(crate) mod simulated;
pub mod synthetic;
mod tally;
