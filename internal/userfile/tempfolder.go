package userfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// TempFolder is a temporary folder that only the user can read. It is locked until Remove, or until the program ends.
type TempFolder struct {
	Path string
	lock *flock.Flock
}

// NewTempFolder creates a folder in dir. Its name begins with prefix.
func NewTempFolder(dir, prefix string) (*TempFolder, error) {
	path, err := os.MkdirTemp(dir, prefix)
	if err != nil {
		return nil, err
	}
	t := &TempFolder{path, folderLock(path)}
	if _, err := t.lock.TryLock(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return t, nil
}

// Remove removes the folder.
func (t *TempFolder) Remove() error {
	if runtime.GOOS == "windows" { // which does not remove open files
		_ = t.lock.Close()
	}
	err := os.RemoveAll(t.Path)
	_ = t.lock.Close()
	return err
}

// folderLock returns the lock of a folder: the folder itself, or a file in it, because Windows cannot lock folders.
func folderLock(path string) *flock.Flock {
	if runtime.GOOS == "windows" {
		return flock.New(filepath.Join(path, ".lock"))
	}
	return flock.New(path, flock.SetFlag(os.O_RDONLY))
}

const minFolderAge = time.Minute // a younger folder may be new and not locked yet

// RemoveStaleFolders removes the folders that killed programs of this user have made in dir by [NewTempFolder] with prefix.
func RemoveStaleFolders(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		info, err := e.Info() // of a symbolic link itself
		if err != nil || !info.IsDir() || !IsPrivate(info) || time.Since(info.ModTime()) < minFolderAge {
			continue
		}
		t := &TempFolder{Path: filepath.Join(dir, e.Name())}
		t.lock = folderLock(t.Path)
		if free, err := t.lock.TryLock(); err == nil && free {
			_ = t.Remove()
		}
		_ = t.lock.Close()
	}
}
