package about

import (
	"context"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestSchemes checks that every scheme with an example has a row that leads to the example. If the demo has
// the scheme, the row must lead to the demo.
func TestSchemes(t *testing.T) {
	own := fetchtest.Must(urlcore.Parse("wais://127.0.0.1:4711/hole"))(t)
	c := &Client{
		SchemeState: func(u urlcore.URL) string { return "by " + u.Scheme() },
		StartDemo:   func(context.Context) (Demo, error) { return Demo{Pages: []Item{{URL: own}, {URL: Page("home")}}}, nil },
	}
	res := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: Page("schemes")}))(t)
	rows := map[string]protocols.Line{}
	for l, err := range res.Lines {
		fetchtest.NoError(t, err)
		if len(l.Text) > 76 {
			t.Errorf("%q has %d octets, want at most 76", l.Text, len(l.Text))
		}
		if l.Link != nil {
			name := l.Text
			rows[name] = l
			if l.Link.Scheme() != name || l.Note.Columns()[0].Value != "by "+name {
				t.Errorf("%q leads to %s and is opened by %v", l.Text, l.Link, l.Note.Columns()[0].Value)
			}
		}
	}
	for _, s := range urlcore.Schemes() {
		if _, ok := rows[s.Name]; !ok && s.Example != "" {
			t.Errorf("%s is not listed", s.Name)
		}
	}
	if n, ok := rows["wais"].Note.(*schemeNote); rows["wais"].Link != own || !ok || n.port != 210 || n.section != "RFC 1738, 3.9" {
		t.Errorf("wais: got the row %+v; want the URL of the demo, port 210 and section 3.9", rows["wais"])
	}
}
