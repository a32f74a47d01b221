//! Putting back settings of the host that a job left changed: a step for the end of a job, `if: always()`.

use crate::config::{Host, Tuning};
use crate::host::{self, JournalPlace, Roots};
use crate::measure::sandbox::{HelperOptions, HostHelper};
use anyhow::{Context, Result};

/// Restores what the journal lists; from inside a container, by a helper that has the host's files and its journal.
///
/// # Errors
/// When a run is at work now, or something cannot be put back.
pub(crate) fn restore() -> Result<u8> {
    let roots = Roots::live();
    let text = if !HostHelper::is_needed() {
        host::restore(&roots, &JournalPlace::standard())?
    } else if super::super::contained::has_files(&roots) {
        by_helper().context("putting the host's settings back")?
    } else {
        "This machine has none of the settings that bench-bot changes.".to_owned()
    };
    crate::cli::say::out!("{}", text.trim_end());
    Ok(0)
}

/// A helper restores before it does anything else, and is asked for nothing else.
fn by_helper() -> Result<String> {
    let helper = HostHelper::begin(&HelperOptions::new("restore"), &Host { tuning: Tuning::Off, ..Host::default() })?;
    let notes = helper.notes().join("\n");
    helper.finish()?;
    Ok(if notes.is_empty() { "Nothing is changed, nothing to put back.".to_owned() } else { notes })
}
