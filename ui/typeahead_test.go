package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// pressAtOnce presses all keys before it runs their commands.
func (d *driver) pressAtOnce(keys ...string) *driver {
	var cmds []tea.Cmd
	for _, k := range keys {
		_, cmd := d.Update(keyPress(k))
		d.View()
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		d.run(cmd)
	}
	return d
}

// TestKeysBeforeTheAnswer checks that keys have the same effect before and after the answer of the
// server.
func TestKeysBeforeTheAnswer(t *testing.T) {
	dir := func(path string) urlcore.URL { f := file(path); f.Type = 'd'; return f }
	for _, tt := range []struct {
		name string
		keys []string
		want urlcore.URL
		on   urlcore.URL // link under the cursor
	}{
		{"up three levels", []string{"u", "u", "u"}, dir("a"), dir("a/b")},
		{"up and back", []string{"u", "left"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"up beyond the top", []string{"u", "u", "u", "u", "u", "u"}, dir(""), dir("a")},
		{"enter twice", []string{"enter", "enter"}, dir("a/b/c/d/e"), nil},
		{"enter and back", []string{"enter", "left"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"enter and up", []string{"enter", "u"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
		{"enter and reload", []string{"enter", "r"}, dir("a/b/c/d/e"), nil},
		{"reload and back", []string{"r", "left"}, dir("a/b"), dir("x")},
		{"back and forward", []string{"left", "f"}, dir("a/b/c/d"), dir("a/b/c/d/e")},
	} {
		for name, press := range map[string]func(*driver, ...string) *driver{"at once": (*driver).pressAtOnce, "one by one": (*driver).press} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				w := web{}
				path := ""
				for _, next := range []string{"a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e"} {
					w.addPage(dir(path), protocols.LayoutDirectory, path, link(protocols.Text, "x", dir("x")), link(protocols.Directory, next, dir(next)))
					path = next
				}
				w.addPage(dir(path), protocols.LayoutDirectory, path)
				d := drive(t, w, Options{Home: dir("a/b")}, 80, 24)
				d.run(d.visit(dir("a/b/c/d")))
				d.Model.tab.Session.Page().Cursor = 1
				press(d, tt.keys...)
				d.wantURL(tt.want)
				line, _ := d.Model.tab.Pager.Current()
				fetchtest.Equal(t, line.Link, tt.on, "the cursor is on")
			})
		}
	}
}
