/** The first of each word. */
export function unique(words) {
  return [...new Set(words)]
}

/** Where a word stands. */
export function find(index, word) {
  return [...index].find(([other]) => other === word)?.[1]
}
