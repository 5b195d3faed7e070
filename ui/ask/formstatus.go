package ask

import (
	"fmt"
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/ui/cell"
)

// drawRule returns a function that draws the horizontal rule below the form, with the number of the open field.
func (f *Form) drawRule(s *Screen) func(w *cell.RowWriter) {
	return func(w *cell.RowWriter) {
		countNotes := func(all []Field) int {
			return len(slices.DeleteFunc(slices.Clone(all), func(f Field) bool { return f.Input != protocols.InputNote && f.Input != inputSend }))
		}
		position := fmt.Sprintf(" field %d of %d ", f.index+1-countNotes(f.all[:f.index+1]), len(f.all)-countNotes(f.all))
		if slices.ContainsFunc(f.all, func(f Field) bool { return f.Required }) {
			position = requiredSign + " required, " + strings.TrimSpace(position) + " "
		}
		text, taken := w.Cells.Fit(position, w.Width-2, s.Glyphs.Cut)
		if f.boxWidth(s) > 0 {
			w.Put(s.Styles.Dim, s.Glyphs.Rule)
			title, n := w.Cells.FitNames(" "+f.Title+" ", w.Width-taken-3, s.Glyphs.Cut)
			w.PutMeasured(s.Styles.Bold, title, n)
		}
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, max(0, w.Width-w.Col-taken-cell.Margin(w.Width))))
		w.PutMeasured("", text, taken)
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, cell.Margin(w.Width)))
	}
}

// drawStatus returns a function that draws the status line below the form: a notice, or hints.
func (f *Form) drawStatus(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		w.PadTo(cell.Margin(w.Width))
		if s.Notice(w) {
			return -1
		}
		hint, button := s.Keys.Hint, strings.ToLower(f.all[len(f.all)-1].Label)
		hints := []string{hint("form", "done", "Enter", "next"), hint("form", "send", "Ctrl-S", button), hint("editing", "cancel", "Esc", "cancel"), hint("page", "help", "F1", "help")}
		switch f.all[f.index].Input {
		case protocols.InputText:
			hints[0] = hint("form", "next field", "Tab", "next")
		case protocols.InputCheck:
			hints[0] = hint("form", "change", "Space", "change")
		case protocols.InputChoice:
			hints[0] = hint("form", "change", "Space", "list")
		case protocols.InputFile:
			hints[0] = hint("form", "choose", "Ctrl-O", "choose")
		case inputSend:
			hints[0], hints[1] = hint("form", "done", "Enter", button), ""
		default:
			if f.Short {
				hints[0], hints[1] = hint("form", "done", "Enter", button), hint("form", "next field", "Tab", "next")
			}
		}
		switch complete := f.source(); {
		case complete != nil && len(f.offers) > 0:
			hints[1] = hint("form", "next field", "Tab", "complete")
		case complete != nil && f.all[f.index].Input != protocols.InputFile:
			hints = slices.Insert(hints, 2, hint("form", "choose", "Ctrl-O", "list"))
		}
		s.drawHints(w, hints...)
		return -1
	}
}

// hintGap separates two hints.
const hintGap = "  "

// drawHints draws as many hints as fit, without the empty ones, which are for actions without keys.
func (s *Screen) drawHints(w *cell.RowWriter, hints ...string) {
	text := strings.Join(slices.DeleteFunc(hints, func(s string) bool { return s == "" }), hintGap)
	for text != "" && w.Col+len(text) > w.Width {
		text = text[:max(strings.LastIndex(text, hintGap), 0)]
	}
	w.Put(s.Styles.Dim, text)
}
