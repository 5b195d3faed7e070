package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/policy/restrict"
	"gofer/internal/program"
	"gofer/internal/program/opener"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui/ask"
)

// TestRestrictedActions checks that restricted mode disables the keys, palette entries and hints of
// actions that are not allowed. The settings must not enable them.
func TestRestrictedActions(t *testing.T) {
	restricted := []string{
		"history", "new", "downloads", "later", "resume downloads", "limit rate", "settings", "theme", "suspend",
		"save", "save as", "save text", "bundle", "open outside", "pipe text", "pipe document", "bookmark page", "bookmark item",
		"read later", "edit bookmarks", "forget", "forget more", "private", "identity",
		"follow up", "reply", "post", "fetch articles", "watch", "kill", "score rule", "supersede", "cancel article",
		"upload", "make directory", "rename", "edit file", "chmod", "copy across", "move across", "compare", "compare contents",
	}
	for _, name := range restricted {
		o := Options{Config: config.Config{
			Restrict: restrict.Rules{Enabled: true},
			Keys:     config.Keys{Page: config.Bindings{name: {"F9"}}, Editing: config.Bindings{"suspend": {"F9"}}},
		}}
		d := drive(t, linkedWeb(), o, 80, 24)
		d.press("f9")
		if len(d.otherMsgs) > 0 && strings.Contains(fmt.Sprintf("%T", d.otherMsgs[len(d.otherMsgs)-1]), "exec") || d.Model.tab.Prompt != nil {
			t.Errorf("%s: F9 runs the action", name)
		}
		d.press(":").typeText(name)
		if _, ok := d.tab.Prompt.(*ask.Choose); !ok {
			t.Errorf("%s: the action is in the palette", name)
		}
		fetchtest.Equal(t, d.keys.keyOf(name), "", "%s: hints name the key", name)
		d.press("esc", "down")
		if hints := d.newScreen().hints(); strings.HasPrefix(hints, " ") || strings.Contains(hints, "save") {
			t.Errorf("%s: the hints are %q, want no hint of a restricted action", name, hints)
		}
	}
	var names []string
	for _, k := range Keys(nil) {
		if k.Restricted {
			names = append(names, k.Name)
		}
	}
	fetchtest.Equal(
		t, strings.Join(names, ", "), strings.Join(append(restricted, "follow up", "kill", "post", "reply", "watch", "compare", "copy across", "edit file", "forget", "make directory", "move across", "suspend"), ", "),
	) // some actions are in two sections
}

// TestRestrictedChanges checks that restricted mode does not begin changes on servers.
func TestRestrictedChanges(t *testing.T) {
	c := newChangeServer("a", "b")
	o := c.options()
	o.Config.Restrict.Enabled = true
	d := drive(t, c.w, o, 80, 24)
	for _, do := range []func() tea.Cmd{d.changes.UploadFile, d.changes.Rename, d.changes.MakeDirectory, d.changes.Remove} {
		d.run(do())
		if d.Model.tab.Prompt != nil {
			t.Errorf("a prompt is open:\n%s", d.screen())
			d.press("esc")
		}
	}
}

// TestRestrictedMethods calls the methods of actions that are not allowed. It checks that the methods
// start no program and write no file.
func TestRestrictedMethods(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.txt")
	d := drive(t, linkedWeb(), Options{
		Config: config.Config{Restrict: restrict.Rules{Enabled: true}, Downloads: config.Downloads{Folder: dir}}, Programs: new(opener.Programs),
		Editor: func(string, int) []string { return []string{"touch", out} },
	}, 80, 24)
	for name, do := range map[string]func(*Model) tea.Cmd{
		"save":          func(m *Model) tea.Cmd { return m.downloads.Save() },
		"saveAs":        func(m *Model) tea.Cmd { return m.downloads.SaveAs() },
		"saveText":      func(m *Model) tea.Cmd { return m.outside.SaveText() },
		"openOutside":   func(m *Model) tea.Cmd { return m.outside.Open() },
		"pipeText":      func(m *Model) tea.Cmd { return m.outside.PipeText() },
		"pipeDocument":  func(m *Model) tea.Cmd { return m.outside.PipeDocument() },
		"editBookmarks": func(m *Model) tea.Cmd { return m.bookmarks.Edit() },
		"suspend":       (*Model).suspend,
		"runProgram": func(m *Model) tea.Cmd {
			return m.outside.Run(program.Program{Argv: []string{"touch", out}, Window: true})
		},
	} {
		d.otherMsgs = nil
		d.run(do(d.Model))
		for i := 0; d.Model.tab.Prompt != nil && i < 3; i++ {
			d.typeText("touch " + out).press("y")
		}
		for _, msg := range d.otherMsgs {
			if strings.Contains(fmt.Sprintf("%T", msg), "exec") {
				t.Errorf("%s: a program gets the terminal", name)
			}
		}
		d.press("esc")
	}
	if files, err := os.ReadDir(dir); len(files) > 0 || err != nil {
		t.Errorf("got the files %v, %v, want none", files, err)
	}
}

// TestRestrictedKeys checks that a notice says that the key of a disabled action is not allowed, unless
// the key has another action.
func TestRestrictedKeys(t *testing.T) {
	o := Options{Config: config.Config{
		Restrict: restrict.Rules{Enabled: true},
		Keys:     config.Keys{Page: config.Bindings{"chmod": {"F9"}, "save": {"F8"}, "home": {"F8"}}},
	}}
	d := drive(t, linkedWeb(), o, 80, 24)
	for _, key := range []string{"D", "S", "|", "o", "a", "H", "J", "V", "P", "ctrl+z", "f9"} {
		d.press(key).wantShown(keyLabel(key) + ": not allowed at this terminal")
	}
	d.press("f8").wantNotShown("not allowed").press("f12").wantShown("F12 does nothing here")
	d = drive(t, linkedWeb(), Options{}, 80, 24)
	d.press("D").wantNotShown("not allowed")
}
