//! Whether what `results.json` says of functions is possible: it may have been written by somebody else.

use super::{CODE_LIMIT, FUNCTIONS_LIMIT, Inspected, Listing, TEXT_LIMIT, USES_LIMIT};
use crate::side::{PerSide, Side};
use std::collections::{BTreeMap, HashSet};

/// Most notes of a side.
pub(super) const NOTES_LIMIT: usize = 100;
/// Longest name of a function in a configuration, in bytes, and what a part adds to it.
const NAME_LIMIT: usize = 500 + TEXT_LIMIT;
/// Most instructions, and bytes of code or stack, that a function is believed to have.
const SIZE_LIMIT: u64 = 1 << 32;
/// Tools that show one function.
const TOOLS: usize = 3;

/// Checks sizes and counts, so that whoever compares and shows the listings needs not.
///
/// # Errors
/// What is impossible, and where.
pub fn check(inspected: &PerSide<Inspected>) -> Result<(), String> {
    for side in Side::BOTH {
        let one = inspected.get(side);
        let notes = one.notes.len() <= NOTES_LIMIT && one.notes.iter().all(|note| note.len() <= TEXT_LIMIT);
        ensure(notes, format!("{side}.notes"), "too many, or too long")?;
        ensure(one.listings.len() <= TOOLS * FUNCTIONS_LIMIT, format!("{side}.listings"), "too many")?;
        let mut seen = HashSet::new();
        for (index, listing) in one.listings.iter().enumerate() {
            let place = format!("{side}.listings[{index}]");
            ensure(
                seen.insert((&listing.function, listing.tool)),
                place.clone(),
                "a second one of that function and tool",
            )?;
            self::listing(listing, &place)?;
        }
    }
    Ok(())
}

fn listing(listing: &Listing, place: &str) -> Result<(), String> {
    let at = |field: &str| format!("{place}.{field}");
    let name = |text: &str| !text.is_empty() && text.len() <= NAME_LIMIT;
    ensure(name(&listing.function), at("function"), "empty or too long")?;
    ensure(name(&listing.symbol), at("symbol"), "empty or too long")?;
    ensure(listing.origin.len() <= TEXT_LIMIT, at("origin"), "too long")?;
    let lines = listing.instructions.checked_add(listing.directives);
    ensure(lines == Some(listing.lines), at("lines"), "not the sum of instructions and directives")?;
    for (size, field) in [(listing.bytes, "bytes"), (listing.frame, "frame")] {
        ensure(size.is_none_or(|size| size <= SIZE_LIMIT), at(field), "impossibly large")?;
    }
    ensure(uses(&listing.calls), at("calls"), "too many, too long, or none at all")?;
    ensure(uses(&listing.symbols), at("symbols"), "too many, too long, or none at all")?;
    let calls: u64 = listing.calls.values().map(|n| u64::from(*n)).sum();
    ensure(calls <= u64::from(listing.instructions), at("calls"), "more than instructions")?;
    let parts = listing.parts.len() <= USES_LIMIT && listing.parts.iter().all(|part| name(part));
    ensure(parts, at("parts"), "too many, or too long")?;
    let code = listing.code.len() == CODE_LIMIT.min(listing.instructions as usize);
    ensure(code, at("code"), "not a line for each instruction")?;
    let line = |line: &String| line.len() <= TEXT_LIMIT && !line.contains('\n');
    ensure(listing.code.iter().all(line), at("code"), "a line that is too long, or not one line")
}

fn uses(uses: &BTreeMap<String, u32>) -> bool {
    uses.len() <= USES_LIMIT + 1 && uses.iter().all(|(name, count)| name.len() <= TEXT_LIMIT && *count > 0)
}

fn ensure(good: bool, place: String, reason: &str) -> Result<(), String> {
    if good { Ok(()) } else { Err(format!("{place}: {reason}")) }
}
