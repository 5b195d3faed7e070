package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir, again := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, again} {
		fetchtest.NoError(t, write(d))
	}
	read := func(dir, name string) string {
		t.Helper()
		data := fetchtest.Must(os.ReadFile(filepath.Join(dir, name)))(t)
		return string(data)
	}
	page := read(dir, "gofer.1")
	for _, want := range []string{`--version`, `.TH "GOFER" "1" "Nov 2023" "gofer development"`, ".SH KEYS\n.SS Move\n.TP\n", `\fBCtrl\-L\fP`, `\fB\(ti\fP`} {
		fetchtest.Contains(t, page, want, "gofer.1")
	}
	var got, want []string
	for line := range strings.Lines(page) {
		if section, ok := strings.CutPrefix(line, ".SS "); ok {
			got = append(got, strings.TrimSpace(section))
		}
	}
	for _, k := range ui.Keys(nil) {
		want = append(want, k.Section)
	}
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("gofer.1 has the keys of %q, want %q", got, want)
	}
	for _, k := range ui.Keys(nil) {
		if !strings.Contains(page, "\n"+roff(k.Help)+"\n") {
			t.Errorf("gofer.1 does not say what %q do", k.Keys)
		}
	}
	if strings.Index(page, ".SH KEYS") > strings.Index(page, ".SH SEE ALSO") {
		t.Error("the keys are behind the last section")
	}
	for _, name := range []string{"gofer.1", "gofer-history-forget.1", "gofer-url-batch.1"} {
		if read(dir, name) != read(again, name) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
}

func TestRoff(t *testing.T) {
	for s, want := range map[string]string{
		".x": `\&.x`, "'x": `\&'x`, `a\b`: `a\eb`, "Ctrl-L": `Ctrl\-L`, "~": `\(ti`, "<": "<",
	} {
		fetchtest.Equal(t, roff(s), want, "roff(%q)", s)
	}
}
