package feed

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns a title on one line. If the title is not plain, it is HTML, whose known elements are left out:
// "Use <T>" is not an element.
func plainText(s string, plain bool) string {
	if !plain {
		var b strings.Builder
		z := html.NewTokenizer(strings.NewReader(s))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			switch kind {
			case html.TextToken:
				b.Write(z.Text())
			case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
				raw := string(z.Raw())
				name, _ := z.TagName()
				switch tag := atom.Lookup(name); tag {
				case 0:
					b.WriteString(raw)
				case atom.Br, atom.P, atom.Div, atom.Li:
					b.WriteByte(' ')
				}
			}
		}
		s = b.String()
	}
	return strings.Join(strings.Fields(s), " ")
}

// escape returns plain text as HTML. An empty line separates paragraphs.
func escape(s string) string {
	s = html.EscapeString(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")))
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n\n", "<p>"), "\n", "<br>")
}
