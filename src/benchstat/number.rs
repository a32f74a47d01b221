//! Numbers as Go prints them.

use crate::unit::write_fixed;

/// `value` in the shortest form that reads back the same, with an exponent below 1e-4 and from a million on, as Go's `%v`
/// has it: `123456`, `1.234567e+06`, `1e-05`.
pub(super) fn shortest(value: f64) -> String {
    if let Some(word) = special(value) {
        return word.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Appends `value` with `decimals` digits after the point; `sign`: also a `+`.
pub(super) fn fixed(text: &mut String, value: f64, decimals: usize, sign: bool) {
    if sign && (value.is_nan() || value.is_sign_positive() && value.is_finite()) {
        text.push('+');
    }
    write_fixed(text, value, decimals);
}

const fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms that Go's `%v`, `%.0f` and `%+.2f` give.
    #[test]
    fn numbers_print_as_go_prints_them() {
        for (value, plain, rounded, signed) in [
            (123_456.0, "123456", "123456", "+123456.00"),
            (1_234_567.0, "1.234567e+06", "1234567", "+1234567.00"),
            (1e-4, "0.0001", "0", "+0.00"),
            (1e-5, "1e-05", "0", "+0.00"),
            (1.5e-5, "1.5e-05", "0", "+0.00"),
            (0.0, "0", "0", "+0.00"),
            (-0.0, "-0", "-0", "-0.00"),
            (-5.0, "-5", "-5", "-5.00"),
            (2.5, "2.5", "2", "+2.50"),
            (1e100_f64.recip(), "1e-100", "0", "+0.00"),
            (f64::INFINITY, "+Inf", "+Inf", "+Inf"),
            (f64::NEG_INFINITY, "-Inf", "-Inf", "-Inf"),
            (f64::NAN, "NaN", "NaN", "+NaN"),
        ] {
            let text = |decimals, sign| {
                let mut text = String::new();
                fixed(&mut text, value, decimals, sign);
                text
            };
            assert_eq!(shortest(value), plain);
            assert_eq!(text(0, false), rounded);
            assert_eq!(text(2, true), signed);
        }
    }
}
