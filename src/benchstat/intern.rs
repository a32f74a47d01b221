//! Texts as numbers.

use super::hash::FastMap;
use std::sync::Arc;

/// A text that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// The empty text.
    pub(super) const EMPTY: Self = Self(0);

    /// Its number: symbols are numbered from 0 without gaps.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All texts that were seen.
#[derive(Debug)]
pub(super) struct Interner {
    numbers: FastMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
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
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, symbol);
        symbol
    }

    /// The text of `symbol`.
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", |text| text)
    }
}
