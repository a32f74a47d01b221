//! The difference of two listings, as `diff -u` writes it.

use super::code::{key, split_label};
use crate::render::number;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};
use std::fmt::Write as _;

/// Most bytes of a difference; the rest is left out.
pub(super) const LIMIT: usize = 30_000;
/// Lines that are the same around each difference.
const CONTEXT: usize = 3;

/// The difference and how many of its lines were left out. Lines are the same whatever the number of a label.
pub(super) fn unified(base: &[String], head: &[String]) -> (String, u32) {
    let keys = |code: &'_ [String]| code.iter().map(|line| key(line).to_owned()).collect::<Vec<_>>();
    let operations = capture_diff_slices(Algorithm::Myers, &keys(base), &keys(head));
    let mut diff = Cut::default();
    for group in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        diff.push(&format!(
            "@@ -{} +{} @@",
            range(first.old_range().start, last.old_range().end),
            range(first.new_range().start, last.new_range().end)
        ));
        for operation in &group {
            if let DiffOp::Equal { new_index, len, .. } = *operation {
                head[new_index..new_index + len].iter().for_each(|line| diff.push_code(' ', line));
                continue;
            }
            base[operation.old_range()].iter().for_each(|line| diff.push_code('-', line));
            head[operation.new_range()].iter().for_each(|line| diff.push_code('+', line));
        }
    }
    (diff.text, diff.left_out)
}

/// First line, counted from 1, and number of lines.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        lines => format!("{},{lines}", start + 1),
    }
}

/// Lines up to [`LIMIT`] bytes.
#[derive(Default)]
struct Cut {
    text: String,
    left_out: u32,
}

impl Cut {
    fn push(&mut self, line: &str) {
        if self.left_out > 0 || self.text.len() + line.len() + 1 > LIMIT {
            self.left_out += 1;
        } else {
            // Writing to a String cannot fail.
            let _ = writeln!(self.text, "{line}");
        }
    }

    fn push_code(&mut self, sign: char, line: &str) {
        let (label, text) = split_label(line);
        let label = label.map_or_else(String::new, |label| format!("{label}:"));
        self.push(format!("{sign}{label:<6}{text}").trim_end());
    }
}

/// The first lines of a difference that fit into `limit` bytes, and what is to be said of the rest.
#[must_use]
pub(crate) fn shortened(diff: &str, left_out: u32, limit: usize) -> (String, String) {
    let mut end = diff.len();
    if end > limit {
        end = diff.as_bytes()[..limit].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    }
    let more = diff[end..].lines().count() + left_out as usize;
    let rest =
        if more == 0 { String::new() } else { format!("{} not shown", number::count(more, "more line", "more lines")) };
    (diff[..end].trim_end().to_owned(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(|line| line.replace("L:", "L").replace('~', ":\t")).collect()
    }

    #[test]
    fn only_what_differs_is_shown_with_three_lines_around() {
        let base = lines("A|B|C|D|E|CALL x|F|G|H|I|J|K");
        let head = lines("A|B|C|D|E|F|G|H|I|J|K");
        let expected = "@@ -3,7 +3,6 @@\n       C\n       D\n       E\n-      CALL x\n       F\n       G\n       H\n";
        assert_eq!(unified(&base, &head), (expected.to_owned(), 0));
        assert_eq!(unified(&base, &base), (String::new(), 0));
    }

    #[test]
    fn another_number_of_a_label_is_no_difference() {
        let base = lines("JMP .L1|NOP|.L1~RET");
        let head = lines("JMP .L2|NOP|.L2~RET");
        assert_eq!(unified(&base, &head).0, "");
        let head = lines("JMP .L2|.L2~RET");
        assert_eq!(unified(&base, &head).0, "@@ -1,3 +1,2 @@\n       JMP .L2\n-      NOP\n .L2:  RET\n");
    }

    #[test]
    fn a_long_difference_is_cut_at_a_line() {
        let base: Vec<String> = (0..4000).map(|n| format!("MOVQ ${n}, AX")).collect();
        let head: Vec<String> = (0..4000).map(|n| format!("MOVQ ${n}, BX")).collect();
        let (diff, left_out) = unified(&base, &head);
        assert!(diff.len() <= LIMIT && diff.ends_with('\n'));
        assert_eq!(diff.lines().count() + left_out as usize, 8001);
        let (short, rest) = shortened(&diff, left_out, 100);
        assert!(short.len() <= 100 && diff.starts_with(&short));
        assert_eq!(rest, format!("{} more lines not shown", number::grouped(8001 - short.lines().count())));
        assert_eq!(shortened("@@ a @@\n b\n", 0, 100), ("@@ a @@\n b".to_owned(), String::new()));
    }
}
