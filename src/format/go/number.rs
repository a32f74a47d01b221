//! Go's number grammar.
//!
//! It differs from Rust's: underscores and hexadecimal floats are numbers, `1e400` is an error rather than infinity.

/// Why a field is no number; the words are those of Go's `strconv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// Not a number at all.
    Syntax,
    /// A number that the type cannot hold.
    Range,
}

impl NumberError {
    /// The words of Go's `strconv`.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Syntax => "invalid syntax",
            Self::Range => "value out of range",
        }
    }
}

/// A count as Go's `Atoi` reads it: a sign is allowed, anything but decimal digits is not.
pub(crate) fn count(field: &str) -> Result<i64, NumberError> {
    let digits = field.strip_prefix(['+', '-']).unwrap_or(field);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NumberError::Syntax);
    }
    field.parse().map_err(|_| NumberError::Range)
}

/// A value as Go's `ParseFloat` reads it.
pub(crate) fn value(field: &str) -> Result<f64, NumberError> {
    let bytes = field.as_bytes();
    // Most values are short whole numbers.
    if bytes.len() <= 15 && !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
        // Fifteen digits fit into the mantissa, so that the sum is exact.
        return Ok(bytes.iter().fold(0_u64, |sum, b| sum * 10 + u64::from(b - b'0')) as f64);
    }
    if bytes.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
        return finite(field.parse().map_err(|_| NumberError::Syntax)?);
    }
    if let Some(special) = special(field) {
        return Ok(special);
    }
    let unsigned = field.strip_prefix(['+', '-']).unwrap_or(field);
    let plain = if unsigned.contains('_') {
        if !underscores_separate_digits(unsigned) {
            return Err(NumberError::Syntax);
        }
        unsigned.replace('_', "")
    } else {
        unsigned.to_owned()
    };
    let magnitude = match plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        Some(hexadecimal) => hexadecimal_float(hexadecimal)?,
        // Rust would also read "inf" and "nan" here, but those were handled with Go's spelling above.
        None if plain.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
            && !plain.starts_with(['+', '-']) =>
        {
            finite(plain.parse().map_err(|_| NumberError::Syntax)?)?
        }
        None => return Err(NumberError::Syntax),
    };
    Ok(if field.starts_with('-') { -magnitude } else { magnitude })
}

/// Refuses the infinity that Rust makes of a number that is too large.
fn finite(value: f64) -> Result<f64, NumberError> {
    if value.is_finite() { Ok(value) } else { Err(NumberError::Range) }
}

/// `inf`, `infinity` with an optional sign, `nan` without; any case.
fn special(field: &str) -> Option<f64> {
    let (sign, word) = match field.as_bytes().first()? {
        b'+' => (Some(1.0), &field[1..]),
        b'-' => (Some(-1.0), &field[1..]),
        _ => (None, field),
    };
    if word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity") {
        Some(sign.unwrap_or(1.0) * f64::INFINITY)
    } else if sign.is_none() && word.eq_ignore_ascii_case("nan") {
        Some(f64::NAN)
    } else {
        None
    }
}

/// Whether every underscore of a number without sign stands between two digits, or after the base prefix.
fn underscores_separate_digits(number: &str) -> bool {
    let bytes = number.as_bytes();
    let prefixed = bytes.len() >= 2 && bytes[0] == b'0' && matches!(bytes[1].to_ascii_lowercase(), b'b' | b'o' | b'x');
    let hexadecimal = prefixed && bytes[1].eq_ignore_ascii_case(&b'x');
    let digit = |b: u8| if hexadecimal { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
    let mut after_digit = prefixed;
    let mut after_underscore = false;
    for &b in &bytes[if prefixed { 2 } else { 0 }..] {
        if b == b'_' {
            if !after_digit {
                return false;
            }
            (after_digit, after_underscore) = (false, true);
        } else if digit(b) {
            (after_digit, after_underscore) = (true, false);
        } else {
            if after_underscore {
                return false;
            }
            after_digit = false;
        }
    }
    !after_underscore
}

/// What follows `0x`: hexadecimal digits with at most one point, then `p` and a decimal exponent, which is not optional.
fn hexadecimal_float(text: &str) -> Result<f64, NumberError> {
    let (digits, exponent) = text.split_once(['p', 'P']).ok_or(NumberError::Syntax)?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(NumberError::Syntax);
    }
    // Sixty bits of the mantissa, of what follows only whether it is zero: enough to round once, correctly.
    let mut mantissa = 0_u64;
    let mut shift = 0_i64;
    let mut point = 0_i64;
    for (in_fraction, b) in whole.bytes().map(|b| (false, b)).chain(fraction.bytes().map(|b| (true, b))) {
        let digit = u64::from(char::from(b).to_digit(16).ok_or(NumberError::Syntax)?);
        if mantissa >> 56 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            mantissa |= u64::from(digit != 0);
            shift += 4;
        }
        point += if in_fraction { 4 } else { 0 };
    }
    let exponent_digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if exponent_digits.is_empty() || !exponent_digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NumberError::Syntax);
    }
    // An exponent that does not fit is far out of range either way.
    let huge = if exponent.starts_with('-') { -1_000_000 } else { 1_000_000 };
    let exponent = exponent.parse::<i64>().unwrap_or(huge).clamp(-1_000_000, 1_000_000);
    finite(scaled(mantissa, exponent + shift - point))
}

