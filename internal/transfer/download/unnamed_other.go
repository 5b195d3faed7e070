//go:build !linux

package download

import (
	"io/fs"
	"time"
)

// linkUnnamed returns false, because only Linux has files without names.
func linkUnnamed(string, []byte, time.Time) bool { return false }

// newFileMode returns the mode of new files in dir, which depends on the umask and on the rules of dir.
func newFileMode(dir string) (mode fs.FileMode, ok bool) { return modeOfNamed(dir, 0o666) }
