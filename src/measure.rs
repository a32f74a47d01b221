//! Stage 2: a request is carried out, raw samples come out.

pub mod exec;
