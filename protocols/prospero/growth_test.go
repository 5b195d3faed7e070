package prospero

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
)

// answers are answers that may have any length, because Unit can be repeated.
var answers = []memorygrowth.Input{
	{Name: "links", Unit: "LINK L FILE a INTERNET-D h ASCII /a# 0\n"},
	{Name: "attributes of one link", Head: "LINK L FILE a INTERNET-D h ASCII /a 0\n", Unit: "ATTRIBUTE LINK FIELD FILTER #\n"},
	{
		Name: "methods of one link", Head: "LINK L FILE a INTERNET-D h ASCII /a 0\n",
		Unit: "ATTRIBUTE LINK FIELD ACCESS-METHOD AFTP '' '' '' /#\n",
	},
	{Name: "filters", Unit: "LINK L FILE a INTERNET-D h ASCII /a 0\nATTRIBUTE LINK FIELD FILTER FILTER a b c d\n"},
	{Name: "one long token", Head: "LINK ", Unit: "a"},
	{Name: "one long name", Head: "LINK L FILE '", Unit: "''", Tail: "' INTERNET-D h ASCII /a 0\n"},
	{Name: "many tokens", Head: "LINK", Unit: " a"},
	{Name: "empty tokens", Head: "LINK", Unit: " ''"},
	{Name: "quotes in a token", Unit: "'a'b"},
	{Name: "empty lines", Unit: "\r\n"},
	{Name: "blanks", Unit: " "},
	{Name: "carriage returns", Unit: "\r"},
}

// consumeAnswer reads an answer and formats the lines of its links.
func consumeAnswer(r io.Reader) {
	var l *link
	for lines := newReader(r); ; {
		s, _, err := lines.next(isContents)
		if next, ok := parseLink(s); l != nil && (err != nil || ok) {
			_ = l.makeLine(here)
			l = next
		} else if ok {
			l = next
		} else if l != nil && isAttribute(s) {
			l.add(s)
		}
		if err != nil {
			return
		}
	}
}

func testGrowth(f func(in memorygrowth.Input, read func(string))) {
	for _, in := range answers {
		f(in, func(text string) { consumeAnswer(strings.NewReader(text)) })
		in.Name += ", octet by octet"
		f(in, func(text string) { consumeAnswer(iotest.OneByteReader(strings.NewReader(text))) })
	}
}

func TestGrowth(t *testing.T) {
	testGrowth(func(in memorygrowth.Input, read func(string)) { memorygrowth.Check(t, in, 150, read) })
}

// TestKeptNotes checks that no note holds on to the long statement from which it was read.
func TestKeptNotes(t *testing.T) {
	in := memorygrowth.Input{
		Name: "links",
		Unit: "LINK L" + strings.Repeat(" ", 60_000) + "FILE a INTERNET-D h ASCII /a# 0\nATTRIBUTE LINK FIELD OWNER me#\n",
	}
	memorygrowth.CheckKept(t, in, func(r io.Reader) (notes []protocols.Note) {
		for lines := newReader(r); ; {
			s, _, err := lines.next(isContents)
			if err != nil {
				return notes
			}
			if l, ok := parseLink(s); ok {
				notes = append(notes, l.makeLine(here).Note)
			}
		}
	})
}
