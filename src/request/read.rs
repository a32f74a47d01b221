//! Reading a request.

use super::{Request, SCHEMA};
use crate::measure::plan::{PlanError, plan};
use crate::results::strict;
use crate::side::Side;
use std::collections::HashSet;

/// Longest name, label or note, in bytes.
const TEXT_LIMIT: usize = 4096;
/// Most suites and notes.
const COUNT_LIMIT: usize = 1000;

/// Why a request cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It is no JSON, too large, too deep, or has a key twice.
    #[error("the request is no usable JSON: {0}")]
    Json(String),
    /// It was written by another version.
    #[error("the request has schema {found}, and this version reads {SCHEMA}: use the same version in every job")]
    Schema {
        /// The number that was found.
        found: u64,
    },
    /// It has the right shape, and asks for something impossible.
    #[error("the request is invalid at {place}: {reason}")]
    Invalid {
        /// Where, as a path.
        place: String,
        /// Why.
        reason: String,
    },
    /// It cannot be planned.
    #[error("the request cannot be carried out: {0}")]
    Plan(#[from] PlanError),
}

/// Reads and checks `request.json`.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(bytes: &[u8]) -> Result<Request, RequestError> {
    let json = |error: serde_json::Error| RequestError::Json(error.to_string());
    strict::check(bytes).map_err(RequestError::Json)?;
    let version: Version = serde_json::from_slice(bytes).map_err(json)?;
    if version.schema != u64::from(SCHEMA) {
        return Err(RequestError::Schema { found: version.schema });
    }
    let request: Request = serde_json::from_slice(bytes).map_err(json)?;
    check(&request)?;
    plan(&request)?;
    Ok(request)
}

/// The one field that every version has.
#[derive(serde::Deserialize)]
struct Version {
    schema: u64,
}

fn ensure(good: bool, place: &str, reason: &str) -> Result<(), RequestError> {
    if good {
        return Ok(());
    }
    Err(RequestError::Invalid { place: place.to_owned(), reason: reason.to_owned() })
}

fn check(request: &Request) -> Result<(), RequestError> {
    for side in Side::BOTH {
        let commit = request.commits.get(side);
        let place = format!("commits.{side}");
        ensure(crate::git::is_sha(&commit.sha), &place, "not a full commit id")?;
        let short = [&commit.label, &commit.subject].iter().all(|text| text.len() <= TEXT_LIMIT);
        ensure(short, &place, "a label or subject that is too long")?;
    }
    let config = &request.config;
    ensure(config.suites.len() <= COUNT_LIMIT, "config.suites", "too many suites")?;
    let mut names = HashSet::new();
    for suite in &config.suites {
        let good =
            !suite.name.is_empty() && suite.name.len() <= crate::measure::NAME_LIMIT && names.insert(&suite.name);
        ensure(good, "config.suites", "a name that is empty, too long, or there twice")?;
    }
    let compare = &config.compare;
    ensure(compare.alpha > 0.0 && compare.alpha < 1.0, "config.compare.alpha", "not between 0 and 1")?;
    ensure(compare.threshold >= 0.0 && compare.threshold.is_finite(), "config.compare.threshold", "not a ratio")?;
    ensure(!config.budget.is_zero() && !config.max_time.is_zero(), "config", "a budget or limit of 0")?;
    ensure(request.notes.len() <= COUNT_LIMIT, "notes", "too many")?;
    ensure(request.notes.iter().all(|note| note.len() <= TEXT_LIMIT), "notes", "one is too long")?;
    if let Some(origin) = &request.origin {
        let name =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        let parts: Vec<&str> = origin.repository.split('/').collect();
        ensure(parts.len() == 2 && parts.iter().all(|part| name(part)), "origin.repository", "not owner/name")?;
        ensure(
            origin.server.starts_with("https://") || origin.server.starts_with("http://"),
            "origin.server",
            "no address",
        )?;
    }
    Ok(())
}
