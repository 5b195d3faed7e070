package ask

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
)

// hostileName is a name that another user could give to a file.
const hostileName = "n\x1b[31m\xff"

func homeFolder(t *testing.T) (home string) {
	home = t.TempDir()
	t.Setenv("HOME", home)
	for _, folder := range []string{"docs/old notes", "down", ".config"} {
		fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, folder), 0o700))
	}
	for _, file := range []string{"docs/a.txt", "docs/b c.txt", ".profile", hostileName} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(home, file), nil, 0o600))
	}
	fetchtest.NoError(t, os.Symlink("docs", filepath.Join(home, "link")))
	fetchtest.NoError(t, os.Symlink("nowhere", filepath.Join(home, "lost")))
	return home
}

func TestCompletePath(t *testing.T) {
	home := homeFolder(t)
	for _, tt := range []struct{ base, typed, want string }{
		{home, "", "docs/,down/,link/,lost," + hostileName},
		{home, "do", "docs/,down/"},
		{home, "docs/", "docs/a.txt,docs/b c.txt,docs/old notes/"},
		{home, "docs/b ", "docs/b c.txt"},
		{home, ".", ".config/,.profile"},
		{home, "D", ""},
		{home, "none/", ""},
		{home, "docs/a.txt/", ""},
		{home + "/docs", "../do", "../docs/,../down/"},
		{"", home + "/dow", home + "/down/"},
		{"/nowhere", "~", "~/"},
		{"/nowhere", "~/li", "~/link/"},
	} {
		var all []string
		for _, c := range CompletePath(tt.base)(t.Context(), tt.typed) {
			all = append(all, c.Text)
		}
		fetchtest.Equal(t, strings.Join(all, ","), tt.want, "%q in %q", tt.typed, tt.base)
	}
	for typed, want := range map[string]string{
		"": "/d", "a": "/d", "a/": "/d/a", "a/b": "/d/a", "../b": "/", "/x/y": "/x", "~": "~", "~/a/b": "~/a", home + "/a/b": "~/a",
	} {
		fetchtest.Equal(t, FolderText("/d", typed), clean.Name(want), "the folder of %q", typed)
	}
}

// TestCompleteInLargeFolder checks that the first names of a large folder are offered.
func TestCompleteInLargeFolder(t *testing.T) {
	folder := t.TempDir()
	for i := range 3000 {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d", 2999-i)), nil, 0o600))
	}
	all := CompletePath(folder)(t.Context(), "0")
	if fetchtest.Equal(t, len(all), maxPaths, "completions"); len(all) > 0 {
		fetchtest.Equal(t, all[0].Text+all[len(all)-1].Text, "00000099", "the first and the last name")
	}
}

// newRunner returns a screen that keeps what is to be done in the background, and a function that does it.
func newRunner(t *testing.T) (s *Screen, run func()) {
	s = newScreen(80, 24)
	s.Context, s.Keys = t.Context(), noKeys{}
	var begun []func() func() tea.Cmd
	s.RunInBackground = func(do func() func() tea.Cmd) tea.Cmd {
		begun = append(begun, do)
		return nil
	}
	s.AskInBackground = s.RunInBackground
	return s, func() {
		for ; len(begun) > 0; begun = begun[1:] {
			begun[0]()()
		}
	}
}

// TestTabCompletesPath presses Tab in a prompt for a path. The line shows a hostile name cleaned, and the
// answer has the exact name.
func TestTabCompletesPath(t *testing.T) {
	home := homeFolder(t)
	for _, tt := range []struct {
		name, typed  string
		keys         []string
		shown, exact string
	}{
		{"the only folder", "docs", []string{"next field"}, "docs/", "docs/"},
		{"its contents", "docs", []string{"next field", "next field"}, "docs/a.txt", "docs/a.txt"},
		{"the second of two", "do", []string{"next field", "next field"}, "down/", "down/"},
		{"the typed text again", "do", []string{"next field", "previous field"}, "do", "do"},
		{"as in the URL bar", "do", []string{"up"}, "down/", "down/"},
		{"nothing typed", "", []string{"next field"}, "docs/", "docs/"},
		{"a hostile name", "n", []string{"next field"}, "n␛[31mÿ", hostileName},
		{"a part of a hostile name", "n", []string{"next field", "erase"}, "n␛[31m", "n␛[31m"},
		{"no such name", "x", []string{"next field"}, "x", "x"},
	} {
		s, run := newRunner(t)
		l := NewLine(Head{}, Field{Complete: CompletePath(home)})
		var answer string
		l.Finish = func(answers []string) tea.Cmd { answer = answers[0]; return nil }
		l.Insert(tt.typed, s)
		for _, k := range tt.keys {
			if k == "up" {
				run()
			}
			l.Key(k, s)
			run()
		}
		fetchtest.Equal(t, l.Typed(), tt.shown, "%s: text", tt.name)
		l.Key("done", s)
		next, _ := l.Done()
		next()
		fetchtest.Equal(t, answer, tt.exact, "%s: answer", tt.name)
	}
}
