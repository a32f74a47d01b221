//! Seeded simulation of noisy machines: what the decisions of this program do under noise whose truth is known.

pub mod calibration;
pub mod noise;
pub mod random;
