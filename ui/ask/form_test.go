package ask

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
)

// newScreen returns a screen of the given size.
func newScreen(width, height int) *Screen {
	st, g := cell.NewStyles("dark", config.Colors{}, cell.DarkBackground, picture.TrueColor), cell.NewGlyphs(false, false)
	return &Screen{Width: width, Height: height, Rows: max(height-4, 1), Ruled: height >= 8, Styles: &st, Glyphs: &g}
}

// TestServerTextInForm lays out forms with hostile labels and choices, and checks that each is
// shown between quotation marks under the name of the host.
func TestServerTextInForm(t *testing.T) {
	quoted := func(s string) bool { return strings.Count(s, `"`) == 2 && s[0] == '"' && s[len(s)-1] == '"' }
	for _, words := range fetchtest.FakeQuestions() {
		q := nav.ReadAsk(&protocols.Ask{Title: "Form of h.example", Server: "h.example", Fields: []protocols.Field{
			{ServerLabel: words, Value: words},
			{ServerLabel: words, Input: protocols.InputNote},
			{ServerLabel: words, Input: protocols.InputCheck},
			{ServerLabel: words, Input: protocols.InputChoice, Choices: []string{words, "b"}},
		}}, clean.Reading{})
		all, _, isForm := Fields(q, nil)
		if !isForm {
			t.Fatal("Fields: the Ask is not shown as a form")
		}
		f := NewForm(Head{Title: "Form of h.example", Server: "h.example", Reading: q.Reading}, "Send", all...)
		for _, size := range [][2]int{{20, 5}, {20, 12}, {40, 12}, {80, 24}, {132, 43}, {200, 24}} {
			labels := make(map[int]string)
			rows := f.layoutRows(newScreen(size[0], size[1]))
			for _, r := range rows {
				labels[r.field] += r.label
			}
			if rows[0].label != "Form of h.example" || !strings.Contains(labels[-1], "says:") {
				t.Errorf("%v: the form begins with %q, want the host before the server's text", size, labels[-1])
			}
			for i := range 4 {
				if !quoted(labels[i]) {
					t.Errorf("%v: label %d is %q, want the server's text in quotation marks", size, i, labels[i])
				}
			}
		}
		f.openField(3)
		f.choose(newScreen(80, 24))
		list := f.overlay.(*Choose)
		fetchtest.Equal(t, len(list.List.Choices), 2, "choices")
		for _, c := range list.List.Choices {
			if !quoted(c.Text) {
				t.Errorf("a choice is %q, want the server's text in quotation marks", c.Text)
			}
		}
		fetchtest.Equal(t, list.Label(), "Choice", "the choices are asked for by")
	}
}

// TestSmallForm checks that a small screen shows long proposals below their labels, without empty rows, and that a long
// answer that is not open ends in a sign.
func TestSmallForm(t *testing.T) {
	url := "gopher://h/1/" + strings.Repeat("a", 16)
	f := NewForm(Head{Title: "Form"}, "Save", Field{Label: "Title", Value: "short"}, Field{Label: "Tags"}, Field{Label: "Address", Value: url},
		Field{Label: "More", Value: strings.Repeat("b", 60)})
	s := newScreen(40, 12)
	page := f.Draw(s).Page
	var shown []string
	for y := range s.Rows {
		w := &cell.RowWriter{Builder: new(strings.Builder), Width: s.Width}
		page(w, y)
		shown = append(shown, strings.Join(strings.Fields(ansi.Strip(w.Builder.String())), " "))
	}
	want := []string{"Form", "█ Title [short ]", "Tags [ ]", "Address", "[" + url + " ]", "More", "[" + strings.Repeat("b", 33) + "…]", "[ Save ]"}
	fetchtest.DeepEqual(t, shown, want, "rows")
}
