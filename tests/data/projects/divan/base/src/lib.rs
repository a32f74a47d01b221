//! Drops numbers that were there before, and finds numbers.

/// The first of each number.
pub fn unique(numbers: &[u64]) -> Vec<u64> {
    let mut out: Vec<u64> = Vec::new();
    for number in numbers {
        if !out.contains(number) {
            out.push(*number);
        }
    }
    out
}

/// Where a number stands in a sorted list.
pub fn find(sorted: &[u64], number: u64) -> Option<usize> {
    sorted.binary_search(&number).ok()
}
