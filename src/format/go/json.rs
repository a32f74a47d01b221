//! The events of `go test -json` (test2json).

use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// One event, as far as it matters here.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "Action", borrow)]
    action: Cow<'a, str>,
    #[serde(rename = "Package", borrow, default)]
    package: Cow<'a, str>,
    #[serde(rename = "ImportPath", borrow, default)]
    import_path: Cow<'a, str>,
    #[serde(rename = "Output", borrow, default)]
    output: Cow<'a, str>,
}

/// What the test binaries printed, package by package.
pub(super) struct Decoded {
    pub(super) content: String,
    pub(super) packages: Vec<(usize, String)>,
    pub(super) origins: Vec<usize>,
    pub(super) warnings: Vec<(usize, String)>,
}

/// One package's output, put together from its events.
#[derive(Default)]
struct Output {
    text: String,
    /// Where each of its lines began in the input.
    origins: Vec<usize>,
}

impl Output {
    /// Appends a piece that stood on line `line` of the input. Lines may be split over several events.
    fn push(&mut self, piece: &str, line: usize) {
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        let lines = piece.split_inclusive('\n').count();
        let continued = usize::from(!begins && lines > 0);
        self.origins.extend(std::iter::repeat_n(line, lines - continued));
        self.text.push_str(piece);
    }
}

/// Whether the first line that is not blank is an event. Anything may follow: a build prints to the same stream.
pub(super) fn looks_like_events(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(50)
        .any(|line| line.starts_with('{') && serde_json::from_str::<Event<'_>>(line).is_ok())
}

/// Puts the output events of each package together, packages in the order in which they appear.
///
/// Packages are tested side by side, so that their events are interleaved, and one line may be split over several
/// events; within a package order is kept. Lines that are no events are kept as a package without a name.
pub(super) fn decode(text: &str) -> Decoded {
    let mut order: Vec<Cow<'_, str>> = Vec::new();
    let mut outputs: HashMap<Cow<'_, str>, Output> = HashMap::new();
    let mut warnings = Vec::new();
    let mut append = |package: Cow<'_, str>, piece: &str, line: usize| {
        let package: Cow<'static, str> = Cow::Owned(package.into_owned());
        if !outputs.contains_key(&package) {
            order.push(package.clone());
        }
        outputs.entry(package).or_default().push(piece, line);
    };
    let mut broken = 0_usize;
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        if !line.trim_start().starts_with('{') {
            append(Cow::Borrowed(""), &format!("{line}\n"), number);
            continue;
        }
        match serde_json::from_str::<Event<'_>>(line) {
            Ok(event) if matches!(&*event.action, "output" | "build-output") => {
                let package = if event.package.is_empty() { event.import_path } else { event.package };
                append(package, &event.output, number);
            }
            Ok(_) => {}
            Err(error) => {
                broken += 1;
                if broken <= 20 {
                    warnings.push((number, format!("this is no event of `go test -json`: {error}")));
                }
            }
        }
    }
    if broken > 20 {
        warnings.push((0, format!("{} more lines are no events of `go test -json`", broken - 20)));
    }
    let mut decoded =
        Decoded { content: String::with_capacity(text.len()), packages: Vec::new(), origins: Vec::new(), warnings };
    for package in order {
        let output = outputs.remove(&package).unwrap_or_default();
        decoded.packages.push((decoded.content.len(), package.into_owned()));
        decoded.origins.extend(output.origins);
        decoded.content.push_str(&output.text);
        if !output.text.ends_with('\n') && !output.text.is_empty() {
            decoded.content.push('\n');
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::super::text::Text;

    #[test]
    fn packages_are_put_together_and_lines_keep_their_origin() {
        let input = r#"{"Action":"start","Package":"ex/a"}
{"Action":"output","Package":"ex/a","Output":"goos: linux\n"}
{"Action":"output","Package":"ex/b","Output":"goos: darwin\n"}
{"Action":"output","Package":"ex/a","Test":"BenchmarkX","Output":"BenchmarkX-8   \t"}
go: downloading example.com/m v1.0.0
{"Action":"output","Package":"ex/a","Output":"     100\t 1188 ns/op\n"}
{"Action":"output","Package":"ex/b","Output":"BenchmarkY \t1\t2 ns/op"}
"#;
        let text = Text::decode(input.as_bytes());
        assert!(text.is_json());
        assert_eq!(
            text.content,
            "goos: linux\nBenchmarkX-8   \t     100\t 1188 ns/op\n\
             goos: darwin\nBenchmarkY \t1\t2 ns/op\n\
             go: downloading example.com/m v1.0.0\n"
        );
        let names: Vec<_> = text.packages.iter().map(|p| p.1.as_str()).collect();
        assert_eq!(names, ["ex/a", "ex/b", ""]);
        assert_eq!((1..=5).map(|line| text.origin(line)).collect::<Vec<_>>(), [2, 4, 3, 7, 5]);
    }

    #[test]
    fn broken_events_are_reported() {
        let input =
            "{\"Action\":\"output\",\"Output\":\"A\\n\"}\n{\"Action\":\n{\"Action\":\"output\",\"Output\":\"B\\n\"}\n";
        let text = Text::decode(input.as_bytes());
        assert_eq!(text.content, "A\nB\n");
        assert_eq!(text.warnings.len(), 1);
        assert_eq!(text.warnings[0].0, 2);
    }

    #[test]
    fn text_with_braces_is_text() {
        let input = "BenchmarkX 1 2 ns/op\n{not json}\n{\"a\": 1}\n";
        assert_eq!(Text::decode(input.as_bytes()).content, input);
    }
}
