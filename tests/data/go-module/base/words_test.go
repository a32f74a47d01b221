package words

import (
	"strconv"
	"testing"
)

func list(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "word" + strconv.Itoa(i)
	}
	return out
}

func BenchmarkJoin(b *testing.B) {
	for _, n := range []int{16, 256} {
		words := list(n)
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				Join(words)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	words := list(256)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count(words)
	}
}
