// Package dedup drops words that were there before.
package dedup

// Unique keeps the first of each word.
func Unique(words []string) []string {
	seen := make(map[string]bool, len(words))
	var out []string
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}
