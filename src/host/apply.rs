//! Settings are written, read back, and put back.

use super::knob::{Knob, Setting, Want};
use super::tree::{Store, errno};
use crate::results::{KnobOutcome, KnobStatus};
use nix::errno::Errno;
use std::collections::BTreeMap;
use std::io;

/// Putting back goes over everything until it stays: the kernel couples settings, so one pass can be undone by itself.
const RESTORE_PASSES: u32 = 4;

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FileState {
    /// Nothing was asked.
    Left,
    /// It had the value.
    Already(String),
    /// It has the value now.
    Applied(String),
    /// It could not be.
    Denied(String),
}

/// What became of all files of one application.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// One outcome for each setting that was asked for.
    pub outcomes: Vec<KnobOutcome>,
    /// What each written file read as afterwards, by file.
    pub expected: BTreeMap<String, String>,
    /// Files that nothing was asked of and that moved all the same.
    pub disturbed: Vec<String>,
}

/// Writes what is wanted where it differs from what is there, then reads everything back.
///
/// Statuses compare with the value that was found before the first change, so that they are the same every time.
pub(crate) fn apply(store: &dyn Store, settings: &[Setting], wants: &[Want]) -> Applied {
    let mut order: Vec<usize> = (0..settings.len()).collect();
    order.sort_by_key(|&index| settings[index].knob);
    let mut refused: BTreeMap<usize, io::Error> = BTreeMap::new();
    let mut again = Vec::new();
    for &index in &order {
        if let Err(error) = write_if_wanted(store, &settings[index], &wants[index]) {
            // An empty range of frequencies is refused, so the other limit must move first.
            if error.raw_os_error() == Some(Errno::EINVAL as i32) {
                again.push(index);
            }
            refused.insert(index, error);
        }
    }
    for index in again {
        match write_if_wanted(store, &settings[index], &wants[index]) {
            Ok(()) => refused.remove(&index),
            Err(error) => refused.insert(index, error),
        };
    }
    let mut applied = Applied::default();
    let mut results = Vec::new();
    for (index, (setting, want)) in settings.iter().zip(wants).enumerate() {
        let now = store.read(&setting.file);
        let result = judge(setting, want, refused.get(&index), now.as_deref());
        if let (FileState::Applied(_), Ok(now)) = (&result, &now) {
            applied.expected.insert(setting.file.clone(), now.clone());
        }
        if matches!(want, Want::Leave) && now.is_ok_and(|now| now != setting.prior) {
            applied.disturbed.push(setting.file.clone());
        }
        results.push(result);
    }
    applied.outcomes = summarise(settings, &results);
    applied
}

fn write_if_wanted(store: &dyn Store, setting: &Setting, want: &Want) -> io::Result<()> {
    match want {
        Want::Value(value) if setting.refused.is_none() && store.read(&setting.file)? != *value => {
            store.write(&setting.file, value)
        }
        _ => Ok(()),
    }
}

fn judge(setting: &Setting, want: &Want, refused: Option<&io::Error>, now: Result<&str, &io::Error>) -> FileState {
    let value = match want {
        Want::Leave => return FileState::Left,
        Want::Impossible(why) => return FileState::Denied(why.clone()),
        Want::Value(value) => value,
    };
    match (now, &setting.refused, refused) {
        (Ok(now), ..) if now == value && setting.prior == *value => FileState::Already(value.clone()),
        (Ok(now), ..) if now == value => FileState::Applied(value.clone()),
        (_, Some(why), _) => FileState::Denied(why.clone()),
        (_, None, Some(error)) => FileState::Denied(errno(error)),
        // The kernel stores the driver's own choice under this name.
        (Ok(now), None, None) if setting.knob == Knob::Epp && value == "default" => FileState::Applied(now.to_owned()),
        (Ok(now), None, None) => FileState::Denied(format!("written, but reads back as {}", setting.knob.show(now))),
        (Err(error), None, None) => FileState::Denied(format!("{} on reading back", errno(error))),
    }
}

