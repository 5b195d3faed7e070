package document

import (
	"strings"

	"gofer/protocols"
)

// unflow joins the paragraphs of format=flowed (RFC 3676).
type unflow struct {
	next  func(protocols.Line, error) bool
	delSp bool
	part  []byte // joined so far
	depth int    // of its quote
	open  bool
}

func (f *unflow) line(l protocols.Line, err error) bool {
	depth := len(l.Text) - len(strings.TrimLeft(l.Text, ">"))
	rest := strings.TrimPrefix(l.Text[depth:], " ")
	sig := rest == "-- "
	if f.open && (depth != f.depth || sig || len(f.part) > maxLine) && !f.flush() {
		return false
	}
	if !f.open {
		f.part, f.depth = append(f.part[:0], l.Text[:depth]...), depth
		if depth > 0 && rest != "" {
			f.part = append(f.part, ' ')
		}
	}
	f.part = append(f.part, rest...)
	if strings.HasSuffix(rest, " ") && !sig {
		if f.delSp {
			f.part = f.part[:len(f.part)-1]
		}
		f.open = true
		return true
	}
	f.open = true
	return f.flush()
}

func (f *unflow) flush() bool {
	if !f.open {
		return true
	}
	f.open = false
	return f.next(protocols.Line{Text: string(f.part)}, nil)
}
