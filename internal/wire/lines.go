package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line from a server that is kept, in octets.
const MaxLine = 64 << 10

// LineReader reads lines that end in LF or CRLF, of bounded length.
type LineReader struct {
	r   *bufio.Reader
	err error // came with the last, unfinished line
}

// NewLineReader returns a LineReader on r. It reads ahead.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, MaxLine)}
}

// Next returns the next line without its end, LF or CR LF, valid until the next call. A
// line longer than [MaxLine] comes in pieces, each but the last with more set. The last
// line may lack its end; then io.EOF comes with the following call.
func (l *LineReader) Next() (line []byte, more bool, err error) {
	if l.err != nil {
		return nil, false, l.err
	}
	b, err := l.r.ReadSlice('\n')
	switch {
	case err == nil:
		return bytes.TrimSuffix(b[:len(b)-1], []byte("\r")), false, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return b, true, nil
	case len(b) > 0:
		l.err = err
		return b, false, nil
	}
	return nil, false, err
}

// Whole returns the next line, cut to [MaxLine]. A last line without its end comes with
// io.EOF or an error of the connection.
func (l *LineReader) Whole() (string, error) {
	line, more, err := l.Next()
	text := string(line)
	for more && err == nil {
		_, more, err = l.Next()
	}
	if err == nil {
		err = l.err
	}
	return text, err
}

// Cut returns why the last line of Next lacks its end, or nil.
func (l *LineReader) Cut() error { return l.err }

// Buffered returns how many octets have been read ahead.
func (l *LineReader) Buffered() int { return l.r.Buffered() }

// Reader returns a reader of the rest of the stream, including buffered octets.
func (l *LineReader) Reader() io.Reader { return l.r }
