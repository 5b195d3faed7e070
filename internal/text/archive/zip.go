package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"gofer/protocols"
)

// RandomAccess is a file that can be read at any offset.
type RandomAccess interface {
	io.ReaderAt
	Size() int64
}

func walkZip(file RandomAccess, each visit) error {
	z, err := newZipReader(file)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		e := Entry{Name: f.Name, Size: zipSize(f), Modified: f.Modified}
		if f.FileInfo().IsDir() {
			e.Dir, e.Size = true, -1
		}
		open := func() (io.Reader, error) { return openZipFile(f, file.Size()) }
		if more, err := each(e, open); !more || err != nil {
			return err
		}
	}
	return nil
}

// newZipReader reads the directory of a zip archive.
func newZipReader(file RandomAccess) (*zip.Reader, error) {
	octets := &directoryReader{ReaderAt: file}
	octets.left.Store(maxDirectory)
	z, err := zip.NewReader(octets, file.Size())
	octets.left.Store(math.MaxInt64)
	return z, err
}

func zipSize(f *zip.File) int64 { return int64(min(f.UncompressedSize64, 1<<62)) }

// openZipFile opens an entry of a zip archive of the given size.
func openZipFile(f *zip.File, size int64) (io.Reader, error) {
	if f.Flags&1 != 0 {
		return nil, errors.New("it is encrypted")
	}
	body, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &ratioLimiter{r: body, in: &counter{n: int64(min(f.CompressedSize64, uint64(size)))}}, nil
}

// directoryReader limits the octets read while a zip archive is listed.
type directoryReader struct {
	io.ReaderAt
	left atomic.Int64 // entries may be read at the same time
}

func (d *directoryReader) ReadAt(p []byte, off int64) (int, error) {
	if d.left.Add(-int64(len(p))) < 0 {
		return 0, newError(protocols.TooBig, fmt.Errorf("its list of entries has more than %d MiB", maxDirectory>>20))
	}
	return d.ReaderAt.ReadAt(p, off)
}

// Zip is a zip archive whose entries are opened by name.
type Zip struct {
	files map[string]*zip.File
	file  RandomAccess
}

// OpenZip reads the directory of a zip archive. Of several entries with the same name, it keeps the first.
func OpenZip(file RandomAccess) (*Zip, error) {
	explain := new(counter).explain
	r, err := newZipReader(file)
	if err != nil {
		return nil, explain(err)
	}
	if len(r.File) > maxEntries {
		return nil, newError(protocols.TooBig, fmt.Errorf("it has more than %d entries", maxEntries))
	}
	z := &Zip{files: make(map[string]*zip.File, len(r.File)), file: file}
	for _, f := range r.File {
		if _, taken := z.files[f.Name]; !taken && f.Mode().IsRegular() {
			z.files[f.Name] = f
		}
	}
	return z, nil
}

// Has reports whether the archive has a file with this name.
func (z *Zip) Has(name string) bool { return z.files[name] != nil }

// Open opens the file with this name. The reader need not be closed.
func (z *Zip) Open(name string) (io.Reader, error) {
	f := z.files[name]
	if f == nil {
		return nil, newError(protocols.NotFound, fmt.Errorf("it has no file %q", name))
	}
	in := new(counter)
	body, err := openZipFile(f, z.file.Size())
	if err != nil {
		return nil, in.explain(err)
	}
	return &errReader{body, in}, nil
}
