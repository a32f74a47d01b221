//! Go: the test binaries that setup built, and the compiler's own listing.

use super::{Answer, FILES_LIMIT, LISTING_LIMIT, Look, Refusal};
use crate::inspect::names;
use crate::inspect::{Tool, compiler, goobjdump};
use crate::measure::exec::ExecError;
use std::collections::BTreeSet;

/// Most packages whose tests are built only to be looked at.
const BUILDS_LIMIT: usize = 8;

/// Where the functions may be.
#[derive(Debug, Default)]
struct Places {
    /// Binaries.
    files: Vec<String>,
    /// Folders of packages that declare a function of such a name.
    declaring: Vec<String>,
    /// Folders of packages with benchmarks.
    benchmarks: Vec<String>,
}

impl Look<'_> {
    pub(super) fn go(&mut self) -> Result<(), ExecError> {
        let script = self.list_script();
        let list = self.ask(&["go"], &script, 1 << 20)?;
        if let Err(refusal @ (Refusal::NoTool | Refusal::NoTime)) = &list.outcome {
            self.refuse(Tool::GoObjdump, refusal);
            return Ok(());
        }
        let places = places(&list.text);
        self.binaries(&places)?;
        self.compiler(&places)?;
        self.tell_missing(&places);
        Ok(())
    }

    /// Prints binaries, and packages that declare a function of a wanted name or have benchmarks.
    fn list_script(&self) -> String {
        let identifiers: BTreeSet<&str> = self.functions.iter().map(|function| source_identifier(function)).collect();
        let identifiers: Vec<String> = identifiers.into_iter().map(regex::escape).collect();
        let declaration = format!("^func (\\([^)]*\\) *)?({}) *[[(]", identifiers.join("|"));
        let declaration = shell_words::quote(&declaration);
        format!(
            r#"{named}for file in .bench-bot/*.test; do [ -f "$file" ] && printf 'file %s\n' "$file"; done
find . -maxdepth 6 \( -name .git -o -name .bench-bot -o -name node_modules \) -prune -o -type f -name '*.test' -perm -u+x -print 2>/dev/null | head -n {FILES_LIMIT} | sed 's/^/file /'
go list -e -f '{{{{.Dir}}}}' ./... 2>/dev/null | while IFS= read -r folder; do
  if grep -qsE {declaration} "$folder"/*.go; then printf 'declares %s\n' "$folder"; fi
  if grep -qs '^func Benchmark' "$folder"/*_test.go; then printf 'benchmarks %s\n' "$folder"; fi
done
true"#,
            named = super::existing("file", &self.named_files()),
        )
    }

    /// Disassembles binaries until every function was found; builds them where setup left none.
    fn binaries(&mut self, places: &Places) -> Result<(), ExecError> {
        let filter = format!("-s {}", shell_words::quote(&self.filter()));
        for file in &places.files {
            if self.complete(Tool::GoObjdump) {
                return Ok(());
            }
            let answer =
                self.ask(&["go"], &format!("go tool objdump {filter} {}", shell_words::quote(file)), LISTING_LIMIT)?;
            if !self.take(&answer, file) {
                return Ok(());
            }
        }
        if !places.files.is_empty() {
            return Ok(());
        }
        let folders: Vec<&String> = places.declaring.iter().chain(&places.benchmarks).collect();
        for folder in folders.into_iter().take(BUILDS_LIMIT) {
            if self.complete(Tool::GoObjdump) {
                return Ok(());
            }
            let quoted = shell_words::quote(folder);
            let build = format!(
                "binary=$(mktemp \"${{TMPDIR:-/tmp}}/bench-bot-inspect.XXXXXX\") || exit 1\n\
                 trap 'rm -f \"$binary\"' EXIT\n\
                 go test -c -o \"$binary\" {quoted} </dev/null >&2 || exit 1\n\
                 [ -s \"$binary\" ] || exit 0\n\
                 go tool objdump {filter} \"$binary\""
            );
            let answer = self.ask(&["go"], &build, LISTING_LIMIT)?;
            if !self.take(&answer, &format!("go test -c {folder}")) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Keeps what a disassembly showed; whether there is use in trying another file.
    fn take(&mut self, answer: &Answer, origin: &str) -> bool {
        match &answer.outcome {
            Ok(()) => self.keep(&goobjdump::parse(&answer.text), Tool::GoObjdump, origin),
            // A script is no binary, and a package's tests may not build: the next one may do.
            Err(Refusal::Failed(words)) if words.contains("unrecognized object file") => {}
            Err(refusal) => {
                self.refuse(Tool::GoObjdump, refusal);
                return *refusal != Refusal::NoTime && *refusal != Refusal::NoTool;
            }
        }
        true
    }

    /// The regular expression over symbols: the functions and their closures, whatever their package and type arguments.
    fn filter(&self) -> String {
        let name = |function: &String| {
            regex::escape(function).replace("\\[\\.\\.\\.\\]", "(\\[.*\\])?").replace("\\)", "(\\[.*\\])?\\)")
        };
        let names: Vec<String> = self.functions.iter().map(name).collect();
        format!("(^|[./])({})($|[-.[])", names.join("|"))
    }

    /// The listing of the compiler, which also has functions that the linker left out.
    fn compiler(&mut self, places: &Places) -> Result<(), ExecError> {
        let identifiers: Vec<&str> = self.functions.iter().map(|function| source_identifier(function)).collect();
        let wanted = shell_words::quote(&identifiers.join("\n")).into_owned();
        for folder in places.declaring.iter().take(BUILDS_LIMIT) {
            if self.complete(Tool::GoCompiler) {
                break;
            }
            // Of a package's listing, which may be huge, only functions with such a name are kept.
            let script = format!(
                r##"export wanted={wanted}
{{ go build -o /dev/null -gcflags=-S {folder} </dev/null 2>&1; echo "exit $?"; }} | awk '
  BEGIN {{ n = split(ENVIRON["wanted"], names, "\n") }}
  /^exit [0-9]+$/ {{ code = substr($0, 6); next }}
  /^# / {{ print; next }}
  /^[^\t]/ {{ on = 0; last = $0; if (/ STEXT /) for (i = 1; i <= n; i++) if (index($0, names[i])) on = 1 }}
  on {{ print }}
  END {{ if (code != 0) print last > "/dev/stderr"; exit (code != 0) }}'"##,
                folder = shell_words::quote(folder),
            );
            let answer = self.ask(&["go", "awk"], &script, LISTING_LIMIT)?;
            match &answer.outcome {
                Ok(()) => self.keep(&compiler::parse(&answer.text), Tool::GoCompiler, folder),
                Err(refusal) => self.refuse(Tool::GoCompiler, refusal),
            }
        }
        Ok(())
    }

    fn tell_missing(&mut self, places: &Places) {
        for function in self.functions.clone() {
            let told = self.found.notes.iter().any(|note| note.contains(&format!("`{function}`")));
            if told || self.has(&function, Tool::GoObjdump) || self.has(&function, Tool::GoCompiler) {
                continue;
            }
            let (files, packages) = (places.files.len(), places.declaring.len());
            self.note(format!(
                "no function `{function}` in {files} {} and {packages} {} that declare such a name",
                if files == 1 { "binary" } else { "binaries" },
                if packages == 1 { "package" } else { "packages" },
            ));
        }
    }
}

fn places(list: &str) -> Places {
    let mut places = Places::default();
    for line in list.lines() {
        let (kind, path) = line.split_once(' ').unwrap_or((line, ""));
        let places = match kind {
            "file" => &mut places.files,
            "declares" => &mut places.declaring,
            "benchmarks" => &mut places.benchmarks,
            _ => continue,
        };
        if !path.is_empty() && places.len() < FILES_LIMIT && !places.iter().any(|place| place == path) {
            places.push(path.to_owned());
        }
    }
    places
}

/// The name under which the source declares a function, or the one that it is a closure of.
fn source_identifier(function: &str) -> &str {
    let mut name = function;
    while let Some((of, part)) = name.rsplit_once('.') {
        let numbered =
            ["func", "gowrap", "deferwrap"].iter().any(|kind| part.starts_with(kind) && part.len() > kind.len());
        if !(numbered || part.bytes().all(|b| b.is_ascii_digit())) || of.is_empty() {
            break;
        }
        name = of;
    }
    names::identifier(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_declared_with_their_function() {
        for (function, identifier) in [
            ("(*Decoder).step", "step"),
            ("m/codec.Use.func1.2", "Use"),
            ("codec.(*Decoder).step-fm", "step"),
            ("codec.Map[...]", "Map"),
            ("func1", "func1"),
        ] {
            assert_eq!(source_identifier(function), identifier);
        }
    }

    #[test]
    fn places_are_told_once() {
        let places = places("file a b.test\nfile a b.test\ndeclares /m/x\nnonsense\nbenchmarks /m/x\nfile \n");
        assert_eq!((places.files, places.declaring), (vec!["a b.test".to_owned()], vec!["/m/x".to_owned()]));
        assert_eq!(places.benchmarks, ["/m/x"]);
    }
}
