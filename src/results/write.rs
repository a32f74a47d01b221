//! Writing a file so that it is there whole or not at all.

use super::Results;
use std::io::Write;
use std::path::Path;

/// Writes results as JSON: first beside the target, then in its place.
///
/// # Errors
/// When the folder cannot be written to; what was there before stays.
pub fn write(path: &Path, results: &Results) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut std::io::BufWriter::new(&mut file), results)?;
    file.write_all(b"\n")?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}
