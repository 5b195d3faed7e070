package realserver

import (
	"os"
	"path/filepath"
	"time"
)

// tree writes files below a folder. After an error it does nothing and keeps the error.
type tree struct {
	dir string
	err error
}

// fileTime returns the modification time of all files.
func fileTime() time.Time { return time.Date(2023, time.November, 14, 22, 13, 20, 0, time.UTC) }

func (t *tree) do(f func() error) {
	if t.err == nil {
		t.err = f()
	}
}

// path returns the path of a file. It does not use filepath.Join, which would change odd names.
func (t *tree) path(name string) string { return t.dir + "/" + name }

func (t *tree) mkdir(name string) {
	t.do(func() error { return os.MkdirAll(t.path(name), 0o755) })
}

func (t *tree) writeText(name, data string) { t.writeFile(name, []byte(data)) }

func (t *tree) writeScript(name, data string) {
	t.writeText(name, "#!/bin/sh\n"+data)
	t.chmod(name, 0o755)
}

func (t *tree) writeFile(name string, data []byte) {
	t.do(func() error {
		path := t.path(name)
		err := os.WriteFile(path, data, 0o644)
		if os.IsNotExist(err) {
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.WriteFile(path, data, 0o644)
			}
		}
		return err
	})
	t.setDate(name)
}

// setDate sets the modification time of a file or directory to fileTime.
func (t *tree) setDate(name string) {
	t.do(func() error { return os.Chtimes(t.path(name), fileTime(), fileTime()) })
}

func (t *tree) symlink(name, target string) {
	t.do(func() error { return os.Symlink(target, t.path(name)) })
}

func (t *tree) hardLink(name, old string) {
	t.do(func() error { return os.Link(t.path(old), t.path(name)) })
}

func (t *tree) chmod(name string, mode os.FileMode) {
	t.do(func() error { return os.Chmod(t.path(name), mode) })
}

func (t *tree) chown(name string, u user) {
	t.do(func() error { return u.chown(t.path(name)) })
}

// makeNumberedLines returns lines of 16 octets; the parameter size is the total number of octets.
// Each line is its own offset in hexadecimal, so that any part of the data can be verified.
func makeNumberedLines(size int) []byte {
	b := make([]byte, size+16)
	line := []byte("000000000000000\n")
	for offset := 0; offset < size; offset += 16 {
		copy(b[offset:], line)
		for i := len(line) - 3; i >= 0; i-- { // the last digit is always 0
			if line[i]++; line[i] == '9'+1 {
				line[i] = 'a'
			}
			if line[i] <= 'f' {
				break
			}
			line[i] = '0'
		}
	}
	return b[:size]
}
