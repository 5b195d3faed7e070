// Package sentence writes the error of a fetch as a sentence for the screen: the operation, the cause
// and the server's words, all of them clean.
package sentence

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// Of returns one clean line about the error of a load: the operation, the cause and the server's
// words in quotation marks.
func Of(err error) string {
	var e *protocols.Error
	if !errors.As(err, &e) {
		return clean.Text(err.Error())
	}
	reason := Short(e)
	if because := Cause(e, ""); because != "" && because != reason {
		reason += " (" + because + ")"
	}
	code, words := QuoteReply(e, reason, false)
	if len(words) > 0 {
		code = " (" + e.Speaker() + " said " + strings.Join(words, "") + ")"
	}
	return Format(e, reason+code)
}

// Short returns the reason of a failure in a few clean words, for a row of a list.
func Short(err error) string {
	e, ok := errors.AsType[*protocols.Error](err)
	if !ok {
		return clean.Text(err.Error())
	}
	because := Cause(e, "")
	if because == "" || e.Reason.IsNetworkFailure() || e.Reason.IsServerFailure() && !namesCause(e) {
		return e.Reason.String()
	}
	return because
}

// namesCause reports whether the cause of a server failure says all: what the server does not say, or a limit or a rule of gofer.
func namesCause(e *protocols.Error) bool {
	return e.Reason == protocols.ServerFailed || e.Reason == protocols.TooBig || errors.Is(e.Err, protocols.ErrRestricted)
}

// Format returns a text like "Could not connect to host:70: nothing listens at that port".
func Format(e *protocols.Error, reason string) string {
	if e.Op == "" {
		return Capitalize(reason)
	}
	return strings.TrimSuffix("Could not "+clean.Text(e.Op)+": "+reason, ": ")
}

// Cause returns the text of e.Err, or "" if it adds nothing to the title and the Reason.
func Cause(e *protocols.Error, title string) string {
	if e.Err == nil || errors.Is(e.Err, io.EOF) || errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return ""
	}
	text := clean.Text(e.Err.Error())
	if same := strings.ToLower(text); strings.Contains(strings.ToLower(title), same) || strings.Contains(e.Reason.String(), same) {
		return ""
	}
	return text
}

// QuoteReply returns the server's words as lines in quotation marks. Usually the words begin with the
// reply code. If inTitle is set, or if the server says nothing or only the title, code contains the reply
// code, as " (550)", to follow the title. QuoteReply omits a code of one digit, as in Gopher+.
func QuoteReply(e *protocols.Error, title string, inTitle bool) (code string, words []string) {
	if e.Code < 10 {
		return "", QuotedLines(e.Text)
	}
	number := strconv.Itoa(e.Code)
	text := strings.TrimLeft(strings.TrimPrefix(e.Text, number), " -")
	words = QuotedLines(text)
	switch {
	case len(words) == 1 && strings.EqualFold(strings.Trim(words[0], `".`), title):
		words = nil
	case len(words) > 0 && !inTitle:
		return "", QuotedLines(number + " " + text)
	}
	return " (" + number + ")", words
}

// maxQuotedLines is the largest number of lines of a server's words.
const maxQuotedLines = 10

// QuotedLines returns the lines of a text of a server, cleaned and in quotation marks.
func QuotedLines(text string) (lines []string) {
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

// Capitalize returns s with a capital first letter, unless s begins with the name gofer.
func Capitalize(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "gofer") {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
