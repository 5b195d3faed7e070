package clean

import (
	"net"
	"strings"
	"unicode"
)

// maxSaid is how many octets of a server's words stand in a question.
const maxSaid = 1200

// Said returns the words of a server, host:port or a host, as they stand in a question
// or a prompt of gofer's, so that nobody takes them for gofer's own: HOST says: "words".
// It is "" if there are no words.
func Said(server, words string) string {
	quoted := Quoted(words)
	if quoted == "" {
		return ""
	}
	return Host(server) + " says: " + quoted
}

// Host returns the host of a server, host:port or a host, made safe to show.
func Host(server string) string {
	if host, _, err := net.SplitHostPort(server); err == nil {
		server = host
	}
	return Text(server)
}

// Quoted returns words of a server in quotation marks, made safe to show as by [Text] on
// one line, of bounded length and with one blank between two words. A quotation mark
// among them becomes an apostrophe, so that the last one is the end. It is "" if there
// are no words. Words that were cleaned already stay as they are.
func Quoted(words string) string {
	cut := len(words) > maxSaid
	words = strings.Join(strings.Fields(Text(strings.ReplaceAll(words[:min(len(words), maxSaid)], "\n", " "))), " ")
	if words == "" {
		return ""
	}
	if cut {
		words += "..."
	}
	return `"` + strings.Map(unquoted, words) + `"`
}

// unquoted returns an apostrophe for what is, or becomes with [ASCII], a quotation mark.
func unquoted(r rune) rune {
	if r == '"' || r >= 0x80 && (unicode.Is(unicode.Quotation_Mark, r) || strings.Contains(ASCII(string(r)), `"`)) {
		return '\''
	}
	return r
}
