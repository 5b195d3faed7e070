package download

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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

// errUnderWay reports that another run of gofer is saving a file that this download may replace.
var errUnderWay = errors.New("another run of gofer is saving it; try again later")

// errNoFile reports that a path is not a regular file. errReplaced reports that a .part file was removed or
// replaced by another file.
var (
	errNoFile   = errors.New("a directory, link or special file has this name; choose another name")
	errReplaced = errors.New("it was removed or replaced during the download")
)

// Suffixes of an unfinished file and of its record.
const (
	partSuffix   = ".part"
	recordSuffix = ".part.info"
)

// minSynced is the minimum size, in octets, of the files that are synced to disk before they get their names.
// There may be thousands of smaller files, and fetching such a file again is as fast as syncing it.
const minSynced = 1 << 20

// force selects the existing files that a download replaces.
type force uint8

const (
	forceNothing force = iota
	forceUpdate        // replaces a file or link, and an unfinished file that has a record
	forceAll           // replaces a file, and any unfinished file
)

// part is an unfinished file. Its record is locked, unless the file is in memory.
type part struct {
	path       string // path of the complete file
	force      force
	recordFile *lockedFile
	record     record
	file       *os.File // nil: the file is complete and has its final name
	size       int64    // octets in file or in memory
	linked     bool     // the download continues the file at path; the .part file is a hard link to it

	inMemory bool // the content is in octets; recordFile and file are nil
	octets   []byte
	url      urlcore.URL
}

