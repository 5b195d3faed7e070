package demo

import (
	"io"
	"os"
	"path"

	"github.com/spf13/afero"
)

const (
	worldLargeName = "/pub/large/64MB.bin"
	worldLargeSize = 64 << 20
)

// largeFileFs replaces the empty file worldLargeName with 64 MiB of numbered lines, see
// newNumberedLines.
type largeFileFs struct{ afero.Fs }

func (l largeFileFs) Open(name string) (afero.File, error) {
	return l.OpenFile(name, os.O_RDONLY, 0)
}

func (l largeFileFs) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	f, err := l.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	switch path.Clean("/" + name) {
	case worldLargeName:
		return largeFile{f, newNumberedLines(worldLargeSize)}, nil
	case path.Dir(worldLargeName):
		return largeDir{f}, nil
	}
	return f, nil
}

func (l largeFileFs) Stat(name string) (os.FileInfo, error) {
	fi, err := l.Fs.Stat(name)
	if err == nil && path.Clean("/"+name) == worldLargeName {
		fi = largeInfo{fi}
	}
	return fi, err
}

type largeInfo struct{ os.FileInfo }

func (largeInfo) Size() int64 { return worldLargeSize }

// largeDir is the folder of the large file. Its listing shows the size of the large file.
type largeDir struct{ afero.File }

func (d largeDir) Readdir(n int) ([]os.FileInfo, error) {
	list, err := d.File.Readdir(n)
	for i, fi := range list {
		if fi.Name() == path.Base(worldLargeName) {
			list[i] = largeInfo{fi}
		}
	}
	return list, err
}

// largeFile generates its contents when it is read.
type largeFile struct {
	afero.File
	lines *io.SectionReader
}

func (f largeFile) Stat() (os.FileInfo, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return largeInfo{fi}, nil
}

func (f largeFile) Read(p []byte) (int, error) { return f.lines.Read(p) }

func (f largeFile) ReadAt(p []byte, at int64) (int, error) { return f.lines.ReadAt(p, at) }

func (f largeFile) Seek(offset int64, whence int) (int64, error) { return f.lines.Seek(offset, whence) }

// newNumberedLines returns a reader of lines of 16 octets; the parameter size is the total number
// of octets. Each line is its own offset as 15 hexadecimal digits and a line feed.
func newNumberedLines(size int64) *io.SectionReader {
	return io.NewSectionReader(numberedLines{}, 0, size)
}

type numberedLines struct{}

func (numberedLines) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		var line [16]byte
		c := copy(p[n:], formatOffset(&line, at&^15)[at&15:])
		n += c
		at += int64(c)
	}
	return n, nil
}

func formatOffset(line *[16]byte, at int64) []byte {
	const digits = "0123456789abcdef"
	line[15] = '\n'
	for i := 14; i >= 0; i-- {
		line[i] = digits[at&15]
		at >>= 4
	}
	return line[:]
}
