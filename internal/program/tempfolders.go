package program

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// TempFolders are temporary folders for other programs, safe for concurrent use.
type TempFolders struct {
	mu      sync.Mutex
	folders []*flock.Flock // locked until Remove, or until gofer ends
}

const folderPrefix = "gofer-files-"

// Create creates a folder that only the user can read, and returns its path.
func (t *TempFolders) Create() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, err := os.MkdirTemp("", folderPrefix)
	if err == nil {
		lock := lockOf(dir)
		if runtime.GOOS != "windows" { // Windows cannot lock folders
			_, err = lock.TryLock()
		}
		t.folders = append(t.folders, lock)
	}
	return dir, err
}

// Remove removes all folders.
func (t *TempFolders) Remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, lock := range t.folders {
		_ = os.RemoveAll(lock.Path())
		_ = lock.Close()
	}
	t.folders = nil
}

func lockOf(dir string) *flock.Flock { return flock.New(dir, flock.SetFlag(os.O_RDONLY)) }

const minFolderAge = time.Minute // a younger folder may be new and not locked yet

// archivePattern matches the copies of archives that internal/text/archive and internal/pages/about make. Their names are
// removed as soon as the files are open, except on Windows, which does not remove an open file.
const archivePattern = "gofer-archive-*"

// RemoveStaleFolders removes the folders and the copies of archives that killed gofer processes left behind.
func RemoveStaleFolders() {
	archives, _ := filepath.Glob(filepath.Join(os.TempDir(), archivePattern))
	for _, path := range archives {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= minFolderAge {
			_ = os.Remove(path)
		}
	}
	if runtime.GOOS == "windows" { // Windows cannot lock folders
		return
	}
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range found {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < minFolderAge {
			continue
		}
		lock := lockOf(dir)
		if free, err := lock.TryLock(); err == nil && free {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
