package download

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"gofer/internal/userfile"
)

var errLocked = errors.New("another run of gofer is using it")

// lockedFile is a small locked file. It is changed in place, because the lock belongs to the file, not to
// its name.
type lockedFile struct{ *os.File }

// openLocked opens or creates the file at path and locks it. It returns errLocked if another run of gofer has
// locked it.
func openLocked(path string) (*lockedFile, error) {
	for range 100 { // another run of gofer may remove the file before it is locked
		if err := checkRegular(path); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK|userfile.NoFollow, 0o600)
		if err != nil {
			return nil, err
		}
		ok, err := tryLock(f)
		switch {
		case err == nil && ok && isFileAt(f, path):
			return &lockedFile{f}, nil
		case err == nil && !ok:
			err = errLocked
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, errLocked
}

// lookTime is the time that a run waits while another one looks at the lists.
const lookTime = time.Second

// lockFolder locks the folder of the lists, and returns the function that unlocks it. Whoever locks a list for a moment, or
// moves entries from a list to another one, does it with this lock: otherwise others would take the run of the list for a
// running one, or find an entry in no list. It goes on without the lock after lookTime, and on systems that do not lock folders.
func (l *list) lockFolder() (unlockFolder func()) {
	f, err := os.Open(l.dir)
	if err != nil {
		return func() {}
	}
	for began := time.Now(); time.Since(began) < lookTime; time.Sleep(lookTime / 200) {
		if ok, err := tryLock(f); ok || err != nil {
			break
		}
	}
	return func() { _ = (&lockedFile{f}).Close() }
}

// Close unlocks and closes the file. Closing is not enough, because a program that is being started shares
// the open file and would hold the lock until it runs.
func (f *lockedFile) Close() error {
	unlock(f.File)
	return f.File.Close()
}

// read returns the content. It returns an error if the content is longer than the parameter limit, in octets.
func (f *lockedFile) read(limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(f.File, 0, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is too large", f.Name())
	}
	return data, err
}

// replace replaces the content with data. After an error the file has the old content, at most maxListSize octets of it,
// because a full disk still has the room for that.
func (f *lockedFile) replace(data []byte) error {
	old, err := io.ReadAll(io.NewSectionReader(f.File, 0, maxListSize))
	if err != nil {
		return err
	}
	if err := f.overwrite(data); err != nil {
		return errors.Join(err, f.overwrite(old))
	}
	return nil
}

func (f *lockedFile) overwrite(data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// remove removes the file and unlocks it. It tries again after closing, because some systems do not remove
// open files.
func (f *lockedFile) remove() error {
	err := os.Remove(f.Name())
	_ = f.Close()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(f.Name())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}
