package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestTableWidthInBlocks checks that the rows of a table in a list or a quote fit in the width of the table.
func TestTableWidthInBlocks(t *testing.T) {
	row := "<table><tr><td>" + strings.Repeat("word ", 12) + "<td>" + strings.Repeat("place ", 8) + "</table>"
	for _, page := range []string{"<blockquote>" + row, "<ul><li>" + row, "<ul><li>a<ol><li>" + row} {
		d := fetchtest.Must(Open(protocols.Head{Media: "text/html"}, strings.NewReader(page)))(t)
		d.TableWidth = 40
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			if w := displaywidth.String(l.Text); w > 40 {
				t.Errorf("%.20s: the row %q is %d cells wide, want at most 40", page, l.Text, w)
			}
		}
	}
}

// TestLongOpenCell checks that an overlong cell is shown as text, together with the rest of the page,
// whichever tag follows the cell.
func TestLongOpenCell(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("words ", maxCell))
	for _, tag := range []string{"<td>", "<th>", "<tr>", "<tr><td>", "</td><td>", "<table>", "<caption>"} {
		got := ""
		h := newHTMLReader(fetchtest.Parse(t, "http://example.org/"), func(l protocols.Line) bool {
			got += l.Text + " "
			return true
		})
		if err := h.read(strings.NewReader("<table><tr><td>" + long + tag + "after</table>")); err != nil ||
			strings.Join(strings.Fields(got), " ") != long+" after" {
			t.Errorf("%s after a long cell: got %.40q, %v, want all words and \"after\"", tag, got, err)
		}
	}
}

// TestTableWords checks that a table breaks lines between words before it breaks a word.
func TestTableWords(t *testing.T) {
	const family = "address family|AF_UNIX|SOCK_SEQPACKET|Mac OS X"
	for _, tt := range []struct {
		name, cells string
		width       int
		whole       string // words that must be in one row
		broken      bool   // the first word of a cell is broken
		panned      bool   // the table is wider than the screen
	}{
		{
			"ten columns", "Mac OS X|Linux|FreeBSD|OpenBSD|NetBSD|Solaris 10|AIX 5.1|Cygwin 1|Haiku R1|Minix 3", 78,
			"Mac OS Linux FreeBSD OpenBSD NetBSD Solaris Cygwin Haiku Minix", false, false,
		},
		{
			"columns without room",
			"alpha.example.org|192.168.100.101|Linux|2026-11-28 12:00|needs new disk|" + strings.Repeat("words ", 20),
			38, "alpha.example.org 192.168.100.101 2026-11-28 words", false, true,
		},
		{
			"a long word", family + "|a description that has many words and needs several rows of text", 56,
			"SOCK_SEQPACKET AF_UNIX description", false, false,
		},
		{
			"a word without room",
			"http://h.example/" + strings.Repeat("x", 90) + "|SOCK_SEQPACKET|" + strings.Repeat("words ", 20), 60,
			"SOCK_SEQPACKET words", true, false,
		},
	} {
		cells := strings.Split(tt.cells, "|")
		d := fetchtest.Must(Open(protocols.Head{Media: "text/html"}, strings.NewReader("<table><tr><td>"+
			strings.Join(cells, "<td>")+"<tr><td>"+strings.Repeat("b<td>", len(cells)))))(t)
		d.TableWidth = tt.width
		var words []string
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			words = append(words, strings.Fields(l.Text)...)
			if w := displaywidth.String(l.Text); w > tt.width && !tt.panned {
				t.Errorf("%s: the row %q is %d cells wide, want at most %d", tt.name, l.Text, w, tt.width)
			}
		}
		for word := range strings.FieldsSeq(tt.whole) {
			if !slices.Contains(words, word) {
				t.Errorf("%s: the words are %q, want %s among them", tt.name, words, word)
			}
		}
		if slices.Contains(words, strings.Fields(cells[0])[0]) == tt.broken {
			t.Errorf("%s: the words are %q, want the first broken: %v", tt.name, words, tt.broken)
		}
	}
}
