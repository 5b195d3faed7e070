package download

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset is the high word of the offset of the locked octet. The octet is far behind the content, because
// other programs cannot read locked octets.
const lockOffset = 1 << 30

// tryLock locks f until [unlock] is called. It returns false if another run of gofer has locked f.
func tryLock(f *os.File) (ok bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffset})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// unlock unlocks f. Closing f is not enough: Windows unlocks a closed file some time later.
func unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffset})
}

// IsDiskFull reports whether err means that the disk is full.
func IsDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
