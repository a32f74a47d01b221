//! One line a block: for the log of a runner.

use super::{Event, Progress, ended, shown, stage_name};
use std::io::Write;

/// Writes lines.
pub struct Lines<W: Write> {
    out: W,
    /// Stands around text of commands, so that a runner does not obey it.
    stop: Option<String>,
}

impl<W: Write> Lines<W> {
    /// Lines into `out`. On GitHub, `stop` must be a word that nobody can guess: text of commands is written between
    /// `::stop-commands::WORD` and `::WORD::`, so that no line of it is a command to the runner.
    pub fn new(out: W, stop: Option<String>) -> Self {
        Self { out, stop }
    }

    fn line(&mut self, text: &str) {
        // Notes quote what commands print: one line without codes for a terminal, and nothing that a runner obeys.
        let text = text.replace(|c: char| c.is_control(), " ").replace("##[", "# #[");
        // A log that cannot be written to is no reason to stop measuring.
        let _ = writeln!(self.out, "bench-bot: {text}");
        let _ = self.out.flush();
    }

    /// Text of a command, each line behind a bar.
    fn foreign(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let stop = self.stop.clone();
        if let Some(word) = &stop {
            let _ = writeln!(self.out, "::stop-commands::{word}");
        }
        for line in text.lines() {
            let _ = writeln!(self.out, "| {line}");
        }
        if let Some(word) = &stop {
            let _ = writeln!(self.out, "::{word}::");
        }
        let _ = self.out.flush();
    }
}

impl<W: Write> Progress for Lines<W> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Setup { suite, side } => self.line(&format!("{suite}: setup of {side}")),
            Event::Warmup { suite, side } => self.line(&format!("{suite}: warm-up of {side}")),
            Event::Stage { kind, blocks, estimate } => {
                self.line(&format!(
                    "{}: {blocks} block{} of four rounds, about {}",
                    stage_name(*kind),
                    if *blocks == 1 { "" } else { "s" },
                    shown(*estimate)
                ));
            }
            Event::Round { .. } => {}
            Event::Block { suite, stage, block, blocks, unit, invalid, took, elapsed, left } => {
                let unit = if unit.is_empty() {
                    String::new()
                } else {
                    format!(" [{}]", unit.chars().take(60).collect::<String>())
                };
                let invalid = invalid.map(|why| format!(", does not count: {why}")).unwrap_or_default();
                self.line(&format!(
                    "{suite}: {} block {block}/{blocks}{unit} took {}{invalid}; {} so far, about {} left",
                    stage_name(*stage),
                    shown(*took),
                    shown(*elapsed),
                    shown(*left),
                ));
            }
            Event::Failed { suite, side, what, outcome } => {
                self.line(&format!("{suite}: {what} of {side} {}", ended(outcome)));
                self.foreign(&outcome.tail);
            }
            Event::Note(text) => self.line(text),
            Event::Done { elapsed } => self.line(&format!("measured in {}", shown(*elapsed))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{StageKind, StepOutcome, StepStatus};
    use crate::side::Side;
    use std::time::Duration;

    #[test]
    fn a_note_that_quotes_a_command_is_no_command_to_the_runner() {
        let mut out = Vec::new();
        Lines::new(&mut out, Some("w0rd".to_owned()))
            .event(&Event::Note("it starts with \"##[set-output name=run]true\r::error::\u{1b}[2J\""));
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "bench-bot: it starts with \"# #[set-output name=run]true ::error:: [2J\"\n"
        );
    }

    #[test]
    fn text_of_a_command_is_no_command_to_the_runner() {
        let mut out = Vec::new();
        let outcome =
            StepOutcome { status: StepStatus::Exit(1), seconds: 1.0, tail: "::error::x\n##[add-mask]a".to_owned() };
        Lines::new(&mut out, Some("w0rd".to_owned())).event(&Event::Failed {
            suite: "s",
            side: Side::Head,
            what: "setup",
            outcome: &outcome,
        });
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            text,
            "bench-bot: s: setup of head exited with 1\n::stop-commands::w0rd\n| ::error::x\n| ##[add-mask]a\n::w0rd::\n"
        );
    }

    #[test]
    fn a_block_is_one_line() {
        let mut out = Vec::new();
        Lines::new(&mut out, None).event(&Event::Block {
            suite: "codec",
            stage: StageKind::Screen,
            block: 2,
            blocks: 4,
            unit: "",
            invalid: None,
            took: Duration::from_secs(31),
            elapsed: Duration::from_secs(95),
            left: Duration::from_secs(62),
        });
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "bench-bot: codec: screen block 2/4 took 31s; 1m35s so far, about 1m02s left\n"
        );
    }
}
