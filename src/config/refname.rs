//! Names of branches, tags and commits that come from outside.

/// Whether `name` can be the name of a branch or tag, or a commit id: the rules of `git check-ref-format --branch`, and
/// no leading dash, so that no program takes it for an option.
///
/// # Errors
/// The rule that it breaks, for a user.
pub fn check(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a ref has at least one character");
    }
    if name.len() > 250 {
        return Err("a ref has at most 250 bytes");
    }
    if name.starts_with('-') {
        return Err("a ref does not start with `-`");
    }
    if name.chars().any(|c| c.is_control() || c == ' ' || "~^:?*[\\".contains(c) || super::value::invisible(c)) {
        return Err("a ref holds no space, control character or any of ~ ^ : ? * [ \\");
    }
    if name.contains("..") || name.contains("@{") || name == "@" {
        return Err("a ref holds no `..` or `@{` and is not `@`");
    }
    if name.starts_with('/') || name.ends_with('/') || name.contains("//") || name.ends_with('.') {
        return Err("a ref does not start or end with `/`, hold `//`, or end with `.`");
    }
    if name.split('/').any(|part| part.starts_with('.') || part.ends_with(".lock")) {
        return Err("no part of a ref starts with `.` or ends with `.lock`");
    }
    Ok(())
}

/// Whether `text` is a full commit id: 40 or 64 hexadecimal digits.
#[must_use]
pub fn is_full_sha(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_rules_are_those_of_git() {
        let names = [
            "main",
            "release/1.2",
            "feature/x-y_z",
            "v1.0.0",
            "a@b",
            "ünïcode",
            "HEAD~1",
            "a..b",
            "a b",
            "-x",
            "--upload-pack=touch x",
            "a//b",
            "/a",
            "a/",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a@{1}",
            "@",
            "a^",
            "a:b",
            "a?b",
            "a*b",
            "a[b",
            "a\\b",
            "a\u{7f}",
            "a\tb",
            "a#b",
            "a$(b)",
            "a;b",
            "a'b",
        ];
        for name in names {
            let git = Command::new("git").args(["check-ref-format", &format!("refs/heads/{name}")]).status().unwrap();
            let allowed = git.success() && !name.starts_with('-');
            // `refs/heads/@` is a valid ref, yet `@` alone means HEAD.
            assert_eq!(check(name).is_ok(), allowed && name != "@", "{name}");
        }
    }

    #[test]
    fn what_git_allows_and_a_reader_cannot_see_is_refused() {
        assert!(check("ma\u{202e}in").is_err());
        assert!(check("ma\u{200b}in").is_err());
        assert!(check(&"x".repeat(251)).is_err());
    }

    #[test]
    fn full_commit_ids() {
        assert!(is_full_sha(&"a1".repeat(20)));
        assert!(is_full_sha(&"A1".repeat(32)));
        assert!(!is_full_sha("a1b2c3d"));
        assert!(!is_full_sha(&"g".repeat(40)));
    }
}
