//! The environment of a command: an allowlist, the suite's own variables, and folders of its side.

use super::SideFolders;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Variables of the caller that a command may see, sorted.
const ALLOWED: &[&str] = &[
    "ANDROID_HOME",
    "AR",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CARGO_HTTP_CAINFO",
    "CARGO_NET_OFFLINE",
    "CC",
    "CFLAGS",
    "CGO_CFLAGS",
    "CGO_CPPFLAGS",
    "CGO_CXXFLAGS",
    "CGO_ENABLED",
    "CGO_LDFLAGS",
    "CI",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    "CONDA_PREFIX",
    "CPATH",
    "CPPFLAGS",
    "CURL_CA_BUNDLE",
    "CXX",
    "CXXFLAGS",
    "DEBIAN_FRONTEND",
    "DENO_DIR",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    "DOTNET_ROOT",
    "GIT_SSL_CAINFO",
    "GO111MODULE",
    "GOAMD64",
    "GOARCH",
    "GOARM",
    "GOARM64",
    "GODEBUG",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOGC",
    "GOINSECURE",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOMODCACHE",
    "GONOPROXY",
    "GONOSUMDB",
    "GOOS",
    "GOPATH",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTOOLCHAIN",
    "GOVCS",
    "GRADLE_HOME",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "JAVA_HOME",
    "JULIA_DEPOT_PATH",
    "LANG",
    "LANGUAGE",
    "LD",
    "LDFLAGS",
    "LIBRARY_PATH",
    "LOGNAME",
    "M2_HOME",
    "MAVEN_ARGS",
    "MAVEN_HOME",
    "NIX_PATH",
    "NIX_SSL_CERT_FILE",
    "NM",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "NPM_CONFIG_REGISTRY",
    "NVM_BIN",
    "NVM_DIR",
    "OPAMROOT",
    "OPAMSWITCH",
    "PATH",
    "PHPENV_ROOT",
    "PIP_CACHE_DIR",
    "PIP_CERT",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_NO_INDEX",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RANLIB",
    "RBENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SHELL",
    "SOURCE_DATE_EPOCH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "STRIP",
    "TZ",
    "USER",
    "UV_CACHE_DIR",
    "UV_DEFAULT_INDEX",
    "UV_FIND_LINKS",
    "UV_INDEX_URL",
    "VOLTA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "npm_config_registry",
];

/// Names that hold credentials, whatever they hold (`spec`: tokens).
#[must_use]
pub fn is_token(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let prefixes = ["AWS_", "AZURE_", "GOOGLE_"];
    let suffixes = ["_TOKEN", "_SECRET", "_KEY", "_PASSPHRASE", "_CREDENTIALS", "_PAT"];
    name == "TOKEN"
        || name == "ACTIONS_ID_TOKEN_REQUEST_URL"
        || name == "GIT_CONFIG_PARAMETERS"
        || name == "DOCKER_AUTH_CONFIG"
        || name.contains("PASSWORD")
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// Names of the variables in `environment` that look like credentials and are not empty, sorted.
pub fn tokens(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<String> {
    let mut names: Vec<String> = environment
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| is_token(name))
        .collect();
    names.sort_unstable();
    names
}

/// What of `environment` a command may see.
pub(crate) fn allowed(environment: impl IntoIterator<Item = (OsString, OsString)>) -> BTreeMap<String, OsString> {
    environment
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| (ALLOWED.contains(&name.as_str()) || name.starts_with("LC_")) && !is_token(name))
        // A proxy or an index may carry a password.
        .filter(|(_, value)| !value.to_str().is_some_and(|value| value.contains("://") && value.contains('@')))
        .collect()
}

/// Variables that keep what one side builds or installs away from the other.
///
/// What is downloaded may be shared, what is built may not: two checkouts that share one `CARGO_TARGET_DIR` measure one
/// of them twice. Built files stay where the tool puts them by itself inside the tree, and go to the side's private
/// folder where the tool would put them into the user's home.
pub(super) fn isolation(
    folders: &SideFolders,
    directory: &str,
    inherited: &BTreeMap<String, OsString>,
) -> BTreeMap<String, OsString> {
    let private = &folders.private;
    let home = inherited.get("HOME").map(PathBuf::from);
    let cache = |name: &str| home.as_ref().map(|home| home.join(name).into_os_string());
    let mut env: BTreeMap<String, OsString> = [
        ("TMPDIR", private.join("tmp")),
        ("GOCACHE", private.join("go-build")),
        ("GOPATH", private.join("gopath")),
        ("CARGO_TARGET_DIR", cargo_target(&folders.tree, directory)),
        ("CARGO_INSTALL_ROOT", private.join("cargo")),
        ("PYTHONPYCACHEPREFIX", private.join("pycache")),
        ("PYTHONUSERBASE", private.join("python")),
        ("XDG_CACHE_HOME", private.join("cache")),
        ("NPM_CONFIG_PREFIX", private.join("npm")),
        ("GEM_HOME", private.join("gem")),
        ("CCACHE_DIR", private.join("ccache")),
    ]
    .into_iter()
    .map(|(name, path)| (name.to_owned(), path.into_os_string()))
    .collect();
    // Downloads: where the caller has them.
    for (name, path) in [("PIP_CACHE_DIR", ".cache/pip"), ("UV_CACHE_DIR", ".cache/uv"), ("GOMODCACHE", "go/pkg/mod")] {
        let first = inherited
            .get("GOPATH")
            .filter(|_| name == "GOMODCACHE")
            .and_then(|path| std::env::split_paths(path).next());
        let own = first.map(|path| path.join("pkg/mod").into_os_string()).or_else(|| cache(path));
        env.extend(inherited.get(name).cloned().or(own).map(|path| (name.to_owned(), path)));
    }
    if let Some(local) = home.as_ref().map(|home| home.join(".m2/repository")) {
        // Maven installs what it builds into its repository: a side's own comes first, downloads are found behind it.
        let own = private.join("m2");
        let options = format!("-Dmaven.repo.local={} -Dmaven.repo.local.tail={}", own.display(), local.display());
        env.insert("MAVEN_OPTS".to_owned(), options.into());
    }
    // A daemon that was there before would do the work outside of everything that is measured here.
    env.insert("GRADLE_OPTS".to_owned(), "-Dorg.gradle.daemon=false".into());
    env.insert("TERM".to_owned(), "dumb".into());
    let bins = ["gopath/bin", "cargo/bin", "python/bin", "npm/bin", "gem/bin"].map(|bin| private.join(bin));
    env.insert("PATH".to_owned(), prefixed(bins, inherited.get("PATH")));
    env
}

