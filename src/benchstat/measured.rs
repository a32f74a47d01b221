//! Telling bench-bot's own results from plain files.

use super::error::CompareError;
use super::input::Input;
use std::io::Read;

/// A file of results that bench-bot measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredFile {
    /// Its path.
    pub path: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// How much of a file is looked at.
const LOOKED_AT: u64 = 2048;

/// The inputs if they are results that bench-bot measured, `None` if they are plain files.
pub(super) fn read(inputs: &[Input]) -> Result<Option<Vec<MeasuredFile>>, CompareError> {
    let measured = inputs.iter().filter(|input| is_measured(input)).count();
    if measured == 0 {
        return Ok(None);
    }
    if measured < inputs.len() {
        return Err(CompareError::Usage(
            "results that bench-bot measured hold both sides in blocks and cannot be compared with plain files: name them \
             alone"
                .to_owned(),
        ));
    }
    let whole = |input: &Input| match std::fs::read(&input.path) {
        Ok(bytes) => Ok(MeasuredFile { path: input.path.clone(), bytes }),
        Err(error) => Err(CompareError::Read { path: input.path.clone(), error: error.to_string() }),
    };
    inputs.iter().map(whole).collect::<Result<Vec<_>, _>>().map(Some)
}

/// Whether a file begins like `results.json`. One that cannot be read is told later, by whoever reads it.
fn is_measured(input: &Input) -> bool {
    // A pipe, such as the shell's `<(…)`, can be read only once.
    if input.path == "-" || !std::fs::metadata(&input.path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let Ok(file) = std::fs::File::open(&input.path) else { return false };
    if file.take(LOOKED_AT).read_to_end(&mut head).is_err() {
        return false;
    }
    let head = String::from_utf8_lossy(&head);
    let has = |key: &str| head.contains(key);
    head.trim_start().starts_with('{') && has("\"schema\"") && has("\"commits\"") && has("\"config_hash\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_from_plain_files_and_never_mixed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            Input { label: name.to_owned(), path: path.to_string_lossy().into_owned() }
        };
        let results = file("results.json", r#"{"schema":1,"tool":"bench-bot 0.1.0","commits":{},"config_hash":""}"#);
        let plain = file("old.txt", "BenchmarkX 1 2 ns/op\n");
        let other = file("other.json", r#"{"schema":1}"#);
        let missing = Input { label: "x".to_owned(), path: "/nowhere/x".to_owned() };
        assert_eq!(read(&[plain.clone(), other, missing]), Ok(None));
        let found = read(std::slice::from_ref(&results)).expect("results").expect("results");
        assert_eq!(found.len(), 1);
        assert!(found[0].bytes.starts_with(b"{\"schema\""));
        assert!(matches!(read(&[results, plain]), Err(CompareError::Usage(_))));
    }
}
