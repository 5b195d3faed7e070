package document

import "io"

// Save writes the exact octets of the document to w, and returns their number. A write error is returned unchanged.
func (d *Document) Save(w io.Writer) (int64, error) {
	return io.CopyBuffer(onlyWriter{w}, d, make([]byte, blockSize(d.Size)))
}

// blockSize returns the number of octets to read at a time when a document is saved. The parameter
// size is the size of the document, or -1 if it is unknown. With large blocks the program wakes
// less often.
func blockSize(size int64) int64 {
	const least, limit = 16 << 10, 256 << 10
	if size < 0 || size > limit {
		return limit
	}
	return max(size, least)
}

// onlyWriter hides the ReadFrom method of a writer, so that io.CopyBuffer writes blocks of a bounded
// size.
type onlyWriter struct{ io.Writer }
