//! Deltas with their intervals as a picture made of characters.
//!
//! Signed changes need a zero line in the middle, which GitHub's diagrams do not offer; lines of a fence do, look the same
//! in light and dark, and can be read aloud.

use crate::render::number;
use crate::report::Limits;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One line of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Name, already visible.
    pub label: String,
    /// Change as head / base − 1, above −1.
    pub effect: f64,
    /// Ends of its interval, as ratios − 1; `None` is an end without a limit.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
    /// Whether there is an interval at all.
    pub interval: bool,
    /// What the change is held against.
    pub limits: Limits,
    /// What stands behind the bar, such as `+7.1% slower`.
    pub text: String,
}

/// Most and fewest columns of the plot, odd so that zero has one.
const PLOT: (usize, usize) = (41, 15);

/// The picture, without a last line break. The limit of each bar is marked on both sides of zero. `width` is that of a
/// line.
#[must_use]
pub fn chart(bars: &[Bar], width: usize) -> String {
    let text = bars.iter().map(|bar| bar.text.width()).max().unwrap_or(0);
    let room = width.saturating_sub(text + 4);
    let label =
        bars.iter().map(|bar| bar.label.width()).max().unwrap_or(0).min(room.saturating_sub(PLOT.1).clamp(12, 40));
    let plot = (room.saturating_sub(label).clamp(PLOT.1, PLOT.0) - 1) / 2 * 2 + 1;
    let axis = Axis::new(bars, plot);
    let mut lines = vec![format!("{}  {}", " ".repeat(label), axis.scale())];
    for bar in bars {
        let name = shorten(&bar.label, label);
        let pad = " ".repeat(label - name.width());
        lines.push(format!("{name}{pad}  {}  {}", axis.bar(bar), bar.text).trim_end().to_owned());
    }
    lines.join("\n")
}

/// What the marked limits are, as the end of a sentence.
#[must_use]
pub fn limits_of(bars: &[Bar]) -> String {
    let same = bars.windows(2).all(|pair| pair[0].limits.threshold == pair[1].limits.threshold);
    let doubled = bars.iter().filter(|bar| bar.limits.change > bar.limits.threshold).count();
    let threshold = match bars.first() {
        Some(bar) if same => format!("the threshold of {}", number::plain_percent(bar.limits.threshold)),
        _ => "the threshold of each row's unit".to_owned(),
    };
    match doubled {
        0 => threshold,
        all if all == bars.len() => {
            format!("where a change is called one: at twice {threshold}, since the machine was noisy")
        }
        _ => format!("where a change is called one: at {threshold}, or twice of it where the machine was noisy"),
    }
}

/// `text` cut in its middle to `width` columns: the start tells the group, the end the parameters.
#[must_use]
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1) / 2;
    let head = take(text.chars(), width.saturating_sub(1) - half);
    let tail: String = take(text.chars().rev(), half).chars().rev().collect();
    format!("{head}…{tail}")
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

/// A logarithmic axis: a doubling is as far to the right as a halving to the left.
struct Axis {
    plot: usize,
    limit: f64,
}

