//go:build !(netbsd && arm64)

package history

import (
	"errors"

	"modernc.org/sqlite"
)

// code returns the SQLite result code of err, or codeOK if it has none.
func code(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code()
	}
	return codeOK
}

// driver returns the name of the driver for [sql.Open].
func driver() (string, error) { return "sqlite", nil }
