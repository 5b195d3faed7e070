// Package download saves documents and directories as files: a queue of transfers
// that outlasts breaks and the program.
//
// # Unfinished files
//
// An unfinished file is name.part, with a record in name.part.info that is locked
// while a program writes to the file. Any program can continue it. The last 4 kB are
// requested again and compared, because sizes and dates may lie or be missing. A small file
// of a tree is received in memory, and has both only if its transfer is interrupted.
//
// # The list
//
// Each program has a list of unfinished downloads, locked while the program runs. A
// program that gets the lock of another list knows that the other program has ended,
// and takes the list over.
//
// # Mirrors
//
// A mirror of a Gopher server has a directory for each menu, named after its title: selectors
// need not be paths. Titles repeat and change, so that an index in the mirror records the file
// of each item.
package download

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// record describes an unfinished file, so that any program can continue it.
type record struct {
	URL      string    `json:"url"`               // canonical, without a password
	Size     int64     `json:"size"`              // of the whole document, -1 if unknown
	Modified time.Time `json:"modified,omitzero"` // according to the server
	Whole    bool      `json:"whole,omitempty"`   // only the name is missing
}

// maxRecord bounds a record, in octets; a URL is at most half as long.
const maxRecord = 64 << 10

var errNoRecord = errors.New("this is no record of a download")

// encode writes r on one line.
func (r *record) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err == nil && len(data) >= maxRecord {
		err = errors.New("the URL is too long")
	}
	return append(data, '\n'), err
}

// decodeRecord is the inverse of encode. It ignores the rest of a longer, older record.
func decodeRecord(data []byte) (record, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil || r.URL == "" || r.Size < -1 {
		return record{}, errNoRecord
	}
	return r, nil
}

// recorded reports whether path has a record of an unfinished file.
func recorded(path string) bool {
	data, err := readFile(path + recordSuffix)
	if err == nil {
		_, err = decodeRecord(data)
	}
	return err == nil
}

var errLocked = errors.New("another program is using it")

// lockedFile is a small file that is locked. It is changed in place, because the lock is
// on the file, not on its name.
type lockedFile struct{ *os.File }

// openLocked opens the file at path, or creates it, and locks it.
func openLocked(path string) (*lockedFile, error) {
	for range 100 { // another program may remove it between the opening and the lock
		if err := notFile(path); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		ok, err := tryLock(f)
		switch {
		case err == nil && ok && same(f, path):
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

// Close unlocks the file before it closes it: a program that is being started shares the
// open file, and would hold the lock until it runs.
func (f *lockedFile) Close() error {
	unlock(f.File)
	return f.File.Close()
}

// read returns the content, at most limit octets.
func (f *lockedFile) read(limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(f.File, 0, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is too large", f.Name())
	}
	return data, err
}

// replace makes data the content.
func (f *lockedFile) replace(data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// remove removes the file and unlocks it. Some systems do not remove an open file.
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
