//! Projections: what makes a table, a row, a column, and in which order they come.

use super::filter::{Filter, Key};
use super::hash::FastMap;
use super::intern::{Interner, Symbol};
use super::order::{self, Order};
use super::syntax::{Kind, SyntaxError, Token, Tokens, quoted};
use crate::format::go::name;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One result, as far as projections and filters look at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation<'o> {
    /// The label of the input.
    pub(super) file: &'o str,
    /// The configuration in force, in the order of first setting.
    pub(super) configuration: &'o [(&'o str, &'o str)],
    /// The name without `Benchmark`, with its suffix.
    pub(super) name: &'o str,
}

/// A distinct combination of a projection's values. Keys of one projection are equal if all their values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct KeyId(u32);

/// What is taken from results, and the combinations seen so far.
#[derive(Debug)]
pub(super) struct Projection {
    sources: Vec<Source>,
    /// Fields by their place in a combination.
    fields: Vec<Field>,
    shared: Arc<Shared>,
    combinations: FastMap<Box<[Symbol]>, KeyId>,
    keys: Vec<Box<[Symbol]>>,
    row: Vec<Symbol>,
    unit_field: Option<usize>,
}

/// Keys that some projection names by themselves, so that the groups leave them out.
#[derive(Debug, Default)]
struct Shared {
    configuration: BTreeSet<String>,
    subs: Vec<String>,
    name: bool,
}

/// Where values come from.
#[derive(Debug)]
enum Source {
    /// One value into one field.
    One(Key, usize),
    /// The whole name without the parts that are named elsewhere.
    FullName(usize),
    /// Every configuration key into a field of its own, made when it is first seen.
    Configuration { order: Order, fields: Vec<(String, usize)> },
    /// The unit, which the caller gives.
    Unit,
}

#[derive(Debug)]
struct Field {
    name: String,
    order: Order,
    /// Ranks of values by first appearance; `None` for fields of a group, which are not tracked: they sort by text.
    seen: Option<Ranks>,
}

/// Ranks of values, by the number of their symbol.
#[derive(Debug, Default)]
struct Ranks {
    by_symbol: Vec<Option<u32>>,
    next: u32,
}

impl Ranks {
    /// Ranks `symbol` behind all others, unless it has a rank.
    fn see(&mut self, symbol: Symbol) {
        let at = symbol.index();
        if self.by_symbol.len() <= at {
            self.by_symbol.resize(at + 1, None);
        }
        if self.by_symbol[at].is_none() {
            self.by_symbol[at] = Some(self.next);
            self.next += 1;
        }
    }

    fn rank(&self, symbol: Symbol) -> Option<u32> {
        self.by_symbol.get(symbol.index()).copied().flatten()
    }
}

/// Reads a set of projections that share the keys of results among them.
#[derive(Debug, Default)]
pub(super) struct Parser {
    shared: Shared,
    has_configuration: bool,
    has_full_name: bool,
}

impl Parser {
    /// Reads `query`. What a fixed order excludes is added to `filter`. With `unit`, the projection also tells units apart.
    pub(super) fn parse(&mut self, query: &str, filter: &mut Filter, unit: bool) -> Result<Draft, SyntaxError> {
        let mut draft = Draft::default();
        let tokens = Tokens::new(query);
        // All of it is read before any of it is understood: what breaks the grammar is told first.
        for asked in read(tokens)? {
            self.field(tokens, asked, &mut draft, filter)?;
        }
        if unit {
            draft.unit_field = Some(draft.field(".unit", Order::First));
            draft.sources.push(Source::Unit);
        }
        Ok(draft)
    }

    /// The projection of everything that no projection so far looks at.
    pub(super) fn residue(&self) -> Draft {
        let mut draft = Draft::default();
        if !self.has_configuration {
            draft.sources.push(Source::Configuration { order: Order::First, fields: Vec::new() });
        }
        if !self.has_full_name {
            let field = draft.field(".fullname", Order::First);
            draft.sources.push(Source::FullName(field));
        }
        draft
    }

