package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestGemtext(t *testing.T) {
	const page = "# Title\n## Sub\n### Subsub\n####four\ntext  as it is \n* item\n*no item\n> quote\n" +
		"=> /a Name of a\n=>b.gmi\n=> gopher://g.example/1/m\tBy a tab\n=> ?q=1 Query\n=> #x\n" +
		"=> javascript:x Script\n=> :: \n=: /up Send\n```alt\n# as it is\n=> /x\n```\n=>\n"
	const want = "h1 Title\nh2 Sub\nh3 Subsub\nh3 #four\ntext  as it is \n  * item\n*no item\n> quote\n" +
		"=> {Name of a|gemini://h.example/a}\n=> {b.gmi|gemini://h.example/d/b.gmi}\n" +
		"=> {By a tab|gopher://g.example/1/m}\n=> {Query|gemini://h.example/d/p?q=1}\n=> {#x|gemini://h.example/d/p#x}\n" +
		"=> {Script|about:link?javascript%3Ax}\n=> {::|about:link?%3A%3A}\n=: /up Send\n# as it is\n=> /x\n=> \n"
	fetchtest.Equal(t, htmlText(t, "gemini://h.example/d/p", "text/gemini; lang=en", page), want)
	fetchtest.Equal(t, htmlText(t, "spartan://h.example/", "text/gemini", "=: up Send\n"), "=: {Send|spartan://h.example/up?}\n", "by Spartan")
	d, err := Open(protocols.Head{Media: "text/gemini", URL: urlcore.HTTP{Name: "gemini"}}, strings.NewReader("# The title\ntext\n"))
	if err != nil || d.Title != "The title" {
		t.Errorf("Open: got the title %q, %v, want %q", d.Title, err, "The title")
	}
}

func FuzzGemtext(f *testing.F) {
	f.Add("=> \x00 a\n=>\t\t\n=:#\n```\n>\n*\n#\r\n")
	f.Fuzz(func(t *testing.T, page string) {
		for _, name := range []string{"gemini", "spartan"} {
			d := fetchtest.Must(Open(protocols.Head{URL: urlcore.HTTP{
				Name: name, HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/",
			}, Media: mediaGemtext}, strings.NewReader(page)))(t)
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
		}
	})
}
