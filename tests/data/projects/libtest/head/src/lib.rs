//! Drops numbers that were there before, and finds numbers.

/// The first of each number.
pub fn unique(numbers: &[u64]) -> Vec<u64> {
    let mut seen = std::collections::BTreeSet::new();
    numbers.iter().copied().filter(|number| seen.insert(*number)).collect()
}

/// Where a number stands in a sorted list.
pub fn find(sorted: &[u64], number: u64) -> Option<usize> {
    sorted.iter().rposition(|other| std::hint::black_box(*other) == number)
}
