//go:build !(linux || darwin || freebsd || dragonfly)

package download

// diskSpace is not known on this system.
func diskSpace(string) (free, size uint64, ok bool) { return 0, 0, false }
