//! Verdicts on hand-made results.

mod build;
mod environment;
mod files;
mod hostile;
mod pairing;
mod plan;
mod simulation;
mod states;
mod verdicts;
