// Package crash writes reports of panics and of SIGQUIT, for bug reports.
package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/urlcore"
)

const (
	maxReports = 10        // the number of reports that are kept
	maxValue   = 200       // bounds the value of a panic, in octets
	maxStack   = 256 << 10 // bounds the stack, in octets
)

// Report describes a panic, or the program at a SIGQUIT. Only Value may contain text that the user
// typed or read; String truncates it and masks passwords.
type Report struct {
	Version       string              // the version of gofer
	Value         any                 // the value of the panic; nil for SIGQUIT
	Stack         []byte              // the stack of the goroutine; for SIGQUIT, of all goroutines
	Width, Height int                 // the size of the screen
	Getenv        func(string) string // the environment; may be nil
	Time          time.Time
}

// String returns the text of the report.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gofer %s\n%s %s/%s\n%s\n", r.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, r.Time.Format(time.RFC3339))
	fmt.Fprintf(&b, "screen %dx%d\n", r.Width, r.Height)
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM", "LC_ALL", "LC_CTYPE", "LANG"} {
		if r.Getenv != nil && r.Getenv(name) != "" {
			fmt.Fprintf(&b, "%s=%s\n", name, clean.Text(r.Getenv(name)))
		}
	}
	cause := "SIGQUIT"
	if r.Value != nil {
		value := urlcore.MaskPassword(clean.Text(fmt.Sprint(r.Value))) // masked whole: a part of a URL has no recognizable password
		if len(value) > maxValue {
			value = strings.ToValidUTF8(value[:maxValue], "") + "..."
		}
		cause = "panic: " + value
	}
	fmt.Fprintf(&b, "\n%s\n\n%s\n", cause, r.Stack[:min(len(r.Stack), maxStack)])
	return b.String()
}

// Write writes the report to a private file in dir, removes old reports, and returns the path.
func (r Report) Write(dir string) (path string, err error) {
	if dir == "" {
		return "", errors.New("no home directory")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := createFile(dir, r.Time)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(r.String())
	err = errors.Join(err, f.Close())
	removeOldReports(dir)
	return f.Name(), err
}

// createFile creates a new report file in dir.
func createFile(dir string, at time.Time) (f *os.File, err error) {
	name := "crash-" + at.Format("20060102-150405")
	for i := range maxReports {
		suffix := ""
		if i > 0 {
			suffix = fmt.Sprint("-", i+1)
		}
		f, err = os.OpenFile(filepath.Join(dir, name+suffix+".txt"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

func removeOldReports(dir string) {
	paths, _ := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
	slices.Sort(paths)
	for _, path := range paths[:max(0, len(paths)-maxReports)] {
		_ = os.Remove(path)
	}
}
