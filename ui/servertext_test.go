package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/cell"
)

// TestServerTextInPrompts draws prompts with hostile texts from a server at many sizes. It checks that
// gofer's own words are always in the same places. The server's text must follow the name of the
// server, and must be the only text in quotation marks.
func TestServerTextInPrompts(t *testing.T) {
	const host = "h.example"
	questions := map[string]struct {
		ask  func(words string) error
		own  string // beginning of the last row
		rule string // beginning of the text in the horizontal rule
	}{
		"input": {func(words string) error {
			return &protocols.Ask{
				Title: "Input for h.example:1965", Server: host + ":1965",
				Fields: []protocols.Field{{Label: "Input", ServerLabel: words}},
			}
		}, "Input: ", "Input for"},
		"title": {func(words string) error {
			return &protocols.Ask{Title: "Search at h.example", Server: host, ServerTitle: words, Fields: []protocols.Field{{Label: "Find"}}}
		}, "Find: ", "Search at"},
		"unnamed": {func(words string) error {
			return &protocols.Ask{Title: "Form of h.example", Server: host, Fields: []protocols.Field{{ServerLabel: words}}}
		}, "Answer: ", "Form of"},
		"login": {func(words string) error {
			return &protocols.Login{Server: host + ":21", User: "joe", Text: words}
		}, "Password: ", "h.example"},
	}
	for name, q := range questions {
		for i, words := range fetchtest.FakeQuestions() {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				w, u := library(), item('0', "/asks")
				w.addFailure(u, q.ask(words))
				d := drive(t, w, Options{}, 80, 24)
				d.run(d.visit(u))
				n := i // every third size is tested for each text
				for _, height := range []int{5, 8, 12, 24, 43} {
					for width := 20; width <= 200; width += 1 + width/20 {
						if n++; n%3 == 0 {
							d.send(tea.WindowSizeMsg{Width: width, Height: height})
							checkServerText(t, d, host, q.own, q.rule)
						}
					}
				}
			})
		}
	}
}

// serverTextRows returns the rows of the prompt that contain the server's text.
func (d *driver) serverTextRows() (rows []string) {
	on := d.askScreen()
	for _, row := range d.tab.Prompt.Draw(on).Last {
		var b strings.Builder
		row(&cell.RowWriter{Builder: &b, Cells: on.Cells, Width: on.Width})
		rows = append(rows, strings.TrimPrefix(ansi.Strip(b.String()), strings.Repeat(" ", cell.Margin(on.Width))))
	}
	return rows
}

// checkServerText checks the screen of a prompt that contains a text from host.
func checkServerText(t *testing.T, d *driver, host, own, rule string) {
	t.Helper()
	screen := strings.TrimRight(d.screen(), "\n")
	rows := strings.Split(screen, "\n")
	words := d.serverTextRows()
	last, top := rows[len(rows)-1], len(rows)-1-len(words)
	line := strings.TrimSpace(last)
	if label := strings.TrimSuffix(own, ": "); !strings.HasPrefix(line, label) ||
		d.height >= minRuledHeight && !strings.HasPrefix(line+" ", own) { // on a lower screen a login names its server after the label
		t.Errorf("%dx%d: the line does not begin with %q:\n%s", d.width, d.height, own, screen)
	}
	if d.height >= minRuledHeight && !strings.HasPrefix(strings.TrimLeft(rows[top-1], "─ "), rule) {
		t.Errorf("%dx%d: the rule does not begin with %q:\n%s", d.width, d.height, rule, screen)
	}
	if len(words) == 0 {
		if d.height >= minRuledHeight {
			t.Errorf("%dx%d: the server's text is not shown:\n%s", d.width, d.height, screen)
		}
		return
	}
	text := strings.Join(words, "")
	if !strings.HasPrefix(words[0], host+" says:") || strings.Count(text, `"`) != 2 || !strings.HasSuffix(text, `"`) {
		t.Errorf("%dx%d: the server's text is %q, want it in quotation marks after %q", d.width, d.height, words, host+" says:")
	}
	for i, s := range words {
		if n := d.Model.tab.Pager.Cells.Width(s); n > d.width {
			t.Errorf("%dx%d: row %d takes %d cells: %q", d.width, d.height, i, n, s)
		}
		if !strings.Contains(rows[top+i], strings.TrimSpace(s)) {
			t.Errorf("%dx%d: row %d of the server's text is %q on the screen:\n%s", d.width, d.height, i, rows[top+i], screen)
		}
		if i > 0 && !strings.HasPrefix(s, "  ") {
			t.Errorf("%dx%d: row %d of the server's text begins like gofer's own: %q", d.width, d.height, i, s)
		}
	}
}
