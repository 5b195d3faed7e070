//go:build unix

package userfile

import (
	"io/fs"
	"os"
	"syscall"
)

// NoFollow is a flag for [os.OpenFile]: the file is not opened through a symbolic link, and opening a named pipe does
// not block.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// IsOwn reports whether a file belongs to the user of this program.
func IsOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid()
}

// IsPrivate reports whether a file belongs to the user of this program, and no other user may write to it.
func IsPrivate(info fs.FileInfo) bool {
	return IsOwn(info) && info.Mode().Perm()&writableByOthers == 0
}

// IsSecret reports whether a file belongs to the user of this program, and no other user may read or write it.
func IsSecret(info fs.FileInfo) bool { return IsOwn(info) && info.Mode().Perm()&0o077 == 0 }

// IsClosed reports whether a file belongs to root or to the owner of the file of, and no other user may write to it. The
// group may write to it if it is the private group of the owner, which has the number of the owner.
func IsClosed(info, of fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	owner, okOwner := of.Sys().(*syscall.Stat_t)
	if !ok || !okOwner {
		return true
	}
	others := fs.FileMode(writableByOthers)
	if st.Gid == st.Uid {
		others &^= 0o020
	}
	return (st.Uid == owner.Uid || st.Uid == 0) && info.Mode().Perm()&others == 0
}

// Links returns the number of names that a file has.
func Links(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// Inode returns the number of a file in its file system, or 0 if it is unknown.
func Inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
