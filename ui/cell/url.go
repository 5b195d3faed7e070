package cell

import (
	"net"
	"strings"

	"gofer/urlcore"
)

// urlParts are the parts of u for the screen, in at most width cells, without
// its password: nothing in them could do harm, and the host is there.
func (g *Glyphs) urlParts(u urlcore.URL, width int) []urlcore.Part {
	if u == nil {
		return nil
	}
	return urlcore.Shorten(urlcore.Parts(urlcore.Redact(u)), width, g.Cut)
}

// URL is the text of u for the screen, in at most width cells, without its password:
// nothing in it could do harm, and the host is there.
func (g *Glyphs) URL(u urlcore.URL, width int) string { return partsText(g.urlParts(u, width)) }

// URL is u as [Glyphs.URL] writes it, each part in its style.
func (st *Styles) URL(u urlcore.URL, width int, g *Glyphs) []Span {
	var all []Span
	for _, p := range g.urlParts(u, width) {
		all = append(all, Span{Style: st.Part(p.Name), Text: p.Text})
	}
	return all
}

// Host is a host, perhaps with its port, in at most width cells: of a long
// one the end, which says whose it is.
func (g *Glyphs) Host(addr string, width int) string {
	parts := []urlcore.Part{{Name: "host", Text: addr}}
	if _, port, err := net.SplitHostPort(addr); err == nil {
		parts = []urlcore.Part{{Name: "host", Text: strings.TrimSuffix(addr, ":"+port)}, {Name: "delimiter", Text: ":"}, {Name: "port", Text: port}}
	}
	return partsText(urlcore.Shorten(parts, width, g.Cut))
}

func partsText(parts []urlcore.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
