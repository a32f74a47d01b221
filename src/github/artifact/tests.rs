//! Archives that somebody wrote to do harm.

use super::{RESULTS, directory_entries, only_file};
use std::io::{Cursor, Write};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A zip archive of these files, and whatever `more` adds.
fn archive(files: &[(&str, &[u8])], more: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    more(&mut zip);
    zip.finish().unwrap().into_inner()
}

fn plain(files: &[(&str, &[u8])]) -> Vec<u8> {
    archive(files, |_| {})
}

fn refused(archive: &[u8]) -> String {
    only_file(archive, RESULTS, 1_000_000).unwrap_err()
}

#[test]
fn the_one_file_is_read() {
    let zip = plain(&[(RESULTS, b"{\"schema\":1}")]);
    assert_eq!(only_file(&zip, RESULTS, 1_000_000).unwrap(), b"{\"schema\":1}");
    assert_eq!(directory_entries(&zip), Some(1));
}

#[test]
fn nothing_else_may_be_in_it() {
    assert!(refused(&plain(&[])).contains("alone"));
    assert!(refused(&plain(&[(RESULTS, b"a"), ("other", b"b")])).contains("alone"));
    assert!(
        refused(&archive(&[], |zip| zip.add_directory("results.json", SimpleFileOptions::default()).unwrap()))
            .contains("results.json")
    );
}

#[test]
fn two_entries_with_the_same_name_are_seen_although_the_reader_keeps_one() {
    let mut zip = plain(&[("results.jsox", b"first"), (RESULTS, b"second")]);
    let name = b"results.jsox";
    for at in (0..zip.len() - name.len()).filter(|&at| zip[at..].starts_with(name)).collect::<Vec<_>>() {
        zip[at + name.len() - 1] = b'n';
    }
    assert!(refused(&zip).contains("alone"));
}

#[test]
fn names_that_lead_out_of_a_folder_are_other_names() {
    for name in
        ["../results.json", "/results.json", "a/results.json", "results.json/", "RESULTS.JSON", "results.json\0"]
    {
        let message = refused(&plain(&[(name, b"x")]));
        assert!(
            message.contains("instead of") || message.contains("regular") || message.contains("alone"),
            "{name:?}: {message}"
        );
    }
}

#[test]
fn a_link_is_no_file() {
    let link = archive(&[], |zip| zip.add_symlink(RESULTS, "/etc/passwd", SimpleFileOptions::default()).unwrap());
    assert!(refused(&link).contains("not a regular file"), "{}", refused(&link));
    let fifo = archive(&[], |zip| {
        zip.start_file(RESULTS, SimpleFileOptions::default().unix_permissions(0o644)).unwrap();
    });
    let at = fifo.windows(4).position(|window| window == b"PK\x01\x02").unwrap() + 38 + 2;
    let mut fifo = fifo;
    // The upper half of the external attributes is the mode: make it a pipe.
    fifo[at..at + 2].copy_from_slice(&0o010_644_u16.to_le_bytes());
    assert!(refused(&fifo).contains("not a regular file"), "{}", refused(&fifo));
}

#[test]
fn a_bomb_is_measured_while_it_inflates() {
    let bomb = plain(&[(RESULTS, &vec![0; 1_000_001])]);
    assert!(bomb.len() < 10_000);
    assert!(refused(&bomb).contains("more than 1000000 bytes"));
    assert_eq!(only_file(&bomb, RESULTS, 1_000_001).unwrap().len(), 1_000_001);
}

#[test]
fn a_size_that_lies_does_not_help_a_bomb() {
    let mut bomb = plain(&[(RESULTS, &vec![0; 2_000_000])]);
    let size = 2_000_000_u32.to_le_bytes();
    for at in (0..bomb.len() - 4).filter(|&at| bomb[at..at + 4] == size).collect::<Vec<_>>() {
        bomb[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let read = only_file(&bomb, RESULTS, 1_000_000);
    assert!(read.is_err() || read.is_ok_and(|content| content.len() <= 1_000_000));
}

#[test]
fn damage_is_an_error_wherever_it_is() {
    let good = plain(&[(RESULTS, "some content that is long enough to be worth compressing, some content".as_bytes())]);
    for length in 0..good.len() {
        assert!(only_file(&good[..length], RESULTS, 1_000).is_err(), "cut at {length}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0xff;
        // Some bytes do not matter; none may make it panic or read without a limit.
        let _ = only_file(&bad, RESULTS, 1_000);
    }
    assert!(only_file(b"not a zip archive", RESULTS, 1_000).is_err());
}

#[test]
fn an_encrypted_entry_is_an_error() {
    let mut zip = plain(&[(RESULTS, b"x")]);
    for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = zip.windows(4).position(|window| window == signature).unwrap() + flags;
        zip[at] |= 1;
    }
    assert!(refused(&zip).contains("cannot be read"), "{}", refused(&zip));
}
