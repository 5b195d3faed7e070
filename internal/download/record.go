// Package download saves documents and directories as files. Its queue of transfers survives lost connections
// and the end of the program.
//
// # Unfinished files
//
// An unfinished file is name.part, with a record in name.part.info that is locked while a run of gofer writes
// to the file. Any later run can continue the file. The last 4 kB are requested again and compared, because
// sizes and dates may be wrong or missing. A small file of a tree is received in memory, and is written to
// name.part only if its transfer is interrupted.
//
// # The list
//
// Each run of gofer has a file with the list of its unfinished downloads, and keeps this file locked. A later run
// that can lock the list of an earlier run knows that the earlier run has ended, and takes over its downloads.
//
// # Mirrors
//
// A mirror of a Gopher server has a directory for each menu, named after its title, because selectors need
// not be paths. Titles repeat and change, so an index in the mirror records the file of each item.
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

// record describes an unfinished file, so that any run of gofer can continue it.
type record struct {
	URL      string    `json:"url"`               // canonical, without a password
	Size     int64     `json:"size"`              // of the document, -1 if unknown
	Modified time.Time `json:"modified,omitzero"` // date of the document, as the server sent or listed it
	Complete bool      `json:"whole,omitempty"`   // the file is complete and only has to be renamed
}

// maxRecord limits a record, in octets. A document cannot be saved if its URL is too long for the record.
const maxRecord = 64 << 10

var errNoRecord = errors.New("not a record of a download")

// encode returns r as one line of JSON.
func (r *record) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err == nil && len(data) >= maxRecord {
		err = errors.New("the URL is too long")
	}
	return append(data, '\n'), err
}

// decodeRecord decodes a record. It ignores the octets after the record, which may be the rest of an earlier,
// longer record.
func decodeRecord(data []byte) (record, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil || r.URL == "" || r.Size < -1 {
		return record{}, errNoRecord
	}
	return r, nil
}

// hasRecord reports whether there is a record of an unfinished file for path.
func hasRecord(path string) bool {
	data, err := readFile(path + recordSuffix)
	if err == nil {
		_, err = decodeRecord(data)
	}
	return err == nil
}

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
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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

// replace replaces the content with data.
func (f *lockedFile) replace(data []byte) error {
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
