//go:build !linux

package download

import "time"

// linkUnnamed returns false, because only Linux has files without names.
func linkUnnamed(string, []byte, time.Time) bool { return false }
