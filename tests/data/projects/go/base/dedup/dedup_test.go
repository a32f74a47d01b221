package dedup

import (
	"strconv"
	"testing"
)

func BenchmarkUnique(b *testing.B) {
	words := make([]string, 4000)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Unique(words)
	}
}
