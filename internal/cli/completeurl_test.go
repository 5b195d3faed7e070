package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompleteURLs(t *testing.T) {
	home := homeWithVisits(t)
	if code, _, stderr := run(t, home, "", "bookmarks", "add", "gopher://gopher.mark.example/1/x", "--title", "A mark"); code != 0 {
		t.Fatal(stderr)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"gopher://a"}, "gopher://a.example/0/t\tTitle <3>\ngopher://a.example/1\tTitle <1>\n:4\n"},
		{[]string{"dump", "ftp:"}, "ftp://b.example/x\tTitle <2>\n:4\n"},
		{[]string{"get", "gopher.ma"}, "gopher.mark.example/1/x\tA mark\n:4\n"},
		{[]string{"get", "b.ex"}, ":4\n"}, // without "ftp://" the text would be a Gopher URL
		{[]string{"get", "mark"}, ":4\n"},
		{[]string{"dump", "gopher://a.example/1", "g"}, ":4\n"},
		{[]string{"dump", ""}, "gopher://a.example/0/t\nftp://b.example/x\ngopher://a.example/1\n:4\n"},
	} {
		code, out, _ := run(t, home, "", append([]string{"__complete"}, tt.args...)...)
		if code != 0 || out != tt.want {
			t.Errorf("completion of %q: exit %d, got\n%s\nwant 0,\n%s", tt.args, code, out, tt.want)
		}
	}
	none := t.TempDir()
	if _, out, _ := run(t, none, "", "__complete", "dump", "g"); out != ":4\n" {
		t.Errorf("completion without a history printed %q, want %q", out, ":4\n")
	}
	if _, err := os.Stat(filepath.Join(none, ".local")); err == nil {
		t.Error("completion created a folder")
	}
}

func TestUnknownCommand(t *testing.T) {
	home := t.TempDir()
	for arg, want := range map[string]string{
		"frob":   `unknown command "frob"; for a host of this name: gofer gopher://frob`,
		"histry": `unknown command "histry", did you mean history? For a host`,
	} {
		if code, _, stderr := run(t, home, "", arg); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("gofer %s: exit %d, stderr %q; want %d, %q", arg, code, stderr, exitUsage, want)
		}
	}
	for _, arg := range []string{"localhost", "frob/", "frob.example", "gopher://frob", "frob:70", "news"} {
		if code, _, stderr := run(t, home, "", arg); code == exitUsage || strings.Contains(stderr, "unknown command") {
			t.Errorf("gofer %s: exit %d, stderr %q; want no unknown command", arg, code, stderr)
		}
	}
}
