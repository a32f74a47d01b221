//! Rust, C, C++: symbols by `nm`, code by GNU `objdump`.

use super::{FILES_LIMIT, LISTING_LIMIT, Look, Refusal, ambiguous};
use crate::inspect::Tool;
use crate::inspect::code::Function;
use crate::inspect::names::{self, Resolved};
use crate::inspect::objdump::{self, Slot};
use crate::measure::exec::ExecError;
use std::collections::{BTreeMap, BTreeSet};

/// A symbol of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

impl Look<'_> {
    pub(super) fn native(&mut self) -> Result<(), ExecError> {
        let files = match self.executables()? {
            Ok(files) => files,
            Err(refusal) => {
                self.refuse(Tool::Objdump, &refusal);
                return Ok(());
            }
        };
        if files.is_empty() {
            self.note("no executable was found, so there is no function to show; `metrics` can name one".to_owned());
            return Ok(());
        }
        let symbols = match self.symbols(&files)? {
            Ok(symbols) => symbols,
            Err(refusal) => {
                self.refuse(Tool::Objdump, &refusal);
                return Ok(());
            }
        };
        for wanted in self.functions.clone() {
            self.look_for(&wanted, &files, &symbols)?;
        }
        Ok(())
    }

    /// Executables, the most likely ones first: those that the configuration names, then by name, of files that differ only
    /// in cargo's hash the newest.
    fn executables(&mut self) -> Result<Result<Vec<String>, Refusal>, ExecError> {
        let script = format!(
            r#"{named}target=${{CARGO_TARGET_DIR:-target}}
{{ for folder in "$target/release/deps" "$target/release/examples" "$target/release"; do
    [ -d "$folder" ] && find "$folder" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) -exec ls -td {{}} +
  done
  find . -maxdepth 8 \( -name .git -o -name node_modules -o -path "$target" -o -path ./target -o -name CMakeFiles \) -prune -o -type f \( -perm -u+x -o -name '*.so' \) -exec ls -td {{}} +
}} 2>/dev/null | head -n 2000 | while IFS= read -r file; do
  head -c 4 "$file" | grep -q ELF && printf 'found %s\n' "$file"
done
true"#,
            named = super::existing("named", &self.named_files()),
        );
        let answer = self.ask(&["nm", "objdump", "find"], &script, 1 << 20)?;
        Ok(answer.outcome.map(|()| executables(&answer.text)))
    }

    /// The symbols of each file that may be a wanted function.
    fn symbols(&mut self, files: &[String]) -> Result<Result<Vec<Vec<Symbol>>, Refusal>, ExecError> {
        let identifiers: BTreeSet<&str> = self.functions.iter().map(|function| names::identifier(function)).collect();
        let patterns: String =
            identifiers.iter().map(|identifier| format!(" -e {}", shell_words::quote(identifier))).collect();
        let files: String = files.iter().map(|file| format!(" {}", shell_words::quote(file))).collect();
        let script = format!(
            "number=0\nfor file in{files}; do\n\
             \x20 printf '== %s\\n' \"$number\"; number=$((number+1))\n\
             \x20 {{ nm -C -S --defined-only -- \"$file\"; nm -D -C -S --defined-only -- \"$file\"; }} 2>/dev/null | grep -F{patterns} | head -n 5000\n\
             done\ntrue"
        );
        let answer = self.ask(&["nm"], &script, LISTING_LIMIT)?;
        Ok(answer.outcome.map(|()| symbols(&answer.text)))
    }

    fn look_for(&mut self, wanted: &str, files: &[String], symbols: &[Vec<Symbol>]) -> Result<(), ExecError> {
        let mut similar: BTreeSet<&str> = BTreeSet::new();
        for (file, symbols) in files.iter().zip(symbols) {
            let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
            match names::resolve(wanted, &names) {
                Resolved::One(one) => return self.disassemble(wanted, file, &symbols[one], &names),
                Resolved::Several(several) => {
                    let several: Vec<&str> = several.iter().map(|&index| names[index]).collect();
                    self.note(ambiguous(wanted, Tool::Objdump, file, &several));
                    return Ok(());
                }
                Resolved::None => similar.extend(names.iter().filter(|name| name.contains(names::identifier(wanted)))),
            }
        }
        let looked = if files.len() == 1 { "1 executable".to_owned() } else { format!("{} executables", files.len()) };
        let similar: Vec<&str> = similar.into_iter().take(4).collect();
        let hint = if similar.is_empty() {
            "inlined functions and stripped files have no symbol".to_owned()
        } else {
            format!("similar: {}", similar.join(", "))
        };
        self.note(format!("no function `{wanted}` in {looked}; {hint}"));
        Ok(())
    }

    fn disassemble(&mut self, wanted: &str, file: &str, symbol: &Symbol, all: &[&str]) -> Result<(), ExecError> {
        if symbol.size == 0 {
            self.note(format!("`{wanted}` has no size in {file}, so nobody knows where it ends"));
            return Ok(());
        }
        let quoted = shell_words::quote(file);
        let end = symbol.address.saturating_add(symbol.size);
        let command =
            format!("objdump -d -C -w --start-address={:#x} --stop-address={end:#x} -- {quoted}", symbol.address);
        let answer = self.ask(&["objdump"], &command, LISTING_LIMIT)?;
        if let Err(refusal) = &answer.outcome {
            self.refuse(Tool::Objdump, refusal);
            return Ok(());
        }
        let Some(mut function) = merged(objdump::parse(&answer.text), &symbol.name) else {
            self.note(format!("`objdump -d` shows no code of `{wanted}` in {file}"));
            return Ok(());
        };
        self.name_slots(&mut function, &quoted)?;
        let parts = all.iter().map(|name| (*name).to_owned()).collect();
        self.found.listings.push(function.listing(wanted, Tool::Objdump, file, &parts));
        Ok(())
    }

    /// Finds out which functions are called through pointers that the loader fills in.
    fn name_slots(&mut self, function: &mut Function, file: &str) -> Result<(), ExecError> {
        let wanted: BTreeSet<u64> = function.instructions.iter().filter_map(|instruction| instruction.slot).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let command = format!("objdump -R -C -w -- {file} | grep -E {}", addresses(&wanted));
        let answer = self.ask(&["objdump"], &command, 1 << 20)?;
        let slots: Vec<(u64, Slot)> =
            objdump::slots(&answer.text).into_iter().filter(|(slot, _)| wanted.contains(slot)).collect();
        let own: BTreeSet<u64> = slots
            .iter()
            .filter_map(|(_, slot)| match slot {
                Slot::Address(address) => Some(*address),
                Slot::Name(_) => None,
            })
            .collect();
        let mut known: BTreeMap<u64, String> = BTreeMap::new();
        if !own.is_empty() {
            let command = format!("nm -C -S --defined-only -- {file} | grep -E {}", addresses(&own));
            let answer = self.ask(&["nm"], &command, 1 << 20)?;
            known.extend(symbols(&format!("== 0\n{}", answer.text)).concat().into_iter().map(|s| (s.address, s.name)));
        }
        for (slot, target) in slots {
            let name = match target {
                Slot::Name(name) => Some(name),
                Slot::Address(address) => known.get(&address).map(|name| objdump::function_name(name)),
            };
            if let Some(name) = name {
                function.name_slot(slot, &name);
            }
        }
        Ok(())
    }
}

