package gopher

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
	"gofer/urlcore"
)

// menus are menus of unlimited length.
var menus = []memorygrowth.Input{
	{Name: "items", Unit: "0A\t/a#\th\t70\r\n"},
	{Name: "items of other servers", Unit: "0A\t/a\th#\t70\r\n"},
	{Name: "items of other schemes", Unit: "hA\tURL:http://h/#\th\t70\r\n"},
	{Name: "forms", Unit: "0A\t/a#\th\t70\t?\r\n"},
	{Name: "redundant servers", Unit: "+A\t/a#\th#\t70\r\n"},
	{Name: "info", Unit: "i\t\t\t\r\n"},
	{Name: "short lines", Unit: "a\n"},
	{Name: "empty lines", Unit: "\n"},
	{Name: "tabs", Unit: "\t\n"},
	{Name: "one line", Unit: "abcdefgh"},
	{Name: "one line of tabs", Unit: "1a\t"},
	{Name: "lines of CRs", Unit: "1a\t/\th\t70" + strings.Repeat("\r", 64000) + "a\n"},
	{Name: "one long name", Head: "1", Unit: "a", Tail: "\t/\th\t70\r\n"},
	{Name: "one long selector", Head: "1a\t", Unit: "a", Tail: "\th\t70\r\n"},
	{Name: "one long host", Head: "1a\t/\t", Unit: "a", Tail: "\t70\r\n"},
	{Name: "one long URL", Head: "ha\tURL:http://h/", Unit: "%", Tail: "\th\t70\r\n"},
}

// texts are texts of unlimited length.
var texts = []memorygrowth.Input{
	{Name: "text lines", Unit: "a\r\n"},
	{Name: "text in one line", Unit: "abcdefgh"},
	{Name: "doubled dots", Unit: "..\r\n", Tail: ".\r\n"},
	{Name: "doubled dots without an end", Unit: "..\r\n"},
	{Name: "dots", Unit: ".a\r\n"},
	{Name: "single dots", Unit: ".\r\n"},
	{Name: "single dots after a doubled one", Head: "..\r\n", Unit: ".\r\n"},
	{Name: "dots within lines", Unit: "a.\n.b"},
}

// blocks are attributes of unlimited length.
var blocks = []memorygrowth.Input{
	{Name: "items", Unit: "+INFO: 0A\ta\th\t70\r\n"},
	{Name: "blocks", Unit: "+A:\r\n"},
	{Name: "lines of a block", Head: "+A:\r\n", Unit: " a\r\n"},
	{Name: "views", Head: "+VIEWS:\r\n", Unit: " a/b: <1k>\r\n"},
	{Name: "one long line of a block", Head: "+A:\r\n ", Unit: "a"},
	{Name: "questions", Head: "+ASK:\r\n", Unit: " Choose: a\tb\r\n"},
}

func consumeAttributes(r io.Reader) {
	for a := range readAttributes(r) {
		_ = a.parseViews()
		b, _ := a.findBlock("ASK")
		_ = parseQuestions(b.lines)
	}
}

func consumeMenu(r io.Reader) {
	for range readMenu(context.Background(), menuSource{Reader: r}) {
	}
}

func consumeText(r io.Reader) {
	_, _ = io.Copy(io.Discard, &textReader{r: bufio.NewReaderSize(r, bufferSize)})
}

// consumeAnswer reads the start of an answer: a Gopher+ header and an error, if there are any.
func consumeAnswer(r io.Reader) {
	a := answer{Reader: bufio.NewReaderSize(r, bufferSize), size: -1}
	g := urlcore.Gopher{Type: '0'}
	_ = a.readHeader(g)
	_ = a.readFailure(g)
}

func testGrowth(f func(in memorygrowth.Input, limit int, read func(string))) {
	each := func(limit int, inputs []memorygrowth.Input, read func(io.Reader)) {
		for _, in := range inputs {
			f(in, limit, func(text string) { read(strings.NewReader(text)) })
			in.Name += ", octet by octet"
			f(in, limit, func(text string) { read(iotest.OneByteReader(strings.NewReader(text))) })
		}
	}
	each(150, menus, consumeMenu)
	each(40, texts, consumeText)
	each(40, blocks, consumeAttributes)
	each(20, []memorygrowth.Input{
		{Name: "error menu", Head: "3no\t\t\t1\r\n", Unit: "i\t\t\t1\r\n"},
		{Name: "error menu with remarks", Head: "3no\t\t\t1\r\n", Unit: "iA remark of more than 32 octets\t\tnull.host\t1\r\n"},
		{Name: "error in words", Head: textNotFound, Unit: "a"},
		{Name: "header of digits", Head: "+", Unit: "1"},
		{Name: "refusal", Head: "--1\r\n1 ", Unit: "a\n"},
	}, consumeAnswer)
}

func TestGrowth(t *testing.T) {
	testGrowth(func(in memorygrowth.Input, limit int, read func(string)) { memorygrowth.Check(t, in, limit, read) })
}

// TestKeptNotes checks that no note holds on to the long line from which it was read.
func TestKeptNotes(t *testing.T) {
	long := strings.Repeat(" ", 60_000)
	for _, in := range []memorygrowth.Input{
		{Name: "item with a mark", Unit: "0A" + long + "\t/a#\th\t70\t+\r\n"},
		{Name: "redundant server", Unit: "0A\t/a#\th\t70\t+\r\n+A" + long + "\t/a\th#\t70\r\n"},
		{Name: "URL", Unit: "hA" + long + "\tURL:http://h/#\th\t70\r\n"},
		{Name: "terminal service", Unit: "8A\ta#\th\t23\t" + long + "\r\n"},
	} {
		memorygrowth.CheckKept(t, in, func(r io.Reader) (notes []protocols.Note) {
			for line := range readMenu(context.Background(), menuSource{Reader: r}) {
				if line.Note != nil {
					notes = append(notes, line.Note)
				}
			}
			return notes
		})
	}
	attributes := memorygrowth.Input{
		Name: "attributes",
		Unit: "+INFO: 0A\ta#\th\t70\r\n+VIEWS:\r\n Text/plain En_US: <1k>\r\n+ABSTRACT:\r\n a\r\n+OTHER:\r\n " + long + "\r\n",
	}
	memorygrowth.CheckKept(t, attributes, func(r io.Reader) (notes []protocols.Note) {
		for a := range readAttributes(r) {
			var w attributeWriter
			w.writeItem(a)
			for _, l := range w.lines {
				if l.Note != nil {
					notes = append(notes, l.Note)
				}
			}
		}
		return notes
	})
}
