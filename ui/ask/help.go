package ask

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/cell"
)

// Help lists actions with their keys and a sentence in the place of the page, under headings.
// Typed words narrow the list as in a [Choose]. While nothing is typed, Space moves by a screen
// and a slash is ignored. A letter never leaves the help: the rest of its word would act on the page.
type Help struct {
	Choose
	page func() tea.Cmd // opens the help as a page
	top  int            // the first row on the screen
}

// NewHelp returns a help with all choices, and others before them. A question mark calls page.
func NewHelp(first, all []Choice, page func() tea.Cmd) *Help {
	whole, found := NewList(slices.Concat(first, all), true, 0), NewList(all, false, 0)
	h := &Help{Choose: *NewChoose(Head{Title: "Help: type to filter, Enter runs, Esc closes"}, "Find", whole), page: page}
	h.State = func() string { return h.List.position() }
	h.Changed = func(typed string) (tea.Cmd, error) {
		if h.List = found; typed == "" {
			h.List = whole
		}
		h.List.Narrow(typed)
		return nil, nil
	}
	return h
}

func (h *Help) Insert(text string, s *Screen) tea.Cmd {
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
	if action == "erase" && h.Typed() == "" {
		action = "cancel"
	}
	return h.Choose.Key(action, s)
}

// helpRow is a row of a choice, a heading or a blank row.
type helpRow struct {
	choice     int // number among the shown choices, from 1; 0 for none
	keys, text string
	marks      []int
	first      bool
}

// rows lays the shown choices out in a column of the given width, and their keys in keys cells.
func (h *Help) rows(s *Screen, width, keys int) (rows []helpRow) {
	section := ""
	for i, hit := range h.List.shown {
		c := &h.List.Choices[hit.index]
		text := c.About
		if h.Typed() != "" {
			text = c.Text + ": " + text // where the marks are
		} else if section != c.Under {
			section, rows = c.Under, append(rows, make([]helpRow, min(i, 1))...)
			rows = append(rows, helpRow{text: section})
		}
		texts, labels := s.Cells.Lines(text, width-cell.GutterWidth-keys-cell.ColumnGap-1), s.Cells.Lines(c.Key, keys)
		n := max(len(texts), len(labels))
		if s.Width < 60 {
			n = len(texts) // without further keys
		}
		texts, labels = append(texts, make([]string, n)...), append(labels, make([]string, n)...)
		for y := range n {
			rows = append(rows, helpRow{choice: i + 1, keys: labels[y], text: texts[y]})
		}
		rows[len(rows)-n].first, rows[len(rows)-n].marks = true, hit.marks
	}
	return rows
}

// Draw lays the choices out in one column, or in two on a wide screen.
func (h *Help) Draw(s *Screen) Drawing {
	width := s.Width / (1 + min(s.Width/110, 1))
	keys := max(min(max(width/4, 11), 22, width/3), 1)
	rows := h.rows(s, width, keys)
	at := slices.IndexFunc(rows, func(r helpRow) bool { return r.choice == h.List.at+1 })
	h.top = max(min(h.top, at-1), at+3-s.Rows*(s.Width/width), 0) // with its heading, or all of its rows
	return Drawing{Rule: h.rule(s), Status: h.status(s), Page: func(w *cell.RowWriter, y int) (cursor int) {
		for x, i := 0, h.top+y; x+width <= s.Width && i < len(rows); x, i = x+width, i+s.Rows {
			r := &rows[i]
			if r.first && r.choice == h.List.at+1 {
				w.To(x)
				w.Lead(true, s.Styles, s.Glyphs)
			}
			w.To(x + cell.GutterWidth)
			if r.choice == 0 {
				w.Put(s.Styles.Bold, r.text)
				continue
			}
			w.Put(s.Styles.Accent, r.keys)
			w.To(x + cell.GutterWidth + keys + cell.ColumnGap)
			w.Marked(r.text, r.marks, "", s.Styles.Found)
		}
		return -1
	}}
}
