//! `docs/formats.md` says what the code does.

use super::*;

const START: &str = "<!-- table: written by the test `format::tests::documentation` -->\n";
const END: &str = "<!-- end of table -->\n";

fn table() -> String {
    let mut table = String::from(
        "| tool | `format` | command | `output` | what an execution gives | its value |\n|---|---|---|---|---|---|\n",
    );
    for format in Format::ALL {
        let Some(about) = format.about() else { continue };
        let gives = match about.raw {
            Raw::Samples => "samples",
            Raw::Summary => "a summary",
            Raw::Exact => "exact counts",
        };
        let (command, comment) = about.command.split_once(" # ").unwrap_or((about.command, ""));
        let comment = if comment.is_empty() { String::new() } else { format!("; program: `{}`", cell(comment)) };
        let output = about.output.map_or_else(|| "standard output".to_owned(), |output| format!("`{output}`"));
        table.push_str(&format!(
            "| {} | `{format}` | `{}`{comment} | {output} | {gives} | {} |\n",
            about.title,
            cell(command),
            cell(about.value),
        ));
    }
    table
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn the_table_of_tools_is_the_codes() {
    let document = include_str!("../../../docs/formats.md");
    let expected = format!("{START}{}{END}", table());
    assert!(document.contains(&expected), "docs/formats.md must hold:\n{expected}");
}

#[test]
fn every_format_is_explained() {
    let document = include_str!("../../../docs/formats.md");
    for format in Format::ALL {
        assert!(document.contains(&format!("`{format}`")), "{format}");
    }
}
