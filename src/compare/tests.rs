//! Verdicts on hand-made results.

mod build;
mod environment;
mod hostile;
mod pairing;
mod plan;
mod states;
mod verdicts;
