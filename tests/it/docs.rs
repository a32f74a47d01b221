//! What the documents promise.

use clap::Parser;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Blocks of a language in a Markdown file.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == format!("```{language}") {
            found
                .push(lines.by_ref().take_while(|line| line.trim() != "```").map(|line| format!("{line}\n")).collect());
        }
    }
    found
}

#[test]
fn every_command_in_the_readme_is_understood() {
    let mut seen = 0;
    for block in blocks(&read("README.md"), "sh") {
        for line in block.lines().filter(|line| line.starts_with("bench-bot ")) {
            let words = shell_words::split(line.split('#').next().unwrap()).unwrap();
            let parsed = bench_bot::cli::args::Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.err().unwrap());
            seen += 1;
        }
    }
    assert!(seen >= 5, "the README lost its commands");
}

#[test]
fn the_readmes_configuration_is_valid() {
    let configs: Vec<String> =
        blocks(&read("README.md"), "yaml").into_iter().filter(|block| block.contains("suites:")).collect();
    assert!(!configs.is_empty());
    for text in configs {
        bench_bot::config::load("README.md", &text).unwrap();
    }
}

#[test]
fn every_link_to_a_file_leads_somewhere() {
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/security.md",
        "docs/report.md",
        "docs/measuring.md",
        "docs/host.md",
        "docs/method.md",
    ] {
        let text = read(document);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
        let folder = folder.parent().unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let path = target.split('#').next().unwrap();
            assert!(folder.join(path).exists(), "{document} links to {target}");
        }
    }
}

/// The README's tables of the action, as action.yml has them.
fn tables(action: &serde_yaml::Value) -> String {
    let mut text = String::new();
    for (part, head) in
        [("inputs", "| input | default | |\n|---|---|---|\n"), ("outputs", "\n| output | |\n|---|---|\n")]
    {
        text.push_str(head);
        for (name, entry) in action[part].as_mapping().unwrap() {
            let (name, description) = (name.as_str().unwrap(), entry["description"].as_str().unwrap());
            assert!(description.len() > 10 && !description.contains('|'), "{part} {name}");
            let default = entry["default"].as_str().map(|default| format!("`{default}`")).unwrap_or_default();
            let default = if part == "inputs" { format!(" {default} |") } else { String::new() };
            text.push_str(&format!("| `{name}` |{default} {description} |\n"));
        }
    }
    text
}

#[test]
fn the_readme_has_every_input_and_output_of_the_action() {
    let action: serde_yaml::Value = serde_yaml::from_str(&read("action.yml")).unwrap();
    let (begin, end) = ("<!-- action: held to action.yml by a test -->\n", "<!-- /action -->");
    let readme = read("README.md");
    let (before, rest) = readme.split_once(begin).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    let current = tables(&action);
    if std::env::var_os("BENCH_BOT_UPDATE").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        return fs::write(path, format!("{before}{begin}{current}{end}{after}")).unwrap();
    }
    assert_eq!(found, current, "run this test once with BENCH_BOT_UPDATE=1");
}

/// Inputs that the code reads, by their literal names.
#[test]
fn declared_inputs_are_read_and_read_inputs_are_declared() {
    let action: serde_yaml::Value = serde_yaml::from_str(&read("action.yml")).unwrap();
    let declared: Vec<String> =
        action["inputs"].as_mapping().unwrap().keys().map(|name| name.as_str().unwrap().to_owned()).collect();
    let mut code = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|ending| ending == "rs") {
                code.push_str(&fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    for name in &declared {
        let uses = [
            format!("input(\"{name}\")"),
            format!("flag(\"{name}\")"),
            format!("text(\"{name}\")"),
            format!("parse(&text, \"{name}\""),
        ];
        assert!(
            uses.iter().any(|usage| code.contains(usage)) || name == "token",
            "action.yml declares `{name}`, and nothing reads it"
        );
    }
    for usage in ["runner.input(\"", "runner.flag(\""] {
        for rest in code.split(usage).skip(1) {
            let name = rest.split('"').next().unwrap();
            assert!(
                declared.iter().any(|declared| declared == name),
                "the code reads `{name}`, and action.yml does not declare it"
            );
        }
    }
}
