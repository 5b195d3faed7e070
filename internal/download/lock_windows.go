package download

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks f until it is closed; ok is false if another program has done so.
// The lock is on an octet far behind the content: others cannot read what is
// locked.
func tryLock(f *os.File) (ok bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// unlock does nothing: the lock ends when f is closed, which no other program has open.
func unlock(*os.File) {}

// diskFull reports whether err says that there is no room.
func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
