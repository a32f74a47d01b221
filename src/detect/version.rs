//! Versions of toolchains, for the sandbox's image.

/// `docker.io/library/NAME:VERSION`, with `fallback` where no usable version was found.
pub(super) fn image(name: &str, version: Option<&str>, fallback: &str) -> String {
    let version = version.filter(|version| is_version(version)).unwrap_or(fallback);
    format!("docker.io/library/{name}:{version}")
}

/// Whether `text` is one to three numbers of one to three digits: nothing else ever gets into an image's name.
pub(super) fn is_version(text: &str) -> bool {
    let number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    (1..=3).contains(&text.split('.').count()) && text.split('.').all(number)
}

/// The smallest version that a range such as `>=3.10,<4`, `^18 || ^20` or `20.x` allows; of alternatives the last.
pub(super) fn lower_bound(range: &str) -> Option<String> {
    let last = range.rsplit("||").next()?;
    last.split([',', ' '])
        .filter_map(|part| {
            let part = part.trim();
            // An upper bound or an exclusion is no version to run with.
            if part.starts_with(['<', '!']) {
                return None;
            }
            let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
            let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
            let version = digits[..end].trim_end_matches('.').to_owned();
            is_version(&version).then_some(version)
        })
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_versions_get_into_an_image() {
        for version in ["1", "1.22", "1.22.4", "3.12", "20"] {
            assert_eq!(image("golang", Some(version), "1"), format!("docker.io/library/golang:{version}"));
        }
        for version in ["", "1.22.4.5", "latest", "1.2-alpine", "1/../x", "1@sha256", "1234", "1..2", "1.\u{0662}"] {
            assert_eq!(image("golang", Some(version), "1"), "docker.io/library/golang:1", "{version}");
        }
        assert_eq!(image("node", None, "22"), "docker.io/library/node:22");
    }

    #[test]
    fn ranges() {
        for (range, version) in [
            (">=3.10", "3.10"),
            (">=3.9,<4", "3.9"),
            ("<4,>=3.11", "3.11"),
            ("~=3.12.1", "3.12.1"),
            ("^18 || ^20", "20"),
            ("20.x", "20"),
            (">= 18.0.0", "18.0.0"),
            ("v20.11.1", "20.11.1"),
            ("3.12.4", "3.12.4"),
            (">=18 <23", "18"),
        ] {
            assert_eq!(lower_bound(range).as_deref(), Some(version), "{range}");
        }
        for range in ["*", "lts/*", "", "<4", "!=3.1", "latest"] {
            assert_eq!(lower_bound(range), None, "{range}");
        }
    }
}
