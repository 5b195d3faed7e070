package cli

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/internal/download"
	"gofer/internal/mirror"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// notes formats the notes of a download, one a line.
func notes(s *download.Status) string {
	text := ""
	for _, note := range s.Notes {
		text += "\n  " + noteText(note)
	}
	return text
}

// noteText returns a note in the form of the other messages of the command line: without
// the capital letter of its first word, unless that is an abbreviation, and the full stop.
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

// leftOut is the JSON object of an omitted item.
type leftOut struct {
	URL    string `json:"url,omitempty"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
	Exit   int    `json:"exit"`
}

func writeLeftOut(w io.Writer, s *download.Status) error {
	return writeJSON(w, s.LeftOut, func(left mirror.LeftOut) any {
		o := leftOut{Path: clean.Text(left.Path), Reason: "left out", Error: nav.Sentence(left.Err), Exit: exitLeftOut(left.Err)}
		if left.URL != nil {
			o.URL = urlcore.Redact(left.URL).String()
		}
		if reason := protocols.ReasonOf(left.Err); reason != protocols.Unknown {
			o.Reason = reason.String()
		}
		return o
	})
}

// exitLeftOut maps the error of an omitted item to an exit code: exitNetwork,
// exitLocal, or exitServer for everything else.
func exitLeftOut(err error) int {
	switch r := protocols.ReasonOf(err); {
	case r.Network():
		return exitNetwork
	case r == protocols.LocalFailure:
		return exitLocal
	}
	return exitServer
}

func exitPartial(err *mirror.PartialError) (code int) {
	for _, left := range err.LeftOut {
		code = max(code, exitLeftOut(left.Err))
	}
	return code
}
