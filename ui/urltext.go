package ui

import (
	"strings"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// barSpans returns the text of u in colors. For the temporary file with the standard input it returns
// a description instead, and also for about pages and forms whose URLs have escapes.
func (s *screen) barSpans(u urlcore.URL, width int) []cell.Span {
	if u != nil && u == s.m.standardInput {
		return []cell.Span{{Style: s.m.styles.Accent, Text: "standard input"}}
	}
	words, of, ok := about.Words(u)
	if f, err := protocols.ParseForm(u); err == nil {
		words, of, ok = "form of ", f.Action, true
	}
	if !ok || !strings.Contains(u.String(), "%") {
		return s.m.styles.URL(u, width, &s.m.glyphs)
	}
	words = clean.Line(words)
	if of == nil {
		words, _ = s.m.tab.Pager.Cells.Fit(words, width, s.m.glyphs.Cut)
	}
	return append([]cell.Span{{Style: s.m.styles.Accent, Text: words}}, s.m.styles.URL(of, width-len(words), &s.m.glyphs)...)
}

// itemText returns the text of u, or a description of a form or of an about page with a query.
func (s *screen) itemText(u urlcore.URL, width int) string {
	if g, ok := u.(urlcore.Generic); !ok || g.Name != "about" && g.Name != protocols.FormScheme || !strings.Contains(g.Rest, "?") {
		return s.m.glyphs.URL(u, width)
	}
	var b strings.Builder
	for _, span := range s.barSpans(u, width) {
		b.WriteString(span.Text)
	}
	return b.String()
}

// noticeText returns the text of u in a notice: the canonical text, which a copy has, or a description as in itemText.
func (s *screen) noticeText(u urlcore.URL, width int) string {
	if text := s.itemText(u, width); text != s.m.glyphs.URL(u, width) {
		return text
	}
	return s.m.glyphs.CanonicalURL(u, width)
}

// shortOther returns the text of other, another reading of u, with "..." in place of the directories that
// both have.
func shortOther(u, other urlcore.URL) string {
	a, b := urlcore.Redact(u).String(), urlcore.Redact(other).String()
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if at := strings.LastIndexByte(b[:n], '/'); at > strings.Index(b, "://")+len("//") {
		b = "..." + b[at:]
	}
	return clean.Line(b)
}
