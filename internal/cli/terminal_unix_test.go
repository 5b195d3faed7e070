//go:build unix

package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestTransferQuestions checks the questions before uploads and before the download of a directory.
func TestTransferQuestions(t *testing.T) {
	for _, tt := range []struct {
		args, question, answer, shown string
		code                          int
		stored                        string
		saved                         bool
	}{
		{"put FILE ftp://h/x", "a.txt\" (4 B) -> ftp://h/x\r\nUpload 1 file? (y/N) ", "n", "", 0, "", false},
		{"put FILE ftp://h/x", "Upload 1 file? (y/N) ", "y", "a.txt: 4 B\r\n", 0, "text", false},
		{"put FILE FILE ftp://h/d/", "a.txt\" (4 B) -> ftp://h/d/a.txt\r\nUpload 2 files? (y/N) ", "y", "a.txt: 4 B\r\n", 0, "texttext", false},
		{"put - FILE ftp://h/d/", "", "", "standard input has no name", 2, "", false},
		{"get -r -P DIR ftp://h/d;type=d", "/d\"? (y/N) ", "n", "", 0, "", false},
		{"get -r -P DIR ftp://h/d;type=d", "/d\"? (y/N) ", "y", "/d: 4 B\r\n", 0, "", true},
	} {
		t.Run(tt.args+" "+tt.answer, func(t *testing.T) {
			dir, tm, l := t.TempDir(), newTerminal(t), &loginServer{received: "/"}
			file := filepath.Join(dir, "a.txt")
			fetchtest.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
			p := testProgram(t.TempDir(), new(app.Setup))
			p.Schemes = func(app.Setup) (protocols.Registry, func()) {
				if strings.HasPrefix(tt.args, "put") {
					return protocols.Registry{"ftp": l}, func() {}
				}
				return protocols.Registry{"ftp": partialServer{t: t}}, func() {}
			}
			p.In, p.Out, p.Err = tm.tty, tm.tty, tm.tty
			args := strings.Fields(tt.args)
			for i, arg := range args {
				args[i] = cmp.Or(map[string]string{"FILE": file, "DIR": dir}[arg], arg)
			}
			done := make(chan int, 1)
			go func() {
				done <- p.Run(t.Context(), args)
			}()
			if tt.question != "" {
				tm.answerAll([][2]string{{tt.question, tt.answer}})
			}
			tm.waitFor(tt.shown)
			if code := tm.waitExit(done); code != tt.code || l.stored.String() != tt.stored {
				t.Errorf("exit %d, stored %q; want %d, %q", code, l.stored.String(), tt.code, tt.stored)
			}
			if _, err := os.Stat(filepath.Join(dir, "d", "good")); (err == nil) != tt.saved {
				t.Errorf("Stat of the saved file = %v, want a file: %v", err, tt.saved)
			}
		})
	}
}
