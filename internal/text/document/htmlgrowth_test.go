package document

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
	"gofer/urlcore"
)

// pages contains an input for each kind of HTML that is parsed by different code.
var pages = []memorygrowth.Input{
	{Name: "nested divs", Unit: "<div>"},
	{Name: "nested lists", Unit: "<ul><li>a"},
	{Name: "nested ordered lists", Unit: "<ol><li>"},
	{Name: "nested quotes", Unit: "<blockquote>a"},
	{Name: "nested tables", Unit: "<table><tr><td>a"},
	{Name: "nested tables without cells", Unit: "<table>"},
	{Name: "nested forms", Unit: "<form><input name=a>"},
	{Name: "nested links", Unit: "<a href=a>b"},
	{Name: "links", Unit: "<a href=b#>a</a> "},
	{Name: "links in lines", Unit: "<p><a href=b#>a</a>"},
	{Name: "one row", Head: "<table><tr>", Unit: "<td>a"},
	{Name: "rows", Head: "<table>", Unit: "<tr><td>a#<td>b#"},
	{Name: "rows that span", Head: "<table>", Unit: "<tr><td rowspan=1000 colspan=1000>a#<td>b#"},
	{Name: "one cell", Head: "<table><tr><td>a<td>", Unit: "b "},
	{Name: "long words in cells", Head: "<table>", Unit: "<tr><td>" + strings.Repeat("w", 500) + "<td>b"},
	{Name: "one select", Head: "<form><select name=a>", Unit: "<option>a#"},
	{Name: "radio buttons", Head: "<form>", Unit: "<input type=radio name=a value=#>"},
	{Name: "fields", Head: "<form>", Unit: "<input name=a#>"},
	{Name: "labels", Head: "<form>", Unit: "<label for=a#>a</label>"},
	{Name: "one label", Head: "<form><label>", Unit: "a "},
	{Name: "textarea", Head: "<form><textarea name=a>", Unit: "a\n"},
	{Name: "names", Unit: "<p id=a#>"},
	{Name: "hidden", Head: "<div hidden>", Unit: "<div>a"},
	{Name: "end tags", Unit: "</ul></table></form></a></p>"},
	{Name: "entities", Unit: "&amp;&#65;&x&nbsp;"},
	{Name: "blanks that do not break", Unit: "a&nbsp;"},
	{Name: "pre in a line", Head: "<pre>", Unit: "abc "},
	{Name: "attributes", Head: "<a ", Unit: "a#=b "},
	{Name: "attributes of one name", Head: "<a ", Unit: "href=b "},
	{Name: "title", Head: "<title>", Unit: "a "},
	{Name: "charset", Head: "<meta charset=koi8-r>", Unit: "\xeb\xcf <p>"},
	{Name: "no charset", Unit: "\xeb\xcf <p>"},
}

func readPage(text string) {
	d, err := Open(protocols.Head{URL: urlcore.HTTP{
		HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/d/p",
	}, Media: mediaHTML}, strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	for range d.Lines() {
	}
}

func TestHTMLGrowth(t *testing.T) {
	for _, in := range pages {
		memorygrowth.Check(t, in, 600, readPage)
	}
}

// largePage returns a page of about size octets with headings, paragraphs, links, lists and tables.
func largePage(size int) string {
	const part = "<h2 id=s>A heading</h2>\n<p class=\"text\">A paragraph of <b>words</b> with <a href=\"/wiki/Some_page\" title=\"Some page\">a link</a>, " +
		"<a href=\"../other?x=1&amp;y=2#z\">another one</a> and &eacute;ntities, which " +
		"goes on for some lines as paragraphs do, one after the other.</p>\n" +
		"<ul class=\"list\"><li>one</li><li><a href=\"two.html\">two</a></li></ul>\n" +
		"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>some text</td></tr></table>\n"
	return "<!doctype html><title>T</title>" + strings.Repeat(part, size/len(part))
}

// BenchmarkHTML reads the first screen of a page, and the whole page.
func BenchmarkHTML(b *testing.B) {
	for _, bb := range []struct {
		name  string
		size  int
		lines int // number of lines to read; 0: all
	}{{"1MB first screen", 1 << 20, 50}, {"1MB", 1 << 20, 0}, {"20MB", 20 << 20, 0}} {
		text := largePage(bb.size)
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				d := fetchtest.Must(Open(protocols.Head{URL: urlcore.HTTP{
					HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/d/p",
				}, Media: mediaHTML}, strings.NewReader(text)))(b)
				n := 0
				for range d.Lines() {
					if n++; n == bb.lines {
						break
					}
				}
			}
		})
	}
}

// FuzzHTML checks that reading any octets as HTML ends. It also checks that the links of a line are
// inside the line and in order.
func FuzzHTML(f *testing.F) {
	for _, in := range pages {
		f.Add([]byte(in.Head + strings.Repeat(in.Unit, 3) + in.Tail))
	}
	f.Add([]byte(largePage(2000)))
	f.Add([]byte("<meta charset=utf-8><pre>" + strings.Repeat("é", maxLine/2) + "<b>\x82</b>" + strings.Repeat("é", 1000)))
	f.Add([]byte("<form action=x><select name=a multiple><option>b<textarea>c<button name=d>e"))
	f.Fuzz(func(t *testing.T, page []byte) {
		d, err := Open(protocols.Head{URL: urlcore.HTTP{
			HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/",
		}, Media: mediaHTML}, strings.NewReader(string(page)))
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		for line, err := range d.Lines() {
			fetchtest.NoError(t, err)
			note, _ := line.Note.(*protocols.Hypertext)
			if note == nil {
				continue
			}
			at := 0
			for _, l := range note.Links {
				if l.From < at || l.To <= l.From || l.To > len(line.Text) {
					t.Fatalf("a link from %d to %d of %q, want it inside the line and not before %d", l.From, l.To, line.Text, at)
				}
				at = l.To
				switch l.URL.Scheme() {
				case "javascript", "data":
					t.Fatalf("a link to %s, want no such scheme", l.URL)
				}
			}
		}
	})
}

// TestEndlessHTML reads endless pages without lines. It reads the first page from the beginning. It
// starts the other pages with unshownBefore octets already counted.
func TestEndlessHTML(t *testing.T) {
	for i, in := range []memorygrowth.Input{
		{Name: "textarea", Head: "<form><textarea>", Unit: "abc "},
		{Name: "blanks", Unit: " "},
		{Name: "comment", Head: "<!--", Unit: "abcdefgh"},
		{Name: "script", Head: "<script>", Unit: "abcdefgh"},
		{Name: "attribute", Head: "<img src='data:", Unit: "abcdefgh"},
		{Name: "tags", Unit: "<div><table><form>"},
		{Name: "hidden", Head: "<div hidden>", Unit: "abc <p>"},
	} {
		t.Run(in.Name, func(t *testing.T) {
			before := 0
			if i > 0 {
				before = unshownBefore
			}
			r := memorygrowth.NewEndlessReader(in, 2*int64(maxUnshown-before))
			d, err := Open(protocols.Head{Media: mediaHTML}, r)
			fetchtest.NoError(t, err)
			if i > 0 {
				h := newHTMLReader(nil, func(protocols.Line) bool { return true })
				h.unshown = before
				err = h.read(utf8Reader(d))
			} else {
				for _, err = range d.Lines() {
				}
			}
			fetchtest.Reason(t, err, protocols.TooBig)
			r.Check(t, 2<<20)
		})
	}
}
