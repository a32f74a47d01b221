//! Verdicts on hand-made results.

mod build;
mod environment;
mod hostile;
mod pairing;
mod plan;
mod simulation;
mod states;
mod verdicts;
