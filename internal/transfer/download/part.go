package download

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrExists is wrapped in the error of a download to a path that is taken.
var ErrExists = errors.New("remove it, or choose another name")

// errFileExists and errDirectoryExists wrap ErrExists.
var (
	errFileExists      = fmt.Errorf("file exists; %w", ErrExists)
	errDirectoryExists = fmt.Errorf("directory exists; %w", ErrExists)
)

// ErrUnfinished is wrapped in the error of a download to the path of another unfinished download.
var ErrUnfinished = errors.New("it belongs to another unfinished download; remove it, or choose another name")

// errUnderWay reports that another run of gofer is saving a file of this name.
var errUnderWay = errors.New("another run of gofer is saving it; try again later")

// errNoFile reports that a path is not a regular file. errReplaced reports that a .part file was removed or
// replaced by another file.
var (
	errNoFile   = errors.New("a directory, link or special file has this name; choose another name")
	errReplaced = errors.New("it was removed or replaced during the download")
)

// minSynced is the minimum size, in octets, of the files that are synced to disk before they get their names, and whose
// records are kept. There may be thousands of smaller files, and fetching such a file again is as fast.
const minSynced = 1 << 20

// force selects the existing files that a download replaces.
type force uint8

const (
	forceNothing force = iota
	forceUpdate        // replaces a file or link, and an unfinished file that has a record
	forceAll           // replaces a file, and any unfinished file
)

// place is a path to save a document at.
type place struct {
	path      string
	force     force
	continues bool        // continue the file at path if there is one and it is the beginning of the document
	hasDir    func() bool // if not nil, hasDir reports whether the directory of path may still be written to
	yields    bool        // return ErrUnfinished if this or another program may be saving a file of this name
	records   *records
}

// part is an unfinished file. Its record is locked, unless the file is in memory.
type part struct {
	place
	held    *heldRecord
	record  record
	file    *os.File // nil after the end
	size    int64    // octets in file or in memory
	trusted int64    // octets at the beginning of file that are known to be of the document
	isNew   bool     // the file was made by this part
	inPlace bool     // file is the file at path

	inMemory bool // the content is in octets; held and file are nil
	octets   []byte
	url      urlcore.URL
}

// openPart begins the file at pl.path for u, or continues an earlier download of u.
func openPart(pl place, u urlcore.URL) (*part, error) {
	name := pl.path
	fail := func(err error) (*part, error) { return nil, protocols.LocalError("save "+name, err) }
	if info, err := os.Stat(filepath.Dir(name)); err != nil {
		return fail(err)
	} else if !info.IsDir() {
		return fail(fmt.Errorf("%s is not a directory", filepath.Dir(name)))
	}
	if err := pl.force.checkPath(name); err != nil {
		return fail(err)
	}
	held, rec, known, err := pl.records.hold(name)
	if errors.Is(err, errLocked) {
		if err = errUnderWay; pl.yields {
			err = ErrUnfinished
		}
	}
	if err != nil {
		return fail(err)
	}
	p := &part{place: pl, held: held, record: rec, url: u}
	if partPath, err := p.open(known); err != nil {
		held.release()
		if errors.Is(err, ErrUnfinished) {
			name = partPath
		}
		return fail(err)
	}
	return p, nil
}

// open opens the unfinished file of the record, the file at p.path if p continues it, or a new file. It returns an
// error if there is an unfinished file of another document that p.force does not allow replacing. The path of this file
// is then partPath.
func (p *part) open(known bool) (partPath string, err error) {
	partPath, hasPart := "", false
	isOfURL := known && p.record.isOf(p.url)
	if known {
		partPath, hasPart = p.record.partPath(p.path)
	}
	if hasPart && !isOfURL {
		if p.force == forceNothing {
			return partPath, ErrUnfinished
		}
		if hasPart = false; os.Remove(partPath) != nil {
			return partPath, ErrUnfinished
		}
	}
	nameTaken := exists(p.path)
	wasRenamed := isOfURL && !hasPart && nameTaken && (p.record.Part == "" || p.record.Complete) && p.record.describesFile(p.path)
	switch {
	case hasPart && nameTaken && p.force == forceNothing && !isSameFile(p.path, partPath):
		return "", errFileExists
	case hasPart:
		return "", p.reopen(partPath)
	case nameTaken && (p.continues || wasRenamed && p.record.Complete && p.force == forceNothing):
		return "", p.openInPlace(wasRenamed)
	case nameTaken && p.force == forceNothing:
		if known && !wasRenamed {
			p.held.empty = true // the record is of no use
		}
		return "", errFileExists
	}
	p.record = record{URL: recordURL(p.url), Size: -1}
	return p.path + partSuffix, p.create()
}

