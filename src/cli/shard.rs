//! `K/N`.

use crate::results::Shard;
use anyhow::{Context, Result, ensure};

/// `2/4` is the second of four parts.
///
/// # Errors
/// When it is not two numbers, or the first is not within the second.
pub(crate) fn shard(text: &str) -> Result<Shard> {
    let expected = || format!("`{text}`: expected K/N with 1 ≤ K ≤ N ≤ 256, such as `2/4`");
    let (index, count) = text.split_once('/').with_context(expected)?;
    let (index, count) = (index.trim().parse().with_context(expected)?, count.trim().parse().with_context(expected)?);
    ensure!(index >= 1 && index <= count && count <= 256, expected());
    Ok(Shard { index, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_lies_within_its_count() {
        assert_eq!(shard("2/4").unwrap(), Shard { index: 2, count: 4 });
        for text in ["0/4", "5/4", "2", "a/b", "1/257"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
