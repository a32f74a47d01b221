//! Which image a suite runs in when its configuration does not say: the official one of the toolchain that base's
//! files ask for.

mod version;

use crate::config::SuiteSide;
use crate::measure::process::files::Folder;
use std::path::Path;

/// An image, and why it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The reference.
    pub(crate) reference: String,
    /// Where it comes from, in words.
    pub(crate) why: String,
}

/// Reads a version out of a file's text.
type Parse = fn(&str) -> Option<String>;

/// A toolchain and how it is known.
struct Toolchain {
    /// Name of the official image.
    image: &'static str,
    /// Tag if no file names a version.
    default: &'static str,
    /// Words that make a command one of this toolchain.
    words: &'static [&'static str],
    /// Files that mark a project of it.
    marks: &'static [&'static str],
    /// Files that name a version, best first, and how it is read.
    versions: &'static [(&'static str, Parse)],
}

const TOOLCHAINS: &[Toolchain] = &[
    Toolchain {
        image: "golang",
        default: "1",
        words: &["go", "gotestsum"],
        marks: &["go.mod"],
        versions: &[(".go-version", version::plain), ("go.mod", version::go_mod)],
    },
    Toolchain {
        image: "rust",
        default: "1",
        words: &["cargo", "rustc"],
        marks: &["Cargo.toml"],
        versions: &[("rust-toolchain.toml", version::rust), ("rust-toolchain", version::rust)],
    },
    Toolchain {
        image: "python",
        default: "3",
        words: &["python", "python3", "pip", "pip3", "pytest", "pyperf", "uv", "poetry", "tox", "nox", "asv"],
        marks: &["pyproject.toml", "setup.py", "requirements.txt"],
        versions: &[(".python-version", version::plain), ("pyproject.toml", version::pyproject)],
    },
    Toolchain {
        image: "node",
        default: "lts",
        words: &["node", "npm", "npx", "yarn", "pnpm", "vitest", "tsx"],
        marks: &["package.json"],
        versions: &[(".nvmrc", version::plain), (".node-version", version::plain), ("package.json", version::engines)],
    },
    Toolchain {
        image: "ruby",
        default: "3",
        words: &["ruby", "bundle", "rake"],
        marks: &["Gemfile"],
        versions: &[(".ruby-version", version::plain)],
    },
    Toolchain { image: "maven", default: "3", words: &["mvn"], marks: &["pom.xml"], versions: &[] },
    Toolchain {
        image: "gradle",
        default: "8",
        words: &["gradle"],
        marks: &["build.gradle", "build.gradle.kts"],
        versions: &[],
    },
    Toolchain {
        image: "php",
        default: "8",
        words: &["php", "composer", "phpbench"],
        marks: &["composer.json"],
        versions: &[],
    },
    Toolchain { image: "julia", default: "1", words: &["julia"], marks: &["Project.toml"], versions: &[] },
];

/// Compilers for C and C++, make, git: where nothing is known.
const ANYTHING: &str = "docker.io/library/buildpack-deps:stable";

/// Chooses by base's tree, before any foreign code could change it.
pub(crate) fn choose(tree: &Path, side: &SuiteSide) -> Chosen {
    let commands = format!("{} {}", side.run, side.setup.as_deref().unwrap_or_default());
    let words: Vec<&str> = commands
        .split(|c: char| c.is_whitespace() || ";&|()<>\"'`$={}".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .collect();
    let by_word = words.iter().find_map(|word| TOOLCHAINS.iter().find(|tool| tool.words.contains(word)));
    let by_mark = || {
        TOOLCHAINS.iter().find_map(|tool| {
            tool.marks.iter().find(|mark| read(tree, &side.directory, mark).is_some()).map(|mark| (tool, *mark))
        })
    };
    let (tool, reason) = match (by_word, by_word.is_none().then(by_mark).flatten()) {
        (Some(tool), _) => (tool, "its command".to_owned()),
        (None, Some((tool, mark))) => (tool, mark.to_owned()),
        (None, None) => {
            return Chosen { reference: ANYTHING.to_owned(), why: "no toolchain was recognised".to_owned() };
        }
    };
    let named = tool.versions.iter().find_map(|(file, parse)| {
        let version = parse(&read(tree, &side.directory, file)?)?;
        version::is_one(&version).then_some((*file, version))
    });
    match named {
        Some((file, version)) => Chosen {
            reference: format!("docker.io/library/{}:{version}", tool.image),
            why: format!("by {file} of base"),
        },
        None => Chosen {
            reference: format!("docker.io/library/{}:{}", tool.image, tool.default),
            why: format!("by {reason}, which names no version"),
        },
    }
}

/// A small text file in the suite's folder or, failing that, in a folder above it.
fn read(tree: &Path, directory: &str, name: &str) -> Option<String> {
    let mut folder = Path::new(directory);
    loop {
        let open = Folder::open(tree, folder.to_str()?).ok()?;
        if let Some(bytes) = open.collect(&[name.to_owned()]).files.remove(name) {
            return String::from_utf8(bytes).ok();
        }
        folder = folder.parent()?;
    }
}

#[cfg(test)]
mod tests;
