//! JavaScript packages with a bench script, or with bench files of vitest.

use super::tree::{Tree, file_name, join, parent, relative, upwards};
use super::{Findings, Found, both, suite, version};
use serde_json::Value;

/// Scripts that are taken for the bench command, the best name first.
const SCRIPTS: &[&str] = &["bench", "benchmark", "benchmarks", "bench:run", "perf"];

/// Libraries that a bench script prints with, and the format that it is read as.
const TOOLS: &[(&str, &str)] =
    &[("vitest", "vitest"), ("mitata", "mitata"), ("tinybench", "tinybench"), ("benchmark", "benchmark.js")];

/// Finds packages that can be benchmarked.
pub(super) fn find(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    for folder in tree.folders_with("package.json") {
        let path = join(folder, "package.json");
        let Some(text) = tree.read(&path) else { continue };
        let Ok(package) = serde_json::from_str::<Value>(&text) else {
            findings.left_out.push(format!("{path}: not valid JSON"));
            continue;
        };
        match found(tree, folder, &package) {
            Ok(found) => findings.found.extend(found),
            Err(reason) => findings.left_out.push(format!("{path}: {reason}")),
        }
    }
    findings
}

/// Whether `name` stands among the dependencies.
fn depends_on(package: &Value, name: &str) -> bool {
    ["devDependencies", "dependencies", "peerDependencies", "optionalDependencies"]
        .iter()
        .any(|kind| package.get(kind).and_then(|list| list.get(name)).is_some())
}

/// The name and text of the script that benchmarks.
fn script(package: &Value) -> Option<(&str, &str)> {
    let scripts = package.get("scripts")?.as_object()?;
    let by_name = SCRIPTS.iter().find_map(|name| scripts.get_key_value(*name));
    let by_text = || scripts.iter().find(|(_, text)| text.as_str().is_some_and(|text| text.contains("vitest bench")));
    let (name, text) = by_name.or_else(by_text)?;
    Some((name, text.as_str()?))
}

