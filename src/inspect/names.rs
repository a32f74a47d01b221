//! Names of functions: as a person writes them, as symbols spell them.

use super::TEXT_LIMIT;

/// What a name stands for among symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resolved {
    /// The symbol with this index.
    One(usize),
    /// None has that name.
    None,
    /// Several have: these.
    Several(Vec<usize>),
}

/// Finds `wanted` among `symbols`: the symbol of exactly that name, or the only one whose name ends with it. Type
/// arguments, parameters and hashes need not be written.
pub(super) fn resolve(wanted: &str, symbols: &[&str]) -> Resolved {
    let wanted = &*wanted.replace("[...]", "");
    let whole: Vec<usize> = (0..symbols.len()).filter(|&i| !is_split(symbols[i])).collect();
    let plain: Vec<String> = symbols.iter().map(|symbol| plain(symbol)).collect();
    // A package without a name may be any.
    let unnamed = |i: usize, wanted: &str| symbols[i].strip_prefix("\"\".") == Some(wanted);
    let tiers: [&dyn Fn(usize) -> bool; 6] = [
        &|i| symbols[i] == wanted,
        &|i| unnamed(i, wanted),
        &|i| unnamed(i, &wanted[package(wanted).len()..]),
        &|i| plain[i] == wanted,
        &|i| ends_with(symbols[i], wanted),
        &|i| ends_with(&plain[i], wanted),
    ];
    for tier in tiers {
        let found: Vec<usize> = whole.iter().copied().filter(|&i| tier(i)).collect();
        match found[..] {
            [] => {}
            [one] => return Resolved::One(one),
            _ => return generic(found, symbols),
        }
    }
    Resolved::None
}

/// Of several instances of one generic Go function, all but one may be wrappers around the one with the code.
fn generic(found: Vec<usize>, symbols: &[&str]) -> Resolved {
    let mut bodies = found.iter().filter(|&&i| symbols[i].contains("go.shape."));
    match (bodies.next(), bodies.next()) {
        (Some(one), None) => Resolved::One(*one),
        _ => Resolved::Several(found),
    }
}

/// Whether `name` ends with `end`, and something ends where that begins: a package, a type, a return type.
fn ends_with(name: &str, end: &str) -> bool {
    let Some(rest) = name.strip_suffix(end) else { return false };
    !end.is_empty() && rest.ends_with(['.', '/', ':', ' '])
}

/// Whether a symbol is a part that a C or C++ compiler split off: never what a name alone stands for.
fn is_split(symbol: &str) -> bool {
    symbol.contains(" [clone ")
}

/// `symbol` without what a person would leave out: hash, parameters, type arguments.
fn plain(symbol: &str) -> String {
    let mut name = without_hash(symbol).to_owned();
    let qualified = ["const", "volatile", "&", "&&", "noexcept"];
    while let Some(end) =
        qualified.iter().find_map(|word| name.strip_suffix(word)).filter(|rest| rest.ends_with([' ', ')']))
    {
        name = end.trim_end().to_owned();
    }
    // The parameters of C++; a Go symbol does not end with them.
    if name.ends_with(')')
        && let Some(open) = opening(&name, '(', ')')
        && open > 0
    {
        name.truncate(open);
    }
    if name.ends_with('>')
        && !name.contains("operator")
        && let Some(open) = opening(&name, '<', '>')
        && open > 0
    {
        name.truncate(open);
    }
    let name = name.strip_suffix("::").unwrap_or(&name);
    without_self_type(&without_arguments(name))
}

