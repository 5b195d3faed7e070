package gopher

import (
	"bytes"
	"io"
	"strings"

	"gofer/internal/wire"
)

// menuLineEnds reads a menu without the byte order mark before its first line. If the lines of the menu end in CR
// alone, as in files of the classic Mac OS, menuLineEnds reads LF in place of CR.
type menuLineEnds struct {
	r     io.Reader
	begun bool   // begin has been read
	begin []byte // octets read to find how the first line ends
	cr    bool   // the lines end in CR
	err   error
}

func (m *menuLineEnds) Read(p []byte) (int, error) {
	if !m.begun {
		m.readBegin(min(len(p), wire.MaxLine))
	}
	if len(m.begin) == 0 && m.err == nil {
		n, err := m.r.Read(p)
		m.begin, m.err = p[:n], err
	}
	n := copy(p, m.begin)
	if m.cr {
		for i, c := range p[:n] {
			if c == '\r' {
				p[i] = '\n'
			}
		}
	}
	if m.begin = m.begin[n:]; len(m.begin) > 0 {
		return n, nil
	}
	m.begin = nil
	return n, m.err
}

// readBegin reads up to the end of the first line, or up to n octets.
func (m *menuLineEnds) readBegin(n int) {
	buf := make([]byte, 0, n)
	for m.begun = true; m.err == nil && len(buf) < n && !m.knowsEnd(buf); {
		var got int
		got, m.err = m.r.Read(buf[len(buf):n])
		buf = buf[:len(buf)+got]
	}
	m.begin = bytes.TrimPrefix(buf, []byte("\uFEFF"))
	if bytes.IndexByte(buf, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(buf, "\r"), '\r') >= 0 {
		m.cr = true
	}
}

// knowsEnd reports whether b shows how the first line ends: b has a LF, or a whole item before a CR and another
// octet after it.
func (m *menuLineEnds) knowsEnd(b []byte) bool {
	if bytes.IndexByte(b, '\n') >= 0 {
		return true
	}
	i := bytes.IndexByte(b, '\r')
	return i >= 0 && i+1 < len(b) && b[i+1] != '\r' && bytes.Count(b[:i], []byte("\t")) >= 3
}

// itemEnd returns the index of the CR between the first item of line and another item, or -1. A CR before the host
// may be part of a title or a selector, but no host and no port contains a CR.
func itemEnd(line string) int {
	if strings.IndexByte(line, '\r') < 0 {
		return -1
	}
	tabs, all := 0, strings.Count(line, "\t")
	for i := range len(line) {
		switch {
		case line[i] == '\t':
			tabs++
		case line[i] == '\r' && tabs >= 3 && all-tabs >= 3:
			return i
		}
	}
	return -1
}
