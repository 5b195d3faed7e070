package cli

import (
	"io"
	"slices"
	"unicode/utf8"

	"gofer/internal/text/clean"
)

// inASCII returns p for a terminal that does not show UTF-8 and could take octets above ASCII for
// control characters. Standard output that is no terminal stays UTF-8.
func (p *Program) inASCII() *Program {
	q := *p
	q.Err = &asciiWriter{w: p.Err}
	if isTerminal(p.Out) {
		q.Out = &asciiWriter{w: p.Out}
	}
	return &q
}

type asciiWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

func (a *asciiWriter) Write(p []byte) (int, error) {
	b := slices.Concat(a.rest, p)
	end := len(b)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			end = i
		}
	}
	a.rest = b[end:]
	if _, err := io.WriteString(a.w, clean.ASCII(string(b[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
