package cell

import (
	"net"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"gofer/urlcore"
)

// urlParts returns the parts of u, shortened to at most width cells in all. They are clean, include the
// host and have no password.
func (g *Glyphs) urlParts(u urlcore.URL, width int) []urlcore.Part {
	if u == nil {
		return nil
	}
	parts := urlcore.Parts(urlcore.Redact(u))
	at := slices.IndexFunc(parts, func(p urlcore.Part) bool { return p.Name == "host" })
	if at < 0 {
		return urlcore.Shorten(parts, width, g.Cut)
	}
	host := parts[at].Text
	readable, mixed := urlcore.ReadableHost(host)
	if mixed {
		readable += " (" + host + ")"
	}
	// The other characters of a host take fewer cells than their form in ASCII, unless both are shown.
	more := max(0, ansi.StringWidth(readable)-len(host))
	short := urlcore.Shorten(parts, width-more, g.Cut)
	if at = slices.IndexFunc(short, func(p urlcore.Part) bool { return p.Name == "host" && p.Text == host }); at < 0 {
		return urlcore.Shorten(parts, width, g.Cut)
	}
	short[at].Text = readable
	return short
}

// URL returns the text of u, shortened to at most width cells. The text is clean, includes the host and
// has no password.
func (g *Glyphs) URL(u urlcore.URL, width int) string { return partsText(g.urlParts(u, width)) }

// CanonicalURL is like URL, but the host stays in ASCII, as in a copy of the URL.
func (g *Glyphs) CanonicalURL(u urlcore.URL, width int) string {
	return partsText(urlcore.Shorten(urlcore.Parts(urlcore.Redact(u)), width, g.Cut))
}

// URL returns the text of [Glyphs.URL], with a style for each part.
func (st *Styles) URL(u urlcore.URL, width int, g *Glyphs) []Span {
	var all []Span
	for _, p := range g.urlParts(u, width) {
		all = append(all, Span{Style: st.PartStyle(p.Name), Text: p.Text})
	}
	return all
}

// Host returns a host or host:port in at most width cells. The end of a long host is kept, because
// the end names the owner.
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

// Span is text of one style.
type Span struct {
	Style Style
	Text  string
}

// Spans colors the parts of a typed URL, which may be incomplete. It stops coloring where the typed text
// differs from the canonical URL.
func (st *Styles) Spans(text string) []Span {
	u, err := urlcore.Parse(text)
	if err != nil {
		return []Span{{"", text}}
	}
	var all []Span
	known := 0
	for _, p := range urlcore.Parts(urlcore.Redact(u)) {
		if p.Text == "" {
			continue
		}
		n := commonPrefix(p.Text, text[known:])
		if n == 0 {
			break
		}
		all = append(all, Span{st.PartStyle(p.Name), text[known : known+n]})
		known += n
		if n < len(p.Text) {
			break
		}
	}
	if known < len(text) {
		all = append(all, Span{"", text[known:]})
	}
	return all
}

// PartStyle returns the style of a part by its name in RFC 1738.
func (st *Styles) PartStyle(name string) Style {
	switch name {
	case "scheme", "delimiter":
		return st.Dim
	case "host":
		return st.Bold
	case "user", "password", "port":
		return st.warning
	case "gophertype", "typecode", "wtype", "article-number", "database":
		return st.Accent
	case "search", "searchpart", "gopher+_string", "field", "value":
		return st.search
	}
	return ""
}

// commonPrefix returns the length of the common prefix of a and b.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// PutSpans writes spans. The parameter skip is the number of cells to leave out at the beginning. The
// parameter base is a style that comes before the style of each span.
func (r *RowWriter) PutSpans(spans []Span, skip int, base Style) {
	for _, s := range spans {
		n := r.Cells.Width(s.Text)
		if n <= skip {
			skip -= n
			continue
		}
		seen, taken, _ := r.Cells.Cut(s.Text, skip, r.Width-r.Col)
		skip = 0
		r.PutMeasured(base+s.Style, seen, taken)
	}
}
