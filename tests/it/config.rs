//! The documented configuration is one that works.

use bench_bot::config;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The fenced blocks of a Markdown file in this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_example_in_the_documentation_is_accepted() {
    let blocks = blocks(&read("docs/configuration.md"), "yaml");
    assert!(blocks.len() >= 7, "{}", blocks.len());
    for block in blocks {
        config::load("docs/configuration.md", &block).unwrap_or_else(|error| panic!("{block}\n{error}"));
    }
}

#[test]
fn the_documented_error_is_the_one_that_is_given() {
    let text = blocks(&read("docs/configuration.md"), "text").remove(0);
    let error = config::load(config::PATH, "# c\nsuites:\n  - runn: x\n").unwrap_err();
    assert_eq!(format!("{error}\n"), text);
}

#[test]
fn the_documentation_names_every_key_of_a_suite() {
    let documentation = read("docs/configuration.md");
    let schema: serde_json::Value = serde_json::from_str(&read("docs/schema/config.schema.json")).unwrap();
    let keys = schema["$defs"]["RawSuite"]["properties"].as_object().unwrap();
    for key in keys.keys() {
        assert!(documentation.contains(&format!("`{key}`")) || documentation.contains(&format!("`{key}:`")), "{key}");
    }
}

#[test]
fn the_example_file_shows_every_key() {
    let example = read("bench-bot.example.yml");
    config::load("bench-bot.example.yml", &example).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&read("docs/schema/config.schema.json")).unwrap();
    let objects = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for key in objects.filter_map(|object| object["properties"].as_object()).flat_map(|keys| keys.keys()) {
        assert!(example.contains(&format!("{key}:")), "{key}");
    }
}

#[test]
fn a_tree_on_disk_is_read_with_its_template() {
    let dir = tempfile::tempdir().unwrap();
    assert!(config::load_tree(dir.path(), None).unwrap().is_none());
    let missing = config::load_tree(dir.path(), Some("other.yml")).unwrap_err();
    assert_eq!(missing.to_string(), "cannot read other.yml");

    fs::create_dir(dir.path().join(".github")).unwrap();
    fs::write(dir.path().join(config::PATH), "report: {template: t.tera}").unwrap();
    assert_eq!(config::load_tree(dir.path(), None).unwrap_err().to_string(), "cannot read t.tera");
    fs::write(dir.path().join("t.tera"), "hello").unwrap();
    let (config, source) = config::load_tree(dir.path(), None).unwrap().unwrap();
    assert_eq!(config.report.template.unwrap().text, "hello");
    assert_eq!(source.file.as_deref(), Some(config::PATH));

    fs::write(dir.path().join("t.tera"), "x".repeat(config::LIMIT + 1)).unwrap();
    let error = config::load_tree(dir.path(), None).unwrap_err().to_string();
    assert_eq!(error, "t.tera: it is 65537 bytes long; at most 65536 are read");
}
