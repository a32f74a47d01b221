use super::*;

#[test]
fn dump() {
    let Ok(paths) = std::env::var("FX") else { return };
    for path in paths.split('\n').filter(|path| !path.is_empty()) {
        let bytes = std::fs::read(path).unwrap();
        let files = BTreeMap::new();
        let forced = std::env::var("FORMAT").unwrap_or("auto".to_owned());
        println!("=== {path}");
        match parse(&forced, &Input { stdout: &bytes, files: &files }) {
            Ok((format, parsed)) => {
                println!("{format}");
                for row in parsed.measurements.iter().take(60) {
                    let mut sorted = row.values.clone();
                    sorted.sort_by(f64::total_cmp);
                    println!(
                        "  [{}] {} | {} = {:e} n={} it={:?} l={}",
                        row.id.package, row.id.name, row.unit, sorted[sorted.len() / 2], row.values.len(), row.iterations, row.line
                    );
                }
                for failure in &parsed.failures { println!("  {:?}", failure); }
                for (unit, hint) in &parsed.units { println!("  {unit}: {hint:?}"); }
                for warning in &parsed.warnings { println!("  warning {warning:?}"); }
            }
            Err(error) => println!("ERROR {error}"),
        }
    }
}
