// Package codec reads records.
package codec

func decode(record []byte) error {
	sum := byte(0)
	for _, b := range record {
		sum += b
	}
	_ = sum
	return nil
}
