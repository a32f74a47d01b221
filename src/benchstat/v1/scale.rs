//! Prefixes of the old layout: three digits, SI prefixes throughout, the unit behind every number.

use super::super::number::fixed;

/// A prefix that a row's values share, with the unit's text.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitScale {
    decimals: usize,
    /// A value is divided by `divide` and multiplied by `multiply`; two steps, since the last digit depends on it.
    divide: f64,
    multiply: f64,
    suffix: [&'static str; 2],
}

impl UnitScale {
    /// The scale that suits `value`.
    pub(super) fn new(value: f64, unit: &str) -> Self {
        if is(unit, "ns/op") || is(unit, "ns/GC") { Self::of_time(value) } else { Self::of_other(value, unit) }
    }

    fn of_time(nanoseconds: f64) -> Self {
        const STEPS: [(f64, &str); 4] = [(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")];
        let seconds = nanoseconds / 1e9;
        let new = |decimals, (multiply, name)| Self { decimals, divide: 1e9, multiply, suffix: [name, ""] };
        // Literals, not products: they are the numbers at which the old tool changed its form.
        const AT: [[f64; 3]; 4] = [
            [99.5, 9.95, 0.995],
            [0.0995, 0.00995, 0.000_995],
            [0.000_099_5, 0.000_009_95, 0.000_000_995],
            [0.000_000_099_5, 0.000_000_009_95, 0.0],
        ];
        for (step, thresholds) in STEPS.into_iter().zip(AT) {
            if let Some(decimals) = thresholds.iter().position(|at| seconds >= *at) {
                return new(decimals, step);
            }
        }
        new(2, STEPS[3])
    }

    fn of_other(value: f64, unit: &str) -> Self {
        let rate = is(unit, "MB/s");
        let prescale = if rate { 1e6 } else { 1.0 };
        let x = value * prescale;
        let (decimals, scale, prefix) = match x {
            _ if x >= 99_500_000_000_000.0 => (0, 1e12, "T"),
            _ if x >= 9_950_000_000_000.0 => (1, 1e12, "T"),
            _ if x >= 995_000_000_000.0 => (2, 1e12, "T"),
            _ if x >= 99_500_000_000.0 => (0, 1e9, "G"),
            _ if x >= 9_950_000_000.0 => (1, 1e9, "G"),
            _ if x >= 995_000_000.0 => (2, 1e9, "G"),
            _ if x >= 99_500_000.0 => (0, 1e6, "M"),
            _ if x >= 9_950_000.0 => (1, 1e6, "M"),
            _ if x >= 995_000.0 => (2, 1e6, "M"),
            _ if x >= 99_500.0 => (0, 1e3, "k"),
            _ if x >= 9_950.0 => (1, 1e3, "k"),
            _ if x >= 995.0 => (2, 1e3, "k"),
            _ if x >= 99.5 => (0, 1.0, ""),
            _ if x >= 9.95 => (1, 1.0, ""),
            _ => (2, 1.0, ""),
        };
        let bytes = is(unit, "B/op") || is(unit, "bytes/op") || is(unit, "bytes");
        let name = if bytes {
            "B"
        } else if rate {
            "B/s"
        } else {
            ""
        };
        Self { decimals, divide: scale / prescale, multiply: 1.0, suffix: [prefix, name] }
    }

    /// Appends `value` in this scale.
    pub(super) fn write(self, text: &mut String, value: f64) {
        fixed(text, value / self.divide * self.multiply, self.decimals, false);
        text.push_str(self.suffix[0]);
        text.push_str(self.suffix[1]);
    }
}

/// Whether `unit` is `base`, or `base` with a name in front: `p99-ns/op`.
fn is(unit: &str, base: &str) -> bool {
    unit.strip_suffix(base).is_some_and(|before| before.is_empty() || before.ends_with('-'))
}
