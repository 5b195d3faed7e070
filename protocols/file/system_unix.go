//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openThroughLink opens a regular file of dir to read it, also if its name is a link.
func openThroughLink(dir *os.Root, name, _ string) (*os.File, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var st unix.Stat_t
	if err := unix.Fstatat(int(d.Fd()), name, &st, 0); err != nil {
		return nil, err
	} else if st.Mode&unix.S_IFMT != unix.S_IFREG { // opening a device may have side effects
		return nil, errKind
	}
	fd, err := unix.Openat(int(d.Fd()), name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errKind
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// renameBetween moves an item from one directory to another.
func renameBetween(from *os.Root, name string, to *os.Root, newName string) error {
	old, err := from.Open(".")
	if err != nil {
		return err
	}
	defer old.Close()
	target, err := to.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()
	return unix.Renameat(int(old.Fd()), name, int(target.Fd()), newName)
}

// setDate sets the date of an open file, to the microsecond.
func setDate(file *os.File, at time.Time) error {
	tv := unix.NsecToTimeval(at.UnixNano())
	return unix.Futimes(int(file.Fd()), []unix.Timeval{tv, tv})
}

// keepOwner gives an open file the owner and the group of the file old.
func keepOwner(file *os.File, old fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	now, okNow := info.Sys().(*syscall.Stat_t)
	want, okWant := old.Sys().(*syscall.Stat_t)
	if !okNow || !okWant || now.Uid == want.Uid && now.Gid == want.Gid {
		return nil
	}
	if file.Chown(int(want.Uid), int(want.Gid)) != nil {
		return errOwner
	}
	return nil
}
