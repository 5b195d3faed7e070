package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/docs"
	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir, secondDir := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, secondDir} {
		fetchtest.NoError(t, writePages(d))
	}
	read := func(dir, name string) string {
		t.Helper()
		data := fetchtest.Must(os.ReadFile(filepath.Join(dir, name)))(t)
		return string(data)
	}
	page := read(dir, "gofer.1")
	for _, want := range []string{
		`--version`, `.TH "GOFER" "1" "Nov 2023" "gofer development"`, ".SH KEYS\n.SS Go\n.TP\n", `\fBCtrl\-L\fP`,
		`\fB\(ti\fP`,
	} {
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
		if !strings.Contains(page, "\n"+escapeRoff(k.Help)+"\n") {
			t.Errorf("gofer.1 lacks the help %q of the keys %q", k.Help, k.Keys)
		}
	}
	if strings.Index(page, ".SH KEYS") > strings.Index(page, ".SH SEE ALSO") {
		t.Error("the keys are behind the last section")
	}
	for _, topic := range docs.Topics() {
		name := "gofer-" + topic
		text := read(dir, name+".7")
		for _, want := range []string{
			`.TH "` + strings.ToUpper(name) + `" "7" "Nov 2023" "gofer development"`,
			".SH NAME\n" + name + " - " + docs.Title(topic) + "\n",
		} {
			fetchtest.Contains(t, text, want, name)
		}
		for _, markdown := range []string{".TS", "](", ".md", "<!--", "---|"} {
			fetchtest.NotContains(t, text, markdown, name)
		}
		fetchtest.Contains(t, page, name+"(7)", "gofer.1")
	}
	fetchtest.Contains(t, read(dir, "gofer-keys.7"), ".TP\n\\fBz\\fR\n", "gofer-keys.7")
	fetchtest.Contains(t, read(dir, "gofer-keys.7"), ".TP\n\\fB|\\fR\n", "gofer-keys.7")
	for _, name := range []string{"gofer.1", "gofer-history-forget.1", "gofer-url-batch.1", "gofer-keys.7"} {
		if read(dir, name) != read(secondDir, name) {
			t.Errorf("two calls of writePages wrote different texts of %s", name)
		}
	}
}

func TestRoff(t *testing.T) {
	for s, want := range map[string]string{
		".x": `\&.x`, "'x": `\&'x`, `a\b`: `a\eb`, "Ctrl-L": `Ctrl\-L`, "~": `\(ti`, "<": "<",
	} {
		fetchtest.Equal(t, escapeRoff(s), want, "escapeRoff(%q)", s)
	}
}
