package clean

import (
	"net"
	"strings"
	"unicode"
)

// maxQuoted is the largest number of octets of a text that Quote returns completely.
const maxQuoted = 1200

// ServerSays returns the words of a server in the form "HOST says: WORDS", with the words quoted.
// The parameter server is a host or host:port. ServerSays returns "" if there are no words.
func ServerSays(server, words string) string {
	quoted := Quote(words)
	if quoted == "" {
		return ""
	}
	return Host(server) + " says: " + quoted
}

// Host returns the host in server, which is a host or host:port. The result is safe to show.
func Host(server string) string {
	if host, _, err := net.SplitHostPort(server); err == nil {
		server = host
	}
	return Text(server)
}

// Quote returns text from a server in quotation marks, on one line. The result is safe to show, has
// a limited length, and has one blank between words. Quotation marks in the text become
// apostrophes. Quote returns "" if there are no words.
func Quote(words string) string {
	cut := len(words) > maxQuoted
	words = strings.Join(strings.FieldsFunc(Text(strings.ReplaceAll(words[:min(len(words), maxQuoted)], "\n", " ")), isBlank), " ")
	if words == "" {
		return ""
	}
	if cut {
		words += "..."
	}
	return `"` + strings.Map(replaceQuoteMark, words) + `"`
}

// maxName is the largest number of octets of a name that Name returns completely.
const maxName = 200

// Name returns a name in quotation marks, like [Quote]. It omits the middle of a long name. Unlike
// Quote, it returns quotation marks for an empty name.
func Name(name string) string {
	if over := len(name) - maxQuoted; over > 0 {
		name = name[:maxQuoted/2] + name[maxQuoted/2+over:]
	}
	if name = Text(name); len(name) > maxName {
		head, tail := maxName*2/3, len(name)-maxName/3
		name = strings.ToValidUTF8(name[:head], "") + "..." + strings.ToValidUTF8(name[tail:], "")
	}
	if quoted := Quote(name); quoted != "" {
		return quoted
	}
	return `""`
}

// isBlank reports whether r is shown as a blank, like a space or the Braille pattern without dots.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\u2800' }

// replaceQuoteMark returns an apostrophe if r is a quotation mark, or if [ASCII] replaces r with a
// quotation mark. Otherwise it returns r.
func replaceQuoteMark(r rune) rune {
	if unicode.Is(unicode.Quotation_Mark, r) || strings.Contains(ASCII(string(r)), `"`) {
		return '\''
	}
	return r
}
