package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"gofer/urlcore"
)

// LinkFilter selects the links whose URLs are sent to the terminal (OSC 8). The terminal can open and
// copy these URLs.
type LinkFilter uint8

const (
	noLinks LinkFilter = iota
	webLinks
	allLinks
)

// maxHyperlink is about the longest URL that terminals accept.
const maxHyperlink = 2000

// NewLinkFilter returns the value for a setting, which is "always", "never" or automatic. An
// automatic setting selects no links on an ASCII screen, or if the terminal does not support them (see [SupportsLinks]).
// Over a remote line, where octets count, it selects only links to web pages and mail addresses, which
// the user's machine can open.
func NewLinkFilter(setting string, asciiOnly, remote, supported bool) LinkFilter {
	switch {
	case setting == "never":
		return noLinks
	case setting == "always":
		return allLinks
	case asciiOnly || !supported:
		return noLinks
	case remote:
		return webLinks
	}
	return allLinks
}

// SupportsLinks reports whether a terminal with the environment env probably supports OSC 8, or at least ignores it.
func SupportsLinks(env func(string) string) bool {
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

// allows reports whether URLs of the scheme may be sent to the terminal. A terminal gives a URL to any program that the
// user's machine has for its scheme, also on a click beside the text that gofer shows. Therefore only the network
// protocols that gofer itself speaks are allowed, the web and mail: never file:, javascript: or the schemes of other
// programs. Gofer's own pages and forms have no meaning outside of it.
func (h LinkFilter) allows(scheme string) bool {
	switch urlcore.ClassOf(scheme) {
	case urlcore.WebScheme:
		return h != noLinks
	case urlcore.NetworkScheme:
		return h == allLinks
	}
	return false
}

// Target returns the URL to send to the terminal for a link to u and a fragment, which may be "". It returns "" if
// the terminal gets no URL.
func (h LinkFilter) Target(u urlcore.URL, fragment string) string {
	if u == nil || !h.allows(u.Scheme()) {
		return ""
	}
	text := urlcore.Reference(u, fragment)
	if len(text) > maxHyperlink || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return text
}

// PutLink calls draw, and makes the drawn text a link to the given URL, unless the URL is "".
// Gutters must not be part of links. A move of the cursor redraws only the gutters, and would otherwise
// send the URLs again.
func (r *RowWriter) PutLink(url string, draw func()) {
	if url == "" {
		draw()
		return
	}
	r.Builder.WriteString(ansi.SetHyperlink(url))
	draw()
	r.Builder.WriteString(ansi.ResetHyperlink())
}
