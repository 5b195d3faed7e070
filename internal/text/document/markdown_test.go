package document

import (
	"cmp"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"paragraphs", "One\ntwo *three* `four`\n\nFive~~six~~\n", "One two three four\n\nFivesix\n"},
		{
			"headings", "# Ünter the  Sea! #\n\nA\n=\n\n## A\n\n### [b](c)\n",
			`["ünter-the--sea"] h1 Ünter the Sea!` + "\n\n" + `["a"] h1 A` + "\n\n" + `["a-1"] h2 A` + "\n\n" +
				`["b"] h3 {b|http://h.example/d/c}` + "\n",
		},
		{"Latin-1", "caf\xe9 &eacute; <q>y</q>\n\n---\n", "café é “y”\n\n" + strings.Repeat("─", 40) + "\n"},
		{"lists", "* a\n* b\n  1. c\n\n- [x] d\n", "  * a\n  * b\n     1. c\n\n  * [x] d\n"},
		{"quotes", "> a\n>> b\n", "> a\n\n> > b\n"},
		{"code", "```go\na  *b*\n\n  [c](d)\n```\n\n    e  f\n", "a  *b*\n\n  [c](d)\n\ne  f\n"},
		{"table", "| a | b |\n|---|--:|\n| [c](d) | 1 |\n", "a  b\n─  ─\n{c|http://h.example/d/d}  1\n"},
		{
			"links", "[a](b.md#c) <http://o.example/> https://p.example/q. www.r.example a@s.example [t](#u)\n",
			"{a|http://h.example/d/b.md#c} {http://o.example/|http://o.example/} " +
				"{https://p.example/q|https://p.example/q}. {www.r.example|http://www.r.example/} " +
				"{a@s.example|mailto:a@s.example} {t|http://h.example/d/p.md#u}\n",
		},
		{
			"links without text", "[](b/c.md) ![](e.png) ![alt](f.png) [![](g.png)](h)\n",
			"{[c.md]|http://h.example/d/b/c.md} {[image: e.png]|http://h.example/d/e.png} " +
				"{[image: alt]|http://h.example/d/f.png} {[h]|http://h.example/d/h}\n",
		},
		{
			"links that cannot be opened", "[a](http://u:p@h/) [b](javascript:f) <https://h/100%>\n",
			"{a|about:link?http%3A%2F%2Fu%3A*%40h%2F} {b|about:link?javascript%3Af} {https://h/100%|https://h/100%25}\n",
		},
		{
			"definitions",
			"[a] [B][c]\n\n[a]: x\n\n```\n[d]: e\n```\n\nf\n[g]: h\n\n" + strings.Repeat("a line of text\n\n", 5000) +
				"[c]: <y> \"Title\"\n[no]: a definition\n",
			"",
		},
		{
			"a title below a definition", "[foo] [bar]\n\n[foo]: /url\n\"title\"\n[bar]:\n  /b\n",
			"{foo|http://h.example/url} {bar|http://h.example/b}\n",
		},
		{"a definition below a heading", "[a]\n\n# b\n[a]: c\n", "{a|http://h.example/d/c}\n\n" + `["b"] h1 b` + "\n"},
		{
			"lines like definitions in code",
			"* a\n\n  ~~~\n\n  [x]: http://e/\n  ~~~\n\n1. b\n   - c\n\n     ```\n\n     [y]: d\n     ```\n\n" +
				"- ```\n\n  [w]: g\n  ```\n\n<pre>\n\n[z]: e\n</pre>\n",
			"  * a\n\n    [x]: http://e/\n\n 1. b\n      * c\n\n        [y]: d\n\n  * [w]: g\n\n[z]: e\n",
		},
		{
			"HTML", "<details><summary>a</summary>\n\nb\n\n</details>\n\n<a href=c>d</a> <script>e</script>f\n",
			"a\n\nb\n\n{d|http://h.example/d/c} f\n",
		},
		{"footnotes", "a[^1] b[^2]\n\n[^1]: c\n[^2]: d *e*\n", "a[^1] b[^2]\n\n[^1]: c\n\n[^2]: d e\n"},
		{"metadata", "---\ntitle: a\ntags: [b]\n---\n\nText\n", "title: a\ntags: [b]\n\nText\n"},
		{"metadata in TOML", "\ufeff+++\ntitle = \"a\"\n+++\nText\n", "title = \"a\"\n\nText\n"},
		{"metadata with code", "---\na: |\n  ```\n```\n...\nText\n", "a: |\n  ```\n```\n\nText\n"},
		{
			"metadata without an end", "---\na: b\n\n" + strings.Repeat("c\n\n", 48) + "99\n100\n101\n",
			strings.Repeat("─", 40) + "\n\na: b\n\n" + strings.Repeat("c\n\n", 48) + "99 100 101\n",
		},
		{
			"metadata that is too long", "---\na: b\n" + strings.Repeat("  c\n", maxMetadata) + "\n---\n",
			strings.Repeat("─", 40) + "\n\na: b" + strings.Repeat(" c", maxMetadata) + "\n\n" + strings.Repeat("─", 40) + "\n",
		},
		{"rules around a text", "---\n\na: *b*\n\n---\n", strings.Repeat("─", 40) + "\n\na: b\n\n" + strings.Repeat("─", 40) + "\n"},
		{"a rule above a heading", "---\nText *b*: c\n---\n", strings.Repeat("─", 40) + "\n\n" + `["text-b-c"] h2 Text b: c` + "\n"},
		{"a horizontal rule", "a\n\n---\n\nb\n", "a\n\n" + strings.Repeat("─", 40) + "\n\nb\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := htmlText(t, "http://h.example/d/p.md", "text/markdown; charset=utf-8", tt.page)
			if tt.name == "definitions" {
				got = strings.ReplaceAll(got, "a line of text\n\n", "")
				tt.want = "{a|http://h.example/d/x} {B|http://h.example/d/y}\n\n[d]: e\n\nf [g]: h\n\n[no]: a definition\n"
			}
			fetchtest.Equal(t, got, tt.want)
		})
	}
	d := fetchtest.Must(Open(protocols.Head{Media: "text/markdown"}, strings.NewReader("# The title #\n\ntext\n")))(t)
	fetchtest.Equal(t, d.Title, "The title", "title")
}

