// Package words joins and counts words.
package words

import "strings"

// Join puts the words together, with a blank between them.
func Join(words []string) string {
	return strings.Join(words, " ")
}

// Count is the number of bytes in all words.
func Count(words []string) int {
	n := 0
	for _, w := range words {
		n += len(w)
	}
	return n
}
