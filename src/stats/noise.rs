//! What identical code shows: the noise that a run measures of itself.

use super::order;
use super::permutation::Block;

/// The noise of one row, from its same-side contrasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowNoise {
    /// Median size of a contrast: two rounds of the same code differ by this much.
    pub floor: f64,
    /// Robust standard deviation of a contrast.
    pub sigma: f64,
}

/// The noise of a row, on the scale of its blocks; `None` without blocks.
///
/// A block's two rounds of one side are a comparison of identical code that costs nothing. σ is 1.4826 times the
/// median size of a contrast, which estimates the standard deviation of normal noise (Rousseeuw and Croux, J. Am.
/// Stat. Assoc. 88, 1993); if more than half are 0 it is 1.2533 = √(π/2) times their mean size.
#[must_use]
pub fn of(blocks: &[Block]) -> Option<RowNoise> {
    let mut sizes = Vec::with_capacity(2 * blocks.len());
    for block in blocks {
        sizes.push((block.base[0] - block.base[1]).abs());
        sizes.push((block.head[0] - block.head[1]).abs());
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let floor = order::median(&sizes)?;
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let sigma = if floor > 0.0 { 1.4826 * floor } else { 1.2533 * mean };
    Some(RowNoise { floor, sigma })
}
