package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/history"
	"gofer/internal/testbed/fetchtest"
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
		{[]string{"gopher://a"}, "gopher://a.example/0/t\tTitle 3\ngopher://a.example/1\tTitle 1\n:4\n"},
		{[]string{"dump", "ftp:"}, "ftp://b.example/x\tTitle 2\n:4\n"},
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

// TestCompletionsAreSafeForShells checks that completions have nothing that a shell would expand: bash inserts what
// several completions have in common without quotes, and PowerShell too, which ignores case.
func TestCompletionsAreSafeForShells(t *testing.T) {
	home := t.TempDir()
	s := history.OpenStore(filepath.Join(home, ".local/share/gofer/history.sqlite"))
	for i, u := range []string{
		"gopher://h/1/evil$(touch$IFS/x)", "gopher://h/1/`id`", "gopher://h/1/it's", "gopher://h/1/a;b&c|d<e>f", "gopher://h/1/a%20b",
		"gopher://h/1/*%5Ba-z%5D%7Ba,b%7D", "gopher://h/1/~user/=~x:~y", "gopher://h/1/wow!!$!",
		"gopher://h/1/a%E2%80%99b%E3%80%80c%C2%A0", "gopher://h/1/-n%23x%5E%5C",
		"ftp://h/pub$x;type=d", "ftp://h/pub/a!;type=a", "news:a$1@h", "news:*",
		"http://h/?a=1&reboot", "http://h/a$b?q", "http://h/a$b", "http://h/;touch,x", "wais://h/d?q", "mailto:a@b?subject=$(x)",
	} {
		fetchtest.NoError(t, s.Visit(t.Context(), mustParse(t, u), "A $(touch /x) `t`, 'it’s'; <&|> \u2028\u3000#!~*?[x]{y} é日1 "+
			string(rune('a'+i)), time.Unix(int64(1e9-i), 0)))
	}
	fetchtest.NoError(t, s.Close())
	const title = "\tA touch /x t it s x y é日1 "
	for _, tt := range []struct{ typed, want string }{
		{"", "gopher://h/1/evil%24%28touch%24IFS/x%29\ngopher://h/1/%60id%60\ngopher://h/1/it%27s\ngopher://h/1/a%3Bb%26c%7Cd%3Ce%3Ef\n" +
			"gopher://h/1/a%20b\ngopher://h/1/%2A%5Ba-z%5D%7Ba%2Cb%7D\ngopher://h/1/%7Euser/=%7Ex:%7Ey\ngopher://h/1/wow%21%21%24%21\n" +
			"gopher://h/1/a%E2%80%99b%E3%80%80c%C2%A0\ngopher://h/1/-n%23x%5E%5C\nftp://h/pub%24x/\nftp://h/pub/a%21\nnews:a%241@h\nnews:%2A\n" +
			"http://h/a%24b\n:4\n"},
		{"gopher://h/1/ev", "gopher://h/1/evil%24%28touch%24IFS/x%29" + title + "a\n:4\n"},
		{"gopher://h/1/evil%24%28to", "gopher://h/1/evil%24%28touch%24IFS/x%29" + title + "a\n:4\n"},
		{"h/1/w", "h/1/wow%21%21%24%21" + title + "h\n:4\n"},
		{"ftp://h/", "ftp://h/pub%24x/" + title + "k\nftp://h/pub/a%21" + title + "l\n:4\n"},
		{"news:", "news:a%241@h" + title + "m\nnews:%2A" + title + "n\n:4\n"},
		{"http://h", "http://h/a%24b" + title + "q\n:4\n"},
		{"wais:", ":4\n"},
		{"mailto:", ":4\n"},
	} {
		_, out, _ := run(t, home, "", "__complete", "dump", tt.typed)
		fetchtest.Equal(t, out, tt.want, "completions of %q", tt.typed)
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
