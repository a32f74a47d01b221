//! From the text of a configuration file to a checked [`Config`].

use super::describe::Source;
use super::error::{Fault, Part, Place, nearest, printable};
use super::{Config, ConfigError, check, locate, raw, scan};
use std::path::Path;

/// Where the configuration is looked for, relative to a tree.
pub const PATH: &str = ".github/bench-bot.yml";

/// Places where it is looked for in vain.
const MISPLACED: [&str; 5] =
    [".github/bench-bot.yaml", "bench-bot.yml", "bench-bot.yaml", ".bench-bot.yml", ".bench-bot.yaml"];

/// A file of this tree that looks like a configuration and is not read.
#[must_use]
pub fn misplaced(tree: &Path) -> Option<&'static str> {
    MISPLACED.into_iter().find(|name| tree.join(name).symlink_metadata().is_ok())
}

/// The longest file that is read, in bytes; also the longest template.
pub const LIMIT: usize = 64 * 1024;

/// Checks the text of the configuration file that messages shall call `path`.
///
/// The text of a template is not read: [`super::Template::text`] is empty after this.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn load(path: &str, text: &str) -> Result<Config, ConfigError> {
    load_with_source(path, text).map(|(config, _)| config)
}

/// As [`load`], and also which values the file sets, for [`super::describe()`].
///
/// # Errors
/// As [`load`].
pub fn load_with_source(path: &str, text: &str) -> Result<(Config, Source), ConfigError> {
    let complain = |line, column, key, message| ConfigError { file: path.to_owned(), line, column, key, message };
    if text.len() > LIMIT {
        let message = format!("{} bytes long; at most {LIMIT} are read", text.len());
        return Err(complain(0, 0, String::new(), message));
    }
    let places = scan::scan(text).map_err(|(fault, error)| {
        let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
        match fault {
            Some(fault) => complain(line, column, fault.place.to_string(), fault.message),
            None => complain(line, column, String::new(), format!("not valid YAML: {error}")),
        }
    })?;
    let at_fault = |fault: Fault| {
        let (line, column) = locate::locate(text, &fault.place, fault.part).unwrap_or((0, 0));
        complain(line, column, fault.place.to_string(), fault.message)
    };
    let raw = if places.is_empty() { raw::RawConfig::default() } else { parse(text).map_err(at_fault)? };
    let config = check::check(raw).map_err(at_fault)?;
    Ok((config, Source::file(path, places)))
}

/// A complaint about the suite with this index of a file whose text is known to be good so far.
#[must_use]
pub fn suite_error(path: &str, text: &str, suite: usize, key: &str, message: String) -> ConfigError {
    let place = Place::ROOT.key("suites").index(suite);
    let place = if key.is_empty() { place } else { place.key(key) };
    let (line, column) = locate::locate(text, &place, Part::Value).unwrap_or((0, 0));
    ConfigError { file: path.to_owned(), line, column, key: place.to_string(), message }
}

/// The file as it is written; keys and types are right afterwards, values are not yet checked.
fn parse(text: &str) -> Result<raw::RawConfig, Fault> {
    serde_path_to_error::deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let place = Place::from_serde(error.path());
        explain(&place, &error.into_inner())
    })
}

