//! Cargo packages with benches: Criterion, divan, gungraun, libtest.

mod manifest;

use super::tree::{Tree, join, relative, upwards};
use super::{Findings, Found, Narrow, both, count, suite, version};
use manifest::{Bench, Package};
use std::collections::{BTreeMap, BTreeSet};

/// A library that benches are written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tool {
    Criterion,
    Divan,
    Gungraun,
    IaiCallgrind,
    Libtest,
}

impl Tool {
    /// The tool of a bench, by its source.
    fn of(source: &str) -> Option<Self> {
        // The last two are looked for last: their words also appear beside the others'.
        [
            (Self::Criterion, &["criterion_group!", "criterion_main!", "use criterion", "criterion::"][..]),
            (Self::Divan, &["divan::"]),
            (Self::Gungraun, &["gungraun::", "use gungraun"]),
            (Self::IaiCallgrind, &["iai_callgrind::", "use iai_callgrind"]),
            (Self::Libtest, &["#[bench]"]),
        ]
        .into_iter()
        .find_map(|(tool, words)| words.iter().any(|word| source.contains(word)).then_some(tool))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::Divan => "divan",
            Self::Gungraun | Self::IaiCallgrind => "gungraun",
            Self::Libtest => "libtest",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Criterion => "Criterion",
            Self::Divan => "divan",
            Self::Gungraun => "gungraun",
            Self::IaiCallgrind => "iai-callgrind",
            Self::Libtest => "libtest",
        }
    }

    /// The program that the tool needs beside cargo.
    const fn runner(self) -> Option<&'static str> {
        match self {
            Self::Gungraun => Some("gungraun-runner"),
            Self::IaiCallgrind => Some("iai-callgrind-runner"),
            _ => None,
        }
    }
}

/// The benches of one workspace that share a tool.
#[derive(Debug, Default)]
struct Group {
    /// Package and bench.
    benches: Vec<(String, Bench)>,
    /// Packages whose library holds `#[bench]` functions.
    libraries: BTreeSet<String>,
}

/// Whether a nightly toolchain is there already: libtest benches run with nothing else.
pub(super) fn nightly_is_installed() -> bool {
    let home = std::env::var_os("RUSTUP_HOME").map(std::path::PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".rustup")));
    let toolchains = home.and_then(|home| std::fs::read_dir(home.join("toolchains")).ok());
    toolchains.into_iter().flatten().flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("nightly-"))
}

/// Finds the benches of every package.
pub(super) fn find(tree: &Tree, nightly: bool) -> Findings {
    let mut findings = Findings::default();
    let manifests: BTreeMap<&str, Package> = tree
        .folders_with("Cargo.toml")
        .into_iter()
        .filter_map(|folder| match Package::read(tree, folder) {
            Ok(package) => Some((folder, package)),
            Err(reason) => {
                findings.left_out.push(format!("{}: {reason}", join(folder, "Cargo.toml")));
                None
            }
        })
        .collect();
    let mut groups: BTreeMap<(String, Tool), Group> = BTreeMap::new();
    for (&folder, package) in &manifests {
        let Some(name) = &package.name else { continue };
        let root = workspace(&manifests, folder).to_owned();
        for bench in package.benches(tree, folder) {
            let source = tree.read(&bench.path).unwrap_or_default();
            match Tool::of(&source) {
                Some(tool) => {
                    groups.entry((root.clone(), tool)).or_default().benches.push((name.clone(), bench));
                }
                None => findings
                    .left_out
                    .push(format!("{}: not written with Criterion, divan, gungraun or libtest", bench.path)),
            }
        }
        if package.library_has_benches(tree, folder) {
            groups.entry((root, Tool::Libtest)).or_default().libraries.insert(name.clone());
        }
    }
    for ((root, tool), group) in &groups {
        let (root, tool) = (root.as_str(), *tool);
        let toolchain = Toolchain::of(tree, root);
        let only_package = manifests.keys().filter(|folder| workspace(&manifests, folder) == root).count() == 1;
        let selections = selections(group, tool, root, &groups, only_package);
        if tool == Tool::Libtest && !toolchain.nightly && !nightly {
            let file = join(root, "Cargo.toml");
            findings.left_out.push(format!("{file}: `#[bench]` functions need a nightly toolchain, and there is none"));
            continue;
        }
        findings.found.push(found(root, tool, group, &toolchain, &selections));
    }
    findings
}

