//! Texts as numbers.

use super::hash::FastMap;

/// A text that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// The empty text.
    pub(super) const EMPTY: Self = Self(0);
}

/// All texts that were seen.
#[derive(Debug)]
pub(super) struct Interner {
    numbers: FastMap<Box<str>, Symbol>,
    texts: Vec<Box<str>>,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Self { numbers: FastMap::default(), texts: Vec::new() };
        let _ = interner.get("");
        interner
    }
}

impl Interner {
    /// The symbol of `text`.
    pub(super) fn get(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.numbers.get(text) {
            return *symbol;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.into());
        self.numbers.insert(text.into(), symbol);
        symbol
    }

    /// The text of `symbol`.
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", |text| text)
    }
}
