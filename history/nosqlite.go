//go:build netbsd && arm64

package history

import "errors"

// code returns codeOK, because there are no errors of SQLite.
func code(error) int { return codeOK }

// driver returns an error: modernc.org/sqlite has no port to this platform.
func driver() (string, error) {
	return "", errors.New("there is no SQLite for NetBSD on arm64, so no history is kept")
}
