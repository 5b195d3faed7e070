package page

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestDrawing checks that the lines of a drawing are cut at the edge of the screen and panned, unless all lines are
// wrapped.
func TestDrawing(t *testing.T) {
	octets := "\x1b[H\x1b[31m" + strings.Repeat("0123456789", 8) + "\r\nshort \x1b[2Cline"
	head := protocols.Head{URL: fetchtest.Parse(t, "gopher://h.example/9/a.ans"), Size: -1}
	d := fetchtest.Must(document.Open(head, strings.NewReader(octets)))(t)
	p := nav.Page{Head: d.Head}
	for l, err := range d.Lines() {
		fetchtest.NoError(t, err)
		p.Lines.Append(l)
	}
	for _, tt := range []struct {
		wrap Wrap
		rows int
		next Wrap
	}{{WrapNone, 1, WrapParagraphs}, {WrapParagraphs, 1, WrapAll}, {WrapAll, 3, WrapNone}} {
		v := Pager{Width: 40, Height: 24, Settings: Settings{WrapText: tt.wrap}}
		p.Left = 0
		v.Show(&p)
		fetchtest.Equal(t, v.rowCount(0), tt.rows, "wrap %d: rows of the first line", tt.wrap)
		fetchtest.Equal(t, v.NextWrap(), tt.next, "next after %d", tt.wrap)
		v.Pan(PanStep)
		fetchtest.Equal(t, p.Left > 0, tt.rows == 1, "wrap %d: panned", tt.wrap)
	}
}

// TestPreformattedLines checks which lines of a hypertext are wrapped, and that the others are panned, with their
// links and the lines below them.
func TestPreformattedLines(t *testing.T) {
	to := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1'}
	code := strings.Repeat("0123456789", 6)
	p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutText, Media: "text/html"}}
	p.Lines.Append(
		protocols.Line{Text: strings.Repeat("word ", 12)},
		protocols.Line{Text: code, Note: &protocols.Hypertext{Verbatim: true, Links: []protocols.Hyperlink{{URL: to, From: 50, To: 54}}}},
		protocols.Line{Text: "short", Note: &protocols.Hypertext{Verbatim: true}},
	)
	for _, tt := range []struct {
		wrap Wrap
		rows []int
		left int // column after panning to the right
		next Wrap
	}{
		{WrapNone, []int{1, 1, 1}, PanStep, WrapParagraphs},
		{WrapParagraphs, []int{2, 1, 1}, PanStep, WrapAll},
		{WrapAll, []int{2, 2, 1}, 0, WrapNone},
	} {
		v := Pager{Width: 40, Height: 24, Settings: Settings{WrapText: tt.wrap}}
		p.Left = 0
		v.Show(&p)
		v.Invalidate()
		var rows []int
		for i := range p.Lines.Len() {
			rows = append(rows, v.rowCount(i))
		}
		fetchtest.EqualSlices(t, rows, tt.rows, "wrap %d: rows of the lines", tt.wrap)
		v.Pan(PanStep)
		fetchtest.Equal(t, p.Left, tt.left, "wrap %d: left column", tt.wrap)
		text, _ := v.visibleText(1)
		fetchtest.Equal(t, text, code[tt.left:], "wrap %d: preformatted text", tt.wrap)
		fetchtest.Equal(t, v.NextWrap(), tt.next, "next after %d", tt.wrap)
	}
}

// TestPannedLinks checks that moving to a link or a match pans a preformatted line to it, and that the
// mouse finds the link there and in a wrapped line.
func TestPannedLinks(t *testing.T) {
	to := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1'}
	link := func(from int, verbatim bool) protocols.Line {
		return protocols.Line{
			Text: strings.Repeat("a word ", 10),
			Note: &protocols.Hypertext{Verbatim: verbatim, Links: []protocols.Hyperlink{{URL: to, From: from, To: from + 4}}},
		}
	}
	p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutText, Media: "text/gemini"}}
	p.Lines.Append(link(51, true), link(51, false))
	v := Pager{Width: 40, Height: 24, Settings: Settings{WrapText: WrapParagraphs}}
	v.Show(&p)
	v.MoveToLink(0, 1)
	if p.Left == 0 || p.Left > 51 {
		t.Fatalf("the screen begins at column %d, want the link in column 51 on it", p.Left)
	}
	got, ok := v.LinkUnder(v.gutter()+51-p.Left, 0)
	fetchtest.Equal(t, ok && got.Line == 0, true, "link under the mouse in the panned line")
	if _, ok := v.Current(); !ok {
		t.Error("the link that was moved to is not the current link")
	}
	labels := LinkLabels{Label: func(i, _ int) string { return string(rune('a' + i)) }}
	labels.Show(&v)
	fetchtest.Equal(t, len(labels.Links), 2, "labels of the links on the screen")
	left := p.Left
	p.Left = 0
	if _, ok := v.Current(); ok {
		t.Error("a link to the right of the screen is the current link")
	}
	labels.Show(&v)
	fetchtest.Equal(t, len(labels.Links), 1, "labels of the links on the screen")
	p.Left = left
	rows := v.line(1).rows
	got, ok = v.LinkUnder(v.gutter()+51-rows[1], 2)
	fetchtest.Equal(t, ok && got.Line == 1, true, "link under the mouse in the wrapped line")
	v.MoveTo(1, 60)
	v.MoveTo(0, 0)
	fetchtest.Equal(t, p.Left, 0, "left column after moving to the beginning of the panned line")
}

