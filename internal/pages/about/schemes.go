package about

import (
	"context"

	"gofer/protocols"
	"gofer/urlcore"
)

// Scheme is the name of a scheme and the section of the document that defines its URLs.
type Scheme struct{ Name, Section, example string }

// Schemes returns the schemes that gofer opens, and the other schemes of RFC 1738 and its successors, in
// a fixed order.
func Schemes() []Scheme {
	return []Scheme{
		{"gopher", "RFC 1738, 3.4", ""},
		{"gophers", "gopher by TLS", "gophers://gopher.example.org/"},
		{"ftp", "RFC 1738, 3.2", ""},
		{"ftps", "ftp by TLS", "ftps://ftp.example.org/"},
		{"http", "RFC 1738, 3.3", "http://www.example.org/"},
		{"https", "RFC 9110, 4.2.2", "https://www.example.org/"},
		{"news", "RFC 1738, 3.6", "news:*"},
		{"nntp", "RFC 1738, 3.7", ""},
		{"snews", "news by TLS", "snews://news.example.org/*"},
		{"nntps", "nntp by TLS", "nntps://news.example.org/comp.misc"},
		{"mid", "RFC 2392, 2", "mid:plain@demo.example.invalid"},
		{"cid", "RFC 2392, 2", "cid:part.1@demo.example.invalid"},
		{"mailto", "RFC 6068, 2", "mailto:oscar@example.invalid?subject=The%20river"},
		{"mailserver", "RFC 6196, 2", "mailserver:oscar@example.invalid/index"},
		{"telnet", "RFC 1738, 3.8", ""},
		{"rlogin", "March 1994 draft", "rlogin://oscar@host.example/"},
		{"tn3270", "RFC 6270, 2", "tn3270://host.example/"},
		{"wais", "RFC 1738, 3.9", ""},
		{"file", "RFC 1738, 3.10", "file:///"},
		{"prospero", "RFC 1738, 3.11", ""},
		{"finger", "RFC 1288, 2.3", ""},
		{"whois", "RFC 3912, 2", ""},
		{"dict", "RFC 2229, 5", ""},
		{"gemini", "gemini 1.2", "gemini://example.org/"},
		{"spartan", "spartan", "spartan://example.org/"},
		{"afs", "RFC 1738, 4", "afs://cell.example/usr/doc"},
		{"nfs", "RFC 2224, 2", "nfs://host.example/pub/"},
		{"z39.50", "RFC 1738, 4", "z39.50://host.example/books"},
		{"z39.50r", "RFC 2056, 3", "z39.50r://host.example/books?1"},
		{"z39.50s", "RFC 2056, 3", "z39.50s://host.example/books"},
		{"x500", "Oct. 1993 draft", "x500:c=us"},
		{"whois++", "Oct. 1993 draft", "whois++://host.example/smith"},
		{"about", "RFC 6694", "about:home"},
	}
}

// schemesPage lists for each scheme how it is opened, its port, the document that defines it, and an
// example. The example is a URL of the demo if the demo has one.
func (c *Client) schemesPage(ctx context.Context, _ request) ([]protocols.Line, error) {
	examples := map[string]urlcore.URL{}
	if c.StartDemo != nil {
		items, err := c.StartDemo(ctx)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if examples[it.URL.Scheme()] == nil {
				examples[it.URL.Scheme()] = it.URL
			}
		}
	}
	lines := []protocols.Line{
		text("Enter opens an example; the servers are in the demonstration world."), text(""),
	}
	for _, s := range Schemes() {
		u := examples[s.Name]
		if u == nil {
			parsed, err := urlcore.Parse(s.example)
			if err != nil {
				continue
			}
			u = parsed
		}
		l := link(s.Name, u)
		l.Note = &schemeNote{c.SchemeState(u), urlcore.DefaultPort(s.Name), s.Section}
		lines = append(lines, l)
	}
	return lines, nil
}

// schemeNote describes a scheme.
type schemeNote struct {
	opener  string
	port    uint16 // 0 if none
	section string
}

func (*schemeNote) Row() protocols.Row { return protocols.Row{} }

func (n *schemeNote) Columns() []protocols.Column {
	port := any(nil)
	if n.port != 0 {
		port = n.port
	}
	return []protocols.Column{
		{Head: "opened by", Value: n.opener, ColumnLayout: protocols.ColumnLayout{Width: 20, MinScreen: protocols.NarrowScreen, Left: true, Printed: 26}},
		{Head: "port", Value: port, ColumnLayout: protocols.ColumnLayout{Width: 5, MinScreen: 60}},
		{Head: "defined in", Value: n.section},
	}
}

func (n *schemeNote) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "opened_by", Value: n.opener}, {Name: "port", Value: int(n.port)}, {Name: "section", Value: n.section}}
}

func (n *schemeNote) Memory() int { return 64 + len(n.opener) + len(n.section) }