/// The folder of the workspace that the package in `folder` belongs to.
fn workspace<'a>(manifests: &BTreeMap<&'a str, Package>, folder: &'a str) -> &'a str {
    let is_root = |above: &&str| {
        manifests.get(above).is_some_and(|package| {
            package.is_workspace
                && (*above == folder
                    || !package.exclude.iter().any(|excluded| {
                        let path = relative(folder, above);
                        path == excluded || path.starts_with(&format!("{excluded}/"))
                    }))
        })
    };
    upwards(folder).find(is_root).unwrap_or(folder)
}

/// The pinned toolchain of a workspace.
#[derive(Debug, Default)]
struct Toolchain {
    version: Option<String>,
    nightly: bool,
    /// The file and the channel that it names.
    named: Option<(String, String)>,
}

impl Toolchain {
    fn of(tree: &Tree, folder: &str) -> Self {
        let Some((file, text)) =
            tree.read_upwards(folder, "rust-toolchain.toml").or_else(|| tree.read_upwards(folder, "rust-toolchain"))
        else {
            return Self::default();
        };
        let channel = text
            .parse::<toml::Table>()
            .ok()
            .and_then(|table| Some(table.get("toolchain")?.as_table()?.get("channel")?.as_str()?.to_owned()));
        // The old form of the file is the channel alone.
        let channel = channel.unwrap_or_else(|| text.trim().to_owned());
        Self {
            version: Some(channel.clone()).filter(|channel| version::is_version(channel)),
            nightly: channel.starts_with("nightly"),
            named: Some((file, channel)),
        }
    }
}

fn found(root: &str, tool: Tool, group: &Group, toolchain: &Toolchain, selections: &[String]) -> Found {
    let cargo = if tool == Tool::Libtest && !toolchain.nightly { "cargo +nightly" } else { "cargo" };
    let (prefix, arguments, output) = invocation(tool);
    let each = |command: &dyn Fn(&String) -> String| selections.iter().map(command).collect::<Vec<_>>().join(" && ");
    let run = each(&|selection| format!("{prefix}{cargo} bench --offline{selection}{arguments}"));
    let mut suite = suite(tool.name(), root, run);
    if tool == Tool::Criterion {
        suite.narrow = Some(Narrow::Variable);
    }
    let build = each(&|selection| format!("{cargo} bench --no-run{selection}"));
    let setup = match tool.runner() {
        Some(runner) => format!(
            "command -v {runner} >/dev/null || {{ echo \"{runner} is not installed: cargo install {runner}\" >&2; exit 1; }}\n\
             command -v valgrind >/dev/null || {{ echo \"valgrind is not installed\" >&2; exit 1; }}\n{build}"
        ),
        None => build,
    };
    both(&mut suite, |side| {
        side.setup = Some(setup.clone());
        side.format = tool.name().to_owned();
        side.output = output.map(str::to_owned);
        side.image = Some(version::image("rust", toolchain.version.as_deref(), "1"));
        side.env.insert("CARGO_TERM_COLOR".to_owned(), "never".to_owned());
    });
    let file = join(root, "Cargo.toml");
    let names: Vec<_> = group.benches.iter().map(|(_, bench)| bench.name.as_str()).collect();
    let mut reasons = Vec::new();
    for (_, bench) in group.benches.iter().take(10) {
        reasons.push(format!("{} is a {} bench", bench.path, tool.title()));
    }
    if let Some(more) = group.benches.len().checked_sub(10).filter(|more| *more > 0) {
        reasons.push(format!("and {}", count(more, "more bench").replace("benchs", "benches")));
    }
    for library in &group.libraries {
        reasons.push(format!("the library of {library} has `#[bench]` functions"));
    }
    if let Some((path, channel)) = &toolchain.named {
        reasons.push(format!("{path} asks for {channel}"));
    }
    if tool == Tool::Criterion {
        reasons.push("short mode: 10 samples in half a second a benchmark and round".to_owned());
    }
    let what = if names.is_empty() { "library benches".to_owned() } else { format!("benches {}", shorten(&names)) };
    Found { suite, headline: format!("{} {what} ({file})", tool.title()), reasons }
}

