//! Printing values with a common prefix and at least three or four significant digits.

use super::Class;

/// A prefix and a number of decimals that several values share, so that a row is read without comparing prefixes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Digits after the decimal point.
    decimals: usize,
    /// What one of `prefix` is worth.
    factor: f64,
    /// Put right after the number.
    prefix: &'static str,
}

/// A prefix with the smallest values that print with one, two and three decimals.
struct Step {
    factor: f64,
    prefix: &'static str,
    hundred: f64,
    ten: f64,
    one: f64,
}

/// The thresholds lie half a unit of the last printed digit below 100, 10 and 1, so that what decides the number of
/// decimals is the rounded value. They are literals, not products, to be the very numbers at which printing rounds up.
macro_rules! steps {
    ($($factor:literal $prefix:literal $hundred:literal $ten:literal $one:literal;)*) => {
        [$(Step { factor: $factor, prefix: $prefix, hundred: $hundred, ten: $ten, one: $one }),*]
    };
}

/// SI prefixes. Nothing below nano: smaller values get more decimals.
const DECIMAL: [Step; 8] = steps! {
    1e12 "T" 99.995e12 9.9995e12 0.99995e12;
    1e9 "G" 99.995e9 9.9995e9 0.99995e9;
    1e6 "M" 99.995e6 9.9995e6 0.99995e6;
    1e3 "k" 99.995e3 9.9995e3 0.99995e3;
    1e0 "" 99.995e0 9.9995e0 0.99995e0;
    1e-3 "m" 99.995e-3 9.9995e-3 0.99995e-3;
    1e-6 "µ" 99.995e-6 9.9995e-6 0.99995e-6;
    1e-9 "n" 99.995e-9 9.9995e-9 0.99995e-9;
};

/// A step of the binary prefixes: powers of two scale the thresholds without rounding.
const fn binary(factor: f64, prefix: &'static str) -> Step {
    Step { factor, prefix, hundred: 99.995 * factor, ten: 9.9995 * factor, one: 0.99995 * factor }
}

/// IEC prefixes. There are none for fractions.
const BINARY: [Step; 5] = [
    binary(1_099_511_627_776.0, "Ti"),
    binary(1_073_741_824.0, "Gi"),
    binary(1_048_576.0, "Mi"),
    binary(1024.0, "Ki"),
    binary(1.0, ""),
];

/// Below the smallest prefix: a value of at least `SMALL[i]` prints with `3 + i` decimals, at most ten.
const SMALL: [f64; 8] = [9.9995e-1, 9.9995e-2, 9.9995e-3, 9.9995e-4, 9.9995e-5, 9.9995e-6, 9.9995e-7, 9.9995e-8];

impl Scale {
    /// The scale that `values` share: the one that suits the value nearest to zero, zeros left aside, so that no value
    /// loses its digits.
    #[must_use]
    pub fn common(values: impl IntoIterator<Item = f64>, class: Class) -> Self {
        let smallest = values.into_iter().map(f64::abs).filter(|&v| v > 0.0).min_by(f64::total_cmp);
        let Some(smallest) = smallest else {
            return Self { decimals: 3, factor: 1.0, prefix: "" };
        };
        let steps: &[Step] = match class {
            Class::Decimal => &DECIMAL,
            Class::Binary => &BINARY,
        };
        let mut last = (1.0, "");
        for step in steps {
            let decimals = if smallest >= step.hundred {
                1
            } else if smallest >= step.ten {
                2
            } else if smallest >= step.one {
                3
            } else {
                last = (step.factor, step.prefix);
                continue;
            };
            return Self { decimals, factor: step.factor, prefix: step.prefix };
        }
        let (factor, prefix) = last;
        let scaled = smallest / factor;
        let more = SMALL.iter().position(|&threshold| scaled >= threshold).unwrap_or(SMALL.len() - 1);
        Self { decimals: 3 + more, factor, prefix }
    }

    /// `value` in this scale, prefix included: `102.50n`. The unit belongs into the header of the column.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        let mut text = String::with_capacity(16);
        self.write(&mut text, value);
        text
    }

    /// Appends [`Scale::format`] of `value` to `text`.
    pub fn write(&self, text: &mut String, value: f64) {
        write_fixed(text, value / self.factor, self.decimals);
        text.push_str(self.prefix);
    }
}

