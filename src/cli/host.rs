//! `bench-bot host`: settings of this machine.

use crate::cli::args::{HostAction, HostArgs};
use crate::cli::check_config::root;
use crate::config;
use crate::host::{self, JournalPlace, Roots};
use anyhow::Result;

pub(crate) fn run(args: &HostArgs) -> Result<u8> {
    let (roots, journal) = (Roots::live(), JournalPlace::standard());
    let text = match &args.action {
        HostAction::Show => host::show(&roots, &journal),
        HostAction::Tune { config } => {
            let loaded = config::load_tree(&root(None)?, config.as_deref())?;
            let wanted = loaded.map(|(config, _)| config.host).unwrap_or_default();
            host::tune(&wanted, &roots, &journal)?
        }
        HostAction::Restore => host::restore(&roots, &journal)?,
    };
    crate::cli::say::out!("{}", text.trim_end());
    Ok(0)
}