// TestLongMarkdown checks that the parts of a long document are read as if they were one.
func TestLongMarkdown(t *testing.T) {
	const rows = 5000
	for _, tt := range []struct{ name, head, unit, tail, line string }{
		{"a list", "", "- [a_b](c) d\n", "", "  * {a_b|http://h.example/c} d\n"},
		{"a list in a list", "- top\n", "  - [a](c)\n", "", "      * {a|http://h.example/c}\n"},
		{"a table", "| a | b |\n|---|---|\n", "| [c](d) | `e` |\n", "", "{c|http://h.example/d}  e\n"},
		{"code", "```\n", "a[b] = `c`\n", "```\n", "a[b] = `c`\n"},
		{"paragraphs", "", "a *b*\n\n", "", "a b\n"},
		{"paragraphs after code", "```\nc\n   ```\n", "a *b* and some more words\n\n", "", "a b and some more words\n"},
		{"paragraphs after indented code", "   ~~~\nc\n ~~~\n", "a *b* and some more words\n\n", "", "a b and some more words\n"},
		{"paragraphs after open code in a list", "1. b\n   ~~~\n   c\n\n", "a *b* and some more words\n\n", "", "a b and some more words\n"},
		{"blocks of HTML", "<div>\n", "      <p><a href=c>a</a>\n", "", "{a|http://h.example/c}\n"},
		{"paragraphs after HTML", "<DIV>\n" + strings.Repeat("<p>b\n", rows) + "\n", "a *b* and more\n\n", "", "a b and more\n"},
		{"preformatted HTML", "<pre>\n", "a *b*\n\n", "</pre>\n", "a *b*\n\n"},
		{"paragraphs after a comment", "<!--\n" + strings.Repeat("b\n\n", 2*rows) + "-->\n", "a *b*\n\n", "", "a b\n"},
		{"code in a list", "- a\n  - b\n\n    ```\n", "    a[b] = *c*\n", "    ```\n", "a[b] = *c*\n"},
		{
			"paragraphs after long code in a list",
			"- a\n  - b\n\n    ```\n" + strings.Repeat("    a[b] = `c`\n", 2*rows) + "    ```\n\n", "a *b*\n\n", "",
			"a b\n",
		},
	} {
		got := htmlText(t, "http://h.example/", "text/markdown", tt.head+strings.Repeat(tt.unit, rows)+tt.tail)
		fetchtest.Equal(t, strings.Count(got, tt.line), rows, "%s: lines %q", tt.name, tt.line)
	}
}

// TestMarkdownCells checks that the cells that short rows lack count too, and that the rows after the last cell are texts.
func TestMarkdownCells(t *testing.T) {
	const width = maxTableRow - 2
	page := strings.Repeat("|a", width) + "\n" + strings.Repeat("|-", width) + "\n" +
		strings.Repeat("|\n", maxAllCells/width+1) + "|y|z\n\n|b|c\n|-|-\n|d|e\n"
	got := htmlText(t, "http://h.example/", "text/markdown", page)
	for _, want := range []string{"|y|z\n", "|b|c |-|- |d|e\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got the end %q, want %q in it", got[max(0, len(got)-200):], want)
		}
	}
}

