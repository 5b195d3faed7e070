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
var ErrExists = errors.New("nothing was overwritten; remove it, or choose another name")

// errFileExists and errDirectoryExists say what exists.
var (
	errFileExists      = fmt.Errorf("there is a file of that name: %w", ErrExists)
	errDirectoryExists = fmt.Errorf("there is a directory of that name: %w", ErrExists)
)

// ErrUnfinished is wrapped in the error of a download to the path of another unfinished
// one.
var ErrUnfinished = errors.New("another download to that name is under way or was left unfinished: remove it, or choose another name")

// errUnderWay reports that another program saves a file that may be replaced.
var errUnderWay = errors.New("another program is saving it: run this again later")

// errNoFile is the error for a path that is no file, errReplaced for a .part file that is
// gone or another file.
var (
	errNoFile   = errors.New("there is something of that name that is no file: nothing was overwritten; choose another name")
	errReplaced = errors.New("it was removed or replaced meanwhile")
)

// The suffixes of an unfinished file and of its record.
const (
	partSuffix   = ".part"
	recordSuffix = ".part.info"
)

// leastSynced is the smallest size of a file that is synced to disk before it gets its name.
// There may be thousands of small files, and fetching one again is as fast as a sync.
const leastSynced = 1 << 20

// force says which existing files a download replaces.
type force uint8

const (
	forceNothing force = iota
	forceUpdate        // a file or link, and an unfinished file that has a record of this program
	forceAll           // a file, and any unfinished file
)

// part is an unfinished file. Its record is locked, unless it is in memory.
type part struct {
	path   string // of the finished file
	force  force
	info   *lockedFile
	rec    record
	file   *os.File // nil: the file is finished, and has its name
	have   int64    // octets in file
	linked bool     // file is the one at path, which is continued

	inMemory bool // there is neither info nor file
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
		return fail(fmt.Errorf("%s is no directory", filepath.Dir(path)))
	}
	begun := there(path + recordSuffix)
	if err := force.check(path); err != nil {
		return fail(err)
	} else if force == forceNothing && !begun && there(path) {
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
	p := &part{path: path, force: force, info: info}
	if err := p.adopt(u); err != nil {
		_ = info.Close()
		return fail(err)
	}
	return p, nil
}

// adopt reads the record, or writes a new one.
func (p *part) adopt(u urlcore.URL) error {
	name := urlcore.Redact(u).String()
	data, err := p.info.read(maxRecord)
	if err != nil {
		return err
	}
	old, err := decodeRecord(data)
	switch {
	case len(data) == 0 && there(p.path+partSuffix), len(data) > 0 && (err != nil || old.URL != name):
		if p.force == forceNothing || p.force == forceUpdate && err != nil { // it belongs to another download or to the user
			if len(data) == 0 {
				_ = p.info.remove()
			}
			return ErrUnfinished
		}
		if err := removeFile(p.path + partSuffix); err != nil {
			return err
		}
		fallthrough
	case len(data) == 0:
		old = record{URL: name, Size: -1}
	}
	p.rec = old
	switch taken, begun := there(p.path), there(p.path+partSuffix); {
	case p.rec.Whole && taken && !begun:
		return nil // it had its name, and only the record was left
	case taken && p.force == forceNothing && !sameFile(p.path, p.path+partSuffix):
		if !begun {
			_ = p.info.remove()
		}
		return errFileExists
	case !begun:
		p.rec.Whole = false
	case !p.rec.Whole:
		p.linked = sameFile(p.path, p.path+partSuffix)
	}
	if err := p.write(); err != nil {
		return err
	}
	return p.open()
}

// check returns errNoFile if there is something at path that is not replaced.
func (f force) check(path string) error {
	if info, err := os.Lstat(path); f == forceUpdate && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	return notFile(path)
}

// notFile returns errNoFile if there is something at path that is no regular file.
func notFile(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return errNoFile
	}
	return nil
}

