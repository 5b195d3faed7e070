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

// errDamaged is damage that SQLite does not see.
var errDamaged = errors.New("the database is damaged")

// isDamage reports whether err says that the database is damaged, so that it
// will not do better next time.
func isDamage(err error) bool {
	if code(err) == codeReadOnly {
		return true // by its header: the file could be opened for writing
	}
	switch code(err) & 0xff {
	case codeCorrupt, codeNotADB, codeFormat, codeInternal, codeTooBig,
		codeError, codeConstraint, codeMismatch: // the schema is not ours
		return true
	}
	return errors.Is(err, errDamaged)
}

// damagedMark is behind the name of a database that was set aside, and a number
// where there is another.
const damagedMark = ".damaged"

// suffixes are those of the names of a database's files, the database last:
// a log that is left behind would be taken for the new one's.
var suffixes = [...]string{"-wal", "-shm", "-journal", ""}

// setAside closes the database, damaged as cause says, and renames its files,
// unless another program has done so. Nothing is overwritten.
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
	to := free(path + damagedMark)
	for _, suffix := range suffixes {
		if err := os.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w; it cannot be set aside: %w", cause, err)
		}
	}
	s.damaged = to
	return nil
}

// DamagedFiles returns the paths of all damaged databases that have been set aside.
// What is in them is not forgotten.
func (s *Store) DamagedFiles() []string {
	path, err := userfile.Resolve(s.path)
	if err != nil {
		return nil
	}
	files, _ := os.ReadDir(filepath.Dir(path)) // without the folder there are none
	var found []string
	for _, f := range files {
		n, ok := strings.CutPrefix(f.Name(), filepath.Base(path)+damagedMark)
		if _, err := strconv.Atoi("0" + strings.TrimPrefix(n, "-")); ok && err == nil {
			found = append(found, filepath.Join(filepath.Dir(path), f.Name()))
		}
	}
	return found
}

// free returns path, or path with a number, such that no database is there.
func free(path string) string {
	taken := func(path string) bool {
		for _, suffix := range suffixes {
			if _, err := os.Lstat(path + suffix); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
		return false
	}
	name := path
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", path, n)
	}
	return name
}
