package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// startSuperscript begins a superscript if the text before it ends with a word.
func (h *htmlReader) startSuperscript() {
	if h.sup = len(h.text); h.blank || h.sup > 0 && h.text[h.sup-1] == ' ' {
		h.sup = 0
	}
}

// endSuperscript writes "^" before the superscript, and parentheses around it if it is not one word. Links, notes in
// brackets, ordinal numbers and trademarks stay as they are.
func (h *htmlReader) endSuperscript() {
	from := h.sup
	h.sup = 0
	if from == 0 || from >= len(h.text) || h.href != nil && h.from >= from {
		return
	}
	if n := len(h.links); n > 0 && h.links[n-1].To > from {
		return
	}
	text := string(bytes.TrimSpace(h.text[from:]))
	if !isExponent(text) || isDigit(h.text[from-1]) && isOrdinal(text) || len(h.text)+len("^()") > maxLine {
		return
	}
	if strings.ContainsFunc(strings.TrimLeft(text, "+-−"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		text = "(" + text + ")"
	}
	h.text = append(append(h.text[:from], '^'), text...)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isExponent reports whether a superscript is part of a formula, and not the mark of a note or a trademark.
func isExponent(text string) bool {
	switch {
	case strings.HasPrefix(text, "["), strings.EqualFold(text, "TM"), strings.EqualFold(text, "SM"):
		return false
	}
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+-−", r)
	})
}

// isOrdinal reports whether a superscript is the ending of an English ordinal number.
func isOrdinal(text string) bool {
	return slices.Contains([]string{"st", "nd", "rd", "th"}, strings.ToLower(text))
}