    /// Ends reading: drafts become projections.
    pub(super) fn finish<const N: usize>(self, drafts: [Draft; N]) -> [Projection; N] {
        let shared = Arc::new(self.shared);
        drafts.map(|draft| Projection {
            sources: draft.sources,
            row: vec![Symbol::EMPTY; draft.fields.len()],
            fields: draft.fields,
            shared: Arc::clone(&shared),
            combinations: FastMap::default(),
            keys: Vec::new(),
            unit_field: draft.unit_field,
        })
    }

    fn field(
        &mut self,
        tokens: Tokens<'_>,
        asked: Asked,
        draft: &mut Draft,
        filter: &mut Filter,
    ) -> Result<(), SyntaxError> {
        let Asked { key, order } = asked;
        let (order, fixed) = match order {
            AskedOrder::None => (Order::First, None),
            AskedOrder::Named(name) => match name.text.as_str() {
                "alpha" => (Order::Alphabetic, None),
                "num" => (Order::Numeric, None),
                // The words by which the other orders are known inside are no names that a user can give, except this.
                "first" => (Order::First, None),
                other => return Err(tokens.error(&name, format!("unknown order {}", quoted(other)))),
            },
            AskedOrder::Fixed(open, _) if key.text == ".config" => {
                return Err(tokens.error(&open, "fixed order not allowed for .config"));
            }
            AskedOrder::Fixed(_, values) => (Order::Fixed(values.clone()), Some(values)),
        };
        match key.text.as_str() {
            ".config" => {
                self.has_configuration = true;
                draft.sources.push(Source::Configuration { order, fields: Vec::new() });
                return Ok(());
            }
            ".unit" => return Err(tokens.error(&key, ".unit is only allowed in filters")),
            ".fullname" => {
                self.has_full_name = true;
                let field = draft.field(".fullname", order);
                draft.sources.push(Source::FullName(field));
            }
            word => {
                match word {
                    ".name" => self.shared.name = true,
                    _ if word.starts_with('/') => self.shared.subs.push(word.to_owned()),
                    _ => {
                        self.shared.configuration.insert(word.to_owned());
                    }
                }
                let source = Key::new(word).map_err(|message| tokens.error(&key, message))?;
                let field = draft.field(word, order);
                draft.sources.push(Source::One(source, field));
            }
        }
        if let (Some(values), Ok(key)) = (fixed, Key::new(&key.text)) {
            filter.and_one_of(key, values);
        }
        Ok(())
    }
}

/// A key of a projection with its order, as it stands there.
struct Asked {
    key: Token,
    order: AskedOrder,
}

/// What follows a key.
enum AskedOrder {
    /// Nothing: values come in the order of first appearance.
    None,
    /// `@name`.
    Named(Token),
    /// `@(value …)`: the parenthesis, the values.
    Fixed(Token, Vec<String>),
}

/// The keys of a projection.
fn read(mut tokens: Tokens<'_>) -> Result<Vec<Asked>, SyntaxError> {
    let mut all = Vec::new();
    loop {
        match tokens.peek()?.kind {
            Kind::End => return Ok(all),
            Kind::Operator(',') if !all.is_empty() => {
                tokens.next()?;
            }
            _ => {}
        }
        let key = tokens.next()?;
        if !matches!(key.kind, Kind::Word) {
            return Err(tokens.error(&key, "expected key"));
        }
        let order = read_order(&mut tokens)?;
        all.push(Asked { key, order });
    }
}

/// A projection whose parser may still learn keys that it must leave out.
#[derive(Debug, Default)]
pub(super) struct Draft {
    sources: Vec<Source>,
    fields: Vec<Field>,
    unit_field: Option<usize>,
}

impl Draft {
    fn field(&mut self, name: &str, order: Order) -> usize {
        let seen = matches!(order, Order::First).then(Ranks::default);
        self.fields.push(Field { name: name.to_owned(), order, seen });
        self.fields.len() - 1
    }
}