/// Turns what serde says into what a user understands.
fn explain(place: &Place, error: &serde_yaml::Error) -> Fault {
    let message = plain_message(place, error);
    if let Some(key) = place.last_key()
        && let Some(known) = message.strip_prefix(&format!("unknown field `{key}`, "))
    {
        return place.key_fault(unknown_key(place, key, &quoted(known)));
    }
    if let Some((word, known)) =
        message.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    {
        let known = quoted(known);
        return place.fault(match nearest(word, known.iter().copied()) {
            Some(near) => format!("unknown value `{}`; did you mean `{near}`?", printable(word)),
            None => format!("unknown value `{}`; expected one of {}", printable(word), known.join(", ")),
        });
    }
    let mut message = message;
    for (rust, plain) in [
        ("expected u32", "expected a whole number"),
        ("expected i8", "expected a whole number from -128 to 127"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected `true` or `false`"),
        ("expected a YAML tag starting with '!'", "expected one word"),
        ("expected a sequence", "expected a list"),
        ("invalid type: map", "invalid type: mapping"),
        ("invalid type: sequence", "invalid type: list"),
        ("missing field", "missing key"),
    ] {
        message = message.replace(rust, plain);
    }
    Fault { place: place.clone(), part: Part::Value, message }
}

/// The message without the path and the position that the YAML reader puts around it.
fn plain_message(place: &Place, error: &serde_yaml::Error) -> String {
    let mut message = error.to_string();
    if let Some(at) = error.location() {
        let position = format!(" at line {} column {}", at.line(), at.column());
        if let Some(rest) = message.strip_suffix(&position) {
            message = rest.to_owned();
        }
    }
    let whole = place.to_string();
    let prefixes = (0..=whole.len()).rev().filter(|end| *end > 0 && whole.is_char_boundary(*end));
    for end in prefixes {
        if let Some(rest) = message.strip_prefix(&format!("{}: ", &whole[..end])) {
            return rest.to_owned();
        }
    }
    message
}

/// The words between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Where a key belongs that people look for elsewhere.
const PLACES: &[(&str, &str)] = &[
    ("threshold", "compare.threshold"),
    ("alpha", "compare.alpha"),
    ("correction", "compare.correction"),
    ("units", "compare.units"),
    ("rename", "compare.rename"),
    ("primary", "compare.primary"),
    ("layout", "report.layout"),
    ("template", "report.template"),
    ("fail-on", "report.fail-on"),
    ("comment-mode", "report.comment-mode"),
    ("comment-on", "report.comment-on"),
    ("permission", "command.permission"),
    ("cooldown", "command.cooldown"),
    ("fork-approval", "command.fork-approval"),
    ("tuning", "host.tuning"),
    ("cpus", "host.cpus"),
    ("nice", "host.nice"),
    ("governor", "host.governor"),
    ("boost", "host.boost"),
    ("screen", "rounds.screen"),
    ("confirm", "rounds.confirm"),
    ("fixed", "rounds.fixed"),
    ("submodules", "checkout.submodules"),
    ("lfs", "checkout.lfs"),
    ("run", "suites[].run"),
    ("setup", "suites[].setup"),
    ("directory", "suites[].directory"),
    ("format", "suites[].format"),
    ("output", "suites[].output"),
    ("filter", "suites[].filter"),
    ("env", "suites[].env"),
    ("image", "suites[].image"),
    ("timeout", "suites[].timeout"),
    ("host", "host, or suites[].base.host and suites[].head.host"),
    ("rounds", "rounds"),
    ("budget", "budget"),
    ("isolation", "isolation"),
];

/// Keys of a suite that are the same for both sides.
const BOTH_SIDES: &[&str] = &[
    "name",
    "prepare",
    "checkout",
    "controls",
    "filter",
    "list",
    "parameters",
    "metrics",
    "overlay",
    "sweep",
    "inspect",
];

fn unknown_key(place: &Place, key: &str, known: &[&str]) -> String {
    let folded = key.to_lowercase().replace('_', "-");
    let side = place.to_string();
    if BOTH_SIDES.contains(&key) && (side.contains("].base.") || side.contains("].head.")) {
        return "is the same for both sides; a value for one side is not yet possible".to_owned();
    }
    let near = nearest(key, known.iter().copied());
    if let Some(near) = near.filter(|near| **near == folded) {
        return format!("unknown key; did you mean `{near}`?");
    }
    if let Some((_, elsewhere)) = PLACES.iter().find(|(name, _)| *name == folded) {
        return format!("unknown key here; it belongs at `{elsewhere}`");
    }
    match near {
        Some(near) => format!("unknown key; did you mean `{near}`?"),
        None => format!("unknown key; expected one of {}", known.join(", ")),
    }
}

/// Why the configuration of a tree on disk cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its content.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Reads the configuration file `path` of the tree at `root`, and the template and the Dockerfiles that it names. `None` if `path` is
/// `None` and the tree has no file at [`PATH`].
///
/// # Errors
/// When a file cannot be read, or says something impossible.
pub fn load_tree(root: &Path, path: Option<&str>) -> Result<Option<(Config, Source)>, LoadError> {
    load_by(path, |name| {
        std::fs::read_to_string(root.join(name)).map_err(|source| LoadError::Read { path: name.to_owned(), source })
    })
}

/// As [`load_tree`], of a tree whose files `read` gives.
///
/// # Errors
/// As [`load_tree`].
pub fn load_by(
    path: Option<&str>,
    read: impl Fn(&str) -> Result<String, LoadError>,
) -> Result<Option<(Config, Source)>, LoadError> {
    let name = path.unwrap_or(PATH);
    let text = match read(name) {
        Err(LoadError::Read { source, .. }) if path.is_none() && source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        other => other?,
    };
    let (mut config, source) = load_with_source(name, &text)?;
    let dockerfiles = config.suites.iter_mut().flat_map(|suite| [&mut suite.sides.base, &mut suite.sides.head]);
    for file in dockerfiles.filter_map(|side| side.dockerfile.as_mut()).chain(&mut config.report.template) {
        file.text = read(&file.path)?;
        check_template(&file.path, &file.text)?;
    }
    Ok(Some((config, source)))
}

/// Whether the text of a template or a Dockerfile may be used at all; what is in it is others' business.
///
/// # Errors
/// If it is longer than [`LIMIT`].
pub fn check_template(path: &str, text: &str) -> Result<(), ConfigError> {
    if text.len() <= LIMIT {
        return Ok(());
    }
    let message = format!("it is {} bytes long; at most {LIMIT} are read", text.len());
    Err(ConfigError { file: path.to_owned(), line: 0, column: 0, key: String::new(), message })
}
