package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// hostileNames are file names that a server could choose to change the meaning of a question about
// the file.
var hostileNames = append([]string{"x? (y/N) Password:", `x" from h.example? (y/N) "`, "plain.txt"}, fetchtest.FakeQuestions()...)

// questionTexts contains the yes-or-no questions that contain names from a server. The field own is
// gofer's text of the question, with "" for each name. The text in brackets may be left out on a screen of
// fewer than 24 rows. The field ask shows the question about a name.
var questionTexts = map[string]struct {
	own string
	ask func(t *testing.T, name string) *driver
}{
	"remove": {`Remove "" from ftp.example.org? (y/N)`, func(t *testing.T, name string) *driver {
		d := driveOneItem(t, name, nil)
		d.press("x")
		return d
	}},
	"stop": {`Stop removing ""? (y/N)`, func(t *testing.T, name string) *driver {
		wait := make(chan struct{})
		t.Cleanup(func() { close(wait) })
		d := driveOneItem(t, name, func(context.Context, *protocols.Change) (urlcore.URL, error) {
			<-wait
			return nil, nil
		})
		d.press("x").sendWithoutRun(keyPress("y"))
		return d.press("esc")
	}},
	"replace": {`Replace "" at h.example:21? (y/N)`, func(t *testing.T, name string) *driver {
		return driveQuestion(t, &protocols.Confirm{Question: "Replace " + clean.Name(name) + " at h.example:21"})
	}},
	"handoff": {`Run ""? (y/N)`, func(t *testing.T, name string) *driver {
		return driveQuestion(t, &protocols.Handoff{URL: item('8', "/"), Argv: []string{"p" + strings.ReplaceAll(name, "/", "_"), name}})
	}},
	"overwrite": {`Overwrite ""? (y/N)`, func(t *testing.T, name string) *driver {
		d := drive(t, library(), Options{}, 80, 24)
		d.downloads.SaveAt(download.Request{Path: "/d/" + name}, true, nil)
		return d
	}},
	"tree": {`Save "" (3 files, 0 B; 1 item cannot be saved)?[ Note: not saved twice: "": it is a link.] (y/N)`, func(
		t *testing.T, name string,
	) *driver {
		d := drive(t, library(), Options{}, 80, 24)
		d.downloads.AskTree(nil, &download.Status{
			Request: download.Request{URL: item('1', "/"), Path: "/d/" + strings.ReplaceAll(name, "/", "_"), Tree: true}, TotalFiles: 3,
			Notes: []string{"not saved twice: " + clean.Name(name) + ": it is a link"}, LeftOut: make([]mirror.LeftOut, 1),
		})
		return d
	}},
}

// driveOneItem shows a directory with one item, called name. The function change, if not nil, makes
// the changes of the directory.
func driveOneItem(t *testing.T, name string, change func(context.Context, *protocols.Change) (urlcore.URL, error)) *driver {
	c := newChangeServer()
	u := ftpItem("pub/x", 0)
	c.w.addPage(c.dir, protocols.LayoutDirectory, "pub", protocols.Line{
		Kind: protocols.KindOf(u), Text: name, Link: u, Note: &protocols.FileNote{Size: -1},
	})
	o := c.options()
	if change != nil {
		o.Change = change
	}
	return drive(t, c.w, o, 80, 24)
}

// driveQuestion opens a URL whose fetch returns question.
func driveQuestion(t *testing.T, question error) *driver {
	w, u := library(), item('0', "/asks")
	w.addFailure(u, question)
	d := drive(t, w, Options{}, 80, 24)
	d.run(d.visit(u))
	return d
}

// TestHostileNamesInQuestions draws yes-or-no questions with hostile names at many screen sizes. All of
// gofer's words must appear in their order, and the keys last. No row may begin within a name. The
// server's text must appear only between quotation marks.
func TestHostileNamesInQuestions(t *testing.T) {
	for kind, q := range questionTexts {
		for i, name := range hostileNames {
			t.Run(fmt.Sprint(kind, i), func(t *testing.T) {
				d := q.ask(t, name)
				n := i // every seventh size is tested for each name
				for _, height := range []int{5, 6, 8, 12, 24, 43} {
					for width := 20; width <= 200; width += 1 + width/20 {
						if n++; n%7 == 0 {
							d.send(tea.WindowSizeMsg{Width: width, Height: height})
							checkQuestion(t, d, q.own)
						}
					}
				}
			})
		}
	}
}

// checkQuestion checks the rows of a question and their place on the screen.
func checkQuestion(t *testing.T, d *driver, own string) {
	t.Helper()
	rows := d.tab.Prompt.(*ask.Question).Rows(d.askScreen())
	screen := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
	parts := strings.Split(strings.Join(rows, ""), `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	whole := strings.NewReplacer("[", "", "]", "").Replace(own)
	if before, rest, ok := strings.Cut(own, "["); ok && d.height < 24 {
		_, after, _ := strings.Cut(rest, "]")
		own = before + after
	}
	if got := strings.Join(parts, `"`); got != whole && (got != own || d.height >= 24) {
		t.Errorf("%dx%d: gofer's words are %q, want %q", d.width, d.height, got, own)
	}
	marks := 0
	for i, row := range rows {
		if n := d.Model.tab.Pager.Cells.Width(strings.TrimRight(row, " ")); n > d.width {
			t.Errorf("%dx%d: row %d takes %d cells: %q", d.width, d.height, i, n, row)
		}
		if marks%2 != 0 {
			t.Errorf("%dx%d: row %d begins within a name: %q", d.width, d.height, i, rows)
		}
		marks += strings.Count(row, `"`)
		y := len(screen) - len(rows) + i
		if strings.HasPrefix(screen[len(screen)-2], "└") { // a box
			y -= 2
			if width, left := len(row), "│ "; !strings.HasPrefix(screen[y], left+row) || !strings.HasPrefix(strings.TrimLeft(screen[y][len(left)+width:], " "), "│") {
				t.Errorf("%dx%d: row %d, %q, is not alone in row %d of the box:\n%s", d.width, d.height, i, row, y, strings.Join(screen, "\n"))
			}
			continue
		}
		if y < 1 || strings.TrimSpace(screen[y]) != strings.TrimSpace(row) {
			t.Errorf("%dx%d: row %d, %q, is not alone in row %d of the screen:\n%s", d.width, d.height, i, row, y, strings.Join(screen, "\n"))
		}
	}
}

// TestHostileNameInRenamePrompt checks that the horizontal rule above the rename prompt shows the name of
// the item in quotation marks.
func TestHostileNameInRenamePrompt(t *testing.T) {
	for _, name := range hostileNames {
		d := driveOneItem(t, name, nil)
		d.press("f2")
		for width := 20; width <= 200; width += 7 {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			rows := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
			rule := strings.Trim(rows[len(rows)-2], "─ ")
			if rule = strings.TrimPrefix(rule, `Rename "`); strings.Index(rule, `"`) != len(rule)-1 {
				t.Errorf("%d cells: the rule is %q, want the name in quotation marks", width, rows[len(rows)-2])
			}
		}
	}
}
