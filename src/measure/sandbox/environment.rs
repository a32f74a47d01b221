//! The environment of a command in a sandbox: what the image says of its tools, folders of the side, the suite's own
//! variables. Nothing of ours, nothing of the job's.

use super::{HOME, PRIVATE};
use crate::measure::process::environment::allowed;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Variables by which official images describe their tools, beside those that a command may see anywhere.
const DOCUMENTED: &[&str] = &[
    "BUNDLE_APP_CONFIG",
    "CARGO_HTTP_CAINFO",
    "DOTNET_VERSION",
    "GIT_SSL_CAINFO",
    "GOLANG_VERSION",
    "GRADLE_VERSION",
    "JAVA_VERSION",
    "JULIA_PATH",
    "JULIA_VERSION",
    "MAVEN_CONFIG",
    "NODE_VERSION",
    "PHP_INI_DIR",
    "PHP_VERSION",
    "PIP_CERT",
    "PYTHON_VERSION",
    "RUBY_VERSION",
    "RUST_VERSION",
    "YARN_VERSION",
];
/// Variables of a user that an image's build may have left.
const OF_A_USER: &[&str] = &["HOME", "LOGNAME", "SHELL", "USER", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Folders of a side that must exist before its first command, and be its own.
pub(super) const FOLDERS: &[&str] =
    &["home", "tmp", CACHES, "cache", "gopath/bin", "cargo/bin", "python/bin", "npm/bin", "gem/bin"];
/// What tools download, and compiled code that is found by the content of its sources alone: copied from base to head.
/// Nothing that is found by a name or a path, which both sides share, may be here.
pub(super) const CACHES: &str = "caches";

/// The environment that an image's own variables give.
pub(super) fn of_image(env: &[String]) -> BTreeMap<String, String> {
    let pairs: Vec<(&str, &str)> = env.iter().filter_map(|line| line.split_once('=')).collect();
    let seen = allowed(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    let mut result: BTreeMap<String, String> =
        seen.into_iter().filter_map(|(name, value)| Some((name, value.into_string().ok()?))).collect();
    result.retain(|name, _| !OF_A_USER.contains(&name.as_str()));
    let documented = pairs.iter().filter(|(name, _)| DOCUMENTED.contains(name));
    result.extend(documented.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let own = |name: &str| format!("{PRIVATE}/{name}");
    let bins = ["gopath/bin", "cargo/bin", "python/bin", "npm/bin", "gem/bin"].map(own).join(":");
    let path = result.get("PATH").map_or(DEFAULT_PATH, String::as_str);
    result.insert("PATH".to_owned(), format!("{bins}:{path}"));
    for (name, folder) in [
        ("TMPDIR", "tmp"),
        ("GOCACHE", "caches/go-build"),
        ("GOPATH", "gopath"),
        ("GOMODCACHE", "caches/go-mod"),
        ("CARGO_HOME", "caches/cargo"),
        ("CARGO_INSTALL_ROOT", "cargo"),
        ("NPM_CONFIG_CACHE", "caches/npm"),
        ("NPM_CONFIG_PREFIX", "npm"),
        ("PIP_CACHE_DIR", "caches/pip"),
        ("PYTHONPYCACHEPREFIX", "pycache"),
        ("PYTHONUSERBASE", "python"),
        ("UV_CACHE_DIR", "uv"),
        ("XDG_CACHE_HOME", "cache"),
        ("GEM_HOME", "gem"),
        ("CCACHE_DIR", "caches/ccache"),
        ("GRADLE_USER_HOME", "gradle"),
    ] {
        result.insert(name.to_owned(), own(folder));
    }
    for (name, value) in [
        ("HOME", HOME),
        ("TERM", "dumb"),
        ("CI", "true"),
        ("MAVEN_OPTS", concat!("-Dmaven.repo.local=", "/bench/private", "/m2")),
        // A daemon would do the work outside of everything that is measured here.
        ("GRADLE_OPTS", "-Dorg.gradle.daemon=false"),
        // The suite's user owns no folder of the image's interpreter, and installs for itself.
        ("PIP_BREAK_SYSTEM_PACKAGES", "1"),
    ] {
        result.insert(name.to_owned(), value.to_owned());
    }
    result
}

/// A sentence for the report if the job set a toolchain up that a sandbox does not use.
pub fn unused_toolchains(variables: impl IntoIterator<Item = (OsString, OsString)>, images: &str) -> Option<String> {
    const SIGNS: &[(&str, &str)] = &[
        ("GOROOT", "Go"),
        ("GOTOOLCHAIN", "Go"),
        ("pythonLocation", "Python"),
        ("Python_ROOT_DIR", "Python"),
        ("RUSTUP_HOME", "Rust"),
        ("RUSTUP_TOOLCHAIN", "Rust"),
        ("CARGO_HOME", "Rust"),
        ("JAVA_HOME", "Java"),
    ];
    const CACHED: &[(&str, &str)] = &[
        ("/hostedtoolcache/go/", "Go"),
        ("/hostedtoolcache/Python/", "Python"),
        ("/hostedtoolcache/node/", "Node"),
        ("/hostedtoolcache/Ruby/", "Ruby"),
        ("/.cargo/bin", "Rust"),
    ];
    let mut found: Vec<&str> = Vec::new();
    for (name, value) in variables {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        found.extend(SIGNS.iter().filter(|(sign, _)| name == *sign && !value.is_empty()).map(|(_, tool)| *tool));
        if name == "PATH" {
            found.extend(CACHED.iter().filter(|(sign, _)| value.contains(sign)).map(|(_, tool)| *tool));
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return None;
    }
    Some(format!(
        "The job set up {}, which is not used: the benchmarks ran in {images}. Set `image:` to choose another one, or \
         use `host/action.yml` to run on the runner itself.",
        found.join(" and ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_gives_its_tools_and_nothing_else() {
        let image = [
            "PATH=/usr/local/go/bin:/usr/bin",
            "GOLANG_VERSION=1.26.1",
            "GOTOOLCHAIN=local",
            "GOPATH=/go",
            "HOME=/root",
            "LD_PRELOAD=/evil.so",
            "LD_LIBRARY_PATH=/x",
            "BASH_ENV=/evil",
            "NPM_TOKEN=secret",
            "LANG=C.UTF-8",
            "RUSTUP_HOME=/usr/local/rustup",
        ]
        .map(str::to_owned);
        let env = of_image(&image);
        assert!(env["PATH"].ends_with("/gem/bin:/usr/local/go/bin:/usr/bin"));
        assert!(env["PATH"].starts_with("/bench/private/gopath/bin:"));
        assert_eq!(env["GOPATH"], "/bench/private/gopath");
        assert_eq!(env["HOME"], "/bench/private/home");
        assert_eq!((env["LANG"].as_str(), env["GOLANG_VERSION"].as_str()), ("C.UTF-8", "1.26.1"));
        assert_eq!(env["RUSTUP_HOME"], "/usr/local/rustup");
        for absent in ["LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "NPM_TOKEN"] {
            assert!(!env.contains_key(absent), "{absent}");
        }
        assert!(of_image(&[])["PATH"].ends_with(DEFAULT_PATH));
    }

    /// Head must not find what base built under a name that both use.
    #[test]
    fn what_is_installed_is_not_among_the_copied_caches() {
        let env = of_image(&[]);
        for built in ["CARGO_INSTALL_ROOT", "PYTHONUSERBASE", "UV_CACHE_DIR", "GEM_HOME", "XDG_CACHE_HOME", "GOPATH"] {
            assert!(!env[built].starts_with("/bench/private/caches"), "{built}");
        }
        assert!(!env.contains_key("CARGO_TARGET_DIR"), "cargo's own default is inside the side's tree");
    }

    #[test]
    fn a_toolchain_that_the_job_set_up_is_named() {
        let vars = |list: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
            list.iter().map(|(name, value)| (name.into(), value.into())).collect()
        };
        let text = unused_toolchains(
            vars(&[
                ("pythonLocation", "/opt/hostedtoolcache/Python/3.12.1/x64"),
                ("PATH", "/opt/hostedtoolcache/go/1.26.0/x64/bin:/usr/bin"),
            ]),
            "golang:1.26",
        )
        .unwrap();
        assert!(text.contains("Go and Python") && text.contains("golang:1.26") && text.contains("host/action.yml"));
        assert_eq!(unused_toolchains(vars(&[("PATH", "/usr/bin"), ("GOROOT", "")]), "x"), None);
    }
}
