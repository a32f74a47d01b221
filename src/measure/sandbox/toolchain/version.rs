//! Versions in the files that toolchains read. Nothing but one to three numbers ever becomes a part of an image's name.

/// Whether a text is one to three numbers of at most three digits, with dots between.
pub(super) fn is_one(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() <= 3
        && parts.iter().all(|part| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The longest version at the start of a text.
fn leading(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let version = text[..end].trim_end_matches('.');
    is_one(version).then(|| version.to_owned())
}

/// `1.22`, `v20.11.1`, `3.12 # why`: the first line that is not a comment.
pub(super) fn plain(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let word = line.split_whitespace().next()?;
    let word = ["ruby-", "go", "v"].iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word);
    is_one(word).then(|| word.to_owned())
}

/// The `toolchain` line, which is the newer one, else the `go` line.
pub(super) fn go_mod(text: &str) -> Option<String> {
    let line = |name: &str| {
        text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next()? == name).then(|| words.next()).flatten().map(|word| word.trim_start_matches("go").to_owned())
        })
    };
    // A release candidate has no image of its own release: its numbers do.
    line("toolchain").and_then(|text| leading(&text)).or_else(|| leading(&line("go")?))
}

/// The channel of `rust-toolchain`, in either form.
pub(super) fn rust(text: &str) -> Option<String> {
    let channel = text.lines().find_map(|line| line.trim().strip_prefix("channel")?.trim_start().strip_prefix('='));
    let word = channel.map_or(text, |value| value.split('#').next().unwrap_or(value));
    let word = word.trim().trim_matches(['"', '\'']);
    is_one(word).then(|| word.to_owned())
}

/// `requires-python`.
pub(super) fn pyproject(text: &str) -> Option<String> {
    let value =
        text.lines().find_map(|line| line.trim().strip_prefix("requires-python")?.trim_start().strip_prefix('='))?;
    newest_allowed(value.trim().trim_matches(['"', '\'']), true)
}

/// `engines.node`.
pub(super) fn engines(text: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let range = json.get("engines")?.get("node")?.as_str()?.to_owned();
    // The last alternative is the newest by custom.
    newest_allowed(range.rsplit("||").next()?.trim(), false)
}

/// The newest version that a range allows if it has an upper end or is exact; `None` if anything newer will do.
fn newest_allowed(range: &str, minors: bool) -> Option<String> {
    let parts = range.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty());
    let mut found = None;
    for part in parts {
        let version = leading(part.trim_start_matches(|c: char| !c.is_ascii_digit()));
        let Some(version) = version else { continue };
        let numbers: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
        if part.starts_with("<=") || part.starts_with("==") || part.starts_with("~=") || part.starts_with(['^', '~']) {
            found = Some(shortened(&numbers, minors));
        } else if part.starts_with('<') {
            found = below(&numbers, minors);
        } else if part.starts_with(|c: char| c.is_ascii_digit()) {
            found = Some(shortened(&numbers, minors));
        }
    }
    found
}

/// Python's releases differ in their second number, Node's in their first.
fn shortened(numbers: &[u32], minors: bool) -> String {
    let keep = if minors { 2 } else { 1 };
    numbers.iter().take(keep).map(u32::to_string).collect::<Vec<_>>().join(".")
}

fn below(numbers: &[u32], minors: bool) -> Option<String> {
    match (numbers, minors) {
        ([major, minor, ..], true) if *minor > 0 => Some(format!("{major}.{}", minor - 1)),
        // `<4` of Python allows every 3.
        ([major, ..], _) => major.checked_sub(1).map(|major| major.to_string()),
        ([], _) => None,
    }
}
