//! Python projects that test with pytest-benchmark.

use super::tree::{Tree, file_name, join, parent, relative};
use super::{Findings, Found, both, suite, version};
use toml::{Table, Value};

/// The word that gives it away.
const PLUGIN: &str = "pytest-benchmark";

/// Files that may name the plugin, the best source of what to install first.
const FILES: &[&str] =
    &["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "environment.yml", "noxfile.py"];

/// Finds folders with a Python project whose files name the plugin.
pub(super) fn find(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    let mut folders: Vec<&str> = tree.files().filter(|path| names_plugin(tree, path)).map(project_folder).collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        let tests = tests(tree, folder);
        if tests.is_empty() {
            let place = if folder.is_empty() { "." } else { folder };
            findings.left_out.push(format!("{place}: {PLUGIN} is named, and no test takes the `benchmark` fixture"));
            continue;
        }
        findings.found.push(found(tree, folder, &tests));
    }
    findings
}

fn names_plugin(tree: &Tree, path: &str) -> bool {
    let name = file_name(path);
    (FILES.contains(&name) || is_requirements(path)) && tree.read(path).is_some_and(|text| text.contains(PLUGIN))
}

fn is_requirements(path: &str) -> bool {
    let text = file_name(path).ends_with(".txt");
    text && (file_name(path).contains("requirements") || file_name(parent(path)) == "requirements")
}

/// The project that a file belongs to: lists of requirements often lie in a folder of their own.
fn project_folder(path: &str) -> &str {
    let folder = parent(path);
    if file_name(folder) == "requirements" { parent(folder) } else { folder }
}

/// Test files that take the fixture, relative to `folder`.
fn tests(tree: &Tree, folder: &str) -> Vec<String> {
    let is_test = |path: &&str| {
        let name = file_name(path);
        name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py") || name.contains("bench"))
    };
    // A nested project has tests of its own.
    let nested = |path: &str| {
        super::tree::upwards(parent(path))
            .take_while(|above| *above != folder)
            .any(|above| tree.has(&join(above, "pyproject.toml")) || tree.has(&join(above, "setup.py")))
    };
    tree.below(folder)
        .filter(is_test)
        .filter(|path| !nested(path))
        .filter(|path| tree.read(path).is_some_and(|text| takes_fixture(&text)))
        .map(|path| relative(path, folder).to_owned())
        .collect()
}

/// Whether a function of the file has a parameter called `benchmark`.
fn takes_fixture(text: &str) -> bool {
    text.match_indices("def ").any(|(at, _)| {
        let rest = &text[at..];
        let Some(open) = rest.find('(') else { return false };
        let Some(close) = rest[open..].find(')') else { return false };
        rest[open + 1..open + close].split(',').any(|parameter| {
            let name = parameter.split([':', '=']).next().unwrap_or_default().trim();
            name == "benchmark" || name == "benchmark_weave"
        })
    })
}

fn found(tree: &Tree, folder: &str, tests: &[String]) -> Found {
    let (install, source) = install(tree, folder);
    let paths: String = common_paths(tests).iter().map(|path| format!(" {}", shell_words::quote(path))).collect();
    let run = format!(
        ".bench-bot/venv/bin/python -m pytest -q -p no:cacheprovider --benchmark-only \
         --benchmark-json=.bench-bot/pytest-benchmark.json{paths}"
    );
    let mut suite = suite("pytest-benchmark", folder, run);
    let setup = format!(
        "rm -rf .bench-bot\npython3 -m venv .bench-bot/venv\n.bench-bot/venv/bin/python -m pip install --quiet{install}"
    );
    let (version, reason) = python_version(tree, folder);
    both(&mut suite, |side| {
        side.setup = Some(format!("set -e\n{setup}"));
        side.format = "pytest-benchmark".to_owned();
        side.output = Some(".bench-bot/pytest-benchmark.json".to_owned());
        side.image = Some(version::image("python", version.as_deref(), "3"));
        side.env.insert("PIP_DISABLE_PIP_VERSION_CHECK".to_owned(), "1".to_owned());
    });
    let mut reasons = vec![format!("{source} names {PLUGIN}")];
    reasons.extend(tests.iter().take(5).map(|test| format!("{} takes the `benchmark` fixture", join(folder, test))));
    reasons.extend(reason);
    Found { suite, headline: format!("pytest-benchmark tests ({source})"), reasons }
}