// create makes a new unfinished file. Files of the user and of other programs keep their names. The record names the
// file before it is made, so that a run that is killed in between leaves no file without a record.
func (p *part) create() error {
	for i := range maxNames {
		name := partName(filepath.Base(p.path), i)
		p.record.Part = name
		p.held.write(p.record)
		// Other users must not write to the file. It gets its mode at the end.
		f, err := os.OpenFile(filepath.Join(filepath.Dir(p.path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL|userfile.NoFollow, 0o600)
		if errors.Is(err, fs.ErrExist) && !p.yields {
			continue
		}
		if err != nil {
			p.held.empty = true
			if errors.Is(err, fs.ErrExist) {
				return ErrUnfinished
			}
			return err
		}
		p.file, p.isNew = f, true
		p.identify()
		p.held.write(p.record)
		return nil
	}
	p.held.empty = true
	return ErrUnfinished
}

// checkDir returns an error if the directory of p.path has been replaced, such as by a link out of the tree.
func (p *part) checkDir() error {
	if p.hasDir == nil || p.hasDir() {
		return nil
	}
	return protocols.LocalError("save "+p.path, errNoDirectory)
}

// reopen opens the unfinished file called name.
func (p *part) reopen(name string) error {
	f, info, err := openOwn(name)
	if err == nil && !(isOwnPart(info, name, p.path) && p.record.describes(info)) {
		err = errors.Join(errReplaced, f.Close())
	}
	if err != nil {
		return err
	}
	p.file, p.size, p.trusted = f, info.Size(), info.Size()
	if p.record.Written.IsZero() { // the run that made the file was killed before it could record which file it is
		p.identify()
		p.held.write(p.record)
	}
	_, err = f.Seek(0, io.SeekEnd)
	return err
}

// openInPlace opens the file at p.path to continue it. The parameter trusted means that gofer has saved the file, and
// that it has not changed since. Otherwise all of the file is compared with the document.
func (p *part) openInPlace(trusted bool) error {
	f, info, err := openOwn(p.path)
	if err == nil && (!userfile.IsOwn(info) || userfile.Links(info) != 1) {
		err = errors.Join(errNotOnlyYours, f.Close())
	}
	if err != nil {
		return err
	}
	p.file, p.size, p.inPlace = f, info.Size(), true
	if !trusted {
		p.record = record{URL: recordURL(p.url), Size: -1}
	}
	if p.record.Part, p.record.Complete = "", false; trusted {
		p.trusted = p.size
	}
	_, err = f.Seek(0, io.SeekEnd)
	return err
}

// openOwn opens an existing regular file. It does not follow links.
func openOwn(name string) (*os.File, fs.FileInfo, error) {
	if err := checkRegular(name); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|userfile.NoFollow, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// identify records which file the unfinished file is.
func (p *part) identify() {
	if info, err := p.file.Stat(); err == nil {
		p.record.identify(info)
	}
}

// workingPath returns the path of the file with the received octets, or "" if they are in memory.
func (p *part) workingPath() string {
	if p.file == nil {
		return ""
	}
	return p.file.Name()
}

// checkPath returns errNoFile if the item at path is of a kind that f does not replace, such as a directory.
func (f force) checkPath(path string) error {
	if info, err := os.Lstat(path); f == forceUpdate && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	return checkRegular(path)
}

// checkRegular returns errNoFile if the item at path is not a regular file.
func checkRegular(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return errNoFile
	}
	return nil
}

// restart empties the file and records the size and date of the document.
func (p *part) restart(size int64, modified time.Time) error {
	p.record.Size, p.record.Modified, p.record.Complete = size, modified, false
	if p.inMemory {
		p.octets, p.size = p.octets[:0], 0
		return nil
	}
	err := p.file.Truncate(0)
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return protocols.LocalError("write "+p.file.Name(), err)
	}
	p.size, p.trusted = 0, 0
	p.held.write(p.record)
	return nil
}

// readAt reads octets of the file that begin at an offset.
func (p *part) readAt(b []byte, offset int64) error {
	if p.inMemory {
		copy(b, p.octets[offset:])
		return nil
	}
	_, err := p.file.ReadAt(b, offset)
	return protocols.LocalError("read "+p.file.Name(), err)
}

// finish sets the name, mode and date of the complete file. It removes the record, or keeps it for a large file, so
// that this file can be continued without fetching all of it again.
func (p *part) finish() error {
	if err := p.checkDir(); err != nil {
		return err
	}
	if p.inMemory {
		if linkUnnamed(p.path, p.octets, p.record.Modified) {
			return nil
		}
		if err := p.moveToFile(); err != nil {
			return err
		}
	}
	name := p.file.Name()
	if !isFileAt(p.file, name) {
		return protocols.LocalError("save "+name, errReplaced)
	}
	var err error
	if mode, ok := newFileMode(filepath.Dir(p.path)); ok && !p.inPlace {
		_ = p.file.Chmod(mode) // some file systems do not have modes
	}
	if p.size >= minSynced {
		err = p.file.Sync()
	}
	if !p.record.Modified.IsZero() {
		_ = os.Chtimes(name, time.Time{}, p.record.Modified) // some file systems cannot store the date
	}
	p.record.Complete = !p.inPlace
	p.identify()
	if p.record.Complete {
		p.held.write(p.record)
	}
	err = cmp.Or(err, p.file.Close())
	p.file = nil
	if err != nil {
		return protocols.LocalError("write "+name, err)
	}
	if !p.inPlace {
		if err := moveToName(name, p.path, p.force); err != nil {
			return err
		}
	}
	p.keepRecord()
	return nil
}

// keepRecord records that the file at p.path has octets of the document. The record of a small file is removed.
func (p *part) keepRecord() {
	if p.size < minSynced || p.records.keep == nil || !p.records.keep(p.url) {
		p.held.remove()
		return
	}
	p.record.URL, p.record.Part, p.record.Complete = checksum([]byte(recordURL(p.url))), "", false
	p.held.write(p.record)
	p.held.release()
}

// close closes the unfinished file, so that it can be continued later. It removes an empty .part file.
func (p *part) close() error {
	if p.inMemory && p.size == 0 {
		return nil
	}
	if p.inMemory {
		if err := p.moveToFile(); err != nil {
			return err
		}
	}
	switch {
	case p.file == nil:
	case p.inPlace && p.trusted < p.size:
		p.held.remove()
		return p.file.Close()
	case p.inPlace:
		p.identify()
		p.keepRecord()
		return p.file.Close()
	case p.size == 0:
		return p.discard()
	default:
		if isFileAt(p.file, p.file.Name()) {
			p.identify()
			p.held.write(p.record)
		}
		err := p.file.Close()
		p.held.release()
		return err
	}
	p.held.release()
	return nil
}

// discard removes the unfinished file and its record. It keeps a file at p.path.
func (p *part) discard() error {
	defer p.held.remove()
	if p.inPlace {
		return p.file.Close()
	}
	name := p.file.Name()
	isOwn := isFileAt(p.file, name)
	err := p.file.Close()
	if isOwn {
		err = cmp.Or(err, os.Remove(name))
	}
	return err
}

// isFileAt reports whether file is the file at path.
func isFileAt(file *os.File, path string) bool {
	info, err := file.Stat()
	pathInfo, errPath := os.Lstat(path)
	return err == nil && errPath == nil && os.SameFile(info, pathInfo)
}

func isSameFile(a, b string) bool {
	infoA, errA := os.Lstat(a)
	infoB, errB := os.Lstat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// moveToName renames the complete file at partPath to path. If the parameter force is forceNothing and there is
// another file at path, it returns an error.
func moveToName(partPath, path string, force force) error {
	if force > forceNothing {
		err := force.checkPath(path)
		if err == nil {
			err = os.Rename(partPath, path)
		}
		return protocols.LocalError("save "+path, err)
	}
	err := os.Link(partPath, path)
	switch nameTaken := errors.Is(err, fs.ErrExist); {
	case err == nil, nameTaken && isSameFile(partPath, path):
		return protocols.LocalError("remove "+partPath, os.Remove(partPath))
	case nameTaken, exists(path): // some file systems do not support links
		return protocols.LocalError("save "+path, errFileExists)
	}
	return protocols.LocalError("save "+path, os.Rename(partPath, path))
}