/// `@name` or `@(value …)` after a key.
fn read_order(tokens: &mut Tokens<'_>) -> Result<AskedOrder, SyntaxError> {
    if !tokens.peek()?.is_operator('@') {
        return Ok(AskedOrder::None);
    }
    tokens.next()?;
    let token = tokens.next()?;
    match token.kind {
        Kind::Word => Ok(AskedOrder::Named(token)),
        Kind::Operator('(') => {
            let mut values = Vec::new();
            loop {
                let value = tokens.next()?;
                match value.kind {
                    Kind::Word => values.push(value.text),
                    Kind::Operator(')') if values.is_empty() => {
                        return Err(tokens.error(&value, "nothing to match"));
                    }
                    Kind::Operator(')') => return Ok(AskedOrder::Fixed(token, values)),
                    _ => return Err(tokens.error(&value, "missing )")),
                }
            }
        }
        _ => Err(tokens.error(&token, "expected named sort order or parenthesized list")),
    }
}

impl Projection {
    /// Whether keys depend on the name of a benchmark, not on input and configuration alone.
    pub(super) fn looks_at_names(&self) -> bool {
        self.sources.iter().any(|source| {
            matches!(source, Source::FullName(_) | Source::One(Key::Name | Key::FullName | Key::Sub(_), _))
        })
    }

    /// The key of `observation`, its unit left empty.
    pub(super) fn project(&mut self, observation: &Observation<'_>, symbols: &mut Interner) -> KeyId {
        self.populate(observation, symbols);
        self.key()
    }

    /// Reads `observation` for [`Projection::key_of_unit`].
    pub(super) fn populate(&mut self, observation: &Observation<'_>, symbols: &mut Interner) {
        self.row.fill(Symbol::EMPTY);
        for source in &mut self.sources {
            match source {
                Source::One(key, field) => self.row[*field] = symbols.get(key.value(observation)),
                Source::FullName(field) => self.row[*field] = symbols.get(&self.shared.full_name(observation.name)),
                Source::Unit => {}
                Source::Configuration { order, fields } => {
                    // Keys mostly come in the order in which their fields were made, so the next one is tried first.
                    let mut next = 0;
                    for (key, value) in observation.configuration {
                        let at = if fields.get(next).is_some_and(|(k, _)| k == key) {
                            Some(next)
                        } else {
                            fields.iter().position(|(k, _)| k == key)
                        };
                        next = at.map_or(next, |at| at + 1);
                        let field = match at.map(|at| fields[at].1) {
                            Some(field) => field,
                            None if self.shared.configuration.contains(*key) => continue,
                            None => {
                                self.fields.push(Field { name: (*key).to_owned(), order: order.clone(), seen: None });
                                self.row.push(Symbol::EMPTY);
                                fields.push(((*key).to_owned(), self.fields.len() - 1));
                                self.fields.len() - 1
                            }
                        };
                        self.row[field] = symbols.get(value);
                    }
                }
            }
        }
    }

    /// The key of the observation read last, with `unit`.
    pub(super) fn key_of_unit(&mut self, unit: Symbol) -> KeyId {
        if let Some(field) = self.unit_field {
            self.row[field] = unit;
        }
        self.key()
    }

    fn key(&mut self) -> KeyId {
        // Fields are added while reading: a key from before must equal the same key from after.
        let used = self.row.iter().rposition(|s| *s != Symbol::EMPTY).map_or(0, |last| last + 1);
        let row = &self.row[..used];
        if let Some(key) = self.combinations.get(row) {
            return *key;
        }
        for (at, field) in self.fields.iter_mut().enumerate() {
            if let Some(seen) = &mut field.seen {
                seen.see(row.get(at).copied().unwrap_or(Symbol::EMPTY));
            }
        }
        let key = KeyId(u32::try_from(self.keys.len()).unwrap_or(u32::MAX));
        self.keys.push(row.into());
        self.combinations.insert(row.into(), key);
        key
    }

    /// The names of the fields in the order in which keys sort and are shown, with their places; the unit left out.
    pub(super) fn shown(&self) -> Vec<(usize, &str)> {
        let named = |at: usize| (at, self.fields[at].name.as_str());
        let mut shown = Vec::new();
        for source in &self.sources {
            match source {
                Source::One(_, field) | Source::FullName(field) => shown.push(named(*field)),
                Source::Configuration { fields, .. } => shown.extend(fields.iter().map(|(_, field)| named(*field))),
                Source::Unit => {}
            }
        }
        shown
    }