// TestDrawings checks that a menu tells drawings and tables from prose.
func TestDrawings(t *testing.T) {
	const prose = "the files of this server may be read by all people who like them"
	for _, tt := range []struct {
		above, text string
		drawn       bool
	}{
		{"", prose, false},
		{"", "      " + prose, false},
		{"", "Chapter 1.   " + prose, false},
		{"", "Well ..... " + prose, false},
		{"", "*** " + prose + " ***", false},
		{"", "* " + prose, false},
		{"***********************", "*  " + prose + "  *", true},
		{"", "| " + prose + " |", true},
		{"", "║ " + prose + " ║", true},
		{"", "+----------------------------------------+", true},
		{"", `   /\_/\   ( o.o )   > ^ <   /\_/\   ( o.o )`, true},
		{"", "2024-01-02      a table of things      12 kB       text", true},
		{"", "⣿⣿⣿⣿⡿⠋⠁⠀⠈⠙⢿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿", true},
	} {
		p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
		p.Lines.Append(protocols.Line{Kind: protocols.Info, Text: tt.above}, protocols.Line{Kind: protocols.Info, Text: tt.text})
		v := Pager{Width: 30, Height: 24, Settings: Settings{WrapLists: WrapParagraphs}}
		v.Show(&p)
		fetchtest.Equal(t, v.line(1).panned, tt.drawn, "%q below %q is a drawing", tt.text, tt.above)
	}
}

// rowNote is a Note without columns.
type rowNote protocols.Row

func (n rowNote) Row() protocols.Row              { return protocols.Row(n) }
func (rowNote) Columns() []protocols.Column       { return nil }
func (rowNote) Attributes() []protocols.Attribute { return nil }
func (rowNote) Memory() int                       { return 0 }

// rowsOf returns the rows of the first line.
func rowsOf(v *Pager) (rows []string) {
	l := v.line(0)
	for i := range max(len(l.rows), 1) {
		start, end := l.rowBounds(i)
		rows = append(rows, strings.TrimRight(l.text[start:end], " "))
	}
	return rows
}

// TestHang checks that a name with a value, which looks like a table, is wrapped below the value, and that a value has room beside the
// name on a narrow screen.
func TestHang(t *testing.T) {
	const text = "roomNumber          2, Ground, first-floor-library"
	for width, want := range map[int][]string{
		60: {text}, 33: {"roomNumber          2, Ground,", "first-floor-library"},
	} {
		p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutMenu}}
		p.Lines.Append(protocols.Line{Text: text, Note: rowNote{Hang: 20}})
		v := Pager{Width: width, Height: 24, Settings: Settings{WrapLists: WrapParagraphs}}
		v.Show(&p)
		fetchtest.EqualSlices(t, rowsOf(&v), want, "rows at the width %d", width)
	}
}

// TestWordsApart checks that words which do not fit beside a name have rows of their own.
func TestWordsApart(t *testing.T) {
	for text, want := range map[string][]string{
		"short  all of it":                                 {"short  all of it"},
		"a-name-of-a-file.gz  all of it":                   {"a-name-of-a-file.gz", "all of it"},
		"a-name-longer-than-the-row.gz  all of it":         {"a-name-longer-than-the-r", "ow.gz", "all of it"},
		"a-name-of-a-file.gz  all of it, in two more rows": {"a-name-of-a-file.gz", "all of it, in two more", "rows"},
	} {
		p := nav.Page{Head: protocols.Head{Layout: protocols.LayoutPage}}
		p.Lines.Append(protocols.Line{Note: rowNote{Text: text, Hang: 2, Apart: len(text) - strings.Index(text, "all")}})
		v := Pager{Width: 27, Height: 24, Settings: Settings{WrapText: WrapAll}}
		v.Show(&p)
		fetchtest.EqualSlices(t, rowsOf(&v), want, "rows of %q", text)
	}
}
