// Package index finds words.
package index

// Index knows where each word stands.
type Index struct {
	places map[string]int
}

// New makes an index of the words.
func New(words []string) *Index {
	places := make(map[string]int, len(words))
	for i, word := range words {
		places[word] = i
	}
	return &Index{places}
}

// Find is the place of a word, or -1.
func (x *Index) Find(word string) int {
	if i, ok := x.places[word]; ok {
		return i
	}
	return -1
}
