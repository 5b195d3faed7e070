package ask

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

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
	choice     int    // position among the shown choices, counted from 1; 0 for none
	keys, text string // the text of a heading is in keys
	marks      []int
}

// helpPart is a part of the help whose rows have the same columns.
type helpPart struct {
	rows   [][]helpCell
	gutter int   // cells before the keys
	widths []int // widths of the columns: of the keys and the text of each cell of a row
}

// wholePart lays out the shown choices from the one at index first on, in rows of the given width.
func (h *Help) wholePart(s *Screen, width, first int) helpPart {
	most, keys, section := max(min(max(s.Width/4, minHelpKeys), maxHelpKeys, s.Width/3), 1), 1, ""
	if s.Width >= twoColumns {
		most = min(max(width-maxSentence-cell.GutterWidth-cell.ColumnGap-1, minHelpKeys), maxHelpKeys)
	}
	label := func(c *Choice) string {
		labels := c.Key
		for s.Cells.Width(labels) > most && strings.Contains(labels, " ") {
			labels = labels[:strings.LastIndexByte(labels, ' ')]
		}
		return labels
	}
	for i := range h.List.Choices { // those that are not shown too, so that the columns stay in place while the user types
		keys = max(keys, min(s.Cells.Width(label(&h.List.Choices[i])), most))
	}
	textAt := min(cell.GutterWidth+keys+cell.ColumnGap, width)
	p := helpPart{gutter: cell.GutterWidth, widths: []int{textAt, width - textAt}}
	for i := first; i < len(h.List.visible); i++ {
		c, marks := &h.List.Choices[h.List.visible[i].index], h.List.visible[i].marks
		text, labels := c.About, label(c)
		if h.Typed() != "" {
			text = c.Text + ": " + text // the offsets in marks refer to c.Text
		} else if section != c.Under {
			section, p.rows = c.Under, append(p.rows, make([][]helpCell, min(i, 1))...)
			p.rows = append(p.rows, []helpCell{{keys: section}})
		}
		for _, text := range s.Cells.Lines(text, width-textAt-1) {
			p.rows = append(p.rows, []helpCell{{i + 1, labels, text, marks}})
			labels, marks = "", nil
		}
	}
	return p
}

// basicPart lays the choices of the first section out in two columns, each choice with a key and a
// name. The result n is the number of these choices.
func (h *Help) basicPart(s *Screen) (p helpPart, n int) {
	all := h.List.Choices
	for n < len(all) && all[n].Under == all[0].Under {
		n++
	}
	half, room := (n+1)/2, s.Width
	p = helpPart{gutter: 1, rows: append([][]helpCell{{{keys: all[0].Under}}}, make([][]helpCell, half)...)}
	for i := 0; i < n; i += half {
		keys, names := 0, 0
		for k, c := range all[i:min(i+half, n)] {
			key := strings.Fields(c.Key)[0]
			keys, names = max(keys, s.Cells.Width(key)), max(names, s.Cells.Width(c.Text))
			p.rows[1+k] = append(p.rows[1+k], helpCell{i + k + 1, key, c.Text, nil})
		}
		keys = min(keys+2, room)
		names = min(names, room-keys)
		p.widths, room = append(p.widths, keys, names), room-keys-names
	}
	return p, n
}

const (
	twoColumns  = 132 // least width of the screen for two columns; few sentences wrap in them
	maxSentence = 54  // width of the longest sentences
	// The bounds of the width of the keys.
	minHelpKeys, maxHelpKeys = 11, 22
)

// Draw lays the choices out in one column, or in two on a wide screen.
func (h *Help) Draw(s *Screen) Drawing {
	width, first, parts := s.Width, 0, []helpPart(nil)
	if s.Width >= twoColumns {
		width /= 2
	}
	if s.Width < wideScreen && h.Over == nil && h.Typed() == "" {
		var basic helpPart
		basic, first = h.basicPart(s)
		parts = append(parts, basic)
	}
	parts = append(parts, h.wholePart(s, width, first))
	n, at := 0, -1
	for _, p := range parts {
		if i := slices.IndexFunc(p.rows, func(row []helpCell) bool { return slices.ContainsFunc(row, h.isSelected) }); i >= 0 && at < 0 {
			at = n + i
		}
		n += len(p.rows)
	}
	h.top = max(min(h.top, at-1), at+3-s.Rows*(s.Width/width), 0) // keeps the heading and the rows of the selected choice visible
	var lines []string
	return Drawing{Rule: h.drawRule(s), Status: h.drawStatus(s), Page: func(w *cell.RowWriter, y int) (cursor int) {
		if y == 0 && len(h.List.visible) == 0 {
			w.PadTo(cell.GutterWidth)
			w.Put(s.Styles.Dim, noMatchText)
			return -1
		}
		if lines == nil {
			lines = h.lines(s, parts, width)
		}
		if y < len(lines) {
			w.PutMeasured("", lines[y], s.Width/width*width)
		}
		return -1
	}}
}

func (h *Help) isSelected(c helpCell) bool { return c.choice == h.List.index+1 }

// lines returns the rows of the screen: the rows of the parts from h.top on, in columns of the given width.
func (h *Help) lines(s *Screen, parts []helpPart, width int) []string {
	tiles := cell.Tiles{Cells: s.Cells}
	var columns []string
	for top := h.top; len(columns) < s.Width/width; top += s.Rows {
		var column []string
		first := top
		for _, p := range parts {
			n := len(p.rows)
			if from, end := max(first, 0), min(first+s.Rows, n); from < end {
				p.rows = p.rows[from:end]
				column = append(column, h.table(s, p)...)
			}
			first -= n
		}
		columns = append(columns, lipgloss.NewStyle().Width(width).Render(tiles.Tile(strings.Join(column, "\n"))))
	}
	return strings.Split(tiles.Untile(lipgloss.JoinHorizontal(lipgloss.Top, columns...)), "\n")
}

// table draws the rows of a part.
func (h *Help) table(s *Screen, p helpPart) []string {
	rows := make([][]string, len(p.rows))
	for y, row := range p.rows {
		rows[y] = make([]string, len(p.widths))
		for i, c := range row {
			rows[y][2*i], rows[y][2*i+1] = c.draw(s, h.isSelected(c), p.gutter, p.widths[2*i], p.widths[2*i+1])
		}
	}
	return drawTable(s, rows, p.widths, func(row, col int) bool {
		return col/2 < len(p.rows[row]) && h.isSelected(p.rows[row][col/2])
	})
}

// draw returns the cells of the table for c, in the given widths. A heading extends over both.
func (c *helpCell) draw(s *Screen, selected bool, gutter, keys, text int) (keysCell, textCell string) {
	st, base := s.Styles, cell.Style("")
	if selected && st.Tint != "" {
		base, st = st.Tint, st.OnTint
	}
	writer := func(width int) *cell.RowWriter {
		return &cell.RowWriter{Builder: new(strings.Builder), Cells: s.Cells, Width: width, BaseStyle: base}
	}
	left, right := writer(keys), writer(text)
	if selected {
		left.Put(st.Accent, st.Mark(s.Glyphs))
	}
	left.PadTo(gutter)
	if c.choice == 0 {
		left.Put(st.Bold, c.keys)
		rest, _, _ := s.Cells.Cut(c.keys, keys-gutter, text)
		right.Put(st.Bold, rest)
	} else {
		left.Put(st.Accent, c.keys)
		part, _ := s.Cells.Fit(c.text, text, s.Glyphs.Cut)
		right.PutMarked(part, c.marks, "", st.Found)
	}
	return left.Builder.String(), right.Builder.String()
}
