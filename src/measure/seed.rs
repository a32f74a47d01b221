//! The seed of a run, and every random choice that is drawn from it.
//!
//! A choice depends on the seed and on its own name alone, never on what was drawn before or on time: the order of the
//! fifth confirm block of a suite is the same whatever happened until then. The derivation is written out here, so that
//! a published seed gives the same schedule in every version and on every platform: the key of ChaCha20 is the SHA-256
//! of `bench-bot schedule 1`, the 16 bytes of the seed, and each part of the name after its length (8 bytes, little
//! endian); a number below n is `next_u32` reduced modulo n, drawn again at or above the largest multiple of n.

use crate::side::Side;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::Read;

/// 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 16]);

/// The six orders of a block, by number.
const ORDERS: [[Side; 4]; 6] = {
    use Side::{Base as B, Head as H};
    [[B, B, H, H], [B, H, B, H], [B, H, H, B], [H, B, B, H], [H, B, H, B], [H, H, B, B]]
};

impl Seed {
    /// A fresh seed from the operating system.
    ///
    /// # Errors
    /// When it has none to give.
    pub fn fresh() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads 32 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        Some(Self(u128::from_str_radix(text, 16).ok()?.to_be_bytes()))
    }

    fn generator(self, name: &[&str]) -> ChaCha20Rng {
        let mut hash = Sha256::new();
        hash.update(b"bench-bot schedule 1");
        hash.update(self.0);
        for part in name {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        ChaCha20Rng::from_seed(hash.finalize().into())
    }

    /// The order of a block: one of the six, each as likely.
    #[must_use]
    pub fn order(self, name: &[&str]) -> [Side; 4] {
        ORDERS[below(&mut self.generator(name), 6) as usize]
    }

    /// The order of the two warm-up rounds of a suite.
    #[must_use]
    pub fn warmup_order(self, suite: &str) -> [Side; 2] {
        if below(&mut self.generator(&["warm-up", suite]), 2) == 0 { Side::BOTH } else { [Side::Head, Side::Base] }
    }

    /// Bytes (0 to 4095) that the environment of the process with this number is made larger by.
    #[must_use]
    pub fn padding(self, process: u64) -> usize {
        below(&mut self.generator(&["padding", &process.to_string()]), 4096) as usize
    }
}

fn below(generator: &mut ChaCha20Rng, n: u32) -> u32 {
    let limit = u32::MAX - u32::MAX % n;
    loop {
        let drawn = generator.next_u32();
        if drawn < limit {
            return drawn % n;
        }
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_seed_is_32_hexadecimal_digits() {
        let text = "00112233445566778899aabbccddeeff";
        assert_eq!(Seed::parse(text).expect("valid").to_string(), text);
        for wrong in ["", "0", "+0112233445566778899aabbccddeeff", "00112233445566778899aabbccddeefg", &"0".repeat(33)]
        {
            assert_eq!(Seed::parse(wrong), None, "{wrong}");
        }
        assert_ne!(Seed::fresh().expect("urandom"), Seed::fresh().expect("urandom"));
    }

    #[test]
    fn every_order_is_as_likely_and_balanced() {
        let seed = Seed::parse("00112233445566778899aabbccddeeff").expect("valid");
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for block in 0..6000 {
            let order = seed.order(&["screen", "suite", "", &block.to_string()]);
            assert_eq!(order.iter().filter(|side| **side == Side::Base).count(), 2);
            *counts.entry(format!("{order:?}")).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        // Chi-squared with 5 degrees of freedom: 20.5 is exceeded once in a thousand seeds.
        let chi: f64 = counts.values().map(|n| (f64::from(*n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 20.5, "{counts:?}");
    }

    #[test]
    fn a_choice_depends_on_its_name_alone() {
        let seed = Seed::parse("00112233445566778899aabbccddeeff").expect("valid");
        let orders = |stage: &str| (0..40).map(|b| seed.order(&[stage, "s", "", &b.to_string()])).collect::<Vec<_>>();
        assert_eq!(orders("screen"), orders("screen"));
        assert_ne!(orders("screen"), orders("confirm"));
        let (one, two) = (seed.order(&["ab", "c", "", "0"]), seed.generator(&["a", "bc", "", "0"]).next_u32());
        assert_ne!(seed.generator(&["ab", "c", "", "0"]).next_u32(), two, "parts are told apart ({one:?})");
        assert!((0..200).all(|process| seed.padding(process) < 4096));
    }

    /// The derivation is public: this is it, computed by a second program from SHA-256 and RFC 8439.
    #[test]
    fn the_derivation_is_the_documented_one() {
        let seed = Seed::parse("00112233445566778899aabbccddeeff").expect("valid");
        let mut generator = seed.generator(&["screen", "codec", "", "0"]);
        assert_eq!([generator.next_u32(), generator.next_u32()], EXPECTED);
    }

    const EXPECTED: [u32; 2] = [761_491_577, 3_501_680_582];
}
