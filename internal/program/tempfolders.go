package program

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"gofer/internal/userfile"
)

// TempFolders are temporary folders for other programs, safe for concurrent use.
type TempFolders struct {
	mu      sync.Mutex
	folders []*userfile.TempFolder
}

const folderPrefix = "gofer-files-"

// Create creates a folder that only the user can read, and returns its path.
func (t *TempFolders) Create() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	folder, err := userfile.NewTempFolder("", folderPrefix)
	if err != nil {
		return "", err
	}
	t.folders = append(t.folders, folder)
	return folder.Path, nil
}

// Remove removes all folders.
func (t *TempFolders) Remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, folder := range t.folders {
		_ = folder.Remove()
	}
	t.folders = nil
}

const minCopyAge = time.Minute // the name of a younger copy may not be removed yet

// archivePattern matches the copies of archives that internal/text/archive and internal/pages/about make. Their names are
// removed as soon as the files are open, except on Windows, which does not remove an open file.
const archivePattern = "gofer-archive-*"

// RemoveStaleFolders removes the folders and the copies of archives that killed gofer processes left behind.
func RemoveStaleFolders() {
	archives, _ := filepath.Glob(filepath.Join(os.TempDir(), archivePattern))
	for _, path := range archives {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= minCopyAge {
			_ = os.Remove(path)
		}
	}
	userfile.RemoveStaleFolders(os.TempDir(), folderPrefix)
}
