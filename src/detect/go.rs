//! Go modules with benchmarks.

use super::tree::{Tree, file_name, is_below, join, parent, relative};
use super::{Findings, Found, Narrow, both, count, suite, version};

/// Finds every package with benchmarks, compiles its tests once, and keeps the list of folders for the rounds. Each
/// package has a binary of its own, since one that fails to build must not take the others' place.
const SETUP: &str = r#"set -e
rm -rf .bench-bot
mkdir .bench-bot
go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./... > .bench-bot/tested
n=0
while IFS=' ' read -r package dir; do
  grep -qs '^func Benchmark' "$dir"/*_test.go || continue
  n=$((n+1))
  go test -c -o ".bench-bot/$n.test" "$dir" </dev/null
  printf '%s\n' "$package $dir" >> .bench-bot/packages
done < .bench-bot/tested
[ "$n" -gt 0 ] || { echo "no package of this module has benchmarks" >&2; exit 1; }"#;

/// Runs every binary in its package's folder, as `go test` does; one that fails does not keep the others from running.
/// A binary prints its package with its first result only, so that a failure before it would belong to no package.
const RUN: &str = r#"root=$PWD n=0 status=0
while IFS=' ' read -r package dir; do
  n=$((n+1))
  echo "pkg: $package"
  ( cd "$dir" && exec "$root/.bench-bot/$n.test" -test.run='^$' -test.bench="${BENCH_BOT_FILTER:-.}" -test.benchmem -test.benchtime=100ms -test.count=1 ) </dev/null || status=$?
done < .bench-bot/packages
exit $status"#;

/// Finds modules whose tests hold benchmarks.
pub(super) fn find(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    let modules = tree.folders_with("go.mod");
    for &module in &modules {
        let nested: Vec<_> = modules.iter().filter(|other| is_below(other, module) && **other != module).collect();
        let packages = packages(tree, module, &nested);
        let file = join(module, "go.mod");
        if packages.is_empty() {
            findings.left_out.push(format!("{file}: no test of this module has a `func Benchmark`"));
            continue;
        }
        findings.found.push(found(tree, module, &packages));
    }
    findings
}

/// The folders of `module` that hold benchmarks, relative to it.
fn packages<'a>(tree: &'a Tree, module: &'a str, nested: &[&&str]) -> Vec<&'a str> {
    let mut packages = Vec::new();
    for file in tree.below(module).filter(|file| file_name(file).ends_with("_test.go")) {
        let folder = parent(file);
        let ignored = relative(folder, module).split('/').any(|part| part.starts_with(['_', '.']));
        let elsewhere = nested.iter().any(|other| folder == **other || is_below(folder, other));
        let known = packages.last() == Some(&relative(folder, module)) || packages.contains(&relative(folder, module));
        if ignored || elsewhere || known {
            continue;
        }
        let text = tree.read(file).unwrap_or_default();
        if text.starts_with("func Benchmark") || text.contains("\nfunc Benchmark") {
            packages.push(relative(folder, module));
        }
    }
    packages
}

fn found(tree: &Tree, module: &str, packages: &[&str]) -> Found {
    let file = join(module, "go.mod");
    let text = tree.read(&file).unwrap_or_default();
    let version = go_version(&text);
    let mut suite = suite("go", module, RUN.to_owned());
    suite.narrow = Some(Narrow::GoBench);
    let outside = outside_of_workspace(tree, module);
    both(&mut suite, |side| {
        side.setup = Some(SETUP.to_owned());
        side.format = "go".to_owned();
        side.image = Some(version::image("golang", version.as_deref(), "1"));
        if outside {
            side.env.insert("GOWORK".to_owned(), "off".to_owned());
        }
    });
    let shown: Vec<_> = packages.iter().take(5).map(|package| if package.is_empty() { "." } else { package }).collect();
    let more = if packages.len() > 5 { " …" } else { "" };
    let mut reasons =
        vec![format!("{file}: benchmarks in {}: {}{more}", count(packages.len(), "package"), shown.join(" "))];
    if let Some(version) = version {
        reasons.push(format!("{file} asks for Go {version}"));
    }
    if outside {
        reasons.push("go.work does not use this module, so it is switched off".to_owned());
    }
    reasons.push("short mode: 100 ms a benchmark and round".to_owned());
    Found { suite, headline: format!("Go benchmarks in {} ({file})", count(packages.len(), "package")), reasons }
}

/// The version of the `toolchain` line, or of the `go` line.
fn go_version(text: &str) -> Option<String> {
    let line = |word: &str| {
        text.lines().find_map(|line| {
            let mut words = line.split("//").next()?.split_whitespace();
            (words.next()? == word).then(|| words.next()).flatten()
        })
    };
    let toolchain = line("toolchain").and_then(|name| name.strip_prefix("go"));
    toolchain.or_else(|| line("go")).filter(|version| version::is_version(version)).map(str::to_owned)
}

/// Whether a `go.work` above does not use the module: every go command would refuse it then.
fn outside_of_workspace(tree: &Tree, module: &str) -> bool {
    let Some((path, text)) = tree.read_upwards(module, "go.work") else { return false };
    let wanted = relative(module, parent(&path));
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let used = match line.strip_prefix("use") {
            Some(rest) if rest.trim_start().starts_with('(') => {
                in_block = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest,
            _ if in_block => line,
            _ => continue,
        };
        if line == ")" {
            in_block = false;
            continue;
        }
        let used = used.trim().trim_matches(['"', '`']).trim_start_matches("./").trim_end_matches('/');
        if used == wanted || (wanted.is_empty() && used == ".") {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_line_wins_over_the_go_line() {
        assert_eq!(go_version("module m\n\ngo 1.22.4 // c\ntoolchain go1.22.5\n").as_deref(), Some("1.22.5"));
        assert_eq!(go_version("module m\ngo 1.21\n").as_deref(), Some("1.21"));
        assert_eq!(go_version("module m\n\ngo 1.23\ntoolchain default\n").as_deref(), Some("1.23"));
        assert_eq!(go_version("module m\ngo 1.23rc1\n"), None);
        assert_eq!(go_version("module go\nrequire x v1.2.3\n"), None);
    }
}
