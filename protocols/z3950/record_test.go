package z3950

import (
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/testbed/fetchtest"
)

// taggedElement returns an element of GRS-1 with a name, or with a number of the set G.
func taggedElement(name string, number int, content string) string {
	tag := ber.Leaf(ber.General, name)
	if name == "" {
		tag = ber.Number(2, number)
	}
	return ber.Group(ber.Sequence, ber.Number(1, 2), ber.Group(2, tag), ber.Group(4, content))
}

func subtree(parts ...string) string { return ber.Group(6, ber.Group(ber.Sequence, parts...)) }

// TestSummaries checks what a list shows of a record.
func TestSummaries(t *testing.T) {
	text := func(s string) string { return ber.Leaf(ber.General, s) }
	generic := func(parts ...string) string { return ber.Group(0, ber.Group(ber.Sequence, parts...)) }
	for _, tt := range []struct{ name, syntax, content, title, author, id string }{
		{"text", "101", ber.Group(0, text("\n First \nSecond")), "First", "", ""},
		{"Dublin Core", "109.10", ber.Leaf(1, "<dc><title>A title.</title><creator>An author</creator></dc>"), "A title", "An author", ""},
		{"MARCXML", "109.10", ber.Leaf(1, `<r><leader>0</leader><controlfield tag="001">7</controlfield><datafield tag="245"><subfield code="a">A title /</subfield></datafield></r>`), "A title", "", "7"},
		{"XML in Latin-1", "109.10", ber.Leaf(1, `<?xml version="1.0" encoding="ISO-8859-1"?><r><title>Caf`+"\xe9</title></r>"), "Café", "", ""},
		{"XML without a title", "109.10", ber.Leaf(1, "<a> <b>first</b> <c>second</c></a>"), "first", "", ""},
		{"HTML", "109.3", ber.Leaf(1, "<!doctype html>\n<html><head><meta http-equiv=refresh content='0'><title>A title</title><p>text"), "A title", "", ""},
		{"HTML in Latin-1", "109.3", ber.Leaf(1, "<title>Caf\xe9</title>"), "Café", "", ""},
		{"GRS-1", "105", generic(taggedElement("", 2, text("An author")), taggedElement("", 1, text("A title"))), "A title", "An author", ""},
		{"GRS-1 by names", "105", generic(taggedElement("Title", 0, text("A title"))), "A title", "", ""},
		{"GRS-1 of MARC", "105", generic(taggedElement("001", 0, text("7")), taggedElement("245", 0, subtree(taggedElement("a", 0, text("A title /"))))), "A title", "", "7"},
		{
			"GRS-1 of MARCXML", "105", generic(
				taggedElement("leader", 0, text("00282nam")), taggedElement("controlfield", 0, text("7")), taggedElement("datafield", 0, subtree(taggedElement("subfield", 0, text("first")))),
			), "first", "", "",
		},
	} {
		reply, _ := ber.Parse([]byte(recordsReply(external(tt.syntax, tt.content))))
		a, err := readAnswer(reply, 1, asSent)
		fetchtest.NoError(t, err)
		got := a.records[0].summarize()
		fetchtest.Equal(t, got.title+"|"+got.author+"|"+got.id, tt.title+"|"+tt.author+"|"+tt.id, "the title, author and id of %s", tt.name)
	}
}

// TestTreeSize checks that the text of a record is not much larger than the record: neither by its depth nor by its line ends.
func TestTreeSize(t *testing.T) {
	content := subtree(taggedElement("", 1, ber.Leaf(ber.General, strings.Repeat("\n", 1000)+"x")))
	for range 6 {
		content = subtree(taggedElement("", 1, content))
	}
	tree, ok := ber.Parse([]byte(ber.Group(ber.Sequence, taggedElement("", 1, content))))
	if got := len(record{syntax: grs1, tree: tree}.body()); !ok || got > 4000 {
		t.Errorf("got %d octets (parsed: %t), want at most 4000", got, ok)
	}
}
