package clean

import (
	"net"
	"strings"
	"unicode"
)

// maxQuoted is the largest number of octets of a server's words in a question.
const maxQuoted = 1200

// ServerSays quotes the words of a server for a question or a prompt: HOST says: "words". The
// parameter server is a host or host:port. It returns "" if there are no words.
func ServerSays(server, words string) string {
	quoted := Quote(words)
	if quoted == "" {
		return ""
	}
	return Host(server) + " says: " + quoted
}

// Host returns the host of a server, given as host or host:port, made safe to show.
func Host(server string) string {
	if host, _, err := net.SplitHostPort(server); err == nil {
		server = host
	}
	return Text(server)
}

// Quote returns the words of a server in quotation marks, made safe to show like [Text], on one
// line of bounded length and with one blank between words. Quotation marks inside become
// apostrophes. It returns "" if there are no words. Clean words stay unchanged.
func Quote(words string) string {
	cut := len(words) > maxQuoted
	words = strings.Join(strings.FieldsFunc(Text(strings.ReplaceAll(words[:min(len(words), maxQuoted)], "\n", " ")), isBlank), " ")
	if words == "" {
		return ""
	}
	if cut {
		words += "..."
	}
	return `"` + strings.Map(plainQuote, words) + `"`
}

// maxName is the largest number of octets of a name in a question.
const maxName = 200

// Name returns a name in quotation marks for a question, as [Quote] does, even if it is
// empty. A name that is too long loses its middle.
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

// isBlank reports whether r is shown as a blank, as the Braille pattern without dots is.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\u2800' }

// plainQuote returns an apostrophe if r is a quotation mark or [ASCII] makes it one, else r.
func plainQuote(r rune) rune {
	if unicode.Is(unicode.Quotation_Mark, r) || strings.Contains(ASCII(string(r)), `"`) {
		return '\''
	}
	return r
}
