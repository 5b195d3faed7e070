package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestGetExistingFile checks that get does not overwrite files, and names the flag that does.
func TestGetExistingFile(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		args, stderr string
		code         int
		files        string
	}{
		{"ftp://h/good ftp://i/good", "good(1): 4 B\n", 0, "good good(1)"},
		{"ftp://h/good", "; --force overwrites it\n", exitLocal, "good good(1)"},
		{"-f ftp://h/good", "good: 4 B\n", 0, "good good(1)"},
		{"ftp://h/denied ftp://h/broken ftp://h/fine", "fine: 4 B\n", exitServer, "fine good good(1)"},
		{"ftp://h/d;type=d", "; get -r saves it", 2, "fine good good(1)"},
		{"-r ftp://h/d;type=d", "There is no terminal: use --yes", 2, "fine good good(1)"},
		{"ldap://h/o=A", "this is a list of items, not a document; gofer dump prints it\n", 2, "fine good good(1)"},
		{"-r whois++://h/", "this is a list of items, not a document; gofer dump prints it\n", 2, "fine good good(1)"},
		{"-r -y ftp://h/d;type=d", "/d: 4 B\n", 0, "d fine good good(1)"},
		{"-r -y ftp://h/d;type=d", "--continue completes it, --force overwrites its files", exitLocal, "d fine good good(1)"},
	} {
		stderr := new(strings.Builder)
		p := testProgram(t.TempDir(), new(app.Setup))
		p.Schemes = func(app.Setup) (protocols.Registry, func()) {
			return protocols.Registry{"ftp": partialServer{t: t}}, func() {}
		}
		p.Err = stderr
		code := p.Run(t.Context(), append([]string{"get", "-P", dir}, strings.Fields(tt.args)...))
		var files []string
		for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
			files = append(files, e.Name())
		}
		if code != tt.code || !strings.Contains(stderr.String(), tt.stderr) || strings.Join(files, " ") != tt.files {
			t.Errorf("get %s: exit %d, %q, files %q; want %d, %q, %q", tt.args, code, stderr, files, tt.code, tt.stderr, tt.files)
		}
	}
}

func TestShowFilesWait(t *testing.T) {
	var b strings.Builder
	bar := progressBar{out: io.Discard, stderr: &b, name: "d"}
	for _, step := range []struct {
		wait string
		done int64
	}{{"", 0}, {"refused (1 of 9)", 0}, {"", 0}, {"refused (2 of 9)", 0}, {"", 10}, {"lost (1 of 9)", 10}, {"lost (2 of 9)", 10}} {
		bar.showFiles(step.done, 0, 0, step.wait, "")
	}
	if got, want := b.String(), "d: refused (1 of 9)\nd: lost (1 of 9)\n"; got != want {
		t.Errorf("showFiles printed %q, want %q", got, want)
	}
}
