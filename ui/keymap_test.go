package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/text/encoding/charmap"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui/page"
)

func TestParseKey(t *testing.T) {
	for label, want := range map[string]string{
		"x": "x", "X": "X", "Ctrl-L": "ctrl+l", "ctrl+l": "ctrl+l", "CTRL-L": "ctrl+l", "Alt-Left": "alt+left",
		"PgDn": "pgdown", "pgdown": "pgdown",
		"Space": "space", "F5": "f5", "f20": "f20", "Ctrl-Alt-x": "ctrl+alt+x", "Shift-Tab": "shift+tab", "-": "-",
		"Alt-u": "alt+u", "Alt-U": "alt+shift+u", "alt+U": "alt+shift+u", "Alt-Shift-u": "alt+shift+u", "Alt-Ä": "alt+shift+ä", "Alt-+": "alt++",
		"Ctrl-Shift-u": "ctrl+shift+u", "Ctrl-Alt-X": "ctrl+alt+x", "Ctrl--": "ctrl+-", "é": "é", "e\u0301": "e\u0301", "世": "世",
	} {
		if got, ok := parseKey(label); got != want || !ok {
			t.Errorf("parseKey(%q) = %q, %v; want %q", label, got, ok, want)
		}
	}
	for _, label := range []string{"", "Meta-x", "xy", "世界", "f21", "f0", "Ctrl-", " ", "\x1b", "Shift-x", "ctrl"} {
		if got, ok := parseKey(label); ok {
			t.Errorf("parseKey(%q) = %q, true; want false", label, got)
		}
	}
	for _, k := range Keys(nil) {
		for _, label := range k.Keys {
			if _, ok := parseKey(label); !ok && label != "1-9" && label != "Alt-1..9" {
				t.Errorf("the key %q of %q cannot be set", label, k.Name)
			}
		}
	}
}

// TestKeyNames checks that the keys of terminals have one name and one label, which can be set.
func TestKeyNames(t *testing.T) {
	for _, tt := range []struct {
		key         tea.KeyPressMsg
		name, label string
	}{
		{tea.KeyPressMsg{Code: 'u', Mod: tea.ModAlt}, "alt+u", "Alt-u"},
		{tea.KeyPressMsg{Code: 'u', Mod: tea.ModAlt | tea.ModShift}, "alt+shift+u", "Alt-U"},
		{tea.KeyPressMsg{Code: 'U', Mod: tea.ModAlt}, "alt+shift+u", "Alt-U"},
		{tea.KeyPressMsg{Code: 'U', Mod: tea.ModAlt | tea.ModShift}, "alt+shift+u", "Alt-U"},
		{tea.KeyPressMsg{Code: 'ä', Mod: tea.ModAlt}, "alt+ä", "Alt-ä"},
		{tea.KeyPressMsg{Code: 'Ä', Mod: tea.ModAlt}, "alt+shift+ä", "Alt-Ä"},
		{tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}, "ctrl+u", "Ctrl-U"},
		{tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl | tea.ModShift}, "ctrl+shift+u", "Ctrl-Shift-U"},
		{tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl | tea.ModAlt}, "ctrl+alt+s", "Ctrl-Alt-S"},
		{tea.KeyPressMsg{Code: '+', Mod: tea.ModAlt}, "alt++", "Alt-+"},
		{tea.KeyPressMsg{Code: '|', Mod: tea.ModAlt}, "alt+|", "Alt-|"},
		{tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModAlt | tea.ModShift}, "alt+shift+left", "Alt-Shift-Left"},
		{tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt}, "alt+enter", "Alt-Enter"},
		{tea.KeyPressMsg{Code: 'U', Text: "U", Mod: tea.ModShift}, "U", "U"},
		{tea.KeyPressMsg{Code: tea.KeyExtended, Text: "a+B"}, "a+B", "a+B"},
	} {
		name, label := keyName(tt.key), keyLabel(keyName(tt.key))
		if name != tt.name || label != tt.label {
			t.Errorf("%+v: got %q, %q, want %q, %q", tt.key, name, label, tt.name, tt.label)
		}
		if set, ok := parseKey(label); len(tt.key.Text) < 2 && (set != name || !ok) {
			t.Errorf("parseKey(%q) = %q, %v; want %q", label, set, ok, name)
		}
	}
}

// TestPromptsKnowTheirActions checks that package ask or edit handles the name of each action that
// has no function.
func TestPromptsKnowTheirActions(t *testing.T) {
	names := make(map[string]bool)
	files, err := filepath.Glob("ask/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob: got %q, %v, want the files of package ask", files, err)
	}
	for _, file := range append(files, "edit/edit.go") {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, e := range n.List {
					if l, ok := e.(*ast.BasicLit); ok {
						names[strings.Trim(l.Value, `"`)] = true
					}
				}
			case *ast.BinaryExpr:
				if l, ok := n.Y.(*ast.BasicLit); ok && n.Op == token.EQL {
					names[strings.Trim(l.Value, `"`)] = true
				}
			}
			return true
		})
	}
	for _, s := range sections() {
		for _, a := range s.actions {
			if a.do == nil && !names[a.name] {
				t.Errorf("%s: no prompt knows the action %q", s.title, a.name)
			}
		}
	}
}

