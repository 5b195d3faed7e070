package ask

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/ui/cell"
)

// Choose asks for a choice from a list, and runs the choice.
type Choose struct {
	Line
	List     *List
	Again    string // typed first, it runs the selected choice: the key that opened the list; or ""
	Expected bool   // the user knows that it comes, and may have typed the answer before

	byLetter bool
}

// NewChoose returns a prompt with the given label for a choice from l.
func NewChoose(h Head, label string, l *List) *Choose {
	c := &Choose{Line: *NewLine(h, Field{Label: label}), List: l}
	c.State = l.positionText
	c.Changed = func(typed string) (tea.Cmd, error) {
		l.Narrow(typed)
		return nil, nil
	}
	return c
}

// NewAnswers returns a prompt for one of a few answers. The letter with which an answer begins gives it, Enter the selected one.
// Other letters have no effect, so that an answer to another question, as y, gives none.
func NewAnswers(title, label string, answers []Choice, selected int) *Choose {
	var letters []string
	for i := range answers {
		answers[i].Key = answers[i].letter()
		letters = append(letters, answers[i].Key)
	}
	c := NewChoose(Head{Title: title}, label+" ("+strings.Join(letters, "/")+")", NewList(answers, true, selected))
	c.byLetter = true
	return c
}

// letter returns the letter that gives an answer.
func (c *Choice) letter() string { return strings.ToLower(c.Text[:1]) }

func (c *Choose) Key(action string, s *Screen) tea.Cmd {
	page := max(c.rows(s), 2)
	step, moves := map[string]int{"down": 1, "up": -1, "page down": page, "page up": -page}[action]
	i, selected := c.List.Selected()
	switch {
	case moves:
		c.List.move(step)
	case action != "done":
		return c.Line.Key(action, s)
	case selected:
		c.end(c.List.Choices[i].Do)
	}
	return nil
}

// Scroll moves the selection by n choices.
func (c *Choose) Scroll(n int) { c.List.move(n) }

// Click runs the choice in a row of the screen, counted from the status line upwards. There may be none.
func (c *Choose) Click(row int, s *Screen) {
	n := c.rows(s)
	if i := c.List.top + n - row; row >= 1 && row <= n && i < len(c.List.visible) {
		c.List.index = i
		c.Key("done", s)
	}
}

// Insert inserts text that was typed or pasted, or runs the selected choice, or the one of the letter.
func (c *Choose) Insert(text string, s *Screen) tea.Cmd {
	if c.byLetter {
		if i := slices.IndexFunc(c.List.Choices, func(a Choice) bool { return a.letter() == strings.ToLower(text) }); i >= 0 {
			c.end(c.List.Choices[i].Do)
		}
		return nil
	}
	if i, selected := c.List.Selected(); selected && text == c.Again && c.line.String() == "" {
		c.end(c.List.Choices[i].Do)
		return nil
	}
	return c.Line.Insert(text, s)
}

// rows returns the number of rows for the choices that match, or for the words that none does. They are above the status
// line, so that the typed words stay where they are.
func (c *Choose) rows(s *Screen) int {
	if s.Height < 2 || len(c.List.Choices) == 0 {
		return 0
	}
	return min(max(len(c.List.visible), 1), s.Rows-s.Rows/4)
}

// titleRows returns the rows above the answers for a title that the border cannot show whole. There are none if the border can,
// and for a list, whose title says less than its choices.
func (c *Choose) titleRows(s *Screen, width int) []string {
	if !c.byLetter || s.Cells.Width(c.Title)+4 <= width {
		return nil
	}
	return s.Cells.QuestionRows(c.Title, "", width-2*cell.Margin(width), 1, s.Rows-c.rows(s)-1, s.Glyphs.Cut)
}

func (c *Choose) Draw(s *Screen) Drawing {
	d := Drawing{
		Rule: c.drawRule(s), Status: c.drawStatus(s), Selects: true,
		Last: c.List.draw(s, c.rows(s)), Width: s.boxWidth(max(c.List.neededWidth(), s.Cells.Width(c.Title)+4)), // the title is between blanks and pieces of the border
	}
	if rows := c.titleRows(s, cmp.Or(d.Width, s.Width)); len(rows) > 0 {
		d.Rule = func(w *cell.RowWriter) { w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, w.Width)) }
		for i, row := range rows {
			d.Last = slices.Insert(d.Last, i, func(w *cell.RowWriter) {
				w.PadTo(cell.Margin(w.Width))
				w.Put(s.Styles.Bold, row)
			})
		}
	}
	if status := d.Status; d.Width > 0 {
		d.Status = func(w *cell.RowWriter) int { // as wide as the box, so that the position is below the choices
			full := w.Width
			w.Width = d.Width + 2
			defer func() { w.Width = full }()
			return status(w)
		}
	}
	return d
}
