package cell

import (
	"cmp"
	"strings"

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
	Quotes                                   [3]Style // for quoted text, by depth

	Tint   Style   // background of the selected row; "" on a slow line, where it would cost too many octets
	OnTint *Styles // styles of the selected row
}

// Glyphs has the signs of the screen, in Unicode or in ASCII. Each character of a sign is one cell wide in
// every table of widths.
type Glyphs struct {
	ASCII bool

	Rule, Cut, Left, Right, Caret, Vertical, Branch, Corner, Towards string
	Cursor                                                           string // replaces Bar on a terminal without reverse video; or ""
	Bar                                                              string // before the selected row
	Loading, Loaded, Failed, Asking                                  string // states of a tab
	Fresh, Visited, Tagged                                           string // before a link
	Sorted, Reversed                                                 string // after the head of a column
	Folded, Unfolded                                                 string // before a folder or thread
	kinds                                                            [protocols.Problem + 1]string
}

// NewGlyphs returns the signs in Unicode or in ASCII. For the Linux console it returns ASCII signs,
// except for horizontal rules and the branches of trees. The fonts of the console have hardly any other Unicode
// signs.
func NewGlyphs(asciiOnly, console bool) Glyphs {
	g := Glyphs{
		Rule: "─", Cut: "…", Left: "‹", Right: "›", Caret: "^",
		Vertical: "│ ", Branch: "├ ", Corner: "└ ", Towards: "→", Bar: "█",
		Loading: "○", Loaded: "•", Failed: "✗", Asking: "?",
		Fresh: "+", Visited: "✓", Tagged: "#", Sorted: "↓", Reversed: "↑", Folded: "▸", Unfolded: "▾",
		kinds: kindGlyphs("▸", "•", "?", "◙", "■", "$", "⇗", "✗"),
	}
	if !asciiOnly && !console {
		return g
	}
	signs := Glyphs{
		ASCII: asciiOnly,
		Rule:  "-", Cut: "~", Left: "<", Right: ">", Caret: "^",
		Vertical: "| ", Branch: "|-", Corner: "`-", Towards: ">", Bar: ">",
		Loading: ".", Loaded: "*", Failed: "!", Asking: "?",
		Fresh: "+", Visited: ".", Tagged: "#", Sorted: "v", Reversed: "^", Folded: "+", Unfolded: "-",
		kinds: kindGlyphs(">", "-", "?", "@", "*", "$", "^", "!"),
	}
	if console {
		signs.Rule, signs.Vertical, signs.Branch, signs.Corner = g.Rule, g.Vertical, g.Branch, g.Corner
	}
	return signs
}

// kindGlyphs returns the signs of lines by kind.
func kindGlyphs(list, text, search, picture, binary, session, outside, failure string) [protocols.Problem + 1]string {
	return [...]string{
		protocols.Menu: list, protocols.Directory: list, protocols.Group: list,
		protocols.Article: text, protocols.Text: text, protocols.HTML: text,
		protocols.Search: search, protocols.Phonebook: search, protocols.FormItem: "=",
		protocols.Image: picture, protocols.Sound: binary, protocols.Movie: binary,
		protocols.Document: binary, protocols.Archive: binary, protocols.Binary: binary,
		protocols.Session: session, protocols.Mail: outside, protocols.Other: outside,
		protocols.Failure: failure, protocols.Problem: "?",
	}
}

// Kind returns the sign of a line of kind k that has a link or reports a failure.
func (g *Glyphs) Kind(k protocols.Kind) string {
	return cmp.Or(g.kinds[min(k, protocols.Problem)], g.kinds[protocols.Text])
}

// SignStyle returns the style of the sign of a line of kind k.
func (st *Styles) SignStyle(k protocols.Kind) Style {
	switch k {
	case protocols.Search, protocols.Phonebook, protocols.FormItem:
		return st.search
	case protocols.Session, protocols.Mail, protocols.Other, protocols.Failure:
		return st.warning
	}
	return st.Accent
}

// IsList reports whether an item of kind k leads to further items.
func IsList(k protocols.Kind) bool {
	return k == protocols.Menu || k == protocols.Directory || k == protocols.Group
}

// QuoteStyle returns the style of quoted text that begins with a quote mark. Each ">" in the mark is a
// level of quotes.
func (st *Styles) QuoteStyle(mark string) Style {
	if depth := strings.Count(mark, ">"); depth > 0 {
		return st.Quotes[(depth-1)%len(st.Quotes)]
	}
	return st.Dim
}