/// A quoted regular expression for lines that begin with one of `addresses`.
fn addresses(addresses: &BTreeSet<u64>) -> String {
    let alternatives: Vec<String> = addresses.iter().map(|address| format!("{address:x}")).collect();
    shell_words::quote(&format!("^0*({}) ", alternatives.join("|"))).into_owned()
}

/// A listing of one range as one function: other symbols at the same place have heads of their own.
fn merged(functions: Vec<Function>, symbol: &str) -> Option<Function> {
    let mut functions = functions.into_iter();
    let mut whole = functions.next()?;
    for function in functions {
        whole.instructions.extend(function.instructions);
        whole.bytes = whole.bytes.zip(function.bytes).map(|(a, b)| a + b);
    }
    symbol.clone_into(&mut whole.symbol);
    (!whole.instructions.is_empty()).then_some(whole)
}

/// The files of a list, without repetitions.
fn executables(list: &str) -> Vec<String> {
    let mut named: Vec<&str> = Vec::new();
    let mut found: Vec<(&str, &str)> = Vec::new();
    for line in list.lines() {
        match line.split_once(' ') {
            Some(("named", path)) if !named.contains(&path) => named.push(path),
            Some(("found", path)) if !found.iter().any(|(stem, _)| *stem == without_hash(path)) => {
                found.push((without_hash(path), path));
            }
            _ => {}
        }
    }
    found.sort_unstable();
    let found = found.into_iter().map(|(_, path)| path).filter(|path| !named.contains(path));
    named.iter().copied().chain(found).take(FILES_LIMIT).map(str::to_owned).collect()
}

/// A path without the hash that cargo ends file names with.
fn without_hash(path: &str) -> &str {
    match path.rsplit_once('-') {
        Some((stem, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => stem,
        _ => path,
    }
}

/// The symbols of code in the output of `nm -S`, file by file.
fn symbols(text: &str) -> Vec<Vec<Symbol>> {
    let mut files: Vec<BTreeSet<Symbol>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("== ") {
            files.push(BTreeSet::new());
        } else if let (Some(file), Some(symbol)) = (files.last_mut(), symbol(line)) {
            file.insert(symbol);
        }
    }
    files.into_iter().map(|symbols| symbols.into_iter().collect()).collect()
}

/// `00000000000011a0 000000000000009d T work`; without a size the second number is missing.
fn symbol(line: &str) -> Option<Symbol> {
    let (address, rest) = line.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (first, others) = rest.split_once(' ')?;
    let (size, kind, name) = match u64::from_str_radix(first, 16) {
        Ok(size) if first.len() > 1 => others.split_once(' ').map(|(kind, name)| (size, kind, name))?,
        _ => (0, first, others),
    };
    matches!(kind, "T" | "t" | "W" | "w" | "i").then(|| Symbol { address, size, name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_files_that_differ_in_their_hash_the_newest_is_taken() {
        let list = "found t/release/deps/decode-00112233aabbccdd\nfound t/release/deps/app\nnamed ./x\n\
                    found t/release/deps/decode-ffffffffffffffff\nfound ./x\n";
        assert_eq!(executables(list), ["./x", "t/release/deps/app", "t/release/deps/decode-00112233aabbccdd"]);
    }

    #[test]
    fn only_code_is_a_function() {
        let text = "== 0\n0000000000003dc0 0000000000000018 d msgs\n00000000000011a0 000000000000009d T work\n\
                    0000000000001080 0000000000000005 t work.cold\n00000000000010b0 T a(b, c)\n== 1\n";
        let files = symbols(text);
        let names: Vec<(&str, u64)> = files[0].iter().map(|symbol| (symbol.name.as_str(), symbol.size)).collect();
        assert_eq!(names, [("work.cold", 5), ("a(b, c)", 0), ("work", 157)]);
        assert!(files[1].is_empty());
    }
}
