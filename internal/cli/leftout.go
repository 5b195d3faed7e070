package cli

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// formatNotes returns the notes of a download, one per line.
func formatNotes(s *download.Status) string {
	text := ""
	for _, note := range s.Notes {
		text += "\n  " + noteText(note)
	}
	return text
}

// noteText returns a note in the style of messages: without a full stop, and without a capital letter at the
// beginning unless the first word is an abbreviation.
func noteText(note string) string {
	text := clean.Text(note)
	if short, ok := strings.CutSuffix(text, "."); ok && !strings.HasSuffix(short, ".") {
		text = short
	}
	first, size := utf8.DecodeRuneInString(text)
	if next, _ := utf8.DecodeRuneInString(text[size:]); next == ' ' || unicode.IsLower(next) {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

// leftOutItem is the JSON object for an item that was not saved.
type leftOutItem struct {
	URL    string `json:"url,omitempty"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
	Exit   int    `json:"exit"`
}

func writeLeftOut(w io.Writer, s *download.Status) error {
	return writeJSON(w, s.LeftOut, func(items mirror.LeftOut) any {
		o := leftOutItem{Path: clean.Text(items.Path), Reason: "left out", Error: sentence.Of(items.Err), Exit: leftOutExitCode(items.Err)}
		if items.URL != nil {
			o.URL = urlcore.Redact(items.URL).String()
		}
		if reason := protocols.ReasonOf(items.Err); reason != protocols.Unknown {
			o.Reason = reason.String()
		}
		return o
	})
}

// leftOutExitCode returns the exit code for the error of one item: exitNetwork, exitLocal or, for other
// errors, exitServer.
func leftOutExitCode(err error) int {
	switch r := protocols.ReasonOf(err); {
	case r.IsNetworkFailure():
		return exitNetwork
	case r == protocols.LocalFailure:
		return exitLocal
	}
	return exitServer
}

func partialExitCode(err *mirror.PartialError) (code int) {
	for _, left := range err.LeftOut {
		code = max(code, leftOutExitCode(left.Err))
	}
	return code
}
