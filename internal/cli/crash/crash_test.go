package crash_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gofer/internal/cli/crash"
	"gofer/internal/testbed/fetchtest"
)

func TestWriteReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "gofer")
	r := crash.Report{
		Version: "1.2", Value: "ftp://ann:secret@h/ \x1b[2J" + strings.Repeat("x", 1000), Stack: []byte("main.go:1"),
		Width: 80, Height: 24, Time: time.Date(2025, 3, 14, 15, 9, 26, 0, time.UTC),
		Getenv: func(name string) string { return map[string]string{"TERM": "xterm\x1b", "SECRET": "secret"}[name] },
	}
	path, err := r.Write(dir)
	if want := filepath.Join(dir, "crash-20250314-150926.txt"); path != want || err != nil {
		t.Fatalf("Write(%s) = %s, %v; want %s", dir, path, err, want)
	}
	data := fetchtest.Must(os.ReadFile(path))(t)
	got := string(data)
	for _, want := range []string{
		"gofer 1.2\n", runtime.Version(), "screen 80x24\n", "TERM=xterm", "2025-03-14T15:09:26Z", "main.go:1",
		"panic: ftp://ann",
	} {
		fetchtest.Contains(t, got, want, "the report")
	}
	if strings.Contains(got, "secret") || strings.Contains(got, "\x1b") || strings.Contains(got, strings.Repeat("x", 500)) {
		t.Errorf("the report has a secret, an ESC or the whole value:\n%s", got)
	}
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("Stat(%s) = %v, %v; want a file that only the user can read", path, fi, err)
	}
}

// TestLongValueIsMasked checks that no part of a password is in the report, wherever the value is cut.
func TestLongValueIsMasked(t *testing.T) {
	for n := range 220 {
		got := crash.Report{Value: errors.New(strings.Repeat("é ", n/2) + strings.Repeat("x", n%2) +
			"ftp://ann:s3cr3t-w0rd@h.example/" + strings.Repeat("y", 300))}.String()
		if strings.Contains(got, "s3") || !utf8.ValidString(got) {
			t.Errorf("with %d octets before the URL, the report is\n%s", n, got)
		}
	}
}

func TestOldReportsRemoved(t *testing.T) {
	dir := t.TempDir()
	var last string
	for i := range 15 {
		r := crash.Report{Time: time.Date(2025, 3, 14, 15, 9, i/2, 0, time.UTC)}
		path := fetchtest.Must(r.Write(dir))(t)
		last = path
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 10 || err != nil || left[9] != last {
		t.Errorf("got the reports %v, %v; want 10, the last one %s", left, err, last)
	}
	if _, err := (crash.Report{}).Write(""); err == nil {
		t.Error("Write succeeded without a folder")
	}
}
