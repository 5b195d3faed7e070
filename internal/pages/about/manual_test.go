package about

import (
	"strings"
	"testing"

	"gofer/docs"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
)

// TestManual checks the lines and links of the pages of the manual.
func TestManual(t *testing.T) {
	show := func(s string) (text string, links []string) {
		t.Helper()
		r := fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, s)}))(t)
		d := fetchtest.Must(document.Open(r.Head, r.Body))(t)
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			text += l.Text + "\n"
			if note, ok := l.Note.(*protocols.Hypertext); ok {
				for _, link := range note.Links {
					links = append(links, link.URL.String())
				}
			}
		}
		return text, links
	}
	_, topics := show("about:manual")
	if len(topics) != len(docs.Topics()) {
		t.Errorf("about:manual links to %q, want a link for each of %q", topics, docs.Topics())
	}
	for _, topic := range topics {
		text, links := show(topic)
		if strings.Contains(text, "](") || strings.Contains(text, "<!--") || strings.Contains(text, "|---") ||
			strings.Contains(text, "\n#") && !strings.Contains(text, "\n# ") {
			t.Errorf("%s shows Markdown:\n%s", topic, text)
		}
		if links[len(links)-1] != "about:manual" {
			t.Errorf("%s: got the links %q, want about:manual as the last", topic, links)
		}
		for _, to := range links {
			if !strings.HasPrefix(to, "about:") {
				continue
			}
			fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, to)}))(t)
		}
	}
	fetchtest.Fails(t, protocols.NotFound, "no such page")(new(Client).Fetch(
		t.Context(), protocols.Request{URL: parse(t, "about:manual/README")},
	))
}

// TestManualHTML checks the HTML made from the Markdown that the manual uses.
func TestManualHTML(t *testing.T) {
	for _, tt := range []struct{ markdown, want string }{
		{"# A <b>", "<h1>A &lt;b&gt;</h1>\n"},
		{"### A & B", "<h3>A &amp; B</h3>\n"},
		{"one\ntwo\n\nthree\n", "<p>one\ntwo\n</p>\n<p>three\n</p>\n"},
		{"* one\n  more\n* two", "<ul><li>one\n  more\n<li>two\n</ul>\n"},
		{"<!-- x -->\n```toml\n# a <b>\n\n* c\n```\nd", "<pre># a &lt;b&gt;\n\n* c\n</pre>\n<p>d\n</p>\n"},
		{"| k | v |\n|---|---|\n| `\\|` `a` | `b` \\| |", "<table><tr><th>k<th>v\n<tr><td>| a<td>`b` |\n</table>\n"},
		{
			"`[a](b)` [c](keys.md), [d](gopher://h/1?x&y).",
			"<p>`[a](b)` <a href=\"about:manual/keys\">c</a>, <a href=\"gopher://h/1?x&amp;y\">d</a>.\n</p>\n",
		},
		{"a [b", "<p>a [b\n</p>\n"},
	} {
		fetchtest.Equal(t, manualHTML(tt.markdown), tt.want, "%q", tt.markdown)
	}
}
