//! Repeatable random numbers.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// Number of layers of equal area under the normal curve.
const LAYERS: usize = 128;
/// Where the tail begins for that many layers.
const TAIL: f64 = 3.442_619_855_899;
/// Area of a layer.
const AREA: f64 = 9.912_563_035_262_17e-3;
/// 2^-53.
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

/// Right edges of the layers, from the bottom one, which is as wide as if its tail were part of the rectangle.
static EDGES: LazyLock<[f64; LAYERS + 1]> = LazyLock::new(|| {
    let mut edges = [0.0; LAYERS + 1];
    edges[0] = AREA / height(TAIL);
    edges[1] = TAIL;
    for i in 2..LAYERS {
        edges[i] = (-2.0 * libm::log(AREA / edges[i - 1] + height(edges[i - 1]))).sqrt();
    }
    edges
});

/// The normal curve, 1 at its top.
fn height(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// A stream of random numbers that is the same on every platform and in every version.
#[derive(Debug)]
pub struct Random {
    stream: ChaCha8Rng,
    /// [`EDGES`].
    edges: [f64; LAYERS + 1],
}

impl Random {
    /// The stream of `seed` with this `path`: different paths give independent streams.
    #[must_use]
    pub fn new(seed: u64, path: &[u64]) -> Self {
        // SplitMix64's finaliser spreads every part over the whole state (Steele, Lea and Flood, OOPSLA 2014).
        let mut state = seed;
        let mut mix = |part: u64| {
            state = state.wrapping_add(part).wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            state = z ^ (z >> 31);
            state
        };
        for &part in path {
            mix(part);
        }
        let mut key = [0; 32];
        for chunk in key.chunks_exact_mut(8) {
            chunk.copy_from_slice(&mix(path.len() as u64).to_le_bytes());
        }
        Self { stream: ChaCha8Rng::from_seed(key), edges: *EDGES }
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.stream.next_u64() >> 11) as f64 * UNIT
    }

    /// A whole number from 0 to `n` − 1; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // The bias of a 64-bit product is below 2^-50 for the small n used here.
        ((u128::from(self.stream.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// −1 or 1.
    pub fn sign(&mut self) -> f64 {
        if self.stream.next_u64() >> 63 == 0 { -1.0 } else { 1.0 }
    }

    /// Standard normal, by the ziggurat method (Marsaglia and Tsang, J. Stat. Softw. 5(8), 2000): a number below the
    /// layer that lies wholly under the curve needs one draw and no function.
    pub fn normal(&mut self) -> f64 {
        loop {
            let bits = self.stream.next_u64();
            let layer = (bits & 127) as usize;
            let negative = bits & 128 != 0;
            let x = (bits >> 11) as f64 * UNIT * self.edges[layer];
            let inner = self.edges[layer + 1];
            let x = if x < inner {
                x
            } else if layer == 0 {
                self.tail()
            } else {
                let (low, high) = (height(self.edges[layer]), height(inner));
                if low + self.uniform() * (high - low) >= height(x) {
                    continue;
                }
                x
            };
            return if negative { -x } else { x };
        }
    }

    /// A normal number beyond the last layer (Marsaglia, Technometrics 6, 1964).
    fn tail(&mut self) -> f64 {
        loop {
            let x = self.exponential() / TAIL;
            if 2.0 * self.exponential() > x * x {
                return TAIL + x;
            }
        }
    }

    /// Student's t with three degrees of freedom.
    pub fn student3(&mut self) -> f64 {
        let z = self.normal();
        let square = (0..3).map(|_| self.normal().powi(2)).sum::<f64>();
        z / (square / 3.0).sqrt()
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.uniform())
    }

    /// One of the six orders of a block: for each of its four slots, whether head runs there.
    pub fn block(&mut self) -> [bool; 4] {
        const ORDERS: [[bool; 4]; 6] = [
            [true, true, false, false],
            [true, false, true, false],
            [true, false, false, true],
            [false, true, true, false],
            [false, true, false, true],
            [false, false, true, true],
        ];
        ORDERS[self.below(6) as usize]
    }
}