/// The index of the bracket that the last character closes.
fn opening(name: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in name.char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Without Go's type arguments (`Map[go.shape.int]`) and Rust's (`generic::<T>`).
fn without_arguments(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let (open, close, skip) = if rest.starts_with("::<") { ('<', '>', 2) } else { ('[', ']', 0) };
        if rest[skip..].starts_with(open)
            && (open == '<' || kept.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            && let Some(length) = closing(&rest[skip..], open, close)
            && length > 2
        {
            rest = &rest[skip + length..];
            continue;
        }
        kept.push(c);
        rest = &rest[c.len_utf8()..];
    }
    kept
}

/// The length of the bracketed text at the start of `text`.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

/// Rust's newer symbols write `<codec::Decoder>::step` for an inherent method.
fn without_self_type(name: &str) -> String {
    if name.starts_with('<')
        && let Some(length) = closing(name, '<', '>')
        && name[length..].starts_with("::")
        && !name[..length].contains(" as ")
    {
        return format!("{}{}", &name[1..length - 1], &name[length..]);
    }
    name.to_owned()
}

/// Without the hash at the end of Rust's older symbols: `::h` and sixteen digits.
pub(super) fn without_hash(symbol: &str) -> &str {
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    match symbol.rsplit_once("::h") {
        Some((name, hash)) if is_hash(hash) => name,
        _ => symbol,
    }
}

/// What makes `symbol` a part of function `of`: `-fm`, `.func1`, `.cold`. `None` if it is none.
pub(super) fn part_of<'s>(symbol: &'s str, of: &str) -> Option<&'s str> {
    const KINDS: [&str; 13] = [
        "-fm",
        "-range",
        ".func",
        ".gowrap",
        ".deferwrap",
        ".cold",
        ".part.",
        ".constprop.",
        ".isra.",
        ".llvm.",
        " [clone ",
        "::{{closure}}",
        "::{closure",
    ];
    let part = without_hash(symbol).strip_prefix(without_hash(of))?;
    KINDS.iter().any(|kind| part.starts_with(kind)).then_some(part)
}

/// The last identifier of a name: what a symbol that stands for it must contain.
pub(super) fn identifier(name: &str) -> &str {
    let mut name = without_hash(name).trim_end();
    for (open, close) in [('(', ')'), ('<', '>'), ('[', ']')] {
        if name.ends_with(close)
            && !name.ends_with("operator()")
            && let Some(at) = opening(name, open, close)
            && at > 0
        {
            name = &name[..at];
        }
    }
    let name = name.strip_suffix("-fm").unwrap_or(name);
    let end = name.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    let end = if end.is_empty() { name } else { end };
    let start = end.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
    &end[start.map_or(0, |at| at + end[at..].chars().next().map_or(1, char::len_utf8))..]
}

/// The Go package of a symbol with its dot (`example.org/codec.`), or nothing.
pub(super) fn package(symbol: &str) -> &str {
    let end = symbol.find(['(', '[', '"']).unwrap_or(symbol.len());
    let slash = symbol[..end].rfind('/').map_or(0, |at| at + 1);
    symbol[slash..end].find('.').map_or("", |dot| &symbol[..slash + dot + 1])
}

