//! The parts of a Cargo.toml that say which benches there are.

use crate::detect::tree::{Tree, file_name, join, relative};
use toml::{Table, Value};

/// One Cargo.toml.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// The package; `None` for a workspace without one of its own.
    pub(super) name: Option<String>,
    /// Whether it is the root of a workspace.
    pub(super) is_workspace: bool,
    /// Folders that are not part of that workspace.
    pub(super) exclude: Vec<String>,
    /// Whether files in `benches/` are benches without being listed.
    autobenches: bool,
    declared: Vec<Declared>,
}

/// A `[[bench]]` section.
#[derive(Debug)]
struct Declared {
    name: String,
    path: Option<String>,
    enabled: bool,
    features: Vec<String>,
}

/// A bench target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bench {
    /// Its name.
    pub(super) name: String,
    /// Its source, relative to the tree.
    pub(super) path: String,
    /// The features that it needs.
    pub(super) features: Vec<String>,
}

impl Package {
    /// Reads the manifest in `folder`.
    pub(super) fn read(tree: &Tree, folder: &str) -> Result<Self, String> {
        let text = tree.read(&join(folder, "Cargo.toml")).ok_or("cannot be read")?;
        let manifest: Table =
            text.parse().map_err(|error: toml::de::Error| format!("not valid TOML: {}", error.message()))?;
        let package = manifest.get("package").and_then(Value::as_table);
        let workspace = manifest.get("workspace").and_then(Value::as_table);
        let text_of = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let declared = manifest.get("bench").and_then(Value::as_array).into_iter().flatten().filter_map(|bench| {
            let bench = bench.as_table()?;
            Some(Declared {
                name: text_of(bench, "name")?,
                path: text_of(bench, "path"),
                enabled: bench.get("bench").and_then(Value::as_bool).unwrap_or(true),
                features: strings(bench.get("required-features")),
            })
        });
        Ok(Self {
            name: package.and_then(|package| text_of(package, "name")),
            is_workspace: workspace.is_some(),
            exclude: strings(workspace.and_then(|workspace| workspace.get("exclude"))),
            autobenches: package
                .and_then(|package| package.get("autobenches"))
                .and_then(Value::as_bool)
                .unwrap_or(true),
            declared: declared.collect(),
        })
    }

    /// The bench targets, as cargo finds them.
    pub(super) fn benches(&self, tree: &Tree, folder: &str) -> Vec<Bench> {
        let benches = join(folder, "benches");
        let mut targets = Vec::new();
        for declared in self.declared.iter().filter(|declared| declared.enabled) {
            let name = &declared.name;
            let usual = [format!("{benches}/{name}.rs"), format!("{benches}/{name}/main.rs")];
            let path = match &declared.path {
                Some(path) => Some(join(folder, path)).filter(|path| tree.has(path)),
                None => usual.into_iter().find(|path| tree.has(path)),
            };
            // A target whose source is missing fails to build, and cargo says so best.
            let path = path.unwrap_or_else(|| format!("{benches}/{name}.rs"));
            targets.push(Bench { name: name.clone(), path, features: declared.features.clone() });
        }
        if self.autobenches {
            for path in tree.below(&benches) {
                let rest = relative(path, &benches);
                let name = match rest.split_once('/') {
                    None => rest.strip_suffix(".rs"),
                    Some((name, "main.rs")) => Some(name),
                    Some(_) => None,
                };
                let known = |name: &str| {
                    self.declared
                        .iter()
                        .any(|bench| bench.name == name || bench.path.as_deref() == Some(relative(path, folder)))
                };
                if let Some(name) = name.filter(|name| !known(name)) {
                    targets.push(Bench { name: name.to_owned(), path: path.to_owned(), features: Vec::new() });
                }
            }
        }
        targets
    }

    /// Whether a source of the library holds `#[bench]` functions.
    pub(super) fn library_has_benches(&self, tree: &Tree, folder: &str) -> bool {
        let src = join(folder, "src");
        self.name.is_some()
            && tree.has(&join(&src, "lib.rs"))
            && tree
                .below(&src)
                .filter(|path| file_name(path).ends_with(".rs") && !path.contains("/bin/"))
                .any(|path| tree.read(path).is_some_and(|text| text.lines().any(|line| line.trim() == "#[bench]")))
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(|text| text.trim_end_matches('/').to_owned()).collect()
}
