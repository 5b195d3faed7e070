package nav

import (
	"strings"
	"unicode/utf8"

	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

// endLines returns the lines at the end of an incomplete page, with the reason.
func endLines(u urlcore.URL, err error) []protocols.Line {
	lines := []protocols.Line{{}, {Kind: protocols.Heading, Text: "This page is incomplete"}}
	offer := link("Load it again", u)
	offer.Note = protocols.ActionReload
	if protocols.ReasonOf(err) == protocols.TooBig {
		offer = protocols.Line{Kind: protocols.Binary, Text: "Save all of it to a file", Link: u, Note: protocols.ActionSave}
	}
	return append(append(lines, sentenceLines(err)...), offer)
}

// noteWidth is the largest width, in characters, of gofer's own rows in a page whose lines are not
// wrapped.
const noteWidth = 72

// sentenceLines returns the sentence about err in rows of at most noteWidth characters. A longer word
// has a row for itself.
func sentenceLines(err error) []protocols.Line {
	var lines []protocols.Line
	row := ""
	for _, word := range strings.Fields(sentence.Of(err) + ".") {
		if row != "" && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > noteWidth {
			lines = append(lines, protocols.Line{Text: row})
			row = ""
		}
		row = strings.TrimPrefix(row+" "+word, " ")
	}
	return append(lines, protocols.Line{Text: row})
}
