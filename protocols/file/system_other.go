//go:build !unix

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gofer/internal/userfile"
)

// openThroughLink opens a regular file to read it, also if its name is a link. It opens the file by its path.
func openThroughLink(_ *os.Root, _, path string) (*os.File, error) {
	return userfile.Open(path, os.O_RDONLY, 0)
}

// renameBetween moves an item from one directory to another, by their paths: other users cannot make links there.
func renameBetween(from *os.Root, name string, to *os.Root, newName string) error {
	return os.Rename(filepath.Join(from.Name(), name), filepath.Join(to.Name(), newName))
}

// setDate sets the date of an open file.
func setDate(file *os.File, at time.Time) error { return os.Chtimes(file.Name(), time.Time{}, at) }

// keepOwner does nothing: a file inherits the rights of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
