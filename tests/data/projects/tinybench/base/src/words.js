/** The first of each word. */
export function unique(words) {
  const out = []
  for (const word of words) if (!out.includes(word)) out.push(word)
  return out
}

/** Where a word stands. */
export function find(index, word) {
  return index.get(word)
}
