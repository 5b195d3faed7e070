package cli

import (
	"encoding/json"
	"io"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/clean"
	"gofer/internal/download"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// remarks are the notes of a download and what it has left out, a line each.
func remarks(s *download.Status) string {
	text := notes(s)
	for _, left := range s.LeftOut {
		text += "\n  not saved: " + clean.Text(left.String())
	}
	return text
}

// notes are the notes of a download, a line each.
func notes(s *download.Status) string {
	text := ""
	for _, note := range s.Notes {
		text += "\n  " + clean.Text(note)
	}
	return text
}

// unsavable tells how many items of a tree that was counted cannot be saved.
func unsavable(s *download.Status) string {
	if len(s.LeftOut) == 0 {
		return ""
	}
	return "\n  " + english.Plural(len(s.LeftOut), "item", "") + " cannot be saved"
}

// leftOut is an item that was left out, as an object of JSON.
type leftOut struct {
	URL    string `json:"url,omitempty"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
	Exit   int    `json:"exit"`
}

// writeLeftOut writes what a download has left out, one JSON object a line.
func writeLeftOut(w io.Writer, s *download.Status) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, left := range s.LeftOut {
		o := leftOut{Path: clean.Text(left.Path), Reason: "left out", Error: nav.Sentence(left.Err), Exit: exitLeftOut(left.Err)}
		if left.URL != nil {
			o.URL = urlcore.Redact(left.URL).String()
		}
		if reason := protocols.ReasonOf(left.Err); reason != protocols.Unknown {
			o.Reason = reason.String()
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// exitLeftOut maps the reason for which an item was left out to an exit code: of
// the network, of this machine, or else that of the server's no.
func exitLeftOut(err error) int {
	switch r := protocols.ReasonOf(err); {
	case r.Network():
		return exitNetwork
	case r == protocols.LocalFailure:
		return exitLocal
	}
	return exitServer
}

// exitPartial is the worst exit code of the items that were left out.
func exitPartial(err *download.PartialError) (code int) {
	for _, left := range err.LeftOut {
		code = max(code, exitLeftOut(left.Err))
	}
	return code
}
