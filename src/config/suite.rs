//! Checks one suite, and lays what is different on one side over what both share.

use super::error::{Fault, Place, nearest, printable};
use super::raw::{RawCheckout, RawExtra, RawOverlay, RawSide, RawSuite, RawSweep};
use super::value::{OneOrMany, invisible};
use super::{Checkout, ExtraRepository, Host, Narrow, Overlay, Suite, SuiteSide, Sweep, Template, check, refname};
use crate::format::Format;
use crate::side::{PerSide, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Most suites in one file.
const MAX_SUITES: usize = 100;

/// Longest command, in bytes.
const MAX_COMMAND: usize = 16 * 1024;

/// Limit of a step that the configuration gives none.
const TIMEOUT: Duration = Duration::from_secs(300);

impl Suite {
    /// A suite with what a configuration that is silent leaves it.
    #[must_use]
    pub fn new(name: String, sides: PerSide<SuiteSide>) -> Self {
        Self {
            name,
            sides,
            checkout: Checkout::default(),
            controls: None,
            filter: None,
            list: None,
            parameters: BTreeMap::new(),
            metrics: BTreeMap::new(),
            overlay: None,
            sweep: None,
            inspect: Vec::new(),
            prepare: None,
            detected: false,
            narrow: None,
        }
    }
}

impl SuiteSide {
    /// A side that runs `run` at the top of its tree, with what a configuration that is silent leaves it.
    #[must_use]
    pub fn new(run: String) -> Self {
        Self {
            directory: String::new(),
            setup: None,
            run,
            format: "auto".to_owned(),
            output: None,
            env: BTreeMap::new(),
            timeout: TIMEOUT,
            require: Vec::new(),
            image: None,
            dockerfile: None,
            network: false,
            host: None,
        }
    }
}

/// Checks the list of suites. `host` is what sides with settings of their own start from.
pub(super) fn suites(raw: Option<Vec<RawSuite>>, host: &Host, place: &Place) -> Result<Vec<Suite>, Fault> {
    let Some(raw) = raw else { return Ok(Vec::new()) };
    if raw.is_empty() {
        return Err(place.fault("is an empty list; remove the key and bench-bot finds the command"));
    }
    if raw.len() > MAX_SUITES {
        return Err(place.fault(format!("has {} suites; at most {MAX_SUITES}", raw.len())));
    }
    let mut suites: Vec<Suite> = Vec::new();
    for (i, raw) in raw.into_iter().enumerate() {
        let place = place.index(i);
        let named = raw.name.is_some();
        let suite = suite(raw, host, &place)?;
        if let Some(first) = suites.iter().position(|other| other.name == suite.name) {
            let message =
                format!("`{}` is also the name of suites[{first}]; give each its own", printable(&suite.name));
            return Err(if named { place.key("name").fault(message) } else { place.fault(message) });
        }
        suites.push(suite);
    }
    Ok(suites)
}

fn suite(mut raw: RawSuite, host: &Host, place: &Place) -> Result<Suite, Fault> {
    let common = side_keys(&mut raw);
    let overrides = PerSide { base: raw.base.take(), head: raw.head.take() };
    let shared = side(&common, &RawSide::default(), None, place)?;
    let sides = PerSide { base: overrides.base.as_ref(), head: overrides.head.as_ref() };
    let sides = PerSide {
        base: one_side(&common, sides.base, host, &place.key("base"), &shared)?,
        head: one_side(&common, sides.head, host, &place.key("head"), &shared)?,
    };
    let name = name(raw.name, &shared.directory, place)?;
    let parameters = parameters(raw.parameters, &sides, &place.key("parameters"))?;
    let metrics = raw.metrics.unwrap_or_default().into_iter().map(|(name, path)| {
        let place = place.key("metrics").key(&name);
        metric_name(&name, &place)?;
        Ok((name, metric(path, &place)?))
    });
    Ok(Suite {
        name,
        checkout: checkout(raw.checkout.unwrap_or_default(), &place.key("checkout"))?,
        controls: check::pattern(raw.controls, &place.key("controls"))?,
        filter: check::pattern(raw.filter, &place.key("filter"))?,
        list: raw.list.map(|text| command(text, &place.key("list"))).transpose()?,
        parameters,
        metrics: metrics.collect::<Result<_, Fault>>()?,
        overlay: raw.overlay.map(|raw| overlay(raw, &sides, &place.key("overlay"))).transpose()?,
        sweep: raw.sweep.map(|raw| sweep(raw, &place.key("sweep"))).transpose()?,
        inspect: raw.inspect.map_or(Ok(Vec::new()), |raw| functions(raw.functions, &place.key("inspect")))?,
        prepare: raw.prepare.map(|text| command(text, &place.key("prepare"))).transpose()?,
        detected: sides.base.run.is_empty() || sides.head.run.is_empty(),
        narrow: narrow(&sides),
        sides,
    })
}

/// How a command of the user's can be restricted: it says so itself by reading the variable.
fn narrow(sides: &PerSide<SuiteSide>) -> Option<Narrow> {
    let reads = |side: &SuiteSide| side.run.contains("BENCH_BOT_FILTER");
    let go = |side: &SuiteSide| side.format == "go" || (side.format == "auto" && side.run.contains("-test.bench"));
    let both = |is: fn(&SuiteSide) -> bool| is(&sides.base) && is(&sides.head);
    if !both(reads) {
        return None;
    }
    Some(if both(go) || sides.head.run.contains("go test") { Narrow::GoBench } else { Narrow::Variable })
}

/// The keys of a suite that a side may have too.
fn side_keys(raw: &mut RawSuite) -> RawSide {
    RawSide {
        directory: raw.directory.take(),
        setup: raw.setup.take(),
        run: raw.run.take(),
        format: raw.format.take(),
        output: raw.output.take(),
        env: raw.env.take(),
        timeout: raw.timeout.take(),
        require: raw.require.take(),
        image: raw.image.take(),
        dockerfile: raw.dockerfile.take(),
        network: raw.network.take(),
        host: None,
    }
}

fn one_side(
    common: &RawSide,
    own: Option<&RawSide>,
    host: &Host,
    place: &Place,
    shared: &SuiteSide,
) -> Result<SuiteSide, Fault> {
    match own {
        // A mistake in what both share is reported at its own place, so what is laid over it is checked alone first.
        Some(own) => {
            side(own, &RawSide::default(), Some(host), place)?;
            side(own, common, Some(host), place)
        }
        None => Ok(shared.clone()),
    }
}

/// What `own` says, and `common` where it is silent. `host` is `None` where settings of the host cannot stand.
fn side(own: &RawSide, common: &RawSide, host: Option<&Host>, place: &Place) -> Result<SuiteSide, Fault> {
    macro_rules! pick {
        ($key:ident) => {
            own.$key.as_ref().or(common.$key.as_ref())
        };
    }
    let text = |value: Option<&String>, key: &str, check: fn(String, &Place) -> Result<String, Fault>| {
        value.cloned().map(|text| check(text, &place.key(key))).transpose()
    };
    // An image of one's own is no reason to refuse the Dockerfile that both sides share, nor the other way round.
    let (image, dockerfile) = match (&own.image, &own.dockerfile) {
        (Some(_), Some(_)) => return Err(place.key("dockerfile").fault("cannot stand beside `image`")),
        (Some(image), None) => (Some(image), None),
        (None, Some(file)) => (None, Some(file)),
        (None, None) => (common.image.as_ref(), common.dockerfile.as_ref()),
    };
    let mut env = environment(common.env.as_ref(), place)?;
    env.extend(environment(own.env.as_ref(), place)?);
    let host = match (&own.host, host) {
        (Some(raw), Some(host)) => Some(check::host(raw.clone(), host.clone(), &place.key("host"))?),
        _ => None,
    };
    Ok(SuiteSide {
        directory: text(pick!(directory), "directory", relative_path)?.unwrap_or_default(),
        setup: text(pick!(setup), "setup", command)?,
        run: text(pick!(run), "run", command)?.unwrap_or_default(),
        format: text(pick!(format), "format", format)?.unwrap_or_else(|| "auto".to_owned()),
        output: text(pick!(output), "output", non_empty_path)?,
        env,
        timeout: check::time(pick!(timeout).copied(), &place.key("timeout"))?.unwrap_or(TIMEOUT),
        require: paths(pick!(require), &place.key("require"))?,
        image: text(image, "image", image_reference)?,
        dockerfile: text(dockerfile, "dockerfile", non_empty_path)?.map(|path| Template { path, text: String::new() }),
        network: pick!(network).copied().unwrap_or(false),
        host,
    })
}

fn name(raw: Option<String>, directory: &str, place: &Place) -> Result<String, Fault> {
    let Some(name) = raw else {
        let last = directory.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("bench");
        let message = "needs a `name` beside it, since its last part cannot be one";
        return if name_fault(last).is_none() {
            Ok(last.to_owned())
        } else {
            Err(place.key("directory").fault(message))
        };
    };
    if let Some(fault) = name_fault(&name) {
        return Err(place.key("name").fault(format!("`{}` cannot be a name: {fault}", printable(&name))));
    }
    Ok(name)
}

/// Why a suite cannot have this name, which must be possible as an argument of `/bench`.
fn name_fault(name: &str) -> Option<String> {
    let bad = |c: char| c.is_control() || invisible(c) || "=\"`".contains(c);
    if name.trim() != name {
        return Some("a blank is at its beginning or end".to_owned());
    }
    match (name.len(), name.chars().next()) {
        (0, _) => Some("it is empty".to_owned()),
        (101.., _) => Some("it is longer than 100 bytes".to_owned()),
        (_, Some(first @ ('-' | '/'))) => Some(format!("it begins with `{first}`")),
        _ => name.chars().find(|c| bad(*c)).map(|c| match c {
            '=' => "it holds `=`".to_owned(),
            '"' | '`' => "it holds a quote".to_owned(),
            c => format!("it holds the character U+{:04X}, which cannot be seen", u32::from(c)),
        }),
    }
}

/// A command for `sh -c`.
fn command(text: String, place: &Place) -> Result<String, Fault> {
    if text.trim().is_empty() {
        return Err(place.fault("is an empty command"));
    }
    if text.len() > MAX_COMMAND {
        return Err(place.fault(format!("is {} bytes long; at most {MAX_COMMAND}: put it into a script", text.len())));
    }
    if text.contains('\0') {
        return Err(place.fault("holds a NUL character"));
    }
    Ok(text.trim_end().to_owned())
}

/// The name of a format, `auto` among them; other tools' names for one become ours.
fn format(name: String, place: &Place) -> Result<String, Fault> {
    const AUTO: &str = "auto";
    if name == AUTO {
        return Ok(name);
    }
    if let Some(format) = Format::from_name(&name) {
        return Ok(format.name().to_owned());
    }
    let known: Vec<&str> = [AUTO].into_iter().chain(Format::ALL.iter().map(|format| format.name())).collect();
    Err(place.fault(match nearest(&name, known.iter().copied()) {
        Some(near) => format!("unknown format `{}`; did you mean `{near}`?", printable(&name)),
        None => format!("unknown format `{}`; expected one of {}", printable(&name), known.join(", ")),
    }))
}

fn environment(raw: Option<&BTreeMap<String, String>>, place: &Place) -> Result<BTreeMap<String, String>, Fault> {
    let mut env = BTreeMap::new();
    for (name, value) in raw.into_iter().flatten() {
        let place = place.key("env").key(name);
        let first = name.bytes().next();
        let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !word || first.is_none_or(|b| b.is_ascii_digit()) {
            return Err(place.key_fault("is not the name of a variable: letters, digits and `_`, no digit in front"));
        }
        if name.starts_with("BENCH_BOT_") {
            return Err(place.key_fault("names that start with BENCH_BOT_ are set by bench-bot itself"));
        }
        if value.contains('\0') {
            return Err(place.fault("holds a NUL character"));
        }
        env.insert(name.clone(), value.clone());
    }
    Ok(env)
}

/// A path inside the tree; empty for the tree itself.
pub(super) fn relative_path(path: String, place: &Place) -> Result<String, Fault> {
    let refuse = |rule: &str| Err(place.fault(rule));
    if path.starts_with('/') || path.starts_with('~') {
        return refuse("must be relative to the tree: no `/` or `~` in front");
    }
    if path.len() > 1000 || path.contains(|c: char| c.is_control() || invisible(c) || c == '\\') {
        return refuse("is not a path: at most 1000 bytes, `/` between folders, no control characters");
    }
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return refuse("must stay inside the tree: no `..`");
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return refuse("must not lead into `.git`");
    }
    if parts.first().is_some_and(|part| part.starts_with('-')) {
        return refuse("must not start with `-`");
    }
    Ok(parts.join("/"))
}

