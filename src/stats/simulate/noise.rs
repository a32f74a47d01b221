//! Noise models: what a machine adds to the logarithm of a benchmark's time, round by round.

use super::random::Random;
use std::f64::consts::PI;

/// A model of a machine's noise, on the scale of logarithms: 0.02 is about 2 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Independent normal noise, 2 %.
    Independent,
    /// Heavy tails (Student's t with 3 degrees of freedom, 1.2 %) and a spike of 8 % on average in 8 % of rounds.
    Heavy,
    /// A straight drift of 4 % over the stage.
    Drift,
    /// Autocorrelated, ρ = 0.9, 2 %.
    Correlated,
    /// Autocorrelated, ρ = 0.98, 2 %.
    StronglyCorrelated,
    /// A step of 5 % somewhere in the stage.
    Step,
    /// Bursts of +6 % that begin with probability 0.1 and end with probability 0.2 a round.
    Bursts,
    /// Every process is 2.5 % fast or slow.
    Bimodal,
    /// A wave of 3 %.
    Periodic,
    /// Every second round of the schedule is 1.5 % slower: what one round leaves behind for the next.
    CarryOver,
    /// A code layout of 1.5 % that belongs to head's binary and not to its change: no schedule can tell it apart.
    Layout,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 11] = [
        Self::Independent,
        Self::Heavy,
        Self::Drift,
        Self::Correlated,
        Self::StronglyCorrelated,
        Self::Step,
        Self::Bursts,
        Self::Bimodal,
        Self::Periodic,
        Self::CarryOver,
        Self::Layout,
    ];

    /// A short name for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Heavy => "heavy tails",
            Self::Drift => "drift",
            Self::Correlated => "autocorrelated 0.9",
            Self::StronglyCorrelated => "autocorrelated 0.98",
            Self::Step => "step",
            Self::Bursts => "bursts",
            Self::Bimodal => "bimodal",
            Self::Periodic => "periodic",
            Self::CarryOver => "carry-over",
            Self::Layout => "layout",
        }
    }

    /// Whether rows are noisy each for itself; otherwise the machine moves all rows together, each by its own share.
    const fn of_its_own(self) -> bool {
        matches!(self, Self::Independent | Self::Heavy | Self::Bimodal)
    }

    /// Noise of `rows` rows over the same `rounds` rounds: one vector a row.
    #[must_use]
    pub fn rows(self, rows: usize, rounds: usize, random: &mut Random) -> Vec<Vec<f64>> {
        if self.of_its_own() {
            return (0..rows).map(|_| self.series(rounds, random)).collect();
        }
        let machine = self.series(rounds, random);
        (0..rows)
            .map(|_| {
                let share = 0.5 + random.uniform();
                machine.iter().map(|x| share * x + 0.01 * random.normal()).collect()
            })
            .collect()
    }

    /// What belongs to a row's head binary for good: not noise, and not its change either.
    #[must_use]
    pub fn bias(self, random: &mut Random) -> f64 {
        if self == Self::Layout { 0.015 * random.normal() } else { 0.0 }
    }

    /// Noise of one series of `rounds` rounds.
    #[must_use]
    pub fn series(self, rounds: usize, random: &mut Random) -> Vec<f64> {
        match self {
            Self::Independent => (0..rounds).map(|_| 0.02 * random.normal()).collect(),
            Self::Heavy => (0..rounds)
                .map(|_| {
                    let spike = if random.uniform() < 0.08 { 0.08 * random.exponential() } else { 0.0 };
                    0.012 * random.student3() + spike
                })
                .collect(),
            Self::Drift => {
                let slope = 0.04 * random.sign() / (rounds.max(2) - 1) as f64;
                (0..rounds).map(|k| 0.01 * random.normal() + slope * k as f64).collect()
            }
            Self::Correlated => autocorrelated(0.9, rounds, random),
            Self::StronglyCorrelated => autocorrelated(0.98, rounds, random),
            Self::Step => {
                let at = (0.1 + 0.8 * random.uniform()) * rounds as f64;
                let step = 0.05 * random.sign();
                (0..rounds).map(|k| 0.01 * random.normal() + if k as f64 >= at { step } else { 0.0 }).collect()
            }
            Self::Bursts => bursts(rounds, random),
            Self::Bimodal => (0..rounds).map(|_| 0.005 * random.normal() + 0.025 * random.sign()).collect(),
            Self::Periodic => {
                let period = rounds as f64 * (0.25 + 1.75 * random.uniform());
                let phase = 2.0 * PI * random.uniform();
                (0..rounds)
                    .map(|k| 0.01 * random.normal() + 0.03 * libm::sin(2.0 * PI * k as f64 / period + phase))
                    .collect()
            }
            Self::CarryOver => {
                (0..rounds).map(|k| 0.01 * random.normal() + if k % 2 == 1 { 0.015 } else { 0.0 }).collect()
            }
            Self::Layout => (0..rounds).map(|_| 0.01 * random.normal()).collect(),
        }
    }
}

fn autocorrelated(rho: f64, rounds: usize, random: &mut Random) -> Vec<f64> {
    let innovation = 0.02 * (1.0 - rho * rho).sqrt();
    let mut state = 0.02 * random.normal();
    (0..rounds)
        .map(|k| {
            if k > 0 {
                state = rho * state + innovation * random.normal();
            }
            state + 0.01 * random.normal()
        })
        .collect()
}

fn bursts(rounds: usize, random: &mut Random) -> Vec<f64> {
    let mut burst = random.uniform() < 1.0 / 3.0;
    (0..rounds)
        .map(|k| {
            if k > 0 {
                let u = random.uniform();
                burst = if burst { u >= 0.2 } else { u < 0.1 };
            }
            0.01 * random.normal() + if burst { 0.06 } else { 0.0 }
        })
        .collect()
}
