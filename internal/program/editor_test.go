package program

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestEditorArgv checks how editors get the line at which they begin.
func TestEditorArgv(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a shell of Unix")
	}
	bin := t.TempDir()
	for _, name := range []string{"vim.tiny", "busybox", "wordpad"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"editor": "vim.tiny", "vi": "busybox", "ed": "wordpad"} {
		if err := os.Symlink(target, filepath.Join(bin, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	for _, tt := range []struct {
		command string
		line    int
		want    string
	}{
		{"nano", 7, "+7 /d/a b"},
		{"nano", 0, "/d/a b"},
		{"vim -u NONE", 7, "+7 /d/a b"},
		{"/opt/bin/vim.basic", 7, "+7 /d/a b"},
		{"LC_ALL=C nvim", 7, "+7 /d/a b"},
		{"env TERM=xterm emacs-29.1-nox -nw", 7, "+7 /d/a b"},
		{"emacsclient -t -a ''", 7, "+7 /d/a b"},
		{"emacs29", 7, "+7 /d/a b"},
		{"'/opt/my editors/joe'", 7, "+7 /d/a b"},
		{"hx", 7, "/d/a b:7"},
		{"code --wait", 7, "--goto /d/a b:7"},
		{"jed", 7, "/d/a b -g 7"},
		{"editor", 7, "+7 /d/a b"}, // a link to vim.tiny
		{"vi", 7, "/d/a b"},        // a link to busybox
		{"ed", 7, "/d/a b"},
		{"unknown-editor", 7, "/d/a b"},
		{"sh -c 'vim \"$1\"' x", 7, "/d/a b"},
		{"'", 7, "/d/a b"},
	} {
		argv := EditorArgv(tt.command, "/d/a b", tt.line)
		if got := strings.Join(argv[4:], " "); got != tt.want || argv[2] != tt.command+` "$@"` {
			t.Errorf("EditorArgv(%q, %d): got %q, want the arguments %q", tt.command, tt.line, argv, tt.want)
		}
	}
}
