package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"gofer/protocols"
	"gofer/urlcore"
)

// Hyperlinks tells which links the terminal is told the URLs of (OSC 8), so that
// it can open and copy them.
type Hyperlinks uint8

const (
	noHyperlinks Hyperlinks = iota
	webHyperlinks
	allHyperlinks
)

// maxHyperlink is the longest URL that terminals take, about.
const maxHyperlink = 2000

// NewHyperlinks returns the links for a setting: "always", "never", or else what the
// environment says about the terminal. Over a remote line, where octets count, only
// links that the terminal's machine can open by itself have URLs. A screen of ASCII
// has none by default.
func NewHyperlinks(setting string, asciiOnly, remote bool, env func(string) string) Hyperlinks {
	switch {
	case setting == "never":
		return noHyperlinks
	case setting == "always":
		return allHyperlinks
	case asciiOnly || !knowsHyperlinks(env):
		return noHyperlinks
	case remote:
		return webHyperlinks
	}
	return allHyperlinks
}

// knowsHyperlinks reports whether the terminal can be expected to know OSC 8, or
// at least to ignore it.
func knowsHyperlinks(env func(string) string) bool {
	if env("TMUX") != "" {
		return true
	}
	term, _, _ := strings.Cut(env("TERM"), "-")
	switch term {
	case "", "linux", "dumb", "screen", "ansi", "cons25", "wsvt25", "sun", "cygwin", "unknown":
		return false
	}
	return env("STY") == "" && !strings.HasPrefix(term, "vt")
}

// Of is what the terminal is told of a link to u, "" for nothing.
func (h Hyperlinks) Of(u urlcore.URL) string {
	if h == noHyperlinks || u == nil || u.Scheme() == "about" || u.Scheme() == protocols.FormScheme {
		return ""
	}
	if s := u.Scheme(); h == webHyperlinks && s != "http" && s != "https" && s != "mailto" {
		return ""
	}
	text := urlcore.Redact(u).String()
	if len(text) > maxHyperlink || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return text
}

// Linked writes what draw writes as a link to a URL, if that is not "". Gutters are
// left out of links: moving the cursor draws gutters only.
func (r *RowWriter) Linked(url string, draw func()) {
	if url == "" {
		draw()
		return
	}
	r.Builder.WriteString(ansi.SetHyperlink(url))
	draw()
	r.Builder.WriteString(ansi.ResetHyperlink())
}