    /// Whether field `at` is of the group of all configuration, not asked for by itself.
    pub(super) fn is_grouped(&self, at: usize) -> bool {
        self.sources.iter().any(|source| {
            matches!(source, Source::Configuration { fields, .. } if fields.iter().any(|(_, field)| *field == at))
        })
    }

    /// The value of field `at` in `key`.
    pub(super) fn value(&self, key: KeyId, at: usize) -> Symbol {
        self.keys[key.0 as usize].get(at).copied().unwrap_or(Symbol::EMPTY)
    }

    /// The unit of `key`.
    pub(super) fn unit(&self, key: KeyId) -> Symbol {
        self.unit_field.map_or(Symbol::EMPTY, |field| self.value(key, field))
    }

    /// Writes texts of keys.
    pub(super) fn texts<'p>(&'p self, symbols: &'p Interner) -> Texts<'p> {
        Texts { projection: self, fields: self.shown().into_iter().map(|(at, _)| at).collect(), symbols }
    }

    /// The values of `key`, those that are not empty, separated by blanks.
    pub(super) fn text(&self, key: KeyId, symbols: &Interner) -> String {
        let mut text = String::new();
        self.texts(symbols).write(&mut text, key);
        text
    }

    /// Puts `keys` into the order of the projection's fields.
    pub(super) fn sort(&self, keys: &mut [KeyId], symbols: &Interner) {
        let mut fields: Vec<usize> = self.shown().into_iter().map(|(at, _)| at).collect();
        fields.extend(self.unit_field);
        keys.sort_by(|a, b| self.compare(&fields, *a, *b, symbols));
    }

    fn compare(&self, fields: &[usize], a: KeyId, b: KeyId, symbols: &Interner) -> Ordering {
        for &at in fields {
            let (left, right) = (self.value(a, at), self.value(b, at));
            if left == right {
                continue;
            }
            let field = &self.fields[at];
            let ranked = match (&field.order, &field.seen) {
                (Order::First, Some(seen)) => seen.rank(left).cmp(&seen.rank(right)),
                (Order::First, None) => Ordering::Equal,
                (order, _) => order::compare(order, symbols.text(left), symbols.text(right)),
            };
            return ranked.then_with(|| symbols.text(left).cmp(symbols.text(right)));
        }
        Ordering::Equal
    }

    /// The places of the fields in which `a` and `b` differ.
    pub(super) fn differing(&self, a: KeyId, b: KeyId) -> Vec<usize> {
        (0..self.fields.len()).filter(|at| self.value(a, *at) != self.value(b, *at)).collect()
    }
}

/// Writes texts of a projection's keys.
pub(super) struct Texts<'p> {
    projection: &'p Projection,
    fields: Vec<usize>,
    symbols: &'p Interner,
}

impl Texts<'_> {
    /// Appends the values of `key`, those that are not empty, separated by blanks.
    pub(super) fn write(&self, text: &mut String, key: KeyId) {
        let begin = text.len();
        for at in &self.fields {
            let value = self.symbols.text(self.projection.value(key, *at));
            if !value.is_empty() {
                if text.len() > begin {
                    text.push(' ');
                }
                text.push_str(value);
            }
        }
    }
}

impl Shared {
    /// `full` without the parts that projections name by themselves. They are taken out, not blanked, so that names with
    /// and without such a part fall together; a base that is named elsewhere becomes `*`.
    fn full_name<'n>(&self, full: &'n str) -> std::borrow::Cow<'n, str> {
        if self.subs.is_empty() && !self.name {
            return full.into();
        }
        let mut rest = String::with_capacity(full.len());
        let base = if full.contains('/') { name::base(full) } else { name::split_procs(full).0 };
        rest.push_str(if self.name { "*" } else { base });
        for part in name::parts(full) {
            let named = |key: &String| {
                part.strip_prefix(key.as_str()).is_some_and(|value| value.starts_with('='))
                    || key == "/gomaxprocs" && part.starts_with('-')
            };
            if !self.subs.iter().any(named) {
                rest.push_str(part);
            }
        }
        rest.into()
    }
}

#[cfg(test)]
mod tests;