func TestBindings(t *testing.T) {
	b := Bindings{
		"page":    {"save": {"Ctrl-S", "q"}, "quit": {"Q"}, "fly": {"x"}, "home": {"Q"}, "peek": {}},
		"editing": {"line start": {"Ctrl-X"}},
		"moon":    {"open": {"x"}},
	}
	var wrong []string
	for _, e := range b.Check() {
		wrong = append(wrong, e.Context+" "+e.Action+": "+e.Text)
	}
	want := []string{
		`moon open: there is no action "open" in keys.moon: gofer config keys lists them`,
		`page fly: there is no action "fly" in keys.page: gofer config keys lists them`,
		`page quit: the key "Q" of "quit" is already bound to "home"`,
	}
	if !reflect.DeepEqual(wrong, want) {
		t.Errorf("wrong:\n%s\nwant\n%s", strings.Join(wrong, "\n"), strings.Join(want, "\n"))
	}
	km, _ := newKeymap(false, b)
	bound := func(in string, key string) string {
		if a := km.tables[in][key]; a != nil {
			return a.name
		}
		return ""
	}
	for key, name := range map[string]string{"ctrl+s": "save", "q": "save", "Q": "home", "d": "", "~": "", "p": "", "g": "URL"} {
		fetchtest.Equal(t, bound(contextPage, key), name, "%s on pages", key)
	}
	for _, in := range []string{contextBar, contextPrompt} {
		if x, a, e := bound(in, "ctrl+x"), bound(in, "ctrl+a"), bound(in, "ctrl+e"); x != "line start" || a != "" || e != "line end" {
			t.Errorf("actions of Ctrl-X, Ctrl-A and Ctrl-E: got %q, %q, %q, want line start, none, line end", x, a, e)
		}
	}
	for name, want := range map[string]string{"save": "Ctrl-S", "peek": ":peek", "quit": ":quit", "no such": ""} {
		fetchtest.Equal(t, km.keyOf(name), want, "the key of %s", name)
	}
}

// TestHostSettings checks that pages of a server use its settings for charset and wrapping, and that
// a key changes the wrapping only for that server.
func TestHostSettings(t *testing.T) {
	wrap := false
	w := web{}
	w.addText(item('0', "/a"), "", encode(t, charmap.KOI8R, "Да\n"))
	d := drive(t, w, Options{Home: item('0', "/a"), Charsets: &charsetStore{all: map[string]string{}}, Config: config.Config{
		Host: map[string]config.Host{"gopher.example.org:70": {Charset: "KOI8-R", Wrap: &wrap}},
	}}, 80, 24)
	d.wantShown("KOI8-R", "Да")
	if d.Model.tab.Pager.WrapsLines() {
		t.Error("the text is wrapped")
	}
	d.press("w")
	if !d.Model.tab.Pager.WrapsLines() || d.Model.tab.Pager.WrapText != page.WrapParagraphs || wrap {
		t.Error("the key does not wrap the pages of the server alone")
	}
}

// TestHintsFollowTheKeys checks that the hints of the URL bar, forms and questions name the keys of
// the settings.
func TestHintsFollowTheKeys(t *testing.T) {
	d := drive(t, library(), Options{Config: config.Config{Keys: config.Keys{
		Page: config.Bindings{"URL": {"F2"}}, Bar: config.Bindings{"go": {"Ctrl-X"}, "next": {"F3"}}, Editing: config.Bindings{"cancel": {"F4"}},
		Question: config.Bindings{"yes": {"j"}}, Form: config.Bindings{"send": {"F5"}, "next field": {}},
	}}}, 80, 24)
	d.press("f2").wantShown("Ctrl-X open  F3 complete  F4 cancel")
	d.press("f4").submit("X", "all").wantShown("Remove all visits from the history? (j/N)")
	for _, tt := range []struct{ in, name, usual, want string }{
		{"form", "send", "Ctrl-S", "F5 x"},
		{"form", "next field", "Tab", ""},
		{"form", "done", "Enter", "Enter x"},
		{"form", "nothing", "Tab", ""},
	} {
		fetchtest.Equal(t, d.keys.Hint(tt.in, tt.name, tt.usual, "x"), tt.want, "%s %s", tt.in, tt.name)
	}
}

// TestKeyPressedTwice checks that a key waits half a second if a double press of the key has its own
// action. Other keys must not wait.
func TestKeyPressedTwice(t *testing.T) {
	var timer tea.Msg
	start := func(o Options) *driver {
		d := drive(t, demoMenu(), o, 80, 24)
		d.after, timer = func(after time.Duration, msg tea.Msg) tea.Cmd {
			if after == secondKeyTime {
				timer = msg
			}
			return nil
		}, nil
		return d.press("end")
	}
	two := Options{Config: config.Config{Keys: config.Keys{Page: config.Bindings{"top": {"gg"}}}}}
	d := start(two)
	end := d.page()
	d.press("g").wantNotShown("Esc cancel").press("g")
	if d.page() == end || d.bar != nil {
		t.Error("gg does not go to the top")
	}
	d.send(timer)
	if d.bar != nil {
		t.Error("the URL bar opens half a second after gg")
	}
	if d.press("g").send(timer); d.bar == nil {
		t.Error("g alone does not open the URL bar")
	}
	d.press("esc", "g", "end")
	if d.bar == nil {
		t.Error("g and another key do not open the URL bar")
	}
	d.press("esc", "g")
	d.send(tea.PasteMsg{Content: "gopher://gopher.example.org/0/a"}).send(timer).press("enter").wantURL(item('0', "/a"))

	if d = start(Options{}).press("g"); d.bar == nil || timer != nil {
		t.Error("g waits without a binding of gg")
	}
	fetchtest.Equal(t, start(two).keys.keyOf("top"), "gg")
}
