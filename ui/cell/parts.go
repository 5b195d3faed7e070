package cell

import "gofer/urlcore"

// Span is a piece of a row of one style.
type Span struct {
	Style Style
	Text  string
}

// Spans colours the parts of a URL, which may still be being typed: as far as
// what is typed is the beginning of a canonical URL, its parts are known.
func (st *Styles) Spans(text string) []Span {
	u, err := urlcore.Parse(text)
	if err != nil {
		return []Span{{"", text}}
	}
	var all []Span
	known := 0
	for _, p := range urlcore.Parts(urlcore.Redact(u)) {
		if p.Text == "" {
			continue // there, but empty
		}
		n := common(p.Text, text[known:])
		if n == 0 {
			break
		}
		all = append(all, Span{st.Part(p.Name), text[known : known+n]})
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

// Part is the style of a part by its name in RFC 1738.
func (st *Styles) Part(name string) Style {
	switch name {
	case "scheme", "delimiter":
		return st.Dim
	case "host":
		return st.Bold
	case "user", "password", "port":
		return st.warn
	case "gophertype", "typecode", "wtype", "article-number", "database":
		return st.Accent
	case "search", "searchpart", "gopher+_string", "field", "value":
		return st.words
	}
	return ""
}

// common returns how many octets a and b have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Spans writes pieces one after the other, without the first left cells.
func (r *RowWriter) Spans(all []Span, left int, under Style) {
	for _, s := range all {
		n := r.Cells.Width(s.Text)
		if n <= left {
			left -= n
			continue
		}
		seen, taken, _ := r.Cells.Cut(s.Text, left, r.Width-r.Col)
		left = 0
		r.Raw(under+s.Style, seen, taken)
	}
}
