// Package dedup drops words that were there before.
package dedup

// Unique keeps the first of each word.
func Unique(words []string) []string {
	var out []string
next:
	for _, word := range words {
		for _, other := range out {
			if other == word {
				continue next
			}
		}
		out = append(out, word)
	}
	return out
}