/// One outcome for all files of a setting: refused if one file was.
fn summarise(settings: &[Setting], results: &[FileState]) -> Vec<KnobOutcome> {
    let mut groups: Vec<(&'static str, Vec<(&Setting, &FileState)>)> = Vec::new();
    for (setting, result) in settings.iter().zip(results).filter(|(_, result)| **result != FileState::Left) {
        let name = setting.knob.name();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push((setting, result)),
            None => groups.push((name, vec![(setting, result)])),
        }
    }
    groups.into_iter().map(|(name, group)| KnobOutcome { knob: name.to_owned(), status: status(&group) }).collect()
}

fn status(group: &[(&Setting, &FileState)]) -> KnobStatus {
    let denied: Vec<(&str, &str)> = group
        .iter()
        .filter_map(|(setting, result)| match result {
            FileState::Denied(why) => Some((setting.place.as_str(), why.as_str())),
            _ => None,
        })
        .collect();
    if let Some((place, why)) = denied.first() {
        let everywhere = denied.len() == group.len();
        return KnobStatus::Denied(if everywhere {
            (*why).to_owned()
        } else {
            format!("{why} at {place} ({} of {} refused)", denied.len(), group.len())
        });
    }
    let distinct = |values: Vec<String>| {
        let mut seen: Vec<String> = Vec::new();
        values.into_iter().for_each(|value| {
            if !seen.contains(&value) {
                seen.push(value);
            }
        });
        seen.join(", ")
    };
    let values = |applied: bool| {
        group.iter().filter_map(move |(setting, result)| match result {
            FileState::Applied(value) => Some(setting.knob.show(value)),
            FileState::Already(value) if !applied => Some(setting.knob.show(value)),
            _ => None,
        })
    };
    if values(true).next().is_none() {
        return KnobStatus::Already(distinct(values(false).collect()));
    }
    let old = group.iter().filter(|(_, result)| matches!(result, FileState::Applied(_)));
    let old = old.map(|(setting, _)| setting.knob.show(&setting.prior)).collect();
    KnobStatus::Applied(distinct(old), distinct(values(true).collect()))
}

/// A setting that could not be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotRestored {
    /// Which.
    pub file: String,
    /// What was read at first.
    pub prior: String,
    /// The error's name, or what it reads as.
    pub why: String,
}

/// Puts back what was read, last change first, until everything stays. `entries` are file and value in the order of
/// the journal.
pub(crate) fn restore(store: &dyn Store, entries: &[(&str, &str)]) -> Vec<NotRestored> {
    let mut failed = Vec::new();
    for _ in 0..RESTORE_PASSES {
        failed.clear();
        let mut wrote = false;
        for (file, prior) in entries.iter().rev() {
            let why = match store.read(file) {
                Ok(now) if now == *prior => continue,
                // The CPU was taken away meanwhile: its setting went with it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Ok(now) => match store.write(file, prior) {
                    Ok(()) => {
                        wrote = true;
                        format!("reads back as {now}")
                    }
                    Err(error) => errno(&error),
                },
                Err(error) => errno(&error),
            };
            failed.push(NotRestored { file: (*file).to_owned(), prior: (*prior).to_owned(), why });
        }
        // Without a write nothing can have changed, and another pass would find the same.
        if !wrote {
            return failed;
        }
    }
    // The last pass wrote: only what still differs is a failure.
    failed.retain(|one| match store.read(&one.file) {
        Ok(now) => now != one.prior,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    });
    failed
}

/// What somebody else changed: file, what was set, what was found.
pub(crate) fn drifted(store: &dyn Store, expected: &BTreeMap<String, String>) -> Vec<(String, String, String)> {
    let look = |(file, set): (&String, &String)| {
        let found = store.read(file).unwrap_or_else(|error| errno(&error));
        (found != *set).then(|| (file.clone(), set.clone(), found))
    };
    expected.iter().filter_map(look).collect()
}

#[cfg(test)]
mod tests;
