package cli

import (
	"io"
	"slices"
	"unicode/utf8"

	"gofer/internal/text/clean"
)

// withASCIIOutput returns a copy of p that writes ASCII, for terminals that do not show UTF-8 and may take octets
// above ASCII for control characters. A standard output that is not a terminal still gets UTF-8.
func (p *Program) withASCIIOutput() *Program {
	q := *p
	q.Err = &asciiWriter{w: p.Err}
	if isTerminal(p.Out) {
		q.Out = &asciiWriter{w: p.Out}
	}
	return &q
}

type asciiWriter struct {
	w           io.Writer
	partialRune []byte // the first octets of an incomplete character
}

func (a *asciiWriter) Write(p []byte) (int, error) {
	b := slices.Concat(a.partialRune, p)
	end := len(b)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			end = i
		}
	}
	a.partialRune = b[end:]
	if _, err := io.WriteString(a.w, clean.ASCII(string(b[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
