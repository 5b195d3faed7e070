//go:build linux || darwin || freebsd || dragonfly

package download

import "golang.org/x/sys/unix"

// diskSpace returns the octets that the user may still write to the disk of the folder dir, and the size of the disk.
func diskSpace(dir string) (free, size uint64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, 0, false
	}
	block := uint64(s.Bsize)                                        //nolint:gosec // the types differ by system
	return uint64(max(s.Bavail, 0)) * block, s.Blocks * block, true //nolint:gosec,unconvert // as above
}
