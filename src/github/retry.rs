//! When and how long to wait before the next attempt.

use super::error::{ErrorKind, GitHubError};
use std::time::Duration;

/// Waits between two attempts. Tests record instead of sleeping; a program that catches signals ends the wait early.
pub trait Pause: Send {
    /// Waits for `wait`. `false`: the program was asked to stop, so there is no further attempt.
    fn pause(&self, wait: Duration) -> bool;
}

/// Really sleeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sleep;

impl Pause for Sleep {
    fn pause(&self, wait: Duration) -> bool {
        std::thread::sleep(wait);
        true
    }
}

impl<F: Fn(Duration) -> bool + Send> Pause for F {
    fn pause(&self, wait: Duration) -> bool {
        self(wait)
    }
}

/// How long one call may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest single wait that a server may ask for.
    pub single: Duration,
    /// All waits of one call together.
    pub total: Duration,
    /// Random extra time as a share of a back-off wait, so that parallel jobs do not come back together.
    pub jitter: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { single: Duration::from_secs(120), total: Duration::from_secs(600), jitter: true }
    }
}

/// Waits after an answer that may succeed next time: 5xx, a lost connection, HTML in place of JSON.
const BACK_OFF: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)];

/// Waits after a secondary rate limit that names no time.
const SECONDARY: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(120)];

/// No call waits more often, however short the waits that a server asks for.
const MAX_WAITS: usize = 10;

/// The attempts of one call.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    limits: &'a Limits,
    waited: Duration,
    waits: usize,
    backed_off: usize,
    unnamed: usize,
}

impl<'a> Attempts<'a> {
    pub(crate) const fn new(limits: &'a Limits) -> Self {
        Self { limits, waited: Duration::ZERO, waits: 0, backed_off: 0, unnamed: 0 }
    }

    /// How long to wait after `error`, or `None` if that was the last attempt.
    pub(crate) fn next(&mut self, error: &GitHubError) -> Option<Duration> {
        let wait = match error.kind {
            ErrorKind::Server | ErrorKind::NotJson | ErrorKind::Connection => {
                self.backed_off += 1;
                self.jittered(*BACK_OFF.get(self.backed_off - 1)?)
            }
            ErrorKind::RateLimited { wait: Some(wait), .. } if wait <= self.limits.single => wait,
            ErrorKind::RateLimited { wait: None, .. } => {
                self.unnamed += 1;
                self.jittered(*SECONDARY.get(self.unnamed - 1)?)
            }
            _ => return None,
        };
        self.waited += wait;
        self.waits += 1;
        (self.waited <= self.limits.total && self.waits <= MAX_WAITS).then_some(wait)
    }

    /// `wait` and up to a quarter more.
    fn jittered(&self, wait: Duration) -> Duration {
        match getrandom::u32() {
            Ok(random) if self.limits.jitter => wait + wait.mul_f64(f64::from(random) / f64::from(u32::MAX) / 4.0),
            _ => wait,
        }
    }
}
