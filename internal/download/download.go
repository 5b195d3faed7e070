// Package download saves documents as files.
package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrExists is wrapped in the error of a [Save] to a path that is taken.
var ErrExists = errors.New("there is a file of that name: nothing was overwritten; remove it, or choose another name")

// ErrUnfinished is wrapped in the error of a [Save] whose .part file is
// there already.
var ErrUnfinished = errors.New("another download to that name is under way or was left unfinished: remove it, or choose another name")

// errNoFile and errReplaced are told of a path that nothing can be saved to,
// and of a .part file that is not there any more, or is somebody else's.
var (
	errNoFile   = errors.New("there is something of that name that is no file: nothing was overwritten; choose another name")
	errReplaced = errors.New("it was removed or replaced meanwhile")
)

// partSuffix is the end of the name of a file that is not whole yet.
const partSuffix = ".part"

// Save fetches u with f and saves the document's exact octets as the file
// path, which must not exist; it returns their number. Until all have come and
// are on the disk they are in path with ".part" appended; after a failure that
// file stays, the error says so, and n is its size. Each progress function is
// called now and then, from one goroutine at a time, with the octets written
// and the announced size, -1 if unknown. A failure of this machine is an
// *[protocols.Error] with reason LocalFailure; [nav.ErrNoOctets] tells that u is a
// list.
func Save(ctx context.Context, f protocols.Fetcher, u urlcore.URL, path string, progress ...func(done, size int64)) (n int64, err error) {
	return download(ctx, f, u, path, false, progress)
}

// Overwrite is [Save], but files at path and path with ".part" are no
// hindrance: the latter goes when the server has answered, the former when the
// new one is whole. What is there and no regular file stays.
func Overwrite(ctx context.Context, f protocols.Fetcher, u urlcore.URL, path string, progress ...func(done, size int64)) (n int64, err error) {
	return download(ctx, f, u, path, true, progress)
}

func download(ctx context.Context, f protocols.Fetcher, u urlcore.URL, path string, force bool, progress []func(done, size int64)) (n int64, err error) {
	if err := free(path, force); err != nil {
		return 0, err
	}
	l := nav.Open(ctx, f, u)
	defer l.Cancel()
	head, err := l.Wait()
	if err != nil {
		return 0, err
	}
	if !head.Layout.Document() {
		return 0, nav.ErrNoOctets
	}
	part := path + partSuffix
	if force {
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, protocols.LocalError("remove "+part, err)
		}
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, protocols.LocalError("create "+part, err)
	}
	n, err = l.Save(&meter{file: file, size: head.Size, progress: progress})
	if err == nil {
		err = protocols.LocalError("write "+part, file.Sync())
	}
	own := same(file, part)
	if closeErr := file.Close(); err == nil {
		err = protocols.LocalError("write "+part, closeErr)
	}
	switch {
	case err != nil && !own:
		return n, err
	case !own:
		return n, protocols.LocalError("save "+part, errReplaced)
	case err == nil:
		err = claim(part, path, force)
	}
	switch {
	case err == nil:
		return n, nil
	case n == 0:
		_ = os.Remove(part)
		return 0, err
	}
	return n, fmt.Errorf("%w; the first %d octets are kept in %s", err, n, part)
}

// meter writes to a file and reports it.
type meter struct {
	file     *os.File
	done     int64
	size     int64
	progress []func(done, size int64)
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.file.Write(p)
	m.done += int64(n)
	for _, report := range m.progress {
		report(m.done, m.size)
	}
	return n, protocols.LocalError("write "+m.file.Name(), err)
}

// same reports whether file is the one at path.
func same(file *os.File, path string) bool {
	info, err := file.Stat()
	at, errAt := os.Lstat(path)
	return err == nil && errAt == nil && os.SameFile(info, at)
}

// free returns an error if a download to path cannot begin.
func free(path string, force bool) error {
	for _, f := range []struct {
		name  string
		taken error
	}{{path, ErrExists}, {path + partSuffix, ErrUnfinished}} {
		switch info, err := os.Lstat(f.name); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return protocols.LocalError("save "+f.name, err)
		case !info.Mode().IsRegular():
			return protocols.LocalError("save "+f.name, errNoFile)
		case !force:
			return protocols.LocalError("save "+f.name, f.taken)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return protocols.LocalError("save "+path, err)
	} else if !info.IsDir() {
		return protocols.LocalError("save "+path, fmt.Errorf("%s is no directory", filepath.Dir(path)))
	}
	return nil
}

// claim gives a whole file its name, unless somebody else took it meanwhile;
// with force, what is there goes if it is a file.
func claim(part, path string, force bool) error {
	if force {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return protocols.LocalError("save "+path, errNoFile)
		}
		return protocols.LocalError("save "+path, os.Rename(part, path))
	}
	switch err := os.Link(part, path); {
	case err == nil:
		return protocols.LocalError("remove "+part, os.Remove(part))
	case errors.Is(err, fs.ErrExist):
		return protocols.LocalError("save "+path, ErrExists)
	}
	// Some file systems have no links.
	if _, err := os.Lstat(path); err == nil {
		return protocols.LocalError("save "+path, ErrExists)
	}
	return protocols.LocalError("save "+path, os.Rename(part, path))
}
