//! Settings of the host.

use serde::{Deserialize, Serialize};

/// Settings of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Whether settings are tried at all, and whether a refusal stops the run.
    pub tuning: Tuning,
    /// CPUs of the bench command.
    pub cpus: Cpus,
    /// Priority, -20 to 19; `None` leaves it.
    pub nice: Option<i8>,
    /// Frequency governor; `None` leaves it.
    pub governor: Option<String>,
    /// Boost on or off; `None` leaves it.
    pub boost: Option<bool>,
    /// Energy performance preference; `None` leaves it.
    pub epp: Option<String>,
    /// Lowest frequency in kHz; `None` leaves it.
    pub min_khz: Option<u64>,
    /// Highest frequency in kHz; `None` leaves it.
    pub max_khz: Option<u64>,
}

/// What to do with settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tuning {
    /// Set what can be set, report the rest.
    BestEffort,
    /// Refuse to measure if one cannot be set.
    Require,
    /// Set nothing.
    Off,
}

/// CPUs of the bench command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cpus {
    /// Chosen by rule: whole cores, not CPU 0's.
    Auto,
    /// No pinning.
    All,
    /// This list, as in `2-3,6`.
    List(String),
}

impl Default for Host {
    fn default() -> Self {
        Self {
            tuning: Tuning::BestEffort,
            cpus: Cpus::Auto,
            nice: Some(-20),
            governor: Some("performance".to_owned()),
            boost: Some(false),
            epp: None,
            min_khz: None,
            max_khz: None,
        }
    }
}