/// At most five names.
fn shorten(names: &[&str]) -> String {
    let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    if names.len() > 5 { format!("{shown} …") } else { shown }
}

/// The options that choose the benches, each with a blank in front: one cargo command, unless a bench of the same name
/// that needs other arguments would run along.
fn selections(
    group: &Group,
    tool: Tool,
    root: &str,
    groups: &BTreeMap<(String, Tool), Group>,
    only_package: bool,
) -> Vec<String> {
    let packages: BTreeSet<_> = group.benches.iter().map(|(package, _)| package).chain(&group.libraries).collect();
    let names: BTreeSet<_> = group.benches.iter().map(|(_, bench)| &bench.name).collect();
    let others = groups.iter().filter(|((other_root, other_tool), _)| other_root == root && *other_tool != tool);
    let clash = others
        .flat_map(|(_, other)| &other.benches)
        .any(|(package, bench)| packages.contains(package) && names.contains(&bench.name));
    if !clash {
        return vec![selection(group, only_package)];
    }
    let of_package = |package: &&String| {
        let benches = group.benches.iter().filter(|(other, _)| other == *package).cloned().collect();
        let libraries = group.libraries.iter().filter(|other| other == package).cloned().collect();
        selection(&Group { benches, libraries }, only_package)
    };
    packages.iter().map(of_package).collect()
}

/// The options that choose a group's benches.
fn selection(group: &Group, only_package: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    if !only_package {
        let packages: BTreeSet<_> = group.benches.iter().map(|(package, _)| package).chain(&group.libraries).collect();
        words.extend(packages.into_iter().flat_map(|package| ["-p".to_owned(), package.clone()]));
    }
    if !group.libraries.is_empty() {
        words.push("--lib".to_owned());
    }
    let names: BTreeSet<_> = group.benches.iter().map(|(_, bench)| &bench.name).collect();
    words.extend(names.into_iter().flat_map(|name| ["--bench".to_owned(), name.clone()]));
    let feature = |package: &String, feature: &String| {
        if only_package { feature.clone() } else { format!("{package}/{feature}") }
    };
    let features: BTreeSet<_> = group
        .benches
        .iter()
        .flat_map(|(package, bench)| bench.features.iter().map(move |one| feature(package, one)))
        .collect();
    if !features.is_empty() {
        words.extend(["--features".to_owned(), features.into_iter().collect::<Vec<_>>().join(",")]);
    }
    words.iter().map(|word| format!(" {}", shell_words::quote(word))).collect()
}

/// What stands before and after the cargo command, and where the output is.
const fn invocation(tool: Tool) -> (&'static str, &'static str, Option<&'static str>) {
    match tool {
        Tool::Criterion => (
            "CRITERION_HOME=\"$PWD/.bench-bot/criterion\" ",
            " -- --noplot --warm-up-time 0.1 --measurement-time 0.5 --sample-size 10 --nresamples 1001 \
             ${BENCH_BOT_FILTER:+\"$BENCH_BOT_FILTER\"}",
            Some(".bench-bot/criterion"),
        ),
        Tool::Divan => ("", " -- --color never", None),
        Tool::Gungraun | Tool::IaiCallgrind => ("", " -- --output-format=json", None),
        // Cargo names each binary on standard error only, and two binaries may have benchmarks of one name.
        Tool::Libtest => ("", " 2>&1", None),
    }
}