/// `mantissa · 2^exponent`, rounded once to the nearest even.
fn scaled(mantissa: u64, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    // Bits that a double has for this number: 53, fewer below the normal range.
    let magnitude = i64::from(64 - mantissa.leading_zeros()) + exponent;
    let kept = (magnitude + 1074).clamp(0, 53);
    let dropped = i64::from(64 - mantissa.leading_zeros()) - kept;
    let (mut whole, mut power) = (mantissa, exponent);
    if dropped > 0 {
        let (tail, half) =
            if dropped > 63 { (mantissa, u64::MAX) } else { (mantissa & ((1 << dropped) - 1), 1 << (dropped - 1)) };
        whole = if dropped > 63 { 0 } else { mantissa >> dropped };
        if tail > half || tail == half && whole & 1 == 1 {
            whole += 1;
        }
        power += dropped;
    }
    // `whole` has at most 54 bits, so both conversions and the product of powers of two are exact or overflow.
    let mut value = whole as f64;
    while power > 0 && value.is_finite() {
        let step = power.min(1000);
        value *= 2_f64.powi(step as i32);
        power -= step;
    }
    while power < 0 && value != 0.0 {
        let step = power.max(-1000);
        value *= 2_f64.powi(step as i32);
        power -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use NumberError::{Range, Syntax};

    #[test]
    fn counts_are_read_as_go_reads_them() {
        for (field, expected) in [
            ("100", Ok(100)),
            ("0", Ok(0)),
            ("-3", Ok(-3)),
            ("+7", Ok(7)),
            ("1.5", Err(Syntax)),
            ("1_000", Err(Syntax)),
            ("", Err(Syntax)),
            ("-", Err(Syntax)),
            ("9223372036854775807", Ok(i64::MAX)),
            ("9223372036854775808", Err(Range)),
            ("stdout", Err(Syntax)),
        ] {
            assert_eq!(count(field), expected, "{field}");
        }
    }

    #[test]
    fn values_are_read_as_go_reads_them() {
        // What Go's strconv.ParseFloat gives.
        for (field, expected) in [
            ("1188", Ok(1188.0)),
            ("11.82", Ok(11.82)),
            ("123456789012345678901234567890", Ok(1.234_567_890_123_456_8e29)),
            ("1e3", Ok(1000.0)),
            ("+5", Ok(5.0)),
            ("-5", Ok(-5.0)),
            (".5", Ok(0.5)),
            ("5.", Ok(5.0)),
            ("0x1p-2", Ok(0.25)),
            ("-0X1.8P1", Ok(-3.0)),
            ("0x_1F.8p0", Ok(31.5)),
            ("0x1fffffffffffff8p0", Ok(144_115_188_075_855_872.0)),
            ("0x1p-1074", Ok(5e-324)),
            ("0x1.8p-1075", Ok(5e-324)),
            ("0x1p-1075", Ok(0.0)),
            ("0x1.8p-1074", Ok(1e-323)),
            ("0x1.fffffffffffff8p-1022", Ok(4.450147717014403e-308)),
            ("0x123456789abcdef01p-3", Ok(2.6235369349275807e18)),
            ("0x1.00000000000008p0", Ok(1.0)),
            ("0x1.00000000000008000000000000001p0", Ok(1.000_000_000_000_000_2)),
            ("0x1.00000000000018p0", Ok(1.000_000_000_000_000_4)),
            ("0x1p-5000", Ok(0.0)),
            ("0x1p1024", Err(Range)),
            ("0x1", Err(Syntax)),
            ("0x.p1", Err(Syntax)),
            ("0xgp1", Err(Syntax)),
            ("1_000", Ok(1000.0)),
            ("1_000.5_5e1_0", Ok(1_000.55e10)),
            ("_1000", Err(Syntax)),
            ("1000_", Err(Syntax)),
            ("1__0", Err(Syntax)),
            ("1_.5", Err(Syntax)),
            ("0b1", Err(Syntax)),
            ("1,000", Err(Syntax)),
            ("inf", Ok(f64::INFINITY)),
            ("-Infinity", Ok(f64::NEG_INFINITY)),
            ("+inf", Ok(f64::INFINITY)),
            ("1e400", Err(Range)),
            ("-1e400", Err(Range)),
            ("1e-400", Ok(0.0)),
            ("+nan", Err(Syntax)),
            ("++1", Err(Syntax)),
            ("+-1", Err(Syntax)),
            ("", Err(Syntax)),
            (".", Err(Syntax)),
            ("e5", Err(Syntax)),
            ("1e", Err(Syntax)),
            ("ns/op", Err(Syntax)),
            ("١", Err(Syntax)),
        ] {
            assert_eq!(value(field), expected, "{field}");
        }
        assert!(value("NaN").is_ok_and(f64::is_nan));
    }
}
