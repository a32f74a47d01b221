//! The configuration that the trusted side has, and what of head's counts.

use super::GateError;
use super::refusal::short;
use crate::config::{self, Config, ConfigError, LIMIT, Suite, Template};
use crate::github::Repository;
use crate::request::{Commit, ConfigSource};
use crate::side::Side;

/// The policy of a run, from the tip of a branch.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The configuration.
    pub config: Config,
    /// Where it came from.
    pub source: ConfigSource,
    /// Where it was looked for.
    pub path: String,
    /// The commit that it was looked for in.
    pub tip: Commit,
    /// Whether that commit has the file.
    pub exists: bool,
}

impl Policy {
    /// Reads the configuration `path` with the template and the Dockerfiles that it names at `tip`; the default where
    /// there is none.
    ///
    /// # Errors
    /// When the file is wrong, one that it names is missing, or GitHub does not answer.
    pub fn read(repository: &Repository<'_>, tip: Commit, path: &str) -> Result<Self, GateError> {
        let Some(mut config) = load(repository, path, &tip.sha)? else {
            let source = ConfigSource::Detected("what the repository's files say".to_owned());
            return Ok(Self { config: Config::default(), source, path: path.to_owned(), tip, exists: false });
        };
        let read = |file: &mut Template, key: &str| -> Result<(), GateError> {
            file.text = match repository.contents(&file.path, &tip.sha)? {
                Some(bytes) => text(&file.path, bytes)?,
                None => {
                    let message = format!("there is no {} at {}", file.path, short(&tip.sha));
                    return Err(fault(path, key, message).into());
                }
            };
            Ok(config::check_template(&file.path, &file.text)?)
        };
        if let Some(template) = &mut config.report.template {
            read(template, "report.template")?;
        }
        for (index, suite) in config.suites.iter_mut().enumerate() {
            for side in Side::BOTH {
                if let Some(file) = &mut suite.sides.get_mut(side).dockerfile {
                    read(file, &format!("suites[{index}].dockerfile"))?;
                }
            }
        }
        Ok(Self { config, source: ConfigSource::File(path.to_owned()), path: path.to_owned(), tip, exists: true })
    }

    /// Takes head's suites instead of one's own, without what decides about machines and trust: images, preparation,
    /// network, host settings and overlays stay the trusted side's business; so do further repositories if head is a
    /// fork's, since they are fetched with this repository's token. `true` if head has a configuration.
    ///
    /// # Errors
    /// When head's file is wrong, or GitHub does not answer.
    pub fn take_suites(&mut self, repository: &Repository<'_>, head: &Commit, fork: bool) -> Result<bool, GateError> {
        let Some(theirs) = load(repository, &self.path, &head.sha)? else { return Ok(false) };
        let ours = std::mem::take(&mut self.config.suites);
        let trusted = |suite: &Suite| ours.iter().find(|our| our.name == suite.name);
        self.config.suites = theirs.suites.into_iter().map(|suite| bench_section(suite, fork, trusted)).collect();
        Ok(true)
    }
}

/// `suite` with what decides about machines and trust as the trusted suite of its name has it.
fn bench_section<'a>(mut suite: Suite, fork: bool, trusted: impl Fn(&Suite) -> Option<&'a Suite>) -> Suite {
    let trusted = trusted(&suite);
    suite.prepare = trusted.and_then(|trusted| trusted.prepare.clone());
    suite.overlay = trusted.and_then(|trusted| trusted.overlay.clone());
    if fork {
        suite.checkout.extra = trusted.map(|trusted| trusted.checkout.extra.clone()).unwrap_or_default();
    }
    for side in Side::BOTH {
        let trusted = trusted.map(|trusted| trusted.sides.get(side));
        let side = suite.sides.get_mut(side);
        side.image = trusted.and_then(|trusted| trusted.image.clone());
        side.dockerfile = trusted.and_then(|trusted| trusted.dockerfile.clone());
        side.network = trusted.is_some_and(|trusted| trusted.network);
        side.host = trusted.and_then(|trusted| trusted.host.clone());
    }
    suite
}

fn load(repository: &Repository<'_>, path: &str, sha: &str) -> Result<Option<Config>, GateError> {
    let Some(bytes) = repository.contents(path, sha)? else { return Ok(None) };
    Ok(Some(config::load(path, &text(path, bytes)?)?))
}

fn text(path: &str, bytes: Vec<u8>) -> Result<String, ConfigError> {
    if bytes.len() > LIMIT {
        return Err(fault(path, "", format!("{} bytes long; at most {LIMIT} are read", bytes.len())));
    }
    String::from_utf8(bytes).map_err(|_| fault(path, "", "is not UTF-8".to_owned()))
}

fn fault(path: &str, key: &str, message: String) -> ConfigError {
    ConfigError { file: path.to_owned(), line: 0, column: 0, key: key.to_owned(), message }
}
