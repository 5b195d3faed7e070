package nav

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Sentence returns one cleaned line about the error of a load: the operation, the cause and the
// text of the server.
func Sentence(err error) string {
	var e *protocols.Error
	if !errors.As(err, &e) {
		return clean.Text(err.Error())
	}
	s := sentence(e)
	if said := words(e); said != "" {
		s += " (the server said: " + said + ")"
	}
	return s
}

// detail returns the text below a heading: the operation, and the cause if the heading does not
// name it.
func detail(e *protocols.Error, heading string) string {
	cause := ""
	if e.Err != nil {
		cause = clean.Text(e.Err.Error())
	}
	if same := strings.ToLower(cause); strings.Contains(strings.ToLower(heading), same) || strings.Contains(e.Reason.String(), same) {
		cause = ""
	}
	switch {
	case e.Op == "":
		return upperFirst(cause)
	case cause == "":
		return "Could not " + clean.Text(e.Op)
	}
	return "Could not " + clean.Text(e.Op) + ": " + cause
}

// sentence returns a text like "Could not connect to host:70: connection refused".
func sentence(e *protocols.Error) string {
	why := e.Reason.String()
	if e.Err != nil {
		if cause := clean.Text(e.Err.Error()); e.Reason == protocols.Unknown || e.Reason == protocols.NoServer && cause != "" {
			why = cause
		} else if cause != "" {
			why += " (" + cause + ")"
		}
	}
	if e.Op == "" {
		return upperFirst(why)
	}
	return "Could not " + clean.Text(e.Op) + ": " + why
}

// words are the server's own.
func words(e *protocols.Error) string {
	if e.Code >= 10 && strings.HasPrefix(e.Text, strconv.Itoa(e.Code)) {
		return clean.Text(e.Text)
	}
	return strings.TrimSpace(clean.Text(e.Said()))
}

// endLines returns the lines at the end of an incomplete page, with the reason.
func endLines(u urlcore.URL, err error) []protocols.Line {
	lines := []protocols.Line{{}, {Kind: protocols.Heading, Text: "This page is incomplete"}}
	onward := link("Load it again", u)
	onward.Note = protocols.ActionReload
	if protocols.ReasonOf(err) == protocols.TooBig {
		onward = protocols.Line{Kind: protocols.Binary, Text: "Save all of it to a file", Link: u, Note: protocols.ActionSave}
	}
	return append(append(lines, sentenceLines(err)...), onward)
}

// noteWidth is the length of our rows in a page whose lines are not
// wrapped.
const noteWidth = 72

// sentenceLines is what err says in rows of at most noteWidth characters,
// unless a word is longer.
func sentenceLines(err error) []protocols.Line {
	var lines []protocols.Line
	row := ""
	for _, word := range strings.Fields(Sentence(err) + ".") {
		if row != "" && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > noteWidth {
			lines = append(lines, protocols.Line{Text: row})
			row = ""
		}
		row = strings.TrimPrefix(row+" "+word, " ")
	}
	return append(lines, protocols.Line{Text: row})
}

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "gofer") {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