fn non_empty_path(path: String, place: &Place) -> Result<String, Fault> {
    let path = relative_path(path, place)?;
    if path.is_empty() { Err(place.fault("names no file")) } else { Ok(path) }
}

fn paths(raw: Option<&OneOrMany<String>>, place: &Place) -> Result<Vec<String>, Fault> {
    let one = |(i, path): (usize, &String)| non_empty_path(path.clone(), &place.index(i));
    raw.map_or(Ok(Vec::new()), |paths| paths.0.iter().enumerate().map(one).collect())
}

fn image_reference(image: String, place: &Place) -> Result<String, Fault> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-/:@".contains(&b);
    let first = image.bytes().next();
    if image.len() > 500 || !image.bytes().all(allowed) || !first.is_some_and(|b| b.is_ascii_alphanumeric()) {
        return Err(place.fault("expected the reference of an image, such as `golang:1.26`"));
    }
    Ok(image)
}

fn checkout(raw: RawCheckout, place: &Place) -> Result<Checkout, Fault> {
    let extra = raw.extra.unwrap_or_default().into_iter().enumerate();
    let extra = extra.map(|(i, raw)| extra_repository(raw, &place.key("extra").index(i)));
    Ok(Checkout {
        submodules: raw.submodules.unwrap_or(false),
        lfs: raw.lfs.unwrap_or(false),
        extra: extra.collect::<Result<_, _>>()?,
    })
}

