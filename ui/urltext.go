package ui

import (
	"net"
	"strings"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// urlParts are the parts of u for the screen, in at most width cells, without
// its password: nothing in them could do harm, and the host is there.
func (m *Model) urlParts(u urlcore.URL, width int) []urlcore.Part {
	if u == nil {
		return nil
	}
	return urlcore.Shorten(urlcore.Parts(urlcore.Redact(u)), width, m.glyphs.Cut)
}

// urlText is the text of the parts.
func (m *Model) urlText(u urlcore.URL, width int) string { return partsText(m.urlParts(u, width)) }

// urlSpans are the parts in their looks.
func (m *Model) urlSpans(u urlcore.URL, width int) []cell.Span {
	var all []cell.Span
	for _, p := range m.urlParts(u, width) {
		all = append(all, cell.Span{Style: m.styles.Part(p.Name), Text: p.Text})
	}
	return all
}

// barSpans are the parts of u, or what a page of gofer's own is in words.
func (m *Model) barSpans(u urlcore.URL, width int) []cell.Span {
	words, of, ok := about.Words(u)
	if f, err := protocols.ParseForm(u); err == nil {
		words, of, ok = "form of ", f.Action, true
	}
	if !ok {
		return m.urlSpans(u, width)
	}
	words = clean.Line(words)
	if of == nil {
		words, _ = m.tab.pager.Cells.Fit(words, width, m.glyphs.Cut)
	}
	return append([]cell.Span{{Style: m.styles.Accent, Text: words}}, m.urlSpans(of, width-len(words))...)
}

// itemText is the text of the parts, or where a page of gofer's own has a query
// what it is in words.
func (m *Model) itemText(u urlcore.URL, width int) string {
	if g, ok := u.(urlcore.Generic); !ok || g.Name != "about" || !strings.Contains(g.Rest, "?") {
		return m.urlText(u, width)
	}
	var b strings.Builder
	for _, s := range m.barSpans(u, width) {
		b.WriteString(s.Text)
	}
	return b.String()
}

// hostText is a host, perhaps with its port, in at most width cells: of a long
// one the end, which says whose it is.
func (m *Model) hostText(addr string, width int) string {
	parts := []urlcore.Part{{Name: "host", Text: addr}}
	if _, port, err := net.SplitHostPort(addr); err == nil {
		parts = []urlcore.Part{{Name: "host", Text: strings.TrimSuffix(addr, ":"+port)}, {Name: "delimiter", Text: ":"}, {Name: "port", Text: port}}
	}
	return partsText(urlcore.Shorten(parts, width, m.glyphs.Cut))
}

func partsText(parts []urlcore.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