// markdownPages contains inputs that are expensive for a parser of Markdown.
var markdownPages = []memorygrowth.Input{
	{Name: "brackets", Unit: "["},
	{Name: "open links", Unit: "[a]("},
	{Name: "open links in brackets", Unit: "[[]]("},
	{Name: "emphasis", Unit: "a*_"},
	{Name: "emphasis in lines", Unit: "a*_\n"},
	{Name: "emphasis in items", Unit: "- a*_\n"},
	{Name: "backticks", Head: "a", Unit: "`"},
	{Name: "code", Head: "```\n", Unit: "a*_\n"},
	{Name: "nested quotes", Unit: "> "},
	{Name: "nested items", Unit: "- "},
	{Name: "nested numbers", Unit: "1. "},
	{Name: "tables", Unit: "a|b\n-|-\n"},
	{Name: "a wide table", Head: strings.Repeat("|a", 300) + "\n" + strings.Repeat("|-", 300) + "\n", Unit: "|\n"},
	{
		Name: "a table of the largest width",
		Head: strings.Repeat("|a", maxTableRow-2) + "\n" + strings.Repeat("|-", maxTableRow-2) + "\n", Unit: "|\n",
	},
	{Name: "headings of one name", Unit: "# a\n"},
	{Name: "definitions", Unit: "[a#]: b\n"},
	{Name: "definitions of emphasis", Unit: "[a]: x " + strings.Repeat("*a_", 5400) + "\n"},
	{Name: "short definitions of emphasis", Unit: "[a]: x " + strings.Repeat("*a_", 490) + "\n"},
	{Name: "definitions with titles", Unit: "[a#]: b\n\"" + strings.Repeat("*a_", 490) + "\"\n"},
	{Name: "links by definition", Head: "[a]: http://h.example/" + strings.Repeat("x", 10_000) + "\n\n", Unit: "[a]\n\n"},
	{Name: "items", Unit: "* a\n"},
	{Name: "HTML", Unit: "<div>\n"},
	{Name: "a comment", Head: "<!--", Unit: "a\n\n"},
}

// TestMarkdownGrowth checks that the memory for a document grows with its size only.
func TestMarkdownGrowth(t *testing.T) {
	for _, in := range markdownPages {
		memorygrowth.Check(t, in, 12_000, func(text string) {
			d := fetchtest.Must(Open(protocols.Head{Media: mediaMarkdown, URL: urlcore.HTTP{
				HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/",
			}}, strings.NewReader(text)))(t)
			for range d.Lines() {
			}
		})
	}
}

// TestMarkdownWork checks that the work for a document grows with its size only.
func TestMarkdownWork(t *testing.T) {
	for _, in := range markdownPages {
		size := cmp.Or(in.Size, 16<<10)
		small, large := in.Text(size), in.Text(4*size)
		a, b := measureWork(t, small), measureWork(t, large)
		if most := (maxMarks + 1) * len(large); b > most || b > 6*a {
			t.Errorf(
				"%s: a text of %d octets takes %d steps and one of %d octets %d, want at most 6 times as many, and %d",
				in.Name, len(small), a, len(large), b, most,
			)
		}
	}
}

// measureWork returns the steps that parsing a document takes at most: for each octet, and for each pair of marks in
// lines without an empty line between them.
func measureWork(t *testing.T, page string) int {
	t.Helper()
	d := fetchtest.Must(Open(protocols.Head{Media: mediaMarkdown}, strings.NewReader(page)))(t)
	next, stop := iter.Pull2(markdownText(d))
	defer stop()
	m := newMarkdownReader(next)
	steps := 0
	m.parser = &countingParser{m.parser, &steps, true}
	m.definer = &countingParser{m.definer, &steps, false}
	_, err := io.Copy(io.Discard, m)
	fetchtest.NoError(t, err)
	return steps
}

type countingParser struct {
	parser.Parser
	steps *int
	marks bool // it parses marks
}

func (c *countingParser) Parse(r text.Reader, opts ...parser.ParseOption) ast.Node {
	marks := 0
	for line := range strings.SplitSeq(string(r.Source()), "\n") {
		*c.steps += len(line) + 1
		if isBlankLine(line) || isBullet(line) {
			marks = 0
		}
		if c.marks {
			n := countMarks(line)
			*c.steps += n * (2*marks + n)
			marks += n
		}
	}
	return c.Parser.Parse(r, opts...)
}

// FuzzMarkdown checks that reading any octets as Markdown ends, and that the links of a line are inside the line.
func FuzzMarkdown(f *testing.F) {
	for _, in := range markdownPages {
		f.Add(in.Head + strings.Repeat(in.Unit, 3) + in.Tail)
	}
	f.Add("---\na: b\n---\n# c\n\n[d][e] ![](f) <g@h.example>\n\n[e]: i\n")
	f.Fuzz(func(t *testing.T, page string) {
		d, err := Open(protocols.Head{Media: mediaMarkdown, URL: urlcore.HTTP{
			HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/",
		}}, strings.NewReader(page))
		if err != nil {
			return
		}
		for line, err := range d.Lines() {
			fetchtest.NoError(t, err)
			if note, ok := line.Note.(*protocols.Hypertext); ok {
				for _, l := range note.Links {
					if l.From < 0 || l.To <= l.From || l.To > len(line.Text) {
						t.Fatalf("a link from %d to %d of %q, want it inside the line", l.From, l.To, line.Text)
					}
				}
			}
		}
	})
}