/// Bench files of vitest, without those of nested packages.
fn bench_files<'a>(tree: &'a Tree, folder: &'a str) -> Vec<&'a str> {
    let nested = |path: &str| {
        upwards(parent(path)).take_while(|above| *above != folder).any(|above| tree.has(&join(above, "package.json")))
    };
    let is_bench = |path: &&str| {
        let mut parts = file_name(path).rsplit('.');
        matches!(parts.next(), Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx"))
            && matches!(parts.next(), Some("bench" | "benchmark"))
    };
    tree.below(folder).filter(is_bench).filter(|path| !nested(path)).collect()
}

fn found(tree: &Tree, folder: &str, package: &Value) -> Result<Option<Found>, String> {
    let script = script(package);
    let files = bench_files(tree, folder);
    let root_depends = |name: &str| {
        // In a workspace the tools often stand in the package above.
        upwards(folder).any(|above| {
            let text = tree.read(&join(above, "package.json"));
            text.and_then(|text| serde_json::from_str::<Value>(&text).ok())
                .is_some_and(|above| depends_on(&above, name))
        })
    };
    let vitest = root_depends("vitest")
        && (script.is_some_and(|(_, text)| text.contains("vitest")) || (script.is_none() && !files.is_empty()));
    let tool = if vitest {
        Some(TOOLS[0])
    } else {
        TOOLS.iter().skip(1).find(|(name, _)| script.is_some() && depends_on(package, name)).copied()
    };
    let Some((tool, _)) = tool else {
        return match script {
            // A script that calls another package's script, or builds bundles, is none of our business.
            Some((name, _)) if package.get("workspaces").is_none_or(Value::is_null) => {
                Err(format!("the script `{name}` uses neither vitest nor mitata, tinybench or benchmark"))
            }
            _ => Ok(None),
        };
    };
    let manager = Manager::of(tree, folder);
    let (run, output, reason) = command(tool, script, &files, &manager);
    let mut suite = suite(if vitest { "vitest" } else { tool }, folder, run);
    let (version, version_reason) = node_version(tree, folder, package);
    both(&mut suite, |side| {
        side.setup = Some(manager.install.clone());
        side.format = if vitest { "vitest" } else { "auto" }.to_owned();
        side.output = output.map(str::to_owned);
        side.image = Some(version::image("node", version.as_deref(), "22"));
        side.env.insert("NO_COLOR".to_owned(), "1".to_owned());
    });
    let path = join(folder, "package.json");
    let mut reasons = vec![format!("{path} depends on {tool}"), reason];
    if let Some(lock) = &manager.lock {
        reasons.push(format!("{lock} says how to install"));
    }
    reasons.extend(version_reason);
    Ok(Some(Found { suite, headline: format!("{tool} benchmarks ({path})"), reasons }))
}

/// The command, its output file, and why.
fn command(
    tool: &str,
    script: Option<(&str, &str)>,
    files: &[&str],
    manager: &Manager,
) -> (String, Option<&'static str>, String) {
    let fallback = manager.fallback;
    match script {
        Some((name, _)) if tool == "vitest" => {
            let name_quoted = shell_words::quote(name);
            let arguments = "--run --outputJson=.bench-bot/vitest.json";
            let run = format!("{fallback}{} {name_quoted}{} {arguments}", manager.run, manager.separator);
            (run, Some(".bench-bot/vitest.json"), format!("the script `{name}` calls vitest"))
        }
        Some((name, _)) => {
            let run = format!("{fallback}{} {}", manager.run, shell_words::quote(name));
            (run, None, format!("there is a script `{name}`"))
        }
        None => {
            let run = format!("{fallback}{} vitest bench --run --outputJson=.bench-bot/vitest.json", manager.exec);
            (run, Some(".bench-bot/vitest.json"), format!("{} is a bench file of vitest", files.first().unwrap_or(&"")))
        }
    }
}

/// Who installs and runs.
struct Manager {
    install: String,
    run: &'static str,
    exec: &'static str,
    /// What stands between a script's name and its arguments.
    separator: &'static str,
    /// Makes the program known where only corepack is there.
    fallback: &'static str,
    lock: Option<String>,
}

impl Manager {
    /// By the nearest lock file.
    fn of(tree: &Tree, folder: &str) -> Self {
        let locks = [
            ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
            ("yarn.lock", "yarn install --immutable || yarn install --frozen-lockfile"),
            ("package-lock.json", "npm ci --no-audit --no-fund"),
            ("npm-shrinkwrap.json", "npm ci --no-audit --no-fund"),
        ];
        let nearest = upwards(folder).find_map(|above| {
            locks.iter().find(|(lock, _)| tree.has(&join(above, lock))).map(|(lock, install)| (above, *lock, *install))
        });
        let (above, lock, install) = nearest.unwrap_or((folder, "", "npm install --no-audit --no-fund"));
        let (run, exec, separator, fallback) = match lock {
            "pnpm-lock.yaml" => (
                "pnpm --silent run",
                "pnpm exec",
                "",
                "command -v pnpm >/dev/null || pnpm() { corepack pnpm \"$@\"; }\n",
            ),
            "yarn.lock" => {
                ("yarn run", "yarn run", "", "command -v yarn >/dev/null || yarn() { corepack yarn \"$@\"; }\n")
            }
            _ => ("npm run --silent", "npx --no-install", " --", ""),
        };
        let up = "../".repeat(relative(folder, above).split('/').filter(|part| !part.is_empty()).count());
        let install = if up.is_empty() {
            format!("rm -rf .bench-bot && mkdir .bench-bot\n{fallback}{install}")
        } else {
            format!("rm -rf .bench-bot && mkdir .bench-bot\n{fallback}( cd {up} && {{ {install}; }} )")
        };
        let lock = (!lock.is_empty()).then(|| join(above, lock));
        Self { install, run, exec, separator, fallback, lock }
    }
}

fn node_version(tree: &Tree, folder: &str, package: &Value) -> (Option<String>, Option<String>) {
    for name in [".nvmrc", ".node-version"] {
        if let Some((path, text)) = tree.read_upwards(folder, name) {
            let version = text.trim().trim_start_matches('v');
            if version::is_version(version) {
                return (Some(version.to_owned()), Some(format!("{path} asks for Node {version}")));
            }
        }
    }
    let range = package.get("engines").and_then(|engines| engines.get("node")).and_then(Value::as_str);
    let version = range.and_then(version::lower_bound);
    let path = join(folder, "package.json");
    let reason = version.as_ref().map(|version| format!("{path} asks for Node {version} at least"));
    (version, reason)
}
