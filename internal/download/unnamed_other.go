//go:build !linux

package download

import "time"

// linkUnnamed does nothing: files without names are Linux's.
func linkUnnamed(string, []byte, time.Time) bool { return false }
