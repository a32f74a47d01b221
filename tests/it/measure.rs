//! Measuring with real git and real processes; only the reading of outputs and the choice of rows are simple stand-ins.

mod rig;
mod signals;
mod stories;
