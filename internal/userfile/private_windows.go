package userfile

import "io/fs"

// NoFollow is a flag for [os.OpenFile]. Windows has none that is needed.
const NoFollow = 0

// IsOwn returns true, because the folders of a user are closed to other users.
func IsOwn(fs.FileInfo) bool { return true }

// IsPrivate returns true like [IsOwn].
func IsPrivate(fs.FileInfo) bool { return true }

// IsSecret returns true like [IsOwn].
func IsSecret(fs.FileInfo) bool { return true }

// IsClosed returns true like [IsOwn].
func IsClosed(_, _ fs.FileInfo) bool { return true }

// Links returns 1, because the number of names is unknown.
func Links(fs.FileInfo) int { return 1 }

// Inode returns 0, because the number is unknown.
func Inode(fs.FileInfo) uint64 { return 0 }
