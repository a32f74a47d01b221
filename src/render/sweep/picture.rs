//! A sweep as a Mermaid diagram: value against parameter, one line for each side and processor count.

use super::{Line, Sweep};
use crate::render::escape::mermaid_label;
use crate::render::number;

/// Colours that both of GitHub's backgrounds carry, with the square that names each in the legend.
pub const PALETTE: [(&str, &str); 6] =
    [("🟦", "#3b88e8"), ("🟧", "#f0883e"), ("🟩", "#3fa650"), ("🟪", "#a371f7"), ("🟥", "#e5534b"), ("🟫", "#9c6b4f")];

/// A sweep drawn for a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    /// The lines of the Mermaid fence.
    pub mermaid: String,
    /// Which colour is which line: `🟦 base · 🟧 head`.
    pub legend: String,
}

/// The diagram of `sweep`; `None` if no line has a point at three values that all lines have.
#[must_use]
pub fn diagram(sweep: &Sweep) -> Option<Diagram> {
    let lines: Vec<&Line> = sweep.lines.iter().take(PALETTE.len()).collect();
    let shared: Vec<usize> =
        (0..sweep.values.len()).filter(|&at| lines.iter().all(|line| line.points[at].is_some())).collect();
    if lines.is_empty() || shared.len() < super::FEWEST {
        return None;
    }
    let points = |line: &Line| -> Vec<f64> { shared.iter().filter_map(|&at| line.points[at]).collect() };
    let highest = lines.iter().flat_map(|line| points(line)).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let (scale, prefix) = scale(&sweep.unit, highest);
    let values: Vec<String> = shared.iter().map(|&at| format!("\"{}\"", mermaid_label(&sweep.values[at]))).collect();
    let colours: Vec<&str> = PALETTE.iter().take(lines.len()).map(|(_, colour)| *colour).collect();
    let mut text = format!(
        "%%{{init: {{\"themeVariables\": {{\"xyChart\": {{\"backgroundColor\": \"transparent\", \"plotColorPalette\": \"{}\"}}}}}}}}%%\nxychart-beta\n    \
         title \"{}\"\n    x-axis \"{}\" [{}]\n    y-axis \"{}\" 0 --> {}",
        colours.join(","),
        mermaid_label(&sweep.family),
        mermaid_label(&sweep.parameter),
        values.join(", "),
        mermaid_label(&prefix),
        plain(highest * scale * 1.05)
    );
    for line in &lines {
        let figures: Vec<String> = points(line).iter().map(|v| plain(v * scale)).collect();
        text.push_str(&format!("\n    line [{}]", figures.join(", ")));
    }
    Some(Diagram { mermaid: text, legend: legend(&lines) })
}

fn legend(lines: &[&Line]) -> String {
    let entries: Vec<String> = lines
        .iter()
        .zip(PALETTE)
        .map(|(line, (square, _))| match line.procs {
            Some(n) => format!("{square} {}, {}", line.side, number::count(n as usize, "cpu", "cpus")),
            None => format!("{square} {}", line.side),
        })
        .collect();
    entries.join(" · ")
}

/// Factor and name of the axis: values between 1 and 1000 are what it labels best.
fn scale(unit: &str, highest: f64) -> (f64, String) {
    let steps: &[(f64, f64, &str)] = if number::is_time(unit) && unit.starts_with("sec") {
        &[(1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "µs"), (0.0, 1e9, "ns")]
    } else {
        &[(1e9, 1e-9, "G"), (1e6, 1e-6, "M"), (1e4, 1e-3, "k"), (0.0, 1.0, "")]
    };
    let (_, factor, prefix) = steps.iter().find(|(from, ..)| highest >= *from).copied().unwrap_or((0.0, 1.0, ""));
    let name = match unit.strip_prefix("sec") {
        Some(rest) => format!("{prefix}{rest}"),
        None if prefix.is_empty() => unit.to_owned(),
        None => format!("{prefix} {unit}"),
    };
    (factor, name)
}

/// A number as Mermaid reads it: no exponent.
fn plain(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.3}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
