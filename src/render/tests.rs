//! What a reader of a comment sees.

use super::*;

#[test]
fn samples_render() {
    for (name, report) in samples::all() {
        let rendered = comment(&report, &CommentOptions::default()).unwrap();
        println!("=== {name}\n{}", rendered.body);
    }
}
