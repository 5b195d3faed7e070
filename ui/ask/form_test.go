package ask

import (
	"strings"
	"testing"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// onScreen is a screen of that size.
func onScreen(width, height int) *Screen {
	st, g := cell.NewStyles("dark", cell.Palette{}, cell.DarkBackground, picture.TrueColor), cell.NewGlyphs(false, false)
	return &Screen{Width: width, Height: height, Rows: max(height-4, 1), Ruled: height >= 8, Styles: &st, Glyphs: &g}
}

// TestSaidInForm lays out forms with hostile labels and choices: each label stands between
// quotation marks below the host's name, and so do the choices in their list.
func TestSaidInForm(t *testing.T) {
	quoted := func(s string) bool { return strings.Count(s, `"`) == 2 && s[0] == '"' && s[len(s)-1] == '"' }
	for _, words := range fetchtest.HostileWords() {
		q := nav.ReadAsk(&protocols.Ask{Title: "Form of h.example", Server: "h.example", Fields: []protocols.Field{
			{Said: words, Value: words},
			{Said: words, Input: protocols.InputNote},
			{Said: words, Input: protocols.InputCheck},
			{Said: words, Input: protocols.InputChoice, Choices: []string{words, "b"}},
		}}, clean.Reading{})
		all, _, isForm := Fields(q, nil)
		if !isForm {
			t.Fatal("the Ask is no form")
		}
		f := NewForm(Head{Title: "Form of h.example", Server: "h.example", Reading: q.Reading}, "Send", all...)
		for _, size := range [][2]int{{20, 5}, {20, 12}, {40, 12}, {80, 24}, {132, 43}, {200, 24}} {
			labels := make(map[int]string)
			rows := f.rows(onScreen(size[0], size[1]))
			for _, r := range rows {
				labels[r.field] += r.label
			}
			if rows[0].label != "Form of h.example" || !strings.Contains(labels[-1], "says:") {
				t.Errorf("%v: the form begins with %q", size, labels[-1])
			}
			for i := range 4 {
				if !quoted(labels[i]) {
					t.Errorf("%v: label %d is %q", size, i, labels[i])
				}
			}
		}
		f.openField(3)
		f.choose(onScreen(80, 24))
		list := f.overlay.(*Choose)
		fetchtest.Equal(t, len(list.List.Choices), 2, "choices")
		for _, c := range list.List.Choices {
			if !quoted(c.Text) {
				t.Errorf("a choice is %q", c.Text)
			}
		}
		fetchtest.Equal(t, list.Label(), "Choice", "the choices are asked for by")
	}
}
