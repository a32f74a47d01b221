//! The files through which a step speaks to the runner.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// What the runner takes as the summary of one step; a larger file is thrown away as a whole.
const MAX_SUMMARY: u64 = 1024 * 1024;

/// Reads a file that must not have more than `limit` bytes.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Appends `text`.
pub(super) fn append(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
}

/// An entry for `GITHUB_OUTPUT` that a value cannot break out of.
pub(super) fn output_entry(name: &str, value: &str, delimiter: &str) -> Result<String, &'static str> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if name.is_empty() || !name.bytes().all(word) {
        return Err("its name may hold letters, digits, - and _ only");
    }
    let delimiter = format!("end_{delimiter}");
    if value.contains(&delimiter) {
        return Err("its value holds the delimiter");
    }
    Ok(format!("{name}<<{delimiter}\n{value}\n{delimiter}\n"))
}

/// Appends Markdown as far as the runner's limit for the whole file allows. `true` if all of it is there.
pub(super) fn append_summary(path: &Path, markdown: &str) -> io::Result<bool> {
    let used = path.metadata().map_or(0, |metadata| metadata.len());
    let room = usize::try_from(MAX_SUMMARY.saturating_sub(used)).unwrap_or(0);
    let markdown = if markdown.ends_with('\n') { markdown.to_owned() } else { format!("{markdown}\n") };
    let text = fit(&markdown, room);
    append(path, &text)?;
    Ok(text == markdown)
}

/// `markdown`, or as many whole lines as fit into `room` bytes, with what is open closed and a note.
fn fit(markdown: &str, room: usize) -> String {
    const NOTE: &str = "\n**The report is longer than a step summary can be; the rest is left out here.**\n";
    if markdown.len() <= room {
        return markdown.to_owned();
    }
    // Room for the note and for what closes folds and a fence.
    let Some(budget) = room.checked_sub(NOTE.len() + 200) else { return String::new() };
    let end = markdown[..markdown.floor_char_boundary(budget)].rfind('\n').map_or(0, |end| end + 1);
    let kept = &markdown[..end];
    format!("{kept}{}{NOTE}", closing(kept))
}

/// What closes the fence and the folds that `markdown` leaves open.
fn closing(markdown: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut folds = 0_usize;
    for line in markdown.lines().map(str::trim) {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open.len() && line.len() == ticks => fence = None,
            None if ticks >= 3 => fence = Some(&line[..ticks]),
            Some(_) => {}
            None => {
                folds += line.matches("<details").count();
                folds = folds.saturating_sub(line.matches("</details>").count());
            }
        }
    }
    let fence = fence.map(|fence| format!("{fence}\n")).unwrap_or_default();
    format!("{fence}\n{}", "</details>\n".repeat(folds.min(10)))
}

#[cfg(test)]
mod tests {
    use super::{MAX_SUMMARY, append_summary, fit, output_entry};

    #[test]
    fn an_output_is_written_with_its_delimiter() {
        assert_eq!(output_entry("comment-url", "a\nb", "x").unwrap(), "comment-url<<end_x\na\nb\nend_x\n");
        assert_eq!(output_entry("empty", "", "x").unwrap(), "empty<<end_x\n\nend_x\n");
    }

    #[test]
    fn a_value_cannot_end_its_entry_and_a_name_cannot_start_one() {
        assert!(output_entry("a", "x\nend_x\nrun<<e\ntrue\ne", "x").is_err());
        for name in ["", "a=b", "a\nb", "a<<b"] {
            assert!(output_entry(name, "v", "x").is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_summary_of_all_reports_of_a_step_stays_below_the_runners_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary");
        let half = format!("{}\n", "row ".repeat(150_000));
        assert!(append_summary(&path, &half).unwrap());
        assert!(!append_summary(&path, &half.replace("row row", "row\nrow")).unwrap());
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.len() as u64 <= MAX_SUMMARY);
        assert!(written.ends_with("left out here.**\n"));
        append_summary(&path, &"x".repeat(1_000_000)).unwrap();
        assert!(path.metadata().unwrap().len() <= MAX_SUMMARY);
    }

    #[test]
    fn a_cut_closes_the_fence_and_the_folds() {
        let markdown = format!("<details><summary>all</summary>\n\n```\n{}```\n</details>\n", "line\n".repeat(1_000));
        let short = fit(&markdown, 2_000);
        assert!(short.len() <= 2_000);
        let rest = &short[short.rfind("line\n").unwrap()..];
        assert!(rest.starts_with("line\n```\n\n</details>\n"), "{rest}");
    }
}
