package document

import (
	"strings"
	"unicode/utf8"

	"gofer/protocols"
)

// paragraphJoiner joins the rows of each paragraph in format=flowed (RFC 3676).
type paragraphJoiner struct {
	next  func(protocols.Line, error) bool
	delSp bool
	part  []byte // the text joined so far
	depth int    // quote depth of the paragraph
	rows  int    // number of rows joined so far
	open  bool
}

func (f *paragraphJoiner) addLine(l protocols.Line, err error) bool {
	depth := len(l.Text) - len(strings.TrimLeft(l.Text, ">"))
	rest := strings.TrimPrefix(l.Text[depth:], " ")
	sig := rest == "-- "
	if f.open && (depth != f.depth || sig || len(f.part) > maxLine) && !f.flush() {
		return false
	}
	if !f.open {
		f.part, f.depth, f.rows = append(f.part[:0], l.Text[:depth]...), depth, 0
		if depth > 0 && rest != "" {
			f.part = append(f.part, ' ')
		}
	}
	f.part = append(f.part, rest...)
	f.rows++
	f.open = true
	if !strings.HasSuffix(rest, " ") || sig {
		return f.flush()
	}
	if f.delSp {
		f.part = f.part[:len(f.part)-1]
	}
	return true
}

func (f *paragraphJoiner) flush() bool {
	if !f.open {
		return true
	}
	f.open = false
	l := protocols.Line{Text: string(f.part)}
	if f.rows > 1 {
		l.Note = new(protocols.Hypertext)
	}
	return f.next(l, nil)
}

// flowedWidth is the length, in characters, up to which breakRows fills a row. A row with a single
// long word may be longer.
const flowedWidth = 72

// breakRows breaks a paragraph into rows without breaking words. All rows except the last end
// in a space, so that format=flowed joins them again.
func breakRows(text string) (rows []string) {
	mark := QuoteMark(text)
	row, n := mark, len(mark)
	for word := range strings.SplitAfterSeq(strings.TrimRight(text[len(mark):], " "), " ") {
		length := utf8.RuneCountInString(word)
		if row != mark && n+utf8.RuneCountInString(strings.TrimRight(word, " ")) > flowedWidth && !strings.HasPrefix(word, " ") && !strings.HasPrefix(word, ">") && !strings.HasSuffix(row, "-- ") {
			rows = append(rows, row)
			row, n = mark, len(mark)
		}
		row += word
		n += length
	}
	return append(rows, row)
}
