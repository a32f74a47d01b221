//! `bench-bot init`: a configuration and workflows that fit the repository.

use crate::cli::args::InitArgs;
use crate::cli::check_config::root;
use crate::init::{Plan, ask, init};
use anyhow::Result;
use std::io::IsTerminal;

/// Writes what is not there yet, and says what to do next.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn run(args: &InitArgs) -> Result<u8> {
    let tree = root(args.repository.as_deref())?;
    let plan = if args.forks || args.self_hosted || !std::io::stdin().is_terminal() {
        Plan { forks: args.forks, self_hosted: args.self_hosted }
    } else {
        ask(&mut std::io::stdin().lock(), &mut std::io::stderr())?
    };
    let outcome = init(&tree, plan)?;
    crate::cli::say::out!("{}", outcome.detected);
    for path in &outcome.written {
        crate::cli::say::out!("wrote   {path}");
    }
    for path in &outcome.kept {
        crate::cli::say::out!("kept    {path}");
    }
    for (number, step) in outcome.next.iter().enumerate() {
        crate::cli::say::out!("{}. {step}", number + 1);
    }
    Ok(0)
}
