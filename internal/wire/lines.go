package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the maximal length of a line from a server, in octets.
const MaxLine = 64 << 10

// LineReader reads lines of bounded length that end in LF or CRLF.
type LineReader struct {
	r   *bufio.Reader
	err error // the error that ended the last line, which is incomplete
}

// NewLineReader returns a LineReader on r. It reads ahead.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, MaxLine)}
}

// Next returns the next line without its end, LF or CR LF. The line is valid until the next call. A
// line longer than [MaxLine] is returned in pieces, with partial set for all but the last piece.
// The last line may lack its end. The following call then returns the error that ended the line, such
// as io.EOF.
func (l *LineReader) Next() (line []byte, partial bool, err error) {
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

// ReadLine returns the next line, cut to [MaxLine]. If the last line lacks its end, ReadLine
// returns the line together with io.EOF or an error of the connection.
func (l *LineReader) ReadLine() (string, error) {
	line, partial, err := l.Next()
	text := string(line)
	for partial && err == nil {
		_, partial, err = l.Next()
	}
	if err == nil {
		err = l.err
	}
	return text, err
}

// LineError returns the error that ended the last line of Next, or nil if the line was complete.
func (l *LineReader) LineError() error { return l.err }

// Buffered returns the number of octets read ahead.
func (l *LineReader) Buffered() int { return l.r.Buffered() }

// Reader returns a reader of the rest of the stream, including buffered octets.
func (l *LineReader) Reader() io.Reader { return l.r }