/// The tests themselves, or their common folder if there are many.
fn common_paths(tests: &[String]) -> Vec<String> {
    if tests.len() <= 20 {
        return tests.to_vec();
    }
    let mut folders: Vec<_> = tests.iter().map(|test| parent(test).to_owned()).collect();
    folders.sort();
    folders.dedup();
    if folders.len() > 20 || folders.iter().any(String::is_empty) { Vec::new() } else { folders }
}

/// The arguments of `pip install`, each with a blank in front, and the file that they come from.
fn install(tree: &Tree, folder: &str) -> (String, String) {
    let pyproject = join(folder, "pyproject.toml");
    let table = tree.read(&pyproject).and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    let buildable = table.contains_key("build-system")
        || table.contains_key("project")
        || tree.has(&join(folder, "setup.py"))
        || tree.has(&join(folder, "setup.cfg")) && tree.has(&join(folder, "setup.py"));
    let mut words: Vec<String> = Vec::new();
    let mut source = None;
    let extra = extra(&table);
    if buildable {
        words.push(extra.as_ref().map_or_else(|| ".".to_owned(), |extra| format!(".[{extra}]")));
    }
    if extra.is_some() {
        source = Some(pyproject.clone());
    }
    if source.is_none() {
        let group = dependency_group(&table);
        if !group.is_empty() {
            words.extend(group);
            source = Some(pyproject.clone());
        }
    }
    if source.is_none() {
        let file = tree
            .below(folder)
            .find(|path| is_requirements(path) && project_folder(path) == folder && names_plugin(tree, path));
        if let Some(file) = file {
            words.extend(["-r".to_owned(), relative(file, folder).to_owned()]);
            source = Some(file.to_owned());
        }
    }
    let named_by = || {
        let named = FILES.iter().map(|name| join(folder, name)).find(|path| names_plugin(tree, path));
        named.unwrap_or_else(|| pyproject.clone())
    };
    let source = source.unwrap_or_else(|| {
        // The place has no form that pip can install from, such as poetry's or tox's: the plugin by its name will do.
        words.extend(["pytest".to_owned(), PLUGIN.to_owned()]);
        named_by()
    });
    (words.iter().map(|word| format!(" {}", shell_words::quote(word))).collect(), source)
}

/// The extra that holds the plugin; the empty string never, `None` if there is none.
fn extra(table: &Table) -> Option<String> {
    let project = table.get("project")?.as_table()?;
    let extras = project.get("optional-dependencies").and_then(Value::as_table);
    let named = extras.into_iter().flatten().find(|(_, list)| list.as_array().is_some_and(|list| names(list)));
    named.map(|(name, _)| name.clone())
}

fn names(list: &[Value]) -> bool {
    list.iter().filter_map(Value::as_str).any(|requirement| requirement.trim_start().starts_with(PLUGIN))
}

/// The requirements of the dependency group (PEP 735) that holds the plugin, groups that it includes among them.
fn dependency_group(table: &Table) -> Vec<String> {
    let Some(groups) = table.get("dependency-groups").and_then(Value::as_table) else { return Vec::new() };
    let lists = groups.iter().filter_map(|(name, list)| Some((name, list.as_array()?)));
    let Some(name) = lists.into_iter().find(|(_, list)| names(list)).map(|(name, _)| name) else { return Vec::new() };
    let mut requirements = Vec::new();
    let mut open = vec![name.as_str()];
    let mut seen = Vec::new();
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        for item in groups.get(name).and_then(Value::as_array).into_iter().flatten() {
            match item {
                Value::String(requirement) => requirements.push(requirement.clone()),
                Value::Table(include) => open.extend(include.get("include-group").and_then(Value::as_str)),
                _ => {}
            }
        }
    }
    // What starts with a dash would be an option of pip.
    requirements.retain(|requirement| !requirement.trim_start().starts_with('-'));
    requirements
}

fn python_version(tree: &Tree, folder: &str) -> (Option<String>, Option<String>) {
    if let Some((path, text)) = tree.read_upwards(folder, ".python-version") {
        let version = text.lines().next().map(str::trim).filter(|version| version::is_version(version));
        if let Some(version) = version {
            return (Some(version.to_owned()), Some(format!("{path} asks for Python {version}")));
        }
    }
    let path = join(folder, "pyproject.toml");
    let table = tree.read(&path).and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    let range = table.get("project").and_then(|project| project.get("requires-python")).and_then(Value::as_str);
    let version = range.and_then(version::lower_bound);
    let reason = version.as_ref().map(|version| format!("{path} asks for Python {version} at least"));
    (version, reason)
}