fn extra_repository(raw: RawExtra, place: &Place) -> Result<ExtraRepository, Fault> {
    let word = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    let pair = raw.repo.split_once('/').is_some_and(|(owner, name)| word(owner) && word(name));
    // A user name or a port before the host would be a place for a password, or another server than it seems.
    let url = raw.repo.strip_prefix("https://").is_some_and(|rest| {
        rest.contains('/') && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/~".contains(&b))
    });
    if !pair && !url {
        return Err(place.key("repo").fault("expected `owner/name` or an https URL without a user"));
    }
    refname::check(&raw.reference)
        .map_err(|rule| place.key("ref").fault(format!("expected a branch, tag or commit: {rule}")))?;
    let path = non_empty_path(raw.path, &place.key("path"))?;
    Ok(ExtraRepository { repo: raw.repo, reference: raw.reference, path })
}

fn metric_name(name: &str, place: &Place) -> Result<(), Fault> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    if name.is_empty() || name.len() > 100 || !name.bytes().all(word) {
        return Err(place.key_fault("a metric's name has letters, digits and any of . _ -"));
    }
    Ok(())
}

/// What a metric is read from: a counter of instructions, or a file.
fn metric(value: String, place: &Place) -> Result<String, Fault> {
    const COUNTERS: [&str; 2] = ["perf:instructions", "valgrind:instructions"];
    if COUNTERS.contains(&value.as_str()) {
        return Ok(value);
    }
    match COUNTERS.iter().find(|counter| value.split(':').next() == counter.split(':').next()) {
        Some(counter) => Err(place.fault(format!(
            "`{}` counts nothing; write `{counter}`, or `./{}` for a file of that name",
            printable(&value),
            printable(&value)
        ))),
        None => relative_path(value, place),
    }
}