impl Axis {
    fn new(bars: &[Bar], plot: usize) -> Self {
        let effect = bars.iter().map(|bar| bar.effect.ln_1p().abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let ends = bars.iter().flat_map(|bar| [bar.lo, bar.hi]).flatten().map(|v| v.max(-0.999).ln_1p().abs());
        // One very uncertain row must not flatten all others: its interval leaves the picture.
        let widest = ends.filter(|v| v.is_finite()).fold(0.0, f64::max).min(effect * 2.0);
        let limits = bars.iter().map(|bar| bar.limits.change.ln_1p()).fold(0.0, f64::max);
        Self { plot, limit: widest.max(effect).max(limits * 1.5) }
    }

    fn column(&self, ratio: f64) -> isize {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen columns")]
        let half = (self.plot / 2) as f64;
        let position = (ratio.max(-0.999).ln_1p() / self.limit * half).round();
        #[expect(clippy::cast_possible_truncation, reason = "clamped to a few columns beyond the plot")]
        let column = position.clamp(-half - 2.0, half + 2.0) as isize;
        column + (self.plot / 2).cast_signed()
    }

    /// The line above the bars: what the ends of the axis mean.
    fn scale(&self) -> String {
        let left = number::signed_percent((-self.limit).exp_m1());
        let right = number::signed_percent(self.limit.exp_m1());
        let half = self.plot / 2;
        format!(
            "{left}{}0{}{right}",
            " ".repeat(half.saturating_sub(left.width())),
            " ".repeat(half.saturating_sub(right.width()))
        )
    }

    fn bar(&self, bar: &Bar) -> String {
        let mut cells = vec![' '; self.plot];
        let mut put = |column: isize, c: char| {
            if let Some(cell) = usize::try_from(column).ok().and_then(|i| cells.get_mut(i)) {
                *cell = c;
            }
        };
        for edge in [bar.limits.change, -bar.limits.change / (1.0 + bar.limits.change)] {
            put(self.column(edge), '┊');
        }
        put(self.column(0.0), '│');
        let last = (self.plot - 1).cast_signed();
        if bar.interval {
            let lo = bar.lo.map_or(-1, |v| self.column(v));
            let hi = bar.hi.map_or(last + 1, |v| self.column(v));
            for column in lo.max(0)..=hi.min(last) {
                put(column, '─');
            }
            put(lo.max(0), if lo < 0 { '◂' } else { '├' });
            put(hi.min(last), if hi > last { '▸' } else { '┤' });
        }
        put(self.column(bar.effect).clamp(0, last), '●');
        cells.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, effect: f64, lo: Option<f64>, hi: Option<f64>) -> Bar {
        let limits = Limits { threshold: 0.02, change: 0.02 };
        Bar { label: label.into(), effect, lo, hi, interval: true, limits, text: number::signed_percent(effect) }
    }

    #[test]
    fn zero_is_one_column_for_all_rows_whatever_their_names() {
        let bars = [
            bar("short", 0.07, Some(0.05), Some(0.09)),
            bar("日本語の長い名前がここにあります、とても長い", -0.124, Some(-0.15), Some(-0.1)),
            bar("unknown", 0.0, None, None),
        ];
        let picture = chart(&bars, 100);
        let widths: Vec<usize> =
            picture.lines().map(|line| line.split("│").next().unwrap_or_default().width()).collect();
        assert_eq!(widths[1], widths[2], "{picture}");
        let lines: Vec<&str> = picture.lines().collect();
        assert!(lines[1].contains("├") && lines[1].ends_with("+7.0%"), "{picture}");
        assert!(lines[3].contains('◂') && lines[3].contains('▸'), "{picture}");
        let dot = |line: &str| line.split('●').next().map(UnicodeWidthStr::width);
        assert!(dot(lines[1]) > dot(lines[3]) && dot(lines[3]) > dot(lines[2]), "{picture}");
    }

    #[test]
    fn each_row_has_its_own_limits() {
        let mut bars = [bar("a", 0.001, None, None), bar("b", 0.001, None, None), bar("c", 0.08, None, None)];
        bars.iter_mut().for_each(|bar| bar.interval = false);
        assert_eq!(limits_of(&bars), "the threshold of 2%");
        bars[1].limits.change = 0.0404;
        let picture = chart(&bars, 100);
        let marks = |line: &str| -> Vec<usize> {
            let columns = line.char_indices().filter(|(_, c)| *c == '┊');
            columns.map(|(at, _)| line[..at].width()).collect()
        };
        let lines: Vec<&str> = picture.lines().collect();
        let (one, two) = (marks(lines[1]), marks(lines[2]));
        assert_eq!((one.len(), two.len()), (2, 2), "{picture}");
        assert!(two[0] < one[0] && one[1] < two[1], "{picture}");
        assert_eq!(
            limits_of(&bars),
            "where a change is called one: at the threshold of 2%, or twice of it where the machine was noisy"
        );
        bars.iter_mut().for_each(|bar| bar.limits.change = 0.0404);
        assert_eq!(
            limits_of(&bars),
            "where a change is called one: at twice the threshold of 2%, since the machine was noisy"
        );
        for (bar, threshold) in bars.iter_mut().zip([0.02, 0.05, 0.02]) {
            bar.limits = Limits { threshold, change: threshold };
        }
        assert_eq!(limits_of(&bars), "the threshold of each row's unit");
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(shorten("Decode/large/n=16", 10), "Decod…n=16");
        assert_eq!(shorten("abc", 3), "abc");
        assert!(shorten("日本語日本語", 7).width() <= 7);
    }
}
