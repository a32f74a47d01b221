//! A fast hash for tables that are asked once a line.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with [`Fast`] hashes.
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;

/// Multiplies and folds eight bytes at a time.
///
/// It does not withstand names chosen to collide. Files are the user's own, and the results of others are limited to ten
/// thousand rows before they come here, so that collisions cost a second at worst.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Fast(u64);

/// An odd number without pattern: the golden ratio's fraction.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fast {
    fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Fast {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word) ^ MULTIPLIER);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value) ^ MULTIPLIER);
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64 ^ MULTIPLIER);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
