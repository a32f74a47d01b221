//! The side that asks.

use super::{Answer, Ask};
use crate::config::Host;
use crate::host::HostError;
use crate::host::process::{AFFINITY, NICE};
use crate::results::KnobOutcome;
use std::io::{self, BufRead, Read, Write};

/// An answer with the outcomes of 8,192 CPUs is far below this.
const LONGEST_ANSWER: u64 = 1 << 20;

/// A helper as seen by the process that measures. Its end of the helper's input must be closed on drop, so that the
/// helper restores when this process is gone.
#[derive(Debug)]
pub struct Client<R, W> {
    answers: R,
    questions: W,
    outcomes: Vec<KnobOutcome>,
    notes: Vec<String>,
}

impl<R: BufRead, W: Write> Client<R, W> {
    /// Sets what `host` asks for, but for affinity and priority, which belong to the command's process.
    ///
    /// # Errors
    /// With `tuning: require`, when a setting is refused or absent; or when the helper is gone.
    pub fn begin(answers: R, questions: W, host: &Host) -> Result<Self, HostError> {
        let mut client = Self { answers, questions, outcomes: Vec::new(), notes: Vec::new() };
        (client.outcomes, client.notes) = client.ask(&Ask::Begin(host.clone()))?;
        Ok(client)
    }

    /// What became of each setting.
    pub fn outcomes(&self) -> &[KnobOutcome] {
        &self.outcomes
    }

    /// What a reader must know, in words.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Brings the settings in force to those of one side: see [`crate::host::Session::apply_side`].
    ///
    /// # Errors
    /// As [`Client::begin`].
    pub fn apply_side(&mut self, host: &Host) -> Result<Vec<KnobOutcome>, HostError> {
        self.ask(&Ask::Side(host.clone())).map(|(outcomes, _)| outcomes)
    }

    /// Puts everything back: see [`crate::host::Session::finish`].
    ///
    /// # Errors
    /// When the helper is gone; it has restored by itself then.
    pub fn finish(mut self) -> Result<Vec<KnobOutcome>, HostError> {
        self.ask(&Ask::Finish).map(|(outcomes, _)| outcomes)
    }

    fn ask(&mut self, ask: &Ask) -> Result<(Vec<KnobOutcome>, Vec<String>), HostError> {
        let answer = self.exchange(ask).map_err(|source| HostError::Process {
            what: "The helper that sets the host's settings does not answer; it restores by itself.",
            source,
        })?;
        match answer {
            Answer::Refused(why) => Err(HostError::Refused(why)),
            Answer::Done { mut outcomes, notes } => {
                outcomes.retain(|one| one.knob != AFFINITY && one.knob != NICE);
                Ok((outcomes, notes))
            }
        }
    }

    fn exchange(&mut self, ask: &Ask) -> io::Result<Answer> {
        writeln!(self.questions, "{}", serde_json::to_string(ask)?)?;
        self.questions.flush()?;
        let mut line = String::new();
        self.answers.by_ref().take(LONGEST_ANSWER).read_line(&mut line)?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}
