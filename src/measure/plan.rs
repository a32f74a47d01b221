//! What will be run, decided before anything runs.

mod go;

use super::seed::Seed;
use crate::config::{Narrow, Rounds, Suite, SuiteSide};
use crate::request::Request;
use crate::results::{Shard, StageKind};
use crate::side::{PerSide, Side};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Most rounds a side.
pub const ROUNDS_LIMIT: u32 = 100;
/// Most combinations of a suite's parameters.
pub const COMBINATIONS_LIMIT: usize = 1000;
/// Fewest blocks of a first stage that had to be cut.
pub const FEWEST_FIRST: u32 = 3;
/// Fewest blocks of Confirm for a row.
pub const FEWEST_CONFIRM: u32 = 4;

/// A request that cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A number of rounds that is odd, zero or too large.
    #[error("{what} is {rounds}: it must be even, from 2 to {ROUNDS_LIMIT}")]
    Rounds {
        /// Which number.
        what: &'static str,
        /// Its value.
        rounds: u32,
    },
    /// A suite that the configuration does not have.
    #[error("there is no suite {name:?}; the configuration has: {known}")]
    UnknownSuite {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A regular expression that is none.
    #[error("the filter {pattern:?} is no regular expression: {reason}")]
    Filter {
        /// The expression.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A seed that is none.
    #[error("the seed {0:?} is not 32 hexadecimal digits")]
    Seed(String),
    /// A shard that does not exist.
    #[error("there is no shard {index} of {count}")]
    Shard {
        /// The index, from 1.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// Parameters with too many combinations.
    #[error("the parameters of suite {0:?} have more than {COMBINATIONS_LIMIT} combinations")]
    Combinations(String),
}

/// The whole plan.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed of every random choice, if one was asked for.
    pub seed: Option<Seed>,
    /// The first stage.
    pub first: StageKind,
    /// Blocks of the first stage.
    pub first_blocks: u32,
    /// Blocks of Confirm; 0 in a one-stage plan.
    pub confirm_blocks: u32,
    /// Time for all rounds: the budget, or the limit of everything if that is shorter.
    pub budget: Duration,
    /// Time for everything.
    pub max_time: Duration,
    /// The suites of this job, in the order of the configuration.
    pub suites: Vec<SuitePlan>,
}

/// One suite of the plan.
#[derive(Debug, Clone)]
pub struct SuitePlan {
    /// The suite, with commands and environment as they are run.
    pub suite: Suite,
    /// Which benchmarks are kept.
    pub filters: Vec<Regex>,
    /// How the command is restricted to some benchmarks.
    pub narrow: Option<Narrow>,
    /// The commands of one round, by what is appended to the names of their benchmarks; one, unless the suite has
    /// parameters.
    pub commands: Vec<(String, PerSide<String>)>,
    /// The part of the suite's benchmarks (by `list`) that this job measures.
    pub part: Option<Shard>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

/// Makes the plan of a request.
///
/// # Errors
/// When the request cannot be carried out; nothing was run.
pub fn plan(request: &Request) -> Result<Plan, PlanError> {
    let config = &request.config;
    let (first, first_rounds, confirm_rounds) = match config.rounds {
        Rounds::Staged { screen, confirm } => (
            StageKind::Screen,
            checked("the number of screen rounds", screen)?,
            checked("the number of confirm rounds", confirm)?,
        ),
        Rounds::Fixed(rounds) => (StageKind::Fixed, checked("the number of rounds", rounds)?, 0),
    };
    // The limit is on the whole plan.
    checked("the number of rounds of both stages", first_rounds + confirm_rounds)?;
    let seed = match &request.seed {
        Some(text) => Some(Seed::parse(text).ok_or_else(|| PlanError::Seed(text.clone()))?),
        None => None,
    };
    let mut suites = Vec::new();
    for (index, suite) in chosen(request)?.into_iter().enumerate() {
        let divisible = suite.list.is_some();
        let part = match request.shard {
            Some(shard) if shard.index == 0 || shard.index > shard.count => {
                return Err(PlanError::Shard { index: shard.index, count: shard.count });
            }
            Some(shard) if divisible => Some(shard),
            // A suite that cannot be divided belongs to one shard: they take turns.
            Some(shard) if index as u32 % shard.count != shard.index - 1 => continue,
            _ => None,
        };
        suites.push(suite_plan(suite, request, part)?);
    }
    Ok(Plan {
        seed,
        first,
        first_blocks: first_rounds / 2,
        confirm_blocks: confirm_rounds / 2,
        budget: config.budget.min(config.max_time),
        max_time: config.max_time,
        suites,
    })
}

fn checked(what: &'static str, rounds: u32) -> Result<u32, PlanError> {
    if rounds == 0 || rounds % 2 == 1 || rounds > ROUNDS_LIMIT {
        return Err(PlanError::Rounds { what, rounds });
    }
    Ok(rounds)
}

/// The suites that were asked for, in the order of the configuration.
fn chosen(request: &Request) -> Result<Vec<&Suite>, PlanError> {
    let suites = &request.config.suites;
    if let Some(name) = request.suites.iter().find(|name| !suites.iter().any(|suite| suite.name == **name)) {
        let known: Vec<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
        return Err(PlanError::UnknownSuite { name: name.clone(), known: known.join(", ") });
    }
    Ok(suites.iter().filter(|suite| request.suites.is_empty() || request.suites.contains(&suite.name)).collect())
}

fn suite_plan(suite: &Suite, request: &Request, part: Option<Shard>) -> Result<SuitePlan, PlanError> {
    let mut suite = suite.clone();
    let mut warnings = Vec::new();
    let filters = [suite.filter.as_deref().unwrap_or_default(), &request.filter];
    let filters = filters.into_iter().filter(|pattern| !pattern.is_empty()).map(filter).collect::<Result<_, _>>()?;
    for side in Side::BOTH {
        go::single_count(side, suite.sides.get_mut(side), &mut warnings);
    }
    if suite.narrow.is_none() && suite.list.is_none() {
        suite.narrow = go::narrowed(&mut suite.sides);
    }
    own_artefacts(&mut suite.sides, &mut warnings);
    let commands = expand(&suite)?;
    let narrow = suite.narrow.or_else(|| suite.list.as_ref().map(|_| Narrow::Variable));
    warnings.dedup();
    Ok(SuitePlan { suite, filters, narrow, commands, part, warnings })
}

/// Compiles a filter of the configuration or of a command.
///
/// # Errors
/// When it is no regular expression, or a monstrous one.
pub fn filter(pattern: &str) -> Result<Regex, PlanError> {
    RegexBuilder::new(pattern).size_limit(1 << 20).build().map_err(|error| PlanError::Filter {
        pattern: pattern.to_owned(),
        // The last line says what is wrong; those before it draw the place.
        reason: error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    })
}

/// Variables that name a folder for what is built or installed.
const ARTEFACTS: [&str; 14] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_INSTALL_ROOT",
    "CRITERION_HOME",
    "GOCACHE",
    "GOBIN",
    "GOPATH",
    "CCACHE_DIR",
    "VIRTUAL_ENV",
    "UV_PROJECT_ENVIRONMENT",
    "PYTHONUSERBASE",
    "PYTHONPYCACHEPREFIX",
    "GEM_HOME",
    "NPM_CONFIG_PREFIX",
];

/// Takes away a folder for built files that the configuration gives to both sides: the second build would replace the
/// first, and one side would be measured twice. A folder inside of the tree is each side's own.
fn own_artefacts(sides: &mut PerSide<SuiteSide>, warnings: &mut Vec<String>) {
    for name in ARTEFACTS {
        let [base, head] = Side::BOTH.map(|side| {
            let side = sides.get(side);
            side.env.get(name).and_then(|path| outside(&side.directory, path))
        });
        if !base.zip(head).is_some_and(|(base, head)| base.starts_with(&head) || head.starts_with(&base)) {
            continue;
        }
        for side in Side::BOTH {
            let env = &mut sides.get_mut(side).env;
            let removed = env.remove(name);
            // What Go has downloaded is nobody's build.
            if let Some(first) = removed.filter(|_| name == "GOPATH")
                && let Some(first) = std::env::split_paths(&first).next()
            {
                let modules = first.join("pkg/mod").to_string_lossy().into_owned();
                env.entry("GOMODCACHE".to_owned()).or_insert(modules);
            }
        }
        warnings.push(format!("`{name}` names one folder for both sides and is ignored: each side builds in its own"));
    }
}

/// Where a path leads if not into the tree, seen from the tree.
fn outside(directory: &str, path: &str) -> Option<PathBuf> {
    let mut seen = PathBuf::new();
    for part in Path::new(directory).join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if seen.file_name().is_some() => {
                seen.pop();
            }
            part => seen.push(part),
        }
    }
    (seen.is_absolute() || seen.starts_with("..")).then_some(seen)
}

