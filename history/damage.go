package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gofer/internal/userfile"
)

// errDamaged reports damage that SQLite does not detect.
var errDamaged = errors.New("the database is damaged")

// isDamage reports whether err means that the database is damaged, so that trying again does
// not help.
func isDamage(err error) bool {
	if code(err) == codeReadOnly {
		return true // Store.open could open the file for writing, so its header is damaged
	}
	switch code(err) & 0xff {
	case codeCorrupt, codeNotADB, codeFormat, codeInternal, codeTooBig,
		codeError, codeConstraint, codeMismatch: // the schema is not ours
		return true
	}
	return errors.Is(err, errDamaged)
}

// damagedMark is the suffix of a damaged database that was renamed. A number follows if a file of
// that name exists.
const damagedMark = ".damaged"

// suffixes are the suffixes of the files of a database, in the order of renaming. The database itself
// comes last, because a new database would use a log that has not been renamed.
var suffixes = [...]string{"-wal", "-shm", "-journal", ""}

// setAside closes the damaged database and renames its files, if no other process has renamed them. It
// overwrites no files. The parameter cause is the error that reported the damage.
func (s *Store) setAside(ctx context.Context, cause error) error {
	_ = s.closeDB()
	path, err := userfile.Resolve(s.path)
	if err != nil {
		return err
	}
	lock, err := userfile.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.file):
		return nil
	case err != nil:
		return err
	}
	target := freePath(path + damagedMark)
	for _, suffix := range suffixes {
		if err := os.Rename(path+suffix, target+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w; the file cannot be renamed: %w", cause, err)
		}
	}
	s.damaged = target
	return nil
}

// DamagedFiles returns the paths of all damaged databases that have been renamed. Forget does not
// change them.
func (s *Store) DamagedFiles() []string {
	path, err := userfile.Resolve(s.path)
	if err != nil {
		return nil
	}
	files, _ := os.ReadDir(filepath.Dir(path)) // no files if the folder does not exist
	var found []string
	for _, f := range files {
		n, ok := strings.CutPrefix(f.Name(), filepath.Base(path)+damagedMark)
		if _, err := strconv.Atoi("0" + strings.TrimPrefix(n, "-")); ok && err == nil {
			found = append(found, filepath.Join(filepath.Dir(path), f.Name()))
		}
	}
	return found
}

// freePath returns path, or path with a number if files of a database have that name.
func freePath(path string) string {
	isTaken := func(path string) bool {
		for _, suffix := range suffixes {
			if _, err := os.Lstat(path + suffix); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
		return false
	}
	name := path
	for n := 2; isTaken(name); n++ {
		name = fmt.Sprintf("%s-%d", path, n)
	}
	return name
}
