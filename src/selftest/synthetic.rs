//! A benchmark whose true speed is known, and programs that disturb it: what this program starts itself.
//!
//! A row does a number of equal units of work; a slowdown of 5 % is exactly 5 % more units. There are three kinds of
//! work: arithmetic, sorting in the first cache, and a walk through one MiB of memory.

use crate::host::ProcessSettings;
use crate::stats::simulate::random::Random;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// The hidden first argument that makes the program a synthetic benchmark.
pub const ARGUMENT: &str = "__synthetic";

/// Operations that a row says it did: its time is given for one of them.
const OPERATIONS: u32 = 1000;
/// Slowdown of half of the processes in the bimodal regime, in percent.
const SLOW_MODE: u64 = 5;
/// Entries of the memory that is walked through: one MiB.
const CHAIN: usize = 1 << 18;
/// Mean of the time for which the on-off disturbance works and rests.
const ON_OFF: f64 = 2.0;
/// Time in which the rising disturbance goes from nothing to [`RAMP_SHARE`] of the CPU.
const RAMP: f64 = 60.0;
const RAMP_SHARE: f64 = 0.5;
/// Slice of time of the rising disturbance.
const SLICE: f64 = 0.02;

/// Which rows a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// How often each row is run in the process, one after the other.
    pub count: u32,
    /// Units of work of a row without an effect.
    pub units: u64,
    /// Whether half of the processes, by a coin of their own, are slow in all rows.
    pub bimodal: bool,
    /// The effect of each row, in thousandths.
    pub effects: Vec<u64>,
}

impl Rows {
    /// The arguments after the program's name. Their length does not depend on the effects.
    #[must_use]
    pub fn arguments(&self) -> String {
        let effects: Vec<String> = self.effects.iter().map(|effect| format!("{effect:04}")).collect();
        let mode = if self.bimodal { "bimodal" } else { "uniform" };
        format!("{ARGUMENT} rows {} {} {mode} {}", self.count, self.units, effects.join(","))
    }