/// Every combination of the parameters, in the order of their names and values.
fn expand(suite: &Suite) -> Result<Vec<(String, PerSide<String>)>, PlanError> {
    let mut combinations: Vec<BTreeMap<&str, &str>> = vec![BTreeMap::new()];
    for (name, values) in &suite.parameters {
        let mut next = Vec::new();
        for combination in &combinations {
            for value in values {
                let mut combination = combination.clone();
                combination.insert(name, value);
                next.push(combination);
            }
            if next.len() > COMBINATIONS_LIMIT {
                return Err(PlanError::Combinations(suite.name.clone()));
            }
        }
        combinations = next;
    }
    let command = |combination: &BTreeMap<&str, &str>, side: Side| {
        let mut rest = suite.sides.get(side).run.as_str();
        let mut run = String::with_capacity(rest.len());
        // Once from left to right: a value that looks like a parameter is no parameter.
        while let Some(at) = rest.find('{') {
            let (before, after) = rest.split_at(at);
            run.push_str(before);
            let named = after[1..].split_once('}').and_then(|(name, end)| Some((*combination.get(name)?, end)));
            let (value, end) = named.unwrap_or_else(|| after.split_at(1));
            run.push_str(value);
            rest = end;
        }
        run + rest
    };
    let suffix = |combination: &BTreeMap<&str, &str>| {
        combination.iter().map(|(name, value)| format!("/{name}={value}")).collect::<String>()
    };
    Ok(combinations.iter().map(|c| (suffix(c), PerSide::from_fn(|side| command(c, side)))).collect())
}

#[cfg(test)]
mod tests;
