// Package download saves documents and directories as files. Its queue of transfers survives lost connections
// and the end of the program.
//
// # Unfinished files
//
// An unfinished file is name.part. Its record is in a folder that only the user writes to, because a record beside
// the file could come from a server or from another user. The record is locked while a run of gofer writes to the
// file. Any later run of the same user can continue the file. The last 4 kB are requested again and compared, because
// sizes and dates may be wrong or missing. A name.part without a record, of another user or with several names is not
// touched: the download begins under another name. A small file of a tree is received in memory, and is written to
// name.part only if its transfer is interrupted.
//
// A file that gofer did not save is continued only after all of it was compared with the document.
//
// # The list
//
// Each run of gofer has a file with the list of its unfinished downloads, and keeps this file locked. The lock dies with
// the run, so it alone says who has a download: a later run that can lock the list of an earlier run knows that the earlier
// run has ended, and takes over its downloads. As long as it cannot lock the list, it shows the downloads in it, with the
// progress that the other run writes there every second. It asks the other run by a file in the same folder to pause, resume or
// cancel a download. So a file is saved once, whichever run the user asks to save it.
//
// # Without a screen
//
// A run whose terminal is gone, or whose user quits and lets the downloads go on, marks its running downloads in its list as
// handed over. It starts the process gofer queue, and unlocks the list when this process says that it is ready. The process
// takes the list, saves the files, and ends when there are no more. Only one such process of a user works, the one that has
// the lock of the queue. A second one ends when the first has taken the list; if the user has started it by hand, it also asks
// the first to take all other unfinished downloads. While one of them runs, screens leave lists with such marks alone. A list
// that nobody takes, because the process could not be started, is taken by the next screen, which goes on with the marked
// downloads. So nothing is lost at any moment.
//
// The process cannot ask anything. It puts each download that has ended, in whatever way, in a list that it does not keep
// locked: the next screen takes it, shows the result with the reason of a failure, and can resume it. A password is not handed
// over, because a process can be inspected longer than a screen: a download that needs a typed password waits for a screen.
//
// # Mirrors
//
// A mirror of a Gopher server has a directory for each menu, named after its title, because selectors need
// not be paths. Titles repeat and change, so an index in the mirror records the file of each item.
package download

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// record describes a file of this user, so that any run of gofer can continue it: an unfinished file or, if Part is
// "", the file that has its final name.
type record struct {
	URL      string    `json:"url"`               // recordURL of the document, or the checksum of it
	Size     int64     `json:"size"`              // of the document, -1 if unknown
	Modified time.Time `json:"modified,omitzero"` // date of the document, as the server sent or listed it
	Part     string    `json:"part,omitempty"`    // name of the unfinished file
	Complete bool      `json:"whole,omitempty"`   // the unfinished file only has to be renamed

	Inode   uint64    `json:"inode,omitempty"` // number of the file, or 0 if unknown
	Octets  int64     `json:"octets"`          // size of the file when gofer closed it
	Written time.Time `json:"written,omitzero"`
}

// Limits of a record, in octets.
const (
	maxRecord    = 64 << 10
	maxRecordURL = 8 << 10 // a longer URL is replaced by its checksum
)

// recordURL returns the text that identifies u in records: canonical, without a password.
func recordURL(u urlcore.URL) string {
	text := urlcore.Redact(u).String()
	if len(text) > maxRecordURL {
		return checksum([]byte(text))
	}
	return text
}

// isOf reports whether r describes a file with octets of u.
func (r *record) isOf(u urlcore.URL) bool {
	text := recordURL(u)
	return r.URL == text || r.URL == checksum([]byte(text))
}

// encode returns r as one line of JSON.
func (r *record) encode() []byte {
	data, _ := json.Marshal(r) // a date that JSON does not have is not storable (see storableDate)
	return append(data, '\n')
}

// decodeRecord decodes a record. It ignores the octets after the record, which may be the rest of an earlier,
// longer record.
func decodeRecord(data []byte) (r record, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil || r.URL == "" || r.Size < -1 {
		return record{}, false
	}
	return r, true
}

// identify records the file that info describes.
func (r *record) identify(info fs.FileInfo) {
	r.Inode, r.Octets, r.Written = userfile.Inode(info), info.Size(), info.ModTime()
}

// partPath returns the path of the unfinished file for path. It returns false if there is none that this user's gofer
// has made: it must be a regular file of this user that nobody else writes to, without another name but path.
func (r *record) partPath(path string) (name string, ok bool) {
	if !slices.Contains(partBases(r.Part), filepath.Base(path)) {
		return "", false
	}
	name = filepath.Join(filepath.Dir(path), r.Part)
	info, err := os.Lstat(name)
	return name, err == nil && isOwnPart(info, name, path) && r.describes(info)
}

// isOwnPart reports whether the unfinished file called name for path is of a kind that gofer has made.
func isOwnPart(info fs.FileInfo, name, path string) bool {
	return info.Mode().IsRegular() && userfile.IsPrivate(info) && (userfile.Links(info) == 1 || userfile.Links(info) == 2 && isSameFile(name, path))
}

// describes reports whether info can be of the unfinished file of r. Some file systems give a file another number
// later, so an unchanged size and date are enough. A file that was just made is empty, and r does not have its date yet.
func (r *record) describes(info fs.FileInfo) bool {
	if r.Written.IsZero() {
		return info.Size() == 0
	}
	return userfile.Inode(info) == r.Inode || r.isUnchanged(info)
}

func (r *record) isUnchanged(info fs.FileInfo) bool {
	return info.Size() == r.Octets && info.ModTime().Equal(r.Written)
}

// describesFile reports whether the file at path is the file of r, and has not changed since gofer saved it.
func (r *record) describesFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && userfile.IsOwn(info) && userfile.Inode(info) == r.Inode && r.isUnchanged(info)
}

// partSuffix is the suffix of the name of an unfinished file. If the name is taken, a number is before the suffix.
const partSuffix = ".part"

// partName returns the name of an unfinished file for the file called base. A number other than 0 makes it another name.
func partName(base string, number int) string {
	if number > 0 {
		base += "~" + strconv.Itoa(number)
	}
	return base + partSuffix
}

// partBases returns the names of the files that an unfinished file with the given name may belong to.
func partBases(part string) []string {
	base, ok := strings.CutSuffix(part, partSuffix)
	if !ok {
		return nil
	}
	if i := strings.LastIndexByte(base, '~'); i > 0 && base[i+1:] != "" && strings.Trim(base[i+1:], "0123456789") == "" {
		return []string{base, base[:i]}
	}
	return []string{base}
}

// fileKey returns the name of the record of the file at path. It is the same for all paths that lead to the file
// through links to its directory.
func fileKey(system, path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if real, realErr := filepath.EvalSymlinks(dir); err == nil && realErr == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(foldPath(system, filepath.Join(dir, filepath.Base(path)))))
	return hex.EncodeToString(sum[:])
}

var errNotOnlyYours = errors.New("it belongs to another user or has several names; choose another name")
