//! Logarithm and exponential to the last bit as benchstat has them.
//!
//! A geometric mean is shown with four digits. The mean of the one value 405.35 is that value but for the last bit, and the
//! last bit decides between 405.3 and 405.4. So these functions follow the order of operations that Go uses on x86-64.

/// The natural logarithm of a positive number that is not subnormal.
///
/// x = 2^k·(1 + f) with 1 + f from √½ to √2; log(1 + f) from the series of s = f/(2 + f), whose tail is a polynomial in s²
/// (the method and the coefficients of Sun's fdlibm, which every library has).
pub(super) fn ln(x: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    const TAIL: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    if !x.is_normal() || x < 0.0 {
        return x.ln();
    }
    let bits = x.to_bits();
    // From one half to one, and the exponent that goes with it.
    let mut mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000);
    let mut k = (bits >> 52) as f64 - 1022.0;
    if mantissa < std::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        k -= 1.0;
    }
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = s2 * (TAIL[0] + s4 * (TAIL[2] + s4 * (TAIL[4] + s4 * TAIL[6])));
    let even = s4 * (TAIL[1] + s4 * (TAIL[3] + s4 * TAIL[5]));
    let half_square = 0.5 * f * f;
    k * LN2_HI - ((half_square - (s * (half_square + (odd + even)) + k * LN2_LO)) - f)
}

/// e to the power of `x`.
///
/// x = n·ln 2 + 16·r; t = e^r − 1 from the Taylor series, doubled four times by e^2r − 1 = t·(t + 2) (Shibata, Comput. Sci.
/// Res. Dev. 25, 2010).
pub(super) fn exp(x: f64) -> f64 {
    const LN2_HI: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
    const LN2_LO: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
    const COEFFICIENTS: [f64; 7] = [1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];
    // Means of numbers lie among them, far from what a double cannot hold.
    if !(-700.0..700.0).contains(&x) {
        return x.exp();
    }
    let n = (x * std::f64::consts::LOG2_E).round_ties_even();
    let r = (-n).mul_add(LN2_LO, (-n).mul_add(LN2_HI, x)) * 0.0625;
    let mut series = COEFFICIENTS[0];
    for coefficient in &COEFFICIENTS[1..] {
        series = series.mul_add(r, *coefficient);
    }
    let mut t = r * series.mul_add(r, 1.0);
    for _ in 0..3 {
        t *= t + 2.0;
    }
    let value = t.mul_add(t + 2.0, 1.0);
    value * f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by Go's math.Log and math.Exp.
    #[test]
    fn the_last_bits_are_those_of_go() {
        for (x, log, back) in [
            (405.35, 6.004_750_891_433_716, 405.349_999_999_999_85),
            (1e-7, -16.118_095_650_958_32, 9.999_999_999_999_994e-8),
            (3.926_000_000_000_000_6e-7, -14.750_474_555_104_05, 3.926_000_000_000_000_6e-7),
            (1.4, 0.336_472_236_621_212_84, 1.399_999_999_999_999_7),
            (1.0, 0.0, 1.0),
        ] {
            assert_eq!((ln(x), exp(ln(x))), (log, back), "{x}");
        }
    }
}