// openPart begins the file at path for u, or continues an earlier download of u.
func openPart(path string, u urlcore.URL, force force) (*part, error) {
	fail := func(err error) (*part, error) {
		name := path
		if errors.Is(err, ErrUnfinished) {
			name += partSuffix
		}
		return nil, protocols.LocalError("save "+name, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return fail(err)
	} else if !info.IsDir() {
		return fail(fmt.Errorf("%s is not a directory", filepath.Dir(path)))
	}
	hasRecord := exists(path + recordSuffix)
	if err := force.checkPath(path); err != nil {
		return fail(err)
	} else if force == forceNothing && !hasRecord && exists(path) {
		return fail(errFileExists)
	}
	info, err := openLocked(path + recordSuffix)
	if errors.Is(err, errLocked) {
		if err = ErrUnfinished; force > forceNothing {
			err = errUnderWay
		}
	}
	if err != nil {
		return fail(err)
	}
	p := &part{path: path, force: force, recordFile: info}
	if err := p.openRecord(u); err != nil {
		_ = info.Close()
		return fail(err)
	}
	return p, nil
}

// openRecord reads the record and opens the .part file, or makes new ones. It returns an error if the record and
// the .part file belong to another download and p.force does not allow replacing them.
func (p *part) openRecord(u urlcore.URL) error {
	url := urlcore.Redact(u).String()
	data, err := p.recordFile.read(maxRecord)
	if err != nil {
		return err
	}
	rec, err := decodeRecord(data)
	switch {
	case len(data) == 0 && exists(p.path+partSuffix), len(data) > 0 && (err != nil || rec.URL != url):
		if p.force == forceNothing || p.force == forceUpdate && err != nil { // the .part file belongs to another download or to the user
			if len(data) == 0 {
				_ = p.recordFile.remove()
			}
			return ErrUnfinished
		}
		if err := removeFile(p.path + partSuffix); err != nil {
			return err
		}
		fallthrough
	case len(data) == 0:
		rec = record{URL: url, Size: -1}
	}
	p.record = rec
	switch nameTaken, hasPart := exists(p.path), exists(p.path+partSuffix); {
	case p.record.Complete && nameTaken && !hasPart:
		return nil // the file already has its final name; only the record was not removed
	case nameTaken && p.force == forceNothing && !isSameFile(p.path, p.path+partSuffix):
		if !hasPart {
			_ = p.recordFile.remove()
		}
		return errFileExists
	case !hasPart:
		p.record.Complete = false
	case !p.record.Complete:
		p.linked = isSameFile(p.path, p.path+partSuffix)
	}
	if err := p.writeRecord(); err != nil {
		return err
	}
	return p.open()
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

// removeFile removes a regular file if it exists.
func removeFile(path string) error {
	if err := checkRegular(path); err != nil {
		return err
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// open opens the .part file, or creates it.
func (p *part) open() error {
	name := p.path + partSuffix
	if err := checkRegular(name); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if p.size, err = f.Seek(0, io.SeekEnd); err != nil {
		_ = f.Close()
		return err
	}
	p.file = f
	return nil
}

func (p *part) writeRecord() error {
	data, err := p.record.encode()
	if err != nil {
		return err
	}
	return p.recordFile.replace(data)
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
	p.size = 0
	return protocols.LocalError("write "+p.recordFile.Name(), p.writeRecord())
}

// tail returns the last n octets of the file, or all octets if there are fewer.
func (p *part) tail(n int64) ([]byte, error) {
	if p.inMemory {
		return p.octets[max(0, p.size-n):], nil
	}
	b := make([]byte, min(n, p.size))
	_, err := p.file.ReadAt(b, p.size-int64(len(b)))
	return b, protocols.LocalError("read "+p.file.Name(), err)
}

// finish sets the name and date of the complete file, and removes the record.
func (p *part) finish() error {
	if p.inMemory {
		if linkUnnamed(p.path, p.octets, p.record.Modified) {
			return nil
		}
		if err := p.moveToFile(); err != nil {
			return err
		}
	}
	if p.file == nil {
		return p.recordFile.remove()
	}
	name := p.file.Name()
	if !isFileAt(p.file, name) {
		return protocols.LocalError("save "+name, errReplaced)
	}
	p.record.Complete = true
	if err := p.writeRecord(); err != nil {
		return protocols.LocalError("write "+p.recordFile.Name(), err)
	}
	var err error
	if p.size >= minSynced {
		err = p.file.Sync()
	}
	err = cmp.Or(err, p.file.Close())
	p.file = nil
	if err == nil && !p.record.Modified.IsZero() {
		_ = os.Chtimes(name, time.Time{}, p.record.Modified) // some file systems cannot store the date
	}
	if err != nil {
		return protocols.LocalError("write "+name, err)
	}
	if err := moveToName(name, p.path, p.force); err != nil {
		return err
	}
	return protocols.LocalError("remove "+p.recordFile.Name(), p.recordFile.remove())
}

// close closes the unfinished file, so that it can be continued later. It removes a .part file that is empty or a
// link to the file at path, and its record.
func (p *part) close() error {
	if p.inMemory && p.size == 0 {
		return nil
	}
	if p.inMemory {
		if err := p.moveToFile(); err != nil {
			return err
		}
	}
	if p.file != nil && !p.record.Complete && (p.size == 0 || p.linked) {
		return p.discard()
	}
	var err error
	if p.file != nil {
		err = p.file.Close()
	}
	_ = p.recordFile.Close()
	return err
}

// discard removes the unfinished file and its record.
func (p *part) discard() error {
	var err error
	if p.file != nil {
		name := p.file.Name()
		isOwn := isFileAt(p.file, name)
		_ = p.file.Close()
		if isOwn {
			err = os.Remove(name)
		}
	}
	return errors.Join(err, p.recordFile.remove())
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

// continueFile turns the file at path into an unfinished file of u. It does nothing if there is no file, or an
// unfinished file already. The .part file is a hard link, so the file keeps its name too.
func continueFile(path string, u urlcore.URL) error {
	if !exists(path) || exists(path+recordSuffix) || exists(path+partSuffix) {
		return nil
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return protocols.LocalError("save "+path, errNoFile)
	}
	info, err := openLocked(path + recordSuffix)
	if err != nil {
		return protocols.LocalError("save "+path, err)
	}
	defer info.Close()
	data, err := (&record{URL: urlcore.Redact(u).String(), Size: -1}).encode()
	if err == nil {
		err = info.replace(data)
	}
	if err == nil {
		err = os.Link(path, path+partSuffix)
	}
	if err != nil {
		_ = info.remove()
	}
	return protocols.LocalError("continue "+path, err)
}
