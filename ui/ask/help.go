package ask

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/cell"
)

// Help lists actions with their keys and a description, under headings, in place of the page. Typed
// words narrow the list as in a [Choose]. Before a word is typed, Space moves by a screen and a slash
// has no effect. No letter closes the help: the other letters of a typed word would then act on the page.
// Only the help over a prompt for a secret closes when text is typed.
type Help struct {
	Choose
	Over   Prompt         // prompt whose keys are listed, or nil
	page   func() tea.Cmd // opens the help as a page, or nil
	top    int            // first row on the screen
	secret bool           // typed text is part of a secret for Over
}

// NewHelp returns a Help that lists the choices of first, followed by the choices of all. A search finds
// only choices of the parameter all. Before a word is typed, ? closes the help and calls the
// function page, unless it is nil.
func NewHelp(first, all []Choice, page func() tea.Cmd) *Help {
	whole, found := NewList(slices.Concat(first, all), true, 0), NewList(all, false, 0)
	h := &Help{Choose: *NewChoose(Head{Title: "Type to find, Enter runs, Esc closes"}, "Find", whole), page: page}
	h.State = func() string { return h.List.positionText() }
	h.Changed = func(typed string) (tea.Cmd, error) {
		if h.List = found; typed == "" {
			h.List = whole
		}
		h.List.Narrow(typed)
		return nil, nil
	}
	return h
}

// CoverPrompt makes h the help about p, in front of p. If p asks for a secret, typed text closes h and
// goes into p.
func (h *Help) CoverPrompt(p Prompt) {
	h.Over, h.Title = p, "Type to find, Esc returns"
	if s, ok := p.(interface{ TakesSecret() bool }); ok && s.TakesSecret() {
		h.Title, h.all[0].Label, h.secret = "Typing closes the help, Esc returns", "Keys", true
	}
}

func (h *Help) Insert(text string, s *Screen) tea.Cmd {
	if h.secret {
		h.end(nil)
		return h.Over.Insert(text, s)
	}
	if h.Typed() == "" {
		switch text {
		case "/":
			return nil
		case " ":
			return h.Key("page down", s)
		case "?":
			h.end(h.page)
			return nil
		}
	}
	return h.Choose.Insert(text, s)
}

func (h *Help) Key(action string, s *Screen) tea.Cmd {
	if action == "done" && h.Over != nil {
		action = "cancel"
	}
	return h.Choose.Key(action, s)
}

// helpCell is a heading, a row of a choice, or blank.
type helpCell struct {
	choice                 int // position among the shown choices, counted from 1; 0 for none
	x, keysAt, textAt, end int // columns where the sign of the selection, the keys and the text begin, and where the cell ends
	keys, text             string
	marks                  []int
}

// cellRows lays the shown choices out in a column of the given width. The parameter keys is the width
// of the keys of a choice.
func (h *Help) cellRows(s *Screen, width, keys int) (rows [][]helpCell) {
	section, textAt, first := "", cell.GutterWidth+keys+cell.ColumnGap, 0
	if s.Width < wideScreen && h.Over == nil && h.Typed() == "" {
		rows, first = h.basicRows(s)
	}
	for i := first; i < len(h.List.visible); i++ {
		c, marks := &h.List.Choices[h.List.visible[i].index], h.List.visible[i].marks
		text, labels := c.About, c.Key
		if h.Typed() != "" {
			text = c.Text + ": " + text // the offsets in marks refer to c.Text
		} else if section != c.Under {
			section, rows = c.Under, append(rows, make([][]helpCell, min(i, 1))...)
			rows = append(rows, []helpCell{{keysAt: cell.GutterWidth, keys: section}})
		}
		for s.Cells.Width(labels) > keys && strings.Contains(labels, " ") {
			labels = labels[:strings.LastIndexByte(labels, ' ')]
		}
		for _, text := range s.Cells.Lines(text, width-textAt-1) {
			rows = append(rows, []helpCell{{i + 1, 0, cell.GutterWidth, textAt, width, labels, text, marks}})
			labels, marks = "", nil
		}
	}
	return rows
}

// basicRows lays the choices of the first section out in two columns, each choice with a key and a
// name. The result n is the number of these choices.
func (h *Help) basicRows(s *Screen) (rows [][]helpCell, n int) {
	all, x := h.List.Choices, 0
	for n < len(all) && all[n].Under == all[0].Under {
		n++
	}
	half := (n + 1) / 2
	rows = append([][]helpCell{{{keysAt: 1, keys: all[0].Under}}}, make([][]helpCell, half)...)
	for i := 0; i < n; i += half {
		keys, names := 0, 0
		for _, c := range all[i:min(i+half, n)] {
			keys, names = max(keys, s.Cells.Width(strings.Fields(c.Key)[0])), max(names, s.Cells.Width(c.Text))
		}
		end := x + keys + names + 2
		for k, c := range all[i:min(i+half, n)] {
			rows[1+k] = append(rows[1+k], helpCell{i + k + 1, x, x + 1, x + keys + 2, end, strings.Fields(c.Key)[0], c.Text, nil})
		}
		x = end
	}
	return rows, n
}

const (
	twoColumns  = 132 // least width of the screen for two columns; few sentences wrap in them
	maxSentence = 53  // width of the longest sentences
	// The bounds of the width of the keys.
	minHelpKeys, maxHelpKeys = 11, 22
)

// Draw lays the choices out in one column, or in two on a wide screen.
func (h *Help) Draw(s *Screen) Drawing {
	width, keys := s.Width, max(min(max(s.Width/4, minHelpKeys), maxHelpKeys, s.Width/3), 1)
	if s.Width >= twoColumns {
		width /= 2
		keys = min(max(width-maxSentence-cell.GutterWidth-cell.ColumnGap-1, minHelpKeys), maxHelpKeys)
	}
	rows := h.cellRows(s, width, keys)
	selected := func(c helpCell) bool { return c.choice == h.List.index+1 }
	at := slices.IndexFunc(rows, func(row []helpCell) bool { return slices.ContainsFunc(row, selected) })
	h.top = max(min(h.top, at-1), at+3-s.Rows*(s.Width/width), 0) // keeps the heading and the rows of the selected choice visible
	return Drawing{Rule: h.drawRule(s), Status: h.drawStatus(s), Page: func(w *cell.RowWriter, y int) (cursor int) {
		for x, i := 0, h.top+y; x+width <= s.Width && i < len(rows); x, i = x+width, i+s.Rows {
			for _, c := range rows[i] {
				c.draw(w, s, x, selected(c))
			}
		}
		return -1
	}}
}

// draw draws c in the column of rows that begins at x.
func (c *helpCell) draw(w *cell.RowWriter, s *Screen, x int, selected bool) {
	st := s.Styles
	w.PadTo(x + c.x)
	if selected && st.Tint != "" {
		w.BaseStyle, st = st.Tint, st.OnTint
	}
	if selected {
		w.Put(st.Accent, st.Mark(s.Glyphs))
	}
	w.PadTo(x + c.keysAt)
	if c.choice == 0 {
		w.Put(st.Bold, c.keys)
		return
	}
	w.Put(st.Accent, c.keys)
	w.PadTo(x + c.textAt)
	text, _ := s.Cells.Fit(c.text, w.Width-w.Col, s.Glyphs.Cut)
	w.PutMarked(text, c.marks, "", st.Found)
	if w.BaseStyle != "" {
		w.PadTo(x + c.end)
		w.BaseStyle = ""
	}
}
