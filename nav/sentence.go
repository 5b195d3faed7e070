package nav

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Sentence returns one clean line about the error of a load: the operation, the cause and the server's
// words in quotation marks.
func Sentence(err error) string {
	var e *protocols.Error
	if !errors.As(err, &e) {
		return clean.Text(err.Error())
	}
	reason, because := e.Reason.String(), causeText(e, "")
	switch {
	case because == "":
	case e.Reason.IsNetworkFailure(), e.Reason.IsServerFailure() && e.Reason != protocols.ServerFailed && !errors.Is(e.Err, protocols.ErrRestricted):
		reason += " (" + because + ")"
	default:
		reason = because
	}
	code, words := quoteReply(e, reason, false)
	if len(words) > 0 {
		code = " (the server said " + strings.Join(words, "") + ")"
	}
	return formatSentence(e, reason+code)
}

// formatSentence returns a text like "Could not connect to host:70: nothing listens at that port".
func formatSentence(e *protocols.Error, reason string) string {
	if e.Op == "" {
		return capitalize(reason)
	}
	return strings.TrimSuffix("Could not "+clean.Text(e.Op)+": "+reason, ": ")
}

// causeText returns the text of e.Err, or "" if it adds nothing to the title and the Reason.
func causeText(e *protocols.Error, title string) string {
	if e.Err == nil || errors.Is(e.Err, io.EOF) || errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return ""
	}
	text := clean.Text(e.Err.Error())
	if same := strings.ToLower(text); strings.Contains(strings.ToLower(title), same) || strings.Contains(e.Reason.String(), same) {
		return ""
	}
	return text
}

// quoteReply returns the server's words as lines in quotation marks. Usually the words begin with the
// reply code. If inTitle is set, or if the server says nothing or only the title, code contains the reply
// code, as " (550)", to follow the title. quoteReply omits a code of one digit, as in Gopher+.
func quoteReply(e *protocols.Error, title string, inTitle bool) (code string, words []string) {
	if e.Code < 10 {
		return "", quotedLines(e.Text)
	}
	number := strconv.Itoa(e.Code)
	text := strings.TrimLeft(strings.TrimPrefix(e.Text, number), " -")
	words = quotedLines(text)
	switch {
	case len(words) == 1 && strings.EqualFold(strings.Trim(words[0], `".`), title):
		words = nil
	case len(words) > 0 && !inTitle:
		return "", quotedLines(number + " " + text)
	}
	return " (" + number + ")", words
}

// maxQuotedLines is the largest number of lines of a server's words.
const maxQuotedLines = 10

// quotedLines returns the lines of a text of a server, cleaned and in quotation marks.
func quotedLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.Trim(clean.Quote(strings.TrimSpace(line)), `"`); line == "" {
			continue
		}
		if len(lines) == maxQuotedLines {
			lines[maxQuotedLines-1] += "..."
			break
		}
		lines = append(lines, strings.Repeat(" ", min(1, len(lines)))+line)
	}
	if len(lines) > 0 {
		lines[0] = `"` + lines[0]
		lines[len(lines)-1] += `"`
	}
	return lines
}

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
	for _, word := range strings.Fields(Sentence(err) + ".") {
		if row != "" && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > noteWidth {
			lines = append(lines, protocols.Line{Text: row})
			row = ""
		}
		row = strings.TrimPrefix(row+" "+word, " ")
	}
	return append(lines, protocols.Line{Text: row})
}

func capitalize(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "gofer") {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