    fn parse(count: &str, units: &str, mode: &str, effects: &str) -> Option<Self> {
        Some(Self {
            count: count.parse().ok()?,
            units: units.parse().ok()?,
            bimodal: mode == "bimodal",
            effects: effects.split(',').map(|effect| effect.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// Units of work of a row with `effect`, in a process of the slow mode or not.
    const fn units_of(&self, effect: u64, slow: bool) -> u64 {
        self.units * (1000 + effect) * (100 + if slow { SLOW_MODE } else { 0 }) / 100_000
    }

    /// Runs the rows and prints a line for each, as Go's benchmarks do.
    fn run(&self, out: &mut impl Write) -> io::Result<()> {
        let mut coin = [0];
        getrandom::fill(&mut coin).map_err(io::Error::other)?;
        let slow = self.bimodal && coin[0] % 2 == 1;
        let mut work = Work::new();
        for (row, effect) in self.effects.iter().enumerate() {
            let (name, unit) = Work::KINDS[row % Work::KINDS.len()];
            for _ in 0..self.count {
                let begin = Instant::now();
                for _ in 0..self.units_of(*effect, slow) {
                    unit(&mut work);
                }
                let nanoseconds = begin.elapsed().as_secs_f64() * 1e9 / f64::from(OPERATIONS);
                writeln!(out, "BenchmarkSynthetic/{name}/{row:02} {OPERATIONS} {nanoseconds:.3} ns/op")?;
            }
        }
        out.flush()
    }
}

/// What the units of work need.
struct Work {
    state: u64,
    numbers: [u32; 32],
    chain: Vec<u32>,
    place: u32,
}

type Unit = fn(&mut Work);

impl Work {
    const KINDS: [(&'static str, Unit); 3] = [("alu", Self::compute), ("sort", Self::sort), ("chase", Self::chase)];

    fn new() -> Self {
        // One cycle through all entries (Sattolo), so that the walk visits the whole memory.
        let mut chain: Vec<u32> = (0..CHAIN as u32).collect();
        let mut state = 1;
        for last in (1..CHAIN).rev() {
            chain.swap(last, (step(&mut state) >> 33) as usize % last);
        }
        Self { state: 1, numbers: [0; 32], chain, place: 0 }
    }

    fn compute(&mut self) {
        for _ in 0..200 {
            step(&mut self.state);
        }
        black_box(self.state);
    }

    fn sort(&mut self) {
        let state = &mut self.state;
        self.numbers.iter_mut().for_each(|number| *number = (step(state) >> 32) as u32);
        self.numbers.sort_unstable();
        black_box(&self.numbers);
    }

    fn chase(&mut self) {
        for _ in 0..64 {
            self.place = self.chain[self.place as usize];
        }
        black_box(self.place);
    }
}

/// A linear congruential generator (Knuth's MMIX): each step needs the one before.
const fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state
}

/// What a disturbing process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    /// Computes without end.
    Busy,
    /// Reads and writes 32 MiB without end.
    Memory,
    /// Computes and rests for random times.
    OnOff,
    /// Computes for a share of the time that rises, again and again.
    Ramp,
}

impl Disturbance {
    const ALL: [(&'static str, Self); 4] =
        [("busy", Self::Busy), ("memory", Self::Memory), ("on-off", Self::OnOff), ("ramp", Self::Ramp)];

    /// The word for it among the arguments.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Memory => "memory",
            Self::OnOff => "on-off",
            Self::Ramp => "ramp",
        }
    }

    /// Disturbs until it is killed.
    fn run(self) -> ! {
        match self {
            Self::Busy => loop {
                busy(1.0);
            },
            Self::Memory => {
                let mut memory = vec![1_u64; 4 << 20];
                loop {
                    memory.iter_mut().for_each(|word| *word = word.wrapping_add(1));
                    black_box(&memory);
                }
            }
            Self::OnOff => {
                let mut random = Random::new(u64::from(std::process::id()), &[]);
                loop {
                    busy(ON_OFF * random.exponential());
                    rest(ON_OFF * random.exponential());
                }
            }
            Self::Ramp => {
                let begin = Instant::now();
                loop {
                    let share = RAMP_SHARE * (begin.elapsed().as_secs_f64() / RAMP).fract();
                    busy(share * SLICE);
                    rest((1.0 - share) * SLICE);
                }
            }
        }
    }
}

fn busy(seconds: f64) {
    let begin = Instant::now();
    let mut state = 1;
    while begin.elapsed().as_secs_f64() < seconds {
        for _ in 0..1000 {
            step(&mut state);
        }
        black_box(state);
    }
}

fn rest(seconds: f64) {
    thread::sleep(Duration::from_secs_f64(seconds));
}

/// Runs as a benchmark (`rows COUNT UNITS MODE EFFECTS`) or as a disturbance (`hog WORD CPU NICE`, `-` leaving one out).
#[must_use]
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<String> = args.filter_map(|word| word.into_string().ok()).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["rows", count, units, mode, effects] => {
            let Some(rows) = Rows::parse(count, units, mode, effects) else { return ExitCode::from(2) };
            match rows.run(&mut io::stdout().lock()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            }
        }
        ["hog", word, cpu, nice] => {
            let Some((_, disturbance)) = Disturbance::ALL.into_iter().find(|(name, _)| *name == word) else {
                return ExitCode::from(2);
            };
            // It must not outlive whoever started it.
            if nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).is_err() {
                return ExitCode::FAILURE;
            }
            let cpus = cpu.parse().ok().map(|cpu| vec![cpu]);
            let settings = ProcessSettings { cpus, single: None, nice: nice.parse().ok() };
            if settings.apply().is_err() {
                return ExitCode::FAILURE;
            }
            disturbance.run()
        }
        _ => ExitCode::from(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        Rows { count: 2, units: 2000, bimodal: false, effects: vec![0, 50, 22] }
    }

    #[test]
    fn an_effect_is_exactly_so_many_more_units() {
        let rows = rows();
        assert_eq!((rows.units_of(0, false), rows.units_of(50, false), rows.units_of(22, false)), (2000, 2100, 2044));
        assert_eq!((rows.units_of(0, true), rows.units_of(50, true)), (2100, 2205));
    }

    #[test]
    fn arguments_come_back_and_have_one_length() {
        let changed = rows();
        let words = changed.arguments();
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(Rows::parse(words[2], words[3], words[4], words[5]), Some(changed.clone()));
        let unchanged = Rows { effects: vec![0; 3], ..changed.clone() };
        assert_eq!(unchanged.arguments().len(), changed.arguments().len());
    }

    #[test]
    fn every_row_prints_a_line_for_each_time_that_it_is_run() {
        let mut out = Vec::new();
        Rows { units: 1, ..rows() }.run(&mut out).unwrap();
        let parsed = crate::format::parse("go", &crate::format::Input { stdout: &out, files: &Default::default() });
        let (_, parsed) = parsed.unwrap();
        let names: Vec<&str> = parsed.measurements.iter().map(|one| one.id.name.as_str()).collect();
        assert_eq!(names, ["Synthetic/alu/00", "Synthetic/sort/01", "Synthetic/chase/02"]);
        assert!(parsed.measurements.iter().all(|one| one.values.len() == 2 && one.values[0] > 0.0));
    }

    #[test]
    fn the_walk_visits_all_of_the_memory() {
        let work = Work::new();
        let (mut place, mut steps) = (0_u32, 0);
        loop {
            place = work.chain[place as usize];
            steps += 1;
            if place == 0 {
                break;
            }
        }
        assert_eq!(steps, CHAIN);
    }
}
