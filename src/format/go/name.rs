//! A benchmark's name and its parts.

/// `name` without its `-N` suffix, and the digits of the suffix.
///
/// The suffix is a `-` with at least one digit at the very end of the whole name. `go test` puts it there unless
/// GOMAXPROCS is 1, so that a benchmark that is itself named so cannot be told from one that has a suffix.
#[must_use]
pub fn split_procs(name: &str) -> (&str, Option<&str>) {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match base.strip_suffix('-') {
        Some(prefix) if base.len() < name.len() => (prefix, Some(&name[base.len()..])),
        _ => (name, None),
    }
}

/// The name before its first `/`, without suffix.
#[must_use]
pub fn base(name: &str) -> &str {
    match name.split_once('/') {
        Some((base, _)) => base,
        None => split_procs(name).0,
    }
}

/// The parts after the base: `/key=value`, `/positional`, and at last `-N`. Put together they are the rest of the name.
pub fn parts(name: &str) -> impl Iterator<Item = &str> {
    let (path, _) = split_procs(name);
    let begin = path.find('/').unwrap_or(path.len());
    let mut rest = &path[begin..];
    let subs = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest[1..].find('/').map_or(rest.len(), |at| at + 1);
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    });
    subs.chain(Some(&name[path.len()..]).filter(|suffix| !suffix.is_empty()))
}

/// The value of the sub-name key `key` (with its `/`): `/size` of `Copy/size=4k-8` is `4k`. `/gomaxprocs` is also the
/// `-N` suffix. `None` if there is no such key.
#[must_use]
pub fn sub<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    if key == "/gomaxprocs"
        && let Some(procs) = split_procs(name).1
    {
        return Some(procs);
    }
    parts(name).find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_is_at_the_end_of_the_whole_name() {
        for (name, expected) in [
            ("X-8", ("X", Some("8"))),
            ("X", ("X", None)),
            ("X-", ("X-", None)),
            ("X8", ("X8", None)),
            ("Test/foo-1/bar", ("Test/foo-1/bar", None)),
            ("Foo/dash-7-2", ("Foo/dash-7", Some("2"))),
            ("-8", ("", Some("8"))),
            ("", ("", None)),
        ] {
            assert_eq!(split_procs(name), expected, "{name}");
        }
    }

    #[test]
    fn parts_put_together_are_the_name() {
        for (name, base_name, expected) in [
            ("Copy/size=4k/fast-8", "Copy", vec!["/size=4k", "/fast", "-8"]),
            ("Copy-8", "Copy", vec!["-8"]),
            ("Copy", "Copy", vec![]),
            ("Copy//x", "Copy", vec!["/", "/x"]),
            ("/x", "", vec!["/x"]),
            ("Copy/é=ü", "Copy", vec!["/é=ü"]),
            ("A-2/b", "A-2", vec!["/b"]),
        ] {
            assert_eq!(base(name), base_name);
            assert_eq!(parts(name).collect::<Vec<_>>(), expected);
            assert_eq!(format!("{base_name}{}", parts(name).collect::<String>()), name);
        }
    }

    #[test]
    fn sub_names_have_keys() {
        let name = "Copy/size=4k/k=v=w-8";
        assert_eq!(sub(name, "/size"), Some("4k"));
        assert_eq!(sub(name, "/k"), Some("v=w"));
        assert_eq!(sub(name, "/gomaxprocs"), Some("8"));
        assert_eq!(sub("Copy/gomaxprocs=4", "/gomaxprocs"), Some("4"));
        assert_eq!(sub(name, "/siz"), None);
        assert_eq!(sub("Copy/size=", "/size"), Some(""));
    }
}
