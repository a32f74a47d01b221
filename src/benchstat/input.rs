//! The inputs of a comparison: what the command line names.

use std::collections::HashMap;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;
use std::thread::JoinHandle;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What its column is called.
    pub label: String,
    /// Where it is read from; `-` is standard input.
    pub path: String,
}

/// The inputs that `arguments` name: `label=path`, a path, or `-`.
///
/// A path without label that is given twice is told apart as `path#0` and `path#1`. An argument that is itself the path of
/// a file has no label, though there be a `=` in it, unless what follows the `=` is a file too.
#[must_use]
pub fn inputs(arguments: &[String]) -> Vec<Input> {
    let labelled = |argument: &str| -> Option<(String, String)> {
        let (label, path) = argument.split_once('=')?;
        let whole = Path::new(argument).exists() && path != "-" && !Path::new(path).exists();
        (!whole).then(|| (label.to_owned(), path.to_owned()))
    };
    let split: Vec<(Option<String>, String)> = arguments
        .iter()
        .map(|argument| match labelled(argument) {
            Some((label, path)) => (Some(label), path),
            None => (None, argument.clone()),
        })
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, path) in split.iter().filter(|(label, _)| label.is_none()) {
        *counts.entry(path).or_default() += 1;
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let name = |(label, path): &'_ (Option<String>, String)| match label {
        Some(label) => label.clone(),
        None => path.clone(),
    };
    let mut inputs = Vec::new();
    for input in &split {
        let mut label = name(input);
        if input.0.is_none() && counts.get(input.1.as_str()).is_some_and(|n| *n > 1) {
            let number = numbers.entry(&input.1).or_default();
            label = format!("{label}#{number}");
            *number += 1;
        }
        inputs.push(Input { label, path: input.1.clone() });
    }
    inputs
}

/// The bytes of `input`.
///
/// # Errors
/// The file is missing, a folder, or cannot be read; the message names it.
pub(super) fn read(input: &Input, stdin: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    if input.path == "-" {
        let mut bytes = Vec::new();
        stdin.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(&input.path)
}

/// A file that is being read in the background.
pub(super) struct Ahead {
    /// Which one.
    pub(super) path: String,
    reading: JoinHandle<std::io::Result<Vec<u8>>>,
}

impl Ahead {
    /// Smaller files are read as fast as a thread is made, larger ones would lie in memory beside another one.
    const SIZES: RangeInclusive<u64> = (1 << 18)..=(1 << 24);

    /// Begins to read `input`, if that helps.
    pub(super) fn begin(input: &Input) -> Option<Self> {
        let metadata = std::fs::metadata(&input.path).ok().filter(std::fs::Metadata::is_file)?;
        if !Self::SIZES.contains(&metadata.len()) {
            return None;
        }
        let path = input.path.clone();
        // Made here, since the allocator gives a short-lived thread memory that nothing else will use.
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?.checked_add(1)?);
        let read = move || std::fs::File::open(path)?.read_to_end(&mut bytes).map(|_| bytes);
        let reading = std::thread::Builder::new().spawn(read).ok()?;
        Some(Self { path: input.path.clone(), reading })
    }

    /// The bytes; `None` if the thread broke.
    pub(super) fn end(self) -> Option<std::io::Result<Vec<u8>>> {
        self.reading.join().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(arguments: &[&str]) -> Vec<(String, String)> {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        inputs(&arguments).into_iter().map(|input| (input.label, input.path)).collect()
    }

    fn pair(label: &str, path: &str) -> (String, String) {
        (label.to_owned(), path.to_owned())
    }

    #[test]
    fn labels_are_taken_off_and_repeated_paths_told_apart() {
        assert_eq!(labels(&["a.txt", "new=b.txt"]), [pair("a.txt", "a.txt"), pair("new", "b.txt")]);
        assert_eq!(labels(&["a.txt", "a.txt"]), [pair("a.txt#0", "a.txt"), pair("a.txt#1", "a.txt")]);
        // A label is the user's word, whatever else is given.
        assert_eq!(
            labels(&["a.txt", "x=a.txt", "x=a.txt"]),
            [pair("a.txt", "a.txt"), pair("x", "a.txt"), pair("x", "a.txt")]
        );
        assert_eq!(labels(&["-"]), [pair("-", "-")]);
        assert_eq!(labels(&["x=-"]), [pair("x", "-")]);
    }

    #[test]
    fn a_path_may_contain_an_equals_sign() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("go=1.txt");
        std::fs::write(&path, "").expect("a file");
        let path = path.to_str().expect("a path in UTF-8");
        assert_eq!(labels(&[path]), [pair(path, path)]);
        assert_eq!(labels(&[&format!("old={path}")]), [pair("old", path)]);
    }
}
