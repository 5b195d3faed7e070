package about

import (
	"context"

	"gofer/protocols"
	"gofer/urlcore"
)

// schemesPage lists for each scheme how it is opened, its port, the document that defines it, and an
// example. The example is a URL of the demo if the demo has one.
func (c *Client) schemesPage(ctx context.Context, _ request) ([]protocols.Line, error) {
	examples := map[string]urlcore.URL{}
	if c.StartDemo != nil {
		demo, err := c.StartDemo(ctx)
		if err != nil {
			return nil, err
		}
		for _, it := range demo.Pages {
			if examples[it.URL.Scheme()] == nil {
				examples[it.URL.Scheme()] = it.URL
			}
		}
	}
	lines := []protocols.Line{
		text("Enter opens an example; the servers are in the demonstration world."), text(""),
	}
	explained := false
	for _, s := range urlcore.Schemes() {
		if s.Object != "" && !explained {
			explained = true
			lines = append(lines, text(""), text("These only say what they name, and what opens it:"), text(""))
		}
		u := examples[s.Name]
		if u == nil {
			parsed, err := urlcore.Parse(s.Example)
			if err != nil {
				continue
			}
			u = parsed
		}
		l := link(s.Name, u)
		l.Note = &schemeNote{c.SchemeState(u), s.Port, s.Section}
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
