package cell

import (
	"strings"

	"gofer/protocols"
)

// Style is the SGR sequence that begins it, "" for plain text. They add up:
// one after the other is both.
type Style string

const reset = "\x1b[m"

// Styles are those of the screen: one accent colour, a dim one, and weight;
// and two more for the parts of a URL.
type Styles struct {
	Accent, Dim, Bold, Link, Selected, Found Style
	warn, words                              Style    // of a URL: login and port, a search
	Quotes                                   [3]Style // of what is quoted, by how often
}

// Glyphs are the signs of the screen, in Unicode or in ASCII. All are one cell
// wide in every table.
type Glyphs struct {
	ASCII bool

	Rule, Cut, Left, Right, Caret, Vertical, Branch, Corner, Towards string
	Cursor                                                           string // of a terminal that has no reverse video
	Loading, Loaded, Failed, Asking                                  string // states of a tab
	Fresh, Visited                                                   string // before a link
	Sorted, Reversed                                                 string // after the head of a column
	kinds                                                            [protocols.Problem + 1]string
}

// NewGlyphs returns the signs in Unicode or in ASCII; for the Linux console, whose fonts
// have lines and hardly any other sign, in ASCII with lines in Unicode.
func NewGlyphs(asciiOnly, console bool) Glyphs {
	g := Glyphs{
		Rule: "─", Cut: "…", Left: "‹", Right: "›", Caret: "^",
		Vertical: "│ ", Branch: "├ ", Corner: "└ ", Towards: "→",
		Loading: "◦", Loaded: "•", Failed: "✗", Asking: "?",
		Fresh: "+", Visited: "✓", Sorted: "↓", Reversed: "↑",
		kinds: kindGlyphs("▸", "•", "◦", "⌕", "◩", "⇗", "✗"),
	}
	if !asciiOnly && !console {
		return g
	}
	signs := Glyphs{
		ASCII: asciiOnly,
		Rule:  "-", Cut: "~", Left: "<", Right: ">", Caret: "^",
		Vertical: "| ", Branch: "|-", Corner: "`-", Towards: ">",
		Loading: ".", Loaded: "*", Failed: "!", Asking: "?",
		Fresh: "+", Visited: "v", Sorted: "v", Reversed: "^",
		kinds: kindGlyphs(">", "-", ".", "?", "*", "^", "!"),
	}
	if console {
		signs.Rule, signs.Vertical, signs.Branch, signs.Corner = g.Rule, g.Vertical, g.Branch, g.Corner
	}
	return signs
}

// kindGlyphs are the signs of lines by their kind.
func kindGlyphs(list, article, text, search, binary, outside, failure string) [protocols.Problem + 1]string {
	return [...]string{
		protocols.Menu: list, protocols.Directory: list, protocols.Group: list,
		protocols.Article: article, protocols.Text: text, protocols.HTML: text,
		protocols.Search: search, protocols.Phonebook: search,
		protocols.Image: binary, protocols.Sound: binary, protocols.Movie: binary,
		protocols.Document: binary, protocols.Archive: binary, protocols.Binary: binary,
		protocols.Session: outside, protocols.Mail: outside, protocols.Other: outside,
		protocols.Failure: failure, protocols.Problem: "?",
	}
}

// Kind is the sign of a line of kind k that has a link, or of a failure.
func (g *Glyphs) Kind(k protocols.Kind) string {
	if int(k) < len(g.kinds) && g.kinds[k] != "" {
		return g.kinds[k]
	}
	return g.kinds[protocols.Text]
}

// Quote is the style of what is quoted, by its mark.
func (st *Styles) Quote(mark string) Style {
	if depth := strings.Count(mark, ">"); depth > 0 {
		return st.Quotes[(depth-1)%len(st.Quotes)]
	}
	return st.Dim
}
