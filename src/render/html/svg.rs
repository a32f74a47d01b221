//! Charts as SVG: colours come from the page's style sheet, so that they follow light and dark.

use crate::render::chart::Bar;
use crate::render::escape::html;
use crate::render::number;
use crate::render::sweep::Sweep;
use crate::side::Side;
use std::fmt::Write as _;

/// A rectangle of pixels onto which a range of values is mapped.
#[derive(Debug, Clone, Copy)]
struct Scale {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    fn at(self, value: f64) -> f64 {
        let span = if self.to > self.from { self.to - self.from } else { 1.0 };
        let position = ((value - self.from) / span).clamp(-0.02, 1.02);
        self.start + position * (self.end - self.start)
    }

    /// Round values along the range, about `count` of them.
    fn ticks(self, count: f64) -> Vec<f64> {
        let step = nice((self.to - self.from) / count);
        if !step.is_finite() || step <= 0.0 {
            return vec![self.from];
        }
        let mut ticks = Vec::new();
        let mut index = (self.from / step).ceil();
        while index * step <= self.to + step * 1e-6 && ticks.len() < 20 {
            ticks.push(index * step);
            index += 1.0;
        }
        ticks
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `step`.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].iter().map(|factor| factor * power).find(|nice| *nice >= step * 0.999).unwrap_or(step)
}

fn open(out: &mut String, width: f64, height: f64, label: &str) {
    let _ = write!(
        out,
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\" class=\"chart\">",
        html(label)
    );
}

fn text(out: &mut String, x: f64, y: f64, class: &str, content: &str) {
    let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", html(content));
}

fn line(out: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = write!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>");
}

/// Deltas with their intervals, one line a row, on a logarithmic axis around zero.
pub(super) fn deltas(bars: &[(Bar, &'static str)]) -> String {
    const ROW: f64 = 22.0;
    const LEFT: f64 = 250.0;
    const RIGHT: f64 = 590.0;
    let height = ROW * bars.len() as f64 + 46.0;
    let log = |ratio: f64| ratio.max(-0.999).ln_1p();
    let effect = bars.iter().map(|(bar, _)| log(bar.effect).abs()).fold(0.0, f64::max);
    let ends = bars.iter().flat_map(|(bar, _)| [bar.lo, bar.hi]).flatten().map(|end| log(end).abs());
    let limits = bars.iter().map(|(bar, _)| log(bar.limits.change)).fold(0.0, f64::max);
    let limit = ends.fold(0.0, f64::max).min(effect * 2.0).max(effect).max(limits * 1.5);
    let x = Scale { from: -limit, to: limit, start: LEFT, end: RIGHT };
    let mut out = String::new();
    open(&mut out, 780.0, height, "Deltas with their intervals");
    let bottom = height - 26.0;
    // Neighbours with the same limit share one rectangle.
    let mut index = 0;
    for same in bars.chunk_by(|(one, _), (other, _)| one.limits.change == other.limits.change) {
        let band = x.at(-log(same[0].0.limits.change));
        let _ = write!(
            out,
            "<rect x=\"{band:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"band\"/>",
            8.0 + ROW * index as f64,
            x.at(log(same[0].0.limits.change)) - band,
            ROW * same.len() as f64
        );
        index += same.len();
    }
    for tick in (Scale { from: (-limit).exp_m1(), to: limit.exp_m1(), ..x }).ticks(6.0) {
        let at = x.at(log(tick));
        line(&mut out, if tick.abs() < 1e-12 { "zero" } else { "grid" }, (at, 8.0), (at, bottom));
        text(&mut out, at, height - 10.0, "tick middle", &number::signed_percent(tick));
    }
    for (index, (bar, class)) in bars.iter().enumerate() {
        let y = 20.0 + ROW * index as f64;
        text(&mut out, LEFT - 10.0, y + 4.0, "label end", &crate::render::chart::shorten(&bar.label, 36));
        if bar.interval {
            let end = |end: Option<f64>, none: f64| end.map_or(none, |ratio| x.at(log(ratio)).clamp(LEFT, RIGHT));
            line(&mut out, &format!("whisker {class}"), (end(bar.lo, LEFT), y), (end(bar.hi, RIGHT), y));
        }
        let _ =
            write!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\" class=\"dot {class}\"/>", x.at(log(bar.effect)));
        text(&mut out, RIGHT + 12.0, y + 4.0, &format!("value {class}"), &bar.text);
    }
    out.push_str("</svg>");
    out
}

/// Value against parameter: one line for each side and processor count, base dashed.
pub(super) fn sweep(sweep: &Sweep) -> String {
    const COLOURS: usize = 6;
    let (left, right, top, bottom) = (78.0, 600.0, 16.0, 250.0);
    let values = || sweep.lines.iter().flat_map(|line| line.points.iter().flatten().copied()).filter(|v| v.is_finite());
    let y = Scale { from: 0.0, to: values().fold(0.0, f64::max) * 1.05, start: bottom, end: top };
    let x = Scale { from: 0.0, to: sweep.values.len().saturating_sub(1) as f64, start: left + 14.0, end: right };
    let mut out = String::new();
    open(&mut out, 780.0, 300.0, &format!("{} against {}", sweep.unit, sweep.parameter));
    let figures = number::Figures::new(&sweep.unit, &y.ticks(5.0).into_iter().filter(|t| *t > 0.0).collect::<Vec<_>>());
    for tick in y.ticks(5.0) {
        line(&mut out, "grid", (left, y.at(tick)), (right + 10.0, y.at(tick)));
        let label = if tick == 0.0 { "0".to_owned() } else { figures.format(tick) };
        text(&mut out, left - 8.0, y.at(tick) + 4.0, "tick end", &label);
    }
    for (index, value) in sweep.values.iter().enumerate() {
        text(&mut out, x.at(index as f64), bottom + 18.0, "tick middle", &crate::render::escape::visible_to(value, 12));
    }
    text(
        &mut out,
        (left + right) / 2.0,
        bottom + 38.0,
        "label middle",
        &crate::render::escape::visible_to(&sweep.parameter, 60),
    );
    let mut procs: Vec<Option<u32>> = sweep.lines.iter().map(|line| line.procs).collect();
    procs.dedup();
    for (row, one) in sweep.lines.iter().enumerate() {
        let colour = procs.iter().position(|p| *p == one.procs).unwrap_or(0) % COLOURS;
        let points: Vec<(f64, f64)> =
            one.points.iter().enumerate().filter_map(|(i, v)| Some((x.at(i as f64), y.at((*v)?)))).collect();
        let path: Vec<String> = points.iter().map(|(px, py)| format!("{px:.1},{py:.1}")).collect();
        let class = format!("series c{colour} {}", one.side);
        let _ = write!(out, "<polyline points=\"{}\" class=\"{class}\"/>", path.join(" "));
        for (px, py) in points {
            mark(&mut out, one.side, px, py, &format!("mark c{colour}"));
        }
        let key = 30.0 + 20.0 * row as f64;
        line(&mut out, &class, (right + 30.0, key), (right + 58.0, key));
        mark(&mut out, one.side, right + 44.0, key, &format!("mark c{colour}"));
        let name = one.procs.map_or_else(|| one.side.to_string(), |n| format!("{}, {n} cpu", one.side));
        text(&mut out, right + 66.0, key + 4.0, "label", &name);
    }
    out.push_str("</svg>");
    out
}

/// Base is a circle, head a square: the sides differ without colour too.
fn mark(out: &mut String, side: Side, x: f64, y: f64, class: &str) {
    let _ = match side {
        Side::Base => write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" class=\"{class}\"/>"),
        Side::Head => {
            write!(out, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" class=\"{class}\"/>", x - 3.0, y - 3.0)
        }
    };
}