/// `text` without the mentions of its own Go package: what is left is the same after the package was renamed.
pub(super) fn without_package(text: &str, package: &str) -> String {
    let text = text.replace("\"\".", "");
    if package.is_empty() {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(package) {
        kept.push_str(&rest[..at]);
        // Not the end of another package's path.
        if kept.ends_with(|c: char| c.is_alphanumeric() || "_/.-".contains(c)) {
            kept.push_str(package);
        }
        rest = &rest[at + package.len()..];
    }
    kept.push_str(rest);
    kept
}

/// A name or a line of at most [`TEXT_LIMIT`] bytes.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= TEXT_LIMIT {
        return text.to_owned();
    }
    let mut end = TEXT_LIMIT - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_name_wins_over_those_that_end_with_it() {
        let go = ["m/codec.Step", "m/codec.(*Decoder).Step", "m/codec.(*Decoder).Step-fm", "other.(*Decoder).Step"];
        assert_eq!(resolve("m/codec.(*Decoder).Step", &go), Resolved::One(1));
        assert_eq!(resolve("codec.(*Decoder).Step", &go), Resolved::One(1));
        assert_eq!(resolve("(*Decoder).Step", &go), Resolved::Several(vec![1, 3]));
        assert_eq!(resolve("(*Decoder).Step-fm", &go), Resolved::One(2));
        assert_eq!(resolve("ecoder).Step", &go), Resolved::None);
        assert_eq!(resolve("work", &["ns::work", "work"]), Resolved::One(1));
    }

    #[test]
    fn parameters_hashes_and_type_arguments_need_not_be_written() {
        let cpp = ["codec::Decoder::step(int, char const*)", "codec::Decoder::step(int, char const*) [clone .cold]"];
        assert_eq!(resolve("Decoder::step", &cpp), Resolved::One(0));
        let two = ["ns::f(int)", "ns::f(char)", "void ns::g<int>(int)", "(anonymous namespace)::h() const"];
        assert_eq!(resolve("ns::f", &two), Resolved::Several(vec![0, 1]));
        assert_eq!(resolve("ns::f(char)", &two), Resolved::One(1));
        assert_eq!(resolve("ns::g", &two), Resolved::One(2));
        assert_eq!(resolve("h", &two), Resolved::One(3));
        let old = ["codec::Decoder::step::h2bf660a2524fa07a", "codec::Decoder::step::{{closure}}::hf99303a0e6059ace"];
        assert_eq!(resolve("codec::Decoder::step", &old), Resolved::One(0));
        let new =
            ["<codec::Decoder>::step", "<codec::Decoder as codec::Read>::read", "codec::generic::<codec::Decoder>"];
        assert_eq!(resolve("Decoder::step", &new), Resolved::One(0));
        assert_eq!(resolve("<codec::Decoder as codec::Read>::read", &new), Resolved::One(1));
        assert_eq!(resolve("codec::generic", &new), Resolved::One(2));
        let generic =
            ["m.Map[go.shape.int,go.shape.string]", "m.Map[int,string]", "m.(*List[go.shape.struct { A int }]).Push"];
        assert_eq!(resolve("m.Map", &generic), Resolved::One(0));
        assert_eq!(resolve("(*List).Push", &generic), Resolved::One(2));
    }

    #[test]
    fn old_listings_do_not_name_their_package() {
        assert_eq!(resolve("(*Decoder).step", &["\"\".(*Decoder).step"]), Resolved::One(0));
        assert_eq!(resolve("m/cbor.(*Decoder).step", &["\"\".(*Decoder).step"]), Resolved::One(0));
        assert_eq!(resolve("(*Decoder).step", &["\"\".step"]), Resolved::None);
    }

    #[test]
    fn closures_and_split_parts_belong_to_their_function() {
        assert_eq!(part_of("m.(*D).step-fm", "m.(*D).step"), Some("-fm"));
        assert_eq!(part_of("m.Use.func1.2", "m.Use"), Some(".func1.2"));
        assert_eq!(part_of("work.cold", "work"), Some(".cold"));
        assert_eq!(part_of("a::f::{{closure}}::h231f93a5dd92c191", "a::f::h6a0096834c4c7a6d"), Some("::{{closure}}"));
        assert_eq!(part_of("m.Used", "m.Use"), None);
    }

    #[test]
    fn identifiers_and_packages() {
        for (name, identifier_, package_) in [
            ("github.com/a/b.c/cbor.(*Decoder).step", "step", "github.com/a/b.c/cbor."),
            ("(*Decoder).step-fm", "step", ""),
            ("main.work", "work", "main."),
            ("m.Map[go.shape.int]", "Map", "m."),
            ("ns::f(int, char)", "f", ""),
            ("<a::B as c::D>::read", "read", ""),
        ] {
            assert_eq!((identifier(name), package(name)), (identifier_, package_), "{name}");
        }
        assert_eq!(without_package("CALL a/b.f(SB) x/a/b.f \"\".g", "a/b."), "CALL f(SB) x/a/b.f g");
    }
}
