//! One line that changes, and lasting lines for what must stay: for a terminal.

use super::{Event, Progress, ended, shown, stage_name};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Shows a bar on standard error.
pub struct Terminal {
    bar: ProgressBar,
    /// About how long the rest of the stage takes.
    left: Duration,
}

impl Default for Terminal {
    fn default() -> Self {
        Self::new()
    }
}

impl Terminal {
    /// A bar that is drawn only when something happens: nothing of ours runs beside a round.
    #[must_use]
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        bar.set_style(ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self { bar, left: Duration::ZERO }
    }

    fn show(&self, text: &str) {
        self.bar.set_message(plain(text));
        self.bar.tick();
    }

    fn keep(&self, text: &str) {
        self.bar.println(plain(text));
    }
}

/// Nothing that moves a terminal's cursor.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Progress for Terminal {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Setup { suite, side } => self.show(&format!("{suite}: setup of {side} …")),
            Event::Warmup { suite, side } => self.show(&format!("{suite}: warm-up of {side} …")),
            Event::Stage { kind, blocks, estimate } => {
                self.bar.set_length(u64::from(*blocks) * 4);
                self.bar.set_position(0);
                self.left = *estimate;
                let style = ProgressStyle::with_template("{bar:24} {pos}/{len} rounds  {wide_msg}");
                self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                self.show(&format!("{}, about {}", stage_name(*kind), shown(*estimate)));
            }
            Event::Round { suite, side, block, round, elapsed } => {
                self.bar.set_position(u64::from((block.saturating_sub(1)) * 4 + round.saturating_sub(1)));
                self.show(&format!("{suite}: {side}, {} so far, about {} left", shown(*elapsed), shown(self.left)));
            }
            Event::Block { suite, stage, block, blocks, invalid, elapsed, left, .. } => {
                self.bar.set_position(u64::from(*block) * 4);
                self.left = *left;
                if let Some(why) = invalid {
                    self.keep(&format!("{suite}: {} block {block} does not count: {why}", stage_name(*stage)));
                }
                self.show(&format!("{suite}: {block} of {blocks} blocks, {} so far", shown(*elapsed)));
            }
            Event::Failed { suite, side, what, outcome } => {
                self.keep(&format!("{suite}: {what} of {side} {}", ended(outcome)));
                for line in outcome.tail.lines() {
                    self.keep(&format!("  | {line}"));
                }
            }
            Event::Note(text) => self.keep(text),
            Event::Done { .. } => self.bar.finish_and_clear(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
