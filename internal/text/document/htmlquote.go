package document

import (
	"cmp"
	"strings"

	"golang.org/x/net/html/atom"
)

// quotations is the state of the q elements.
type quotations struct {
	lang string   // language of the page, as in the attribute lang, or ""
	ends []string // closing marks of the open elements, from the outermost
}

// maxQuotations is the largest number of nested q elements that get marks of their own.
const maxQuotations = 100

// quotationMarks are the marks around q elements by language: two for an outer element and two for an element
// in it (Unicode CLDR, delimiters). Other languages have the marks of English.
var quotationMarks = map[string][4]string{
	"":   {"“", "”", "‘", "’"},
	"cs": {"„", "“", "‚", "‘"},
	"de": {"„", "“", "‚", "‘"},
	"es": {"«", "»", "“", "”"},
	"fr": {"«\u00a0", "\u00a0»", "“", "”"},
	"it": {"«", "»", "“", "”"},
	"pl": {"„", "”", "«", "»"},
	"pt": {"“", "”", "‘", "’"},
	"ru": {"«", "»", "„", "“"},
	"sv": {"”", "”", "’", "’"},
}

// startQuotation begins a q element. The marks of nested elements alternate.
func (h *htmlReader) startQuotation(attr attributes) {
	lang, _, _ := strings.Cut(strings.ToLower(cmp.Or(attr.get(atom.Lang), h.quotes.lang)), "-")
	marks, ok := quotationMarks[lang]
	if !ok {
		marks = quotationMarks[""]
	}
	at := len(h.quotes.ends) % 2 * 2
	if len(h.quotes.ends) < maxQuotations {
		h.quotes.ends = append(h.quotes.ends, marks[at+1])
	}
	h.addWord([]byte(marks[at]))
	h.blank = false
}

// endQuotation ends the innermost q element, if there is one.
func (h *htmlReader) endQuotation() {
	n := len(h.quotes.ends)
	if n == 0 {
		return
	}
	h.blank = false
	h.addWord([]byte(h.quotes.ends[n-1]))
	h.quotes.ends = h.quotes.ends[:n-1]
}
