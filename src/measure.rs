//! Stage 2: a request is carried out, raw samples come out.

pub mod exec;
pub mod process;
pub mod sandbox;
pub mod seed;
pub mod signal;
pub(crate) mod supervise;