/// `folders` before `path`.
pub(super) fn prefixed(folders: impl IntoIterator<Item = PathBuf>, path: Option<&OsString>) -> OsString {
    let mut joined = OsString::new();
    for folder in folders {
        joined.push(folder);
        joined.push(":");
    }
    joined.push(path.map_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"), Clone::clone));
    joined
}

/// The folder that cargo would choose by itself, unless a configuration outside of the tree says otherwise: the
/// user's own cargo configuration may name one folder for every project.
fn cargo_target(tree: &Path, directory: &str) -> PathBuf {
    let mut nearest = None;
    let mut workspace = None;
    for folder in tree.join(directory).ancestors().take_while(|folder| folder.starts_with(tree)) {
        if let Some(chosen) = configured_target(folder) {
            return chosen;
        }
        if let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) {
            nearest = nearest.or_else(|| Some(folder.to_owned()));
            if workspace.is_none() && manifest.lines().any(|line| line.trim_start().starts_with("[workspace")) {
                workspace = Some(folder.to_owned());
            }
        }
    }
    workspace.or(nearest).unwrap_or_else(|| tree.to_owned()).join("target")
}

/// A relative `target-dir` in the tree's own cargo configuration.
fn configured_target(folder: &Path) -> Option<PathBuf> {
    let text =
        ["config.toml", "config"].iter().find_map(|name| fs::read_to_string(folder.join(".cargo").join(name)).ok())?;
    let value = text.lines().find_map(|line| line.trim().strip_prefix("target-dir")?.trim_start().strip_prefix('='))?;
    let value = value.split('#').next()?.trim().trim_matches(['"', '\'']);
    let inside = Path::new(value).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    (inside && !value.is_empty()).then(|| folder.join(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(names: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        names.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn the_allowlist_is_sorted_and_holds_no_token() {
        assert!(ALLOWED.windows(2).all(|pair| pair[0] < pair[1]), "sorted, no duplicates");
        assert!(!ALLOWED.iter().any(|name| is_token(name)));
    }

    #[test]
    fn tokens_are_known_by_name() {
        for name in [
            "INPUT_TOKEN",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "NPM_TOKEN",
            "CLIENT_SECRET",
            "SSH_KEY",
            "MY_PASSWORD_FILE",
            "AWS_REGION",
            "AZURE_X",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "gh_token",
        ] {
            assert!(is_token(name), "{name}");
        }
        for name in ["PATH", "HOME", "TOKENIZERS_PARALLELISM", "KEYBOARD"] {
            assert!(!is_token(name), "{name}");
        }
    }

    #[test]
    fn only_listed_variables_pass() {
        let seen = allowed(pairs(&[
            ("PATH", "/bin"),
            ("GITHUB_TOKEN", "x"),
            ("GITHUB_ENV", "/e"),
            ("LC_ALL", "C"),
            ("LD_PRELOAD", "/x.so"),
            ("HTTP_PROXY", "http://user:pass@proxy"),
            ("HTTPS_PROXY", "http://proxy:3128"),
            ("CARGO_TARGET_DIR", "/shared"),
            ("GIT_DIR", "/g"),
        ]));
        assert_eq!(seen.keys().map(String::as_str).collect::<Vec<_>>(), ["HTTPS_PROXY", "LC_ALL", "PATH"]);
    }

    #[test]
    fn cargo_builds_inside_the_tree_where_it_would_by_itself() {
        let temp = tempfile::tempdir().expect("temp");
        let tree = temp.path();
        fs::create_dir_all(tree.join("crates/a/.cargo")).expect("folders");
        fs::create_dir_all(tree.join("other/.cargo")).expect("folders");
        fs::write(tree.join("Cargo.toml"), "[workspace]\nmembers = [\"crates/*\"]\n").expect("file");
        fs::write(tree.join("crates/a/Cargo.toml"), "[package]\nname = \"a\"\n").expect("file");
        assert_eq!(cargo_target(tree, "crates/a"), tree.join("target"));
        assert_eq!(cargo_target(tree, ""), tree.join("target"));
        fs::write(tree.join("crates/a/.cargo/config.toml"), "[build]\ntarget-dir = \"build\" # ours\n").expect("file");
        assert_eq!(cargo_target(tree, "crates/a"), tree.join("crates/a/build"));
        fs::write(tree.join("other/.cargo/config.toml"), "[build]\ntarget-dir = \"/shared\"\n").expect("file");
        assert_eq!(
            cargo_target(tree, "other"),
            tree.join("target"),
            "an absolute folder would be shared by both sides"
        );
    }
}