/// One figure over time: a mark for each round. `percent` says that values are ratios around zero.
pub(super) fn timeline(label: &str, base: &[(f64, f64)], head: &[(f64, f64)], percent: bool) -> String {
    let (left, right, top, bottom) = (78.0, 760.0, 10.0, 110.0);
    let all = || base.iter().chain(head).filter(|(at, value)| at.is_finite() && value.is_finite());
    let (mut low, mut high) =
        all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, v)| (low.min(*v), high.max(*v)));
    if !low.is_finite() {
        return String::new();
    }
    if high - low < high.abs() * 0.02 + 1e-12 {
        (low, high) = (low - high.abs() * 0.02 - 1e-9, high + high.abs() * 0.02 + 1e-9);
    }
    let end = all().map(|(at, _)| *at).fold(1.0, f64::max);
    let x = Scale { from: 0.0, to: end, start: left + 8.0, end: right };
    let y = Scale { from: low, to: high, start: bottom, end: top };
    let mut out = String::new();
    open(&mut out, 780.0, 140.0, label);
    for tick in y.ticks(4.0) {
        let class = if percent && tick.abs() < 1e-12 { "zero" } else { "grid" };
        line(&mut out, class, (left, y.at(tick)), (right, y.at(tick)));
        let name = if percent { number::signed_percent(tick) } else { short(tick) };
        text(&mut out, left - 8.0, y.at(tick) + 4.0, "tick end", &name);
    }
    for tick in x.ticks(8.0) {
        text(&mut out, x.at(tick), bottom + 20.0, "tick middle", &number::duration(tick));
    }
    for (side, points) in [(Side::Base, base), (Side::Head, head)] {
        for (at, value) in points.iter().filter(|(at, value)| at.is_finite() && value.is_finite()) {
            mark(&mut out, side, x.at(*at), y.at(*value), &format!("mark {side}"));
        }
    }
    out.push_str("</svg>");
    out
}

fn short(value: f64) -> String {
    if value != 0.0 && (value.abs() >= 1e5 || value.abs() < 1e-3) {
        format!("{value:.1e}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Limits;

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale { from: 0.0, to: 0.93, start: 0.0, end: 100.0 };
        assert_eq!(scale.ticks(5.0).len(), 5);
        assert!(scale.ticks(5.0).iter().all(|tick| *tick <= 0.93));
        assert_eq!(Scale { from: 1.0, to: 1.0, start: 0.0, end: 1.0 }.ticks(5.0), [1.0]);
    }

    #[test]
    fn names_are_escaped_and_infinite_ends_stay_in_the_picture() {
        let limits = Limits { threshold: 0.02, change: 0.02 };
        let bar = Bar {
            label: "<script>".into(),
            effect: 0.1,
            lo: None,
            hi: Some(0.2),
            interval: true,
            limits,
            text: "+10%".into(),
        };
        let svg = deltas(&[(bar, "regression")]);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(timeline("x", &[], &[(f64::NAN, 1.0)], false), "");
    }
}
