//! The kernel's notation for sets of CPUs: `0-3,8`.

use std::collections::BTreeSet;

/// CPUs beyond this do not exist: the kernel's own limit (`CONFIG_NR_CPUS`).
const HIGHEST: u32 = 8191;

/// Reads a list of CPUs such as `2-3,6`. An empty text is an empty set.
///
/// # Errors
/// A sentence that names the part that is no CPU.
pub fn parse(text: &str) -> Result<BTreeSet<u32>, String> {
    let mut cpus = BTreeSet::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|cpu| *cpu <= HIGHEST);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => cpus.extend(first..=last),
            _ => return Err(format!("`{part}` is not a CPU or a range of CPUs (as in `2-3,6`, from 0 to {HIGHEST})")),
        }
    }
    Ok(cpus)
}

/// Writes CPUs in the kernel's notation, shortest form.
pub fn format(cpus: impl IntoIterator<Item = u32>) -> String {
    let sorted: BTreeSet<u32> = cpus.into_iter().collect();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in sorted {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let parts: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written_as_the_kernel_does() {
        assert_eq!(parse("2-3, 6").unwrap(), BTreeSet::from([2, 3, 6]));
        assert_eq!(parse("").unwrap(), BTreeSet::new());
        assert_eq!(format([6, 2, 3]), "2-3,6");
        assert_eq!(format([]), "");
    }

    #[test]
    fn a_list_from_outside_cannot_fill_the_memory() {
        assert!(parse("0-4294967295").unwrap_err().contains("0-4294967295"));
        assert!(parse("3-1").is_err());
        assert!(parse("1,x").unwrap_err().contains("`x`"));
    }
}
