//go:build netbsd && arm64

package history

import "errors"

// code is codeOK: there are no errors of SQLite.
func code(error) int { return codeOK }

// driver says that there is none: modernc.org/sqlite has no port.
func driver() (string, error) {
	return "", errors.New("there is no SQLite for NetBSD on arm64, so none is kept")
}
