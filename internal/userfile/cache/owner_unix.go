//go:build unix

package cache

import (
	"os"
	"syscall"
)

// isOurs reports whether dir is missing, or belongs to the user and is not writable for all.
func isOurs(dir string) bool {
	fi, err := os.Stat(dir)
	if err != nil {
		return true
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid() && fi.Mode().Perm()&0o002 == 0
}
