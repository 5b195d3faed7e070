package ui

import (
	"strings"

	"gofer/ui/cell"
)

// drawPairBars draws the URLs of both tabs side by side, or the URL of the first one if the other is below it.
func (s *screen) drawPairBars(w *cell.RowWriter) {
	first, second := s.areas[0], s.areas[1]
	switch {
	case first == second:
		s.drawBarRow(w, s.m.tab)
	case first.Max.X < w.Width:
		left := &cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: first.Dx()}
		s.drawPairBar(left, s.m.pair.first)
		s.drawBetween(left, second.Min.X)
		s.drawPairBar(&cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: second.Dx()}, s.m.pair.second)
	default:
		s.drawPairBar(w, s.m.pair.first)
	}
}

// drawPairBar draws the URL of a tab of the pair. The URL of the tab without the focus is dim.
func (s *screen) drawPairBar(w *cell.RowWriter, t *tab) {
	if t == s.m.tab {
		s.drawBarRow(w, t)
		return
	}
	w.PadTo(cell.Margin(w.Width))
	if u := t.barURL(); u != nil {
		w.Put(s.m.styles.Dim, s.m.glyphs.URL(u, w.Width-w.Col-cell.Margin(w.Width)))
	}
}

// drawBetween draws the line between two tabs side by side, up to the column end.
func (s *screen) drawBetween(w *cell.RowWriter, end int) {
	w.PadTo(w.Width)
	w.Width = end
	w.Put(s.m.styles.Dim, s.m.glyphs.Vertical)
}

// drawPairRow draws row y of the screen, in the pages of a pair or between them.
func (s *screen) drawPairRow(w *cell.RowWriter, y int) {
	first, second := s.areas[0], s.areas[1]
	switch {
	case first == second:
		s.drawPageRow(w, s.m.tab, y)
	case first.Max.X < w.Width:
		left := &cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: first.Dx()}
		s.drawPageRow(left, s.m.pair.first, y)
		s.drawBetween(left, second.Min.X)
		right := &cell.RowWriter{Builder: w.Builder, Cells: w.Cells, Width: second.Dx()}
		s.drawPageRow(right, s.m.pair.second, y)
	case y < first.Max.Y:
		s.drawPageRow(w, s.m.pair.first, y)
	case y < second.Min.Y:
		s.drawLowerBar(w)
	default:
		s.drawPageRow(w, s.m.pair.second, y)
	}
}

// drawLowerBar draws the horizontal rule between two tabs, with the URL of the lower one.
func (s *screen) drawLowerBar(w *cell.RowWriter) {
	rule, t := s.m.glyphs.Rule, s.m.pair.second
	w.Put(s.m.styles.Dim, rule+" ")
	if u := t.barURL(); u != nil {
		st := s.m.styles.Dim
		if t == s.m.tab {
			st = s.m.styles.Bold
		}
		w.Put(st, s.m.glyphs.URL(u, w.Width-w.Col-3)+" ")
	}
	w.Put(s.m.styles.Dim, strings.Repeat(rule, max(0, w.Width-w.Col)))
}