fn parameters(
    raw: Option<BTreeMap<String, OneOrMany<String>>>,
    sides: &PerSide<SuiteSide>,
    place: &Place,
) -> Result<BTreeMap<String, Vec<String>>, Fault> {
    let mut parameters = BTreeMap::new();
    let mut combinations = 1usize;
    for (name, values) in raw.unwrap_or_default() {
        let place = place.key(&name);
        metric_name(&name, &place)?;
        if values.0.is_empty() {
            return Err(place.fault("has no values"));
        }
        let mut seen = BTreeSet::new();
        if let Some(index) = values.0.iter().position(|value| !seen.insert(value)) {
            return Err(place.index(index).fault(format!("`{}` stands twice", printable(&values.0[index]))));
        }
        let used = |side: Side| sides.get(side).run.contains(&format!("{{{name}}}"));
        if !Side::BOTH.into_iter().all(used) {
            return Err(place.key_fault(format!("`run` does not use it: write {{{name}}} where the value goes")));
        }
        combinations = combinations.saturating_mul(values.0.len());
        parameters.insert(name, values.0);
    }
    if combinations > 1000 {
        return Err(place.fault(format!("give {combinations} combinations; at most 1000")));
    }
    Ok(parameters)
}

/// Its paths from the top of the tree, as one with a leading `/` is written; the others begin in the suite's `directory`.
fn overlay(raw: RawOverlay, sides: &PerSide<SuiteSide>, place: &Place) -> Result<Overlay, Fault> {
    if raw.from == raw.to {
        return Err(place.key("to").fault("must be the other side than `from`"));
    }
    let one =
        |(i, path): (usize, String)| {
            let place = place.key("paths").index(i);
            if let Some(path) = path.strip_prefix('/') {
                return non_empty_path(path.to_owned(), &place);
            }
            let path = non_empty_path(path, &place)?;
            match [&sides.base.directory, &sides.head.directory].map(String::as_str) {
                ["", ""] => Ok(path),
                [base, head] if base == head => Ok(format!("{base}/{path}")),
                _ => Err(place
                    .fault(format!("the sides have different directories: write `/{path}`, from the top of the tree"))),
            }
        };
    let paths: Vec<String> = raw.paths.0.into_iter().enumerate().map(one).collect::<Result<_, _>>()?;
    if paths.is_empty() {
        return Err(place.key("paths").fault("names no file"));
    }
    Ok(Overlay { from: raw.from, paths, to: raw.to })
}

fn sweep(raw: RawSweep, place: &Place) -> Result<Sweep, Fault> {
    let capture = check::pattern(Some(raw.capture), &place.key("capture"))?.unwrap_or_default();
    let groups = regex::Regex::new(&capture).map_or(0, |regex| regex.captures_len());
    if groups < 2 {
        return Err(place.key("capture").fault("needs a group around the value, such as `Chan(\\d+)$`"));
    }
    metric_name(&raw.name, &place.key("name"))?;
    Ok(Sweep { capture, name: raw.name })
}

fn functions(raw: OneOrMany<String>, place: &Place) -> Result<Vec<String>, Fault> {
    let place = place.key("functions");
    if raw.0.is_empty() {
        return Err(place.fault("names no function"));
    }
    let bad = |c: char| c.is_control() || invisible(c);
    for (i, name) in raw.0.iter().enumerate() {
        if name.trim().is_empty() || name.starts_with('-') || name.len() > 500 || name.contains(bad) {
            return Err(place.index(i).fault("expected the name of a function, such as `main.work`"));
        }
    }
    Ok(raw.0)
}
