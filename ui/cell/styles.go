package cell

import (
	"strings"

	"charm.land/lipgloss/v2"

	"gofer/protocols"
)

// Style is the SGR sequence that starts a style, or "" for plain text. Styles are combined by
// concatenation.
type Style string

const reset = "\x1b[m"

// Styles has the styles of the screen. They use an accent color, a dim color and weights, and two more
// colors for the parts of a URL.
type Styles struct {
	Accent, Dim, Bold, Link, Selected, Found Style
	Item, warning, search                    Style    // title of a link; login and port of a URL; search of a URL
	Tagged, TagSign                          Style    // text and sign of a tagged row
	Marked                                   Style    // what is drawn in place of the mark of the selected row
	Quotes                                   [3]Style // for quoted text, by depth

	Box        lipgloss.Style // a box over the page
	TintedCell lipgloss.Style // a cell of the selected row of a table

	Tint   Style   // background of the selected row; "" on a slow line, where it would cost too many octets
	OnTint *Styles // styles of the selected row

	onReverse bool // the styles are for a row in reverse video
}

// Mark returns the sign before the selected row. On reverse video a block would look like the background of the
// terminal, and the row would seem to begin after it.
func (st *Styles) Mark(g *Glyphs) string {
	if g.Cursor != "" {
		return g.Cursor
	}
	if st.onReverse {
		return asciiMark
	}
	return g.Bar
}

// asciiMark is the sign before the selected row in ASCII.
const asciiMark = ">"

// Glyphs has the signs of the screen, in Unicode or in ASCII. Each character of a sign is one cell wide in
// every table of widths.
type Glyphs struct {
	ASCII bool

	Rule, Cut, Left, Right, Caret, Vertical, Branch, Corner, Towards string
	Cursor                                                           string // replaces Bar on a terminal without reverse video; or ""
	Bar                                                              string // before the selected row
	Loading, Loaded, Failed, Asking                                  string // states of a tab
	Fresh, Visited, Tagged                                           string // before a link
	Alone, Differs, Newer, Undecided                                 string // before an item of a compared directory
	Sorted, Reversed                                                 string // after the head of a column
	Folded, Unfolded                                                 string // before a folder or thread
	asciiKinds                                                       bool   // the signs of kinds are in ASCII
}

// NewGlyphs returns the signs in Unicode or in ASCII. For the Linux console it returns ASCII signs,
// except for horizontal rules and the branches of trees. The fonts of the console have hardly any other Unicode
// signs.
func NewGlyphs(asciiOnly, console bool) Glyphs {
	g := Glyphs{
		Rule: "─", Cut: "…", Left: "‹", Right: "›", Caret: "^",
		Vertical: "│ ", Branch: "├ ", Corner: "└ ", Towards: "→", Bar: "█",
		Loading: "○", Loaded: "•", Failed: "✗", Asking: "?",
		Fresh: "N", Visited: "✓", Tagged: "#", Alone: "+", Differs: "≠", Newer: "»", Undecided: "?", Sorted: "↓", Reversed: "↑", Folded: "▸", Unfolded: "▾",
	}
	if !asciiOnly && !console {
		return g
	}
	signs := Glyphs{
		ASCII: asciiOnly,
		Rule:  "-", Cut: "~", Left: "<", Right: ">", Caret: "^",
		Vertical: "| ", Branch: "|-", Corner: "`-", Towards: ">", Bar: asciiMark,
		Loading: ".", Loaded: "*", Failed: "!", Asking: "?",
		Fresh: "N", Visited: ".", Tagged: "#", Alone: "+", Differs: "!", Newer: ">", Undecided: "?", Sorted: "v", Reversed: "^", Folded: "+", Unfolded: "-",
		asciiKinds: true,
	}
	if console {
		signs.Rule, signs.Vertical, signs.Branch, signs.Corner = g.Rule, g.Vertical, g.Branch, g.Corner
	}
	return signs
}

// Kind returns the sign of a line of kind k that has a link or reports a failure.
func (g *Glyphs) Kind(k protocols.Kind) string { return k.Sign(g.asciiKinds) }

// SignStyle returns the style of the sign of a line of kind k.
func (st *Styles) SignStyle(k protocols.Kind) Style {
	switch k.Style() {
	case protocols.SearchStyle:
		return st.search
	case protocols.WarningStyle:
		return st.warning
	}
	return st.Accent
}

// QuoteStyle returns the style of quoted text that begins with a quote mark. Each ">" in the mark is a
// level of quotes.
func (st *Styles) QuoteStyle(mark string) Style {
	if depth := strings.Count(mark, ">"); depth > 0 {
		return st.Quotes[(depth-1)%len(st.Quotes)]
	}
	return st.Dim
}
