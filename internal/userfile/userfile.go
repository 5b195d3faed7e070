// Package userfile opens, reads and replaces the files of a user.
//
// Several programs share a file that a person may edit. So [Change] changes the file under a lock and
// replaces it as a whole. Callers keep the parts that gofer does not understand.
package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// BOM is the byte order mark that some editors put at the beginning of a file.
const BOM = "\uFEFF"

// ExpandHome replaces a leading "~/" of path by the user's home directory.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// ShortPath returns the absolute path of a file for people to read, with "~" in place of the user's home directory.
func ShortPath(path string) string {
	path, err := filepath.Abs(path)
	home, homeErr := os.UserHomeDir()
	if err != nil || homeErr != nil {
		return path
	}
	rest, err := filepath.Rel(home, path)
	if err != nil || !filepath.IsLocal(rest) || filepath.Dir(home) == filepath.Clean(home) { // "~" says nothing if it is the root
		return path
	}
	return filepath.Join("~", rest)
}

// Stat is os.Stat for regular files. For other files it returns an *fs.PathError that names their
// type.
func Stat(path string) (fs.FileInfo, error) {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		err = notRegularError(path, fi)
	}
	return fi, err
}

// OpenFolder opens a folder to list it. It does not wait for a named pipe, and opens no device.
func OpenFolder(path string) (*os.File, error) {
	if fi, err := os.Stat(path); err != nil {
		return nil, err
	} else if !fi.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have taken its place
}

// Open is os.OpenFile for regular files, like [Stat]. It does not wait for a named pipe.
func Open(path string, flag int, perm fs.FileMode) (*os.File, error) {
	// Stat comes first, because opening a device may have side effects.
	if fi, err := Stat(path); err != nil && fi != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = notRegularError(path, fi)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func notRegularError(path string, fi fs.FileInfo) error {
	kind := "a special file"
	switch m := fi.Mode(); {
	case m.IsDir():
		kind = "a directory"
	case m&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case m&fs.ModeSocket != 0:
		kind = "a socket"
	case m&fs.ModeSymlink != 0:
		kind = "a link"
	case m&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, not a regular file", kind)}
}

// Read reads the regular file at path, which may have at most limit octets. A missing file counts as
// empty.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, limit)
}

func readLimited(f *os.File, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if fi, err := f.Stat(); err == nil {
		b.Grow(int(max(min(fi.Size(), limit), 0)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(f, limit+1))
	data := b.Bytes()
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("it is too large: the limit is %s", humanize.Bytes(uint64(limit)))}
	}
	return data, err
}

// ErrNotOnlyYours reports that another user may have written a file.
var ErrNotOnlyYours = errors.New("other users may write to it, or it has several names")

// ReadNoFollow is [Read] for a file in a folder that other users may write to: it does not follow a link at path, and a
// missing file is an error. With own, the error is [ErrNotOnlyYours] unless the file has one name and only this user
// may write to it.
func ReadNoFollow(path string, limit int64, own bool) ([]byte, error) {
	if fi, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() { // opening a device may have side effects
		return nil, notRegularError(path, fi)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|NoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, notRegularError(path, fi)
	case own && (!IsPrivate(fi) || Links(fi) > 1):
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotOnlyYours}
	}
	return readLimited(f, limit)
}

// Replace replaces the content of the file at path atomically, even in a crash. The file keeps its
// mode; a new file is private.
func Replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	prefix := "." + filepath.Base(path) + ".gofer-"
	f, err := os.CreateTemp(dir, prefix+"*")
	if err != nil {
		return err
	}
	if fi, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(fi.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	syncDir(dir)
	removeStale(dir, prefix)
	return nil
}

const minTempAge = time.Hour // another program may still write a younger temporary file

// removeStale removes the temporary files in dir that killed programs left. Their names begin with prefix.
func removeStale(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && time.Since(fi.ModTime()) >= minTempAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// syncDir syncs dir after a rename, on systems that support it.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
