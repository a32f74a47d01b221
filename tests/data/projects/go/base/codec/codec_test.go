package codec

import "testing"

func BenchmarkDecode(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if err := decode(make([]byte, 64)); err != nil {
			b.Fatal(err)
		}
	}
}
