package cell

import (
	"fmt"
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

// RowWriter builds one row of the screen and never lets it grow wider than the
// screen.
type RowWriter struct {
	Builder *strings.Builder
	Cells   Cells
	Col     int // cells taken so far
	Width   int // cells of the row
}

// Put writes text in a style; what does not fit is cut off.
func (r *RowWriter) Put(st Style, text string) {
	seen, taken, _ := r.Cells.Cut(text, 0, r.Width-r.Col)
	r.Raw(st, seen, taken)
}

// Raw writes text that is known to take so many cells.
func (r *RowWriter) Raw(st Style, text string, taken int) {
	if text == "" {
		return
	}
	r.Col += taken
	if st == "" {
		r.Builder.WriteString(text)
		return
	}
	r.Builder.WriteString(string(st))
	r.Builder.WriteString(text)
	r.Builder.WriteString(reset)
}

// To writes blanks up to a column.
func (r *RowWriter) To(col int) {
	if n := min(col, r.Width) - r.Col; n > 0 {
		r.Raw("", blanks(n), n)
	}
}

// Size says a number of octets in at most six cells.
func Size(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB", "PB"} {
		f /= 1000
		switch {
		case f < 9.95:
			return fmt.Sprintf("%.1f %s", f, unit)
		case f < 999.5:
			return fmt.Sprintf("%.0f %s", f, unit)
		}
	}
	return fmt.Sprintf("%.0f EB", f/1000)
}

// Quote is the style of what is quoted, by its mark.
func (st *Styles) Quote(mark string) Style {
	if depth := strings.Count(mark, ">"); depth > 0 {
		return st.Quotes[(depth-1)%len(st.Quotes)]
	}
	return st.Dim
}
