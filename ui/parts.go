package ui

import "gofer/urlcore"

// span is a piece of a row of one style.
type span struct {
	style style
	text  string
}

// spans colours the parts of a URL, which may still be being typed: as far as
// what is typed is the beginning of a canonical URL, its parts are known.
func (st *styles) spans(text string) []span {
	u, err := urlcore.Parse(text)
	if err != nil {
		return []span{{"", text}}
	}
	var all []span
	known := 0
	for _, p := range urlcore.Parts(urlcore.Redact(u)) {
		if p.Text == "" {
			continue // there, but empty
		}
		n := common(p.Text, text[known:])
		if n == 0 {
			break
		}
		all = append(all, span{st.part(p.Name), text[known : known+n]})
		known += n
		if n < len(p.Text) {
			break
		}
	}
	if known < len(text) {
		all = append(all, span{"", text[known:]})
	}
	return all
}

// part is the style of a part by its name in RFC 1738.
func (st *styles) part(name string) style {
	switch name {
	case "scheme", "delimiter":
		return st.dim
	case "host":
		return st.bold
	case "user", "password", "port":
		return st.warn
	case "gophertype", "typecode", "wtype", "article-number", "database":
		return st.accent
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

// spans writes pieces one after the other, without the first left cells.
func (r *rowWriter) spans(all []span, left int, under style) {
	for _, s := range all {
		n := r.cells.width(s.text)
		if n <= left {
			left -= n
			continue
		}
		seen, taken, _ := r.cells.cut(s.text, left, r.width-r.col)
		left = 0
		r.raw(under+s.style, seen, taken)
	}
}
