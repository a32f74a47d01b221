// Package index finds words.
package index

// Index knows where each word stands.
type Index struct {
	words []string
}

// New makes an index of the words.
func New(words []string) *Index {
	return &Index{append([]string(nil), words...)}
}

// Find is the place of a word, or -1.
func (x *Index) Find(word string) int {
	for i, other := range x.words {
		if other == word {
			return i
		}
	}
	return -1
}
