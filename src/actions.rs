//! The Actions runner: inputs and paths in; workflow commands, outputs and summary out.
