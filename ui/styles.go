package ui

import (
	"fmt"
	"strings"

	"gofer/protocols"
)

// style is the SGR sequence that begins it, "" for plain text. They add up:
// one after the other is both.
type style string

const reset = "\x1b[m"

// styles are those of the screen: one accent colour, a dim one, and weight;
// and two more for the parts of a URL.
type styles struct {
	accent, dim, bold, link, selected, found style
	warn, words                              style    // of a URL: login and port, a search
	quotes                                   [3]style // of what is quoted, by how often
}

// glyphs are the signs of the screen, in Unicode or in ASCII. All are one cell
// wide in every table.
type glyphs struct {
	ascii bool

	rule, cut, left, right, caret, vertical, branch, corner, towards string
	cursor                                                           string // of a terminal that has no reverse video
	loading, loaded, failed, asking                                  string // states of a tab
	fresh, visited                                                   string // before a link
	sorted, reversed                                                 string // after the head of a column
	kinds                                                            [protocols.Problem + 1]string
}

func newGlyphs(asciiOnly bool) glyphs {
	g := glyphs{
		rule: "─", cut: "…", left: "‹", right: "›", caret: "^",
		vertical: "│ ", branch: "├ ", corner: "└ ", towards: "→",
		loading: "◦", loaded: "•", failed: "✗", asking: "?",
		fresh: "+", visited: "✓", sorted: "↓", reversed: "↑",
		kinds: kindGlyphs("▸", "•", "◦", "⌕", "◩", "⇗", "✗"),
	}
	if !asciiOnly {
		return g
	}
	return glyphs{
		ascii: true,
		rule:  "-", cut: "~", left: "<", right: ">", caret: "^",
		vertical: "| ", branch: "|-", corner: "`-", towards: ">",
		loading: ".", loaded: "*", failed: "!", asking: "?",
		fresh: "+", visited: "v", sorted: "v", reversed: "^",
		kinds: kindGlyphs(">", "-", ".", "?", "*", "^", "!"),
	}
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

// consoleGlyphs are those of the Linux console, whose fonts have lines and
// hardly any other sign.
func consoleGlyphs() glyphs {
	g, lines := newGlyphs(true), newGlyphs(false)
	g.ascii = false
	g.rule, g.vertical, g.branch, g.corner = lines.rule, lines.vertical, lines.branch, lines.corner
	return g
}

// kind is the sign of a line of kind k that has a link, or of a failure.
func (g *glyphs) kind(k protocols.Kind) string {
	if int(k) < len(g.kinds) && g.kinds[k] != "" {
		return g.kinds[k]
	}
	return g.kinds[protocols.Text]
}

// rowWriter builds one row of the screen and never lets it grow wider than the
// screen.
type rowWriter struct {
	b     *strings.Builder
	cells cells
	col   int // cells taken so far
	width int // cells of the row
}

// put writes text in a style; what does not fit is cut off.
func (r *rowWriter) put(st style, text string) {
	seen, taken, _ := r.cells.cut(text, 0, r.width-r.col)
	r.raw(st, seen, taken)
}

// raw writes text that is known to take so many cells.
func (r *rowWriter) raw(st style, text string, taken int) {
	if text == "" {
		return
	}
	r.col += taken
	if st == "" {
		r.b.WriteString(text)
		return
	}
	r.b.WriteString(string(st))
	r.b.WriteString(text)
	r.b.WriteString(reset)
}

// to writes blanks up to a column.
func (r *rowWriter) to(col int) {
	if n := min(col, r.width) - r.col; n > 0 {
		r.raw("", blanks(n), n)
	}
}

// bytesText says a number of octets in at most six cells.
func bytesText(n int64) string {
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