/// Appends `value` with `decimals` digits after the point, rounded half to even; `NaN`, `+Inf` and `-Inf` as words.
pub(crate) fn write_fixed(text: &mut String, value: f64, decimals: usize) {
    use std::fmt::Write as _;
    const POWERS: [f64; 5] = [1.0, 10.0, 100.0, 1e3, 1e4];
    if let Some(power) = POWERS.get(decimals)
        && (0.0..1e9).contains(&value)
        && value.is_sign_positive()
    {
        // The product is off by less than 1e-3 here, so that rounding it is right unless it lies near one half.
        let scaled = value * power;
        let whole = scaled.round();
        if (scaled - whole).abs() < 0.499 {
            return write_digits(text, whole as u64, decimals);
        }
    }
    // Writing into a string cannot fail.
    let _ = if value.is_nan() {
        write!(text, "NaN")
    } else if value.is_infinite() {
        write!(text, "{}Inf", if value > 0.0 { '+' } else { '-' })
    } else {
        write!(text, "{value:.decimals$}")
    };
}

/// Appends `digits` with a point before the last `decimals` of them.
fn write_digits(text: &mut String, digits: u64, decimals: usize) {
    let mut buffer = [b'0'; 24];
    let mut at = buffer.len();
    let mut rest = digits;
    for place in 0.. {
        if place == decimals && decimals > 0 {
            at -= 1;
            buffer[at] = b'.';
        }
        if place > decimals && rest == 0 {
            break;
        }
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    text.extend(buffer[at..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(value: f64, class: Class) -> String {
        Scale::common([value], class).format(value)
    }

    #[test]
    fn the_smallest_value_sets_the_scale_of_the_row() {
        let scale = Scale::common([0.0, 1e-3, 1e-9], Class::Decimal);
        assert_eq!(scale.format(1e-9), "1.000n");
        assert_eq!(scale.format(1e-3), "1000000.000n");
        assert_eq!(scale.format(0.0), "0.000n");
        assert_eq!(Scale::common([0.0, 0.0], Class::Binary).format(0.0), "0.000");
        assert_eq!(Scale::common([], Class::Binary).format(5.0), "5.000");
    }

    #[test]
    fn a_prefix_begins_where_printing_rounds_up() {
        // The predecessor of a threshold still prints in the smaller prefix.
        for (value, at, below) in [
            (999_950_000.0, "1.000G", "999.9M"),
            (99.995, "100.0", "99.99"),
            (0.99995, "1.000", "999.9m"),
            (0.000_000_009_999_5, "10.00n", "9.999n"),
        ] {
            assert_eq!(alone(value, Class::Decimal), at);
            assert_eq!(alone(value.next_down(), Class::Decimal), below);
        }
        assert_eq!(alone(0.99995 * 1024.0, Class::Binary), "1.000Ki");
        assert_eq!(alone((0.99995 * 1024.0_f64).next_down(), Class::Binary), "1023.9");
    }

    #[test]
    fn fast_and_exact_printing_agree() {
        let mut state = 1_u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (state >> 20) as f64 / (1_u64 << (10 + state % 40)) as f64;
            for decimals in 0..6 {
                let mut text = String::new();
                write_fixed(&mut text, value, decimals);
                assert_eq!(text, format!("{value:.decimals$}"));
            }
        }
        for value in [0.0, 0.5, 1.5, 2.5, 0.125, 0.0005, 999.9995, 1e9, 1e300, -0.0, -1.25, 0.049_999_999_999_999_996] {
            for decimals in 0..6 {
                let mut text = String::new();
                write_fixed(&mut text, value, decimals);
                assert_eq!(text, format!("{value:.decimals$}"));
            }
        }
    }

    #[test]
    fn signs_and_infinities_print() {
        assert_eq!(alone(-1e-8, Class::Decimal), "-10.00n");
        assert_eq!(alone(f64::INFINITY, Class::Decimal), "+InfT");
        assert_eq!(alone(f64::NEG_INFINITY, Class::Binary), "-InfTi");
        assert_eq!(alone(f64::NAN, Class::Decimal), "NaN");
        assert_eq!(alone(f64::MIN_POSITIVE, Class::Decimal), "0.0000000000n");
    }
}