// removeFile removes a file if it exists.
func removeFile(path string) error {
	if err := notFile(path); err != nil {
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
	if err := notFile(name); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if p.have, err = f.Seek(0, io.SeekEnd); err != nil {
		_ = f.Close()
		return err
	}
	p.file = f
	return nil
}

func (p *part) write() error {
	data, err := p.rec.encode()
	if err != nil {
		return err
	}
	return p.info.replace(data)
}

// begin empties the file and records the facts that the server sent about the document.
func (p *part) begin(size int64, modified time.Time) error {
	p.rec.Size, p.rec.Modified, p.rec.Whole = size, modified, false
	if p.inMemory {
		p.octets, p.have = p.octets[:0], 0
		return nil
	}
	err := p.file.Truncate(0)
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return protocols.LocalError("write "+p.file.Name(), err)
	}
	p.have = 0
	return protocols.LocalError("write "+p.info.Name(), p.write())
}

// tail returns the last octets of the file, at most n.
func (p *part) tail(n int64) ([]byte, error) {
	if p.inMemory {
		return p.octets[max(0, p.have-n):], nil
	}
	b := make([]byte, min(n, p.have))
	_, err := p.file.ReadAt(b, p.have-int64(len(b)))
	return b, protocols.LocalError("read "+p.file.Name(), err)
}

// finish gives a complete file its name and its date.
func (p *part) finish() error {
	if p.inMemory {
		if linkUnnamed(p.path, p.octets, p.rec.Modified) {
			return nil
		}
		if err := p.toFile(); err != nil {
			return err
		}
	}
	if p.file == nil {
		return p.info.remove()
	}
	name := p.file.Name()
	if !same(p.file, name) {
		return protocols.LocalError("save "+name, errReplaced)
	}
	p.rec.Whole = true
	if err := p.write(); err != nil {
		return protocols.LocalError("write "+p.info.Name(), err)
	}
	var err error
	if p.have >= leastSynced {
		err = p.file.Sync()
	}
	err = cmp.Or(err, p.file.Close())
	p.file = nil
	if err == nil && !p.rec.Modified.IsZero() {
		_ = os.Chtimes(name, time.Time{}, p.rec.Modified) // not every file system has such dates
	}
	if err != nil {
		return protocols.LocalError("write "+name, err)
	}
	if err := claim(name, p.path, p.force); err != nil {
		return err
	}
	return protocols.LocalError("remove "+p.info.Name(), p.info.remove())
}

// close closes the file, which can be continued later.
func (p *part) close() error {
	if p.inMemory && p.have == 0 {
		return nil
	}
	if p.inMemory {
		if err := p.toFile(); err != nil {
			return err
		}
	}
	if p.file != nil && !p.rec.Whole && (p.have == 0 || p.linked) {
		return p.discard()
	}
	var err error
	if p.file != nil {
		err = p.file.Close()
	}
	_ = p.info.Close()
	return err
}

// discard removes the unfinished file.
func (p *part) discard() error {
	var err error
	if p.file != nil {
		name := p.file.Name()
		own := same(p.file, name)
		_ = p.file.Close()
		if own {
			err = os.Remove(name)
		}
	}
	return errors.Join(err, p.info.remove())
}

// same reports whether file is the one at path.
func same(file *os.File, path string) bool {
	info, err := file.Stat()
	at, errAt := os.Lstat(path)
	return err == nil && errAt == nil && os.SameFile(info, at)
}

func sameFile(a, b string) bool {
	infoA, errA := os.Lstat(a)
	infoB, errB := os.Lstat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// claim gives a complete file its name, unless the name was taken meanwhile and force
// replaces nothing.
func claim(part, path string, force force) error {
	if force > forceNothing {
		err := force.check(path)
		if err == nil {
			err = os.Rename(part, path)
		}
		return protocols.LocalError("save "+path, err)
	}
	err := os.Link(part, path)
	switch exists := errors.Is(err, fs.ErrExist); {
	case err == nil, exists && sameFile(part, path):
		return protocols.LocalError("remove "+part, os.Remove(part))
	case exists, there(path): // some file systems have no links
		return protocols.LocalError("save "+path, errFileExists)
	}
	return protocols.LocalError("save "+path, os.Rename(part, path))
}

// continueFile makes an existing file at path an unfinished one. It keeps its name.
func continueFile(path string, u urlcore.URL) error {
	if !there(path) || there(path+recordSuffix) || there(path+partSuffix) {
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
