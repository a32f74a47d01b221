//! What a reader of a comment sees.

use super::*;
use std::path::PathBuf;

/// Where the rig that takes screenshots finds what it shows: set `BENCH_BOT_RENDER_DIR` to write it.
fn directory() -> Option<PathBuf> {
    std::env::var_os("BENCH_BOT_RENDER_DIR").map(PathBuf::from)
}

#[test]
fn every_sample_is_a_comment_that_fits() {
    let directory = directory();
    for (name, report) in samples::all() {
        let rendered = comment(&report, &CommentOptions::default()).unwrap();
        assert!(rendered.body.len() <= COMMENT_LIMIT, "{name}: {}", rendered.body.len());
        if let Some(directory) = &directory {
            std::fs::create_dir_all(directory).unwrap();
            std::fs::write(directory.join(format!("{name}.md")), &rendered.body).unwrap();
        }
    }
}

#[test]
fn terminal_samples_for_the_eye() {
    if let Some(directory) = directory() {
        std::fs::create_dir_all(&directory).unwrap();
        for (name, report) in samples::all() {
            std::fs::write(directory.join(format!("{name}.txt")), terminal(&report, 100, false)).unwrap();
        }
    }
}

#[test]
fn pages_for_the_eye() {
    if let Some(directory) = directory() {
        std::fs::create_dir_all(&directory).unwrap();
        for (name, report) in samples::all() {
            std::fs::write(directory.join(format!("{name}.html")), html(&report, &CommentOptions::default()).unwrap()).unwrap();
        }
    }
}
