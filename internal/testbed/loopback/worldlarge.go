package loopback

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/spf13/afero"
)

const (
	worldLargeName = "/pub/large/64MB.bin"
	worldLargeSize = 64 << 20
)

// worldLarge is a file system in which the empty file worldLargeName is 64 MiB
// of lines that tell their own offsets: the 16 octets at offset N are N in 15
// hexadecimal digits and a line end.
type worldLarge struct{ afero.Fs }

func (l worldLarge) Open(name string) (afero.File, error) {
	return l.OpenFile(name, os.O_RDONLY, 0)
}

func (l worldLarge) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	f, err := l.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	switch path.Clean("/" + name) {
	case worldLargeName:
		return &largeFile{File: f}, nil
	case path.Dir(worldLargeName):
		return largeDir{f}, nil
	}
	return f, nil
}

func (l worldLarge) Stat(name string) (os.FileInfo, error) {
	fi, err := l.Fs.Stat(name)
	if err == nil && path.Clean("/"+name) == worldLargeName {
		fi = largeInfo{fi}
	}
	return fi, err
}

type largeInfo struct{ os.FileInfo }

func (largeInfo) Size() int64 { return worldLargeSize }

// largeDir is the folder that holds the large file.
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

// largeFile makes its octets when they are read.
type largeFile struct {
	afero.File
	at int64
}

func (f *largeFile) Stat() (os.FileInfo, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return largeInfo{fi}, nil
}

func (f *largeFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *largeFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	n := 0
	for n < len(p) && off < worldLargeSize {
		var line [16]byte
		c := copy(p[n:], offsetLine(&line, off&^15)[off&15:])
		n += c
		off += int64(c)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func offsetLine(line *[16]byte, off int64) []byte {
	const digits = "0123456789abcdef"
	line[15] = '\n'
	for i := 14; i >= 0; i-- {
		line[i] = digits[off&15]
		off >>= 4
	}
	return line[:]
}

func (f *largeFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += worldLargeSize
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek %s: %w", worldLargeName, fs.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}
