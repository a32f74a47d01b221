//! Corrections for looking at many rows.

/// Holm's step-down adjusted p-values for a family of `size` tests, of which only `p` were computed: the others count
/// as 1 (Holm, Scand. J. Stat. 6, 1979). Order and length are those of `p`.
///
/// Every p below or at α after adjustment may be called a finding; the probability of any false one is at most α,
/// whatever the dependence.
#[must_use]
pub fn holm(p: &[f64], size: usize) -> Vec<f64> {
    let size = size.max(p.len());
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p[index] * (size - rank) as f64).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's step-up adjusted p-values (J. R. Stat. Soc. B 57, 1995): the expected share of false
/// findings among the rows at or below a value. A column to browse by, never a gate.
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut smallest = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(p[index] * p.len() as f64 / (rank + 1) as f64);
        adjusted[index] = smallest;
    }
    adjusted
}
