package document

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestBlockSize(t *testing.T) {
	for size, want := range map[int64]int64{
		-1: 256 << 10, 0: 16 << 10, 1: 16 << 10, 100_000: 100_000, 256 << 10: 256 << 10, 1 << 30: 256 << 10,
	} {
		fetchtest.Equal(t, blockSize(size), want, "a document of %d octets: the block", size)
	}
}
