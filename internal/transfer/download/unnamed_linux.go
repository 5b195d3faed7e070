package download

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// linkUnnamed writes a file without a name, sets its date, and links it to path if path is free. If the program
// is killed, no part of the file is left. linkUnnamed returns false if it fails: some file systems do not support
// files without names.
func linkUnnamed(path string, octets []byte, modified time.Time) bool {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	for len(octets) > 0 {
		n, err := unix.Write(fd, octets)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		octets = octets[max(n, 0):]
	}
	name := "/proc/self/fd/" + strconv.Itoa(fd)
	if !modified.IsZero() {
		_ = os.Chtimes(name, time.Time{}, modified) // some file systems cannot store the date
	}
	return unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW) == nil
}

// newFileMode returns the mode of new files in dir, which depends on the umask and on the rules of dir.
func newFileMode(dir string) (mode os.FileMode, ok bool) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return modeOfNamed(dir, 0o666)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return modeOfNamed(dir, 0o666)
	}
	return os.FileMode(st.Mode) & os.ModePerm, true
}
