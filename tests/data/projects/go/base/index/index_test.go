package index_test

import (
	"os"
	"strings"
	"testing"

	"example.com/acme/store/index"
)

// The file is beside the test: benchmarks run in their package's folder.
func words(b *testing.B) []string {
	text, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		b.Fatal(err)
	}
	return strings.Fields(string(text))
}

func BenchmarkFind(b *testing.B) {
	all := words(b)
	x := index.New(all)
	for _, word := range []string{"w4000", "w6000"} {
		b.Run(word, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if x.Find(word) < 0 {
					b.Fatal("not found")
				}
			}
		})
	}
}
