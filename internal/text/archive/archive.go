// Package archive reads archives (tar, zip) and compressed files (gzip, bzip2, xz, zstd, compress)
// as streams, within limits of size and memory.
//
// An archive is read from its beginning each time an entry is opened. A tar archive is read while
// it arrives. A zip archive has its directory at the end, so it is first copied to a temporary
// file. The names of entries are never used as local paths.
package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"

	"gofer/protocols"
)

// Entry describes a file, directory or link in an archive. The fields come from the archive and are
// not checked.
type Entry struct {
	Name     string // raw octets, including the path
	Size     int64  // -1 if unknown
	Modified time.Time
	Dir      bool
	Target   string // target of a link, otherwise ""
}

// IsFile reports whether the entry is a file and not a directory or link.
func (e *Entry) IsFile() bool { return !e.Dir && e.Target == "" }

// Kind classifies a file: archive, compressed, or neither.
type Kind uint8

// The kinds.
const (
	KindNone       Kind = iota
	KindCompressed      // one compressed file
	KindArchive         // an archive
)

// The limits of reading.
const (
	maxEntries    = 200_000
	maxZip        = 256 << 20 // total octets of a zip archive and the zip archives that contain it; all are copied to temporary files
	maxDirectory  = 32 << 20  // octets of a zip directory, which is kept in memory
	maxDictionary = 64 << 20  // bytes of the dictionary of a decompressor
	MaxRatio      = 300       // decompressed octets for each compressed octet
	FreeOctets    = 16 << 20  // decompressed octets that are allowed at any ratio
)

// firstBlockSize is the number of octets that show the kind of a file.
const firstBlockSize = 4 << 10

// KindOf detects the kind of a file from its first octets. 4096 octets are enough.
func KindOf(first []byte) Kind {
	switch {
	case isTar(first), isZip(first):
		return KindArchive
	case compression(first) == nil:
		return KindNone
	}
	plain, err := compression(first)(bytes.NewReader(first))
	if err != nil {
		return KindNone
	}
	block := make([]byte, tarBlock)
	if n, _ := io.ReadFull(plain, block); isTar(block[:n]) {
		return KindArchive
	}
	return KindCompressed
}

// compression returns the decompressor for a file that begins with first, or nil if the file is not
// compressed.
func compression(first []byte) func(io.Reader) (io.Reader, error) {
	begins := func(magic string) bool { return bytes.HasPrefix(first, []byte(magic)) }
	switch {
	case begins("\x1f\x8b\x08"):
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case begins("\x1f\x9d"):
		return uncompress
	case begins("BZh"):
		return func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }
	case begins("\xfd7zXZ\x00"):
		return func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxDictionary) }
	case begins("\x28\xb5\x2f\xfd"):
		return func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxDictionary), zstd.WithDecoderLowmem(true))
		}
	}
	return nil
}

func isZip(b []byte) bool {
	return bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("PK\x05\x06"))
}

const tarBlock = 512

// isTar reports whether b begins with a tar header with a correct checksum.
func isTar(b []byte) bool {
	if len(b) < tarBlock {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(b[148:156]), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	sum := int64(0)
	for i, c := range b[:tarBlock] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int64(c)
	}
	return sum == want
}

// Entries yields the entries of the archive r. A compressed file has one entry without a
// name. An error ends the sequence.
func Entries(ctx context.Context, r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := walk(ctx, r, func(e Entry, _ func() (io.Reader, error)) (bool, error) { return yield(e, nil), nil })
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// Member is an opened entry. Read returns the octets of the entry.
type Member struct {
	Entry
	io.Reader

	pipe *io.PipeReader
	done chan struct{}
}

// Close stops reading the archive, and waits for a read that has begun. If that read may block, the
// caller must first close the reader that it passed to [Open].
func (m *Member) Close() error {
	_ = m.pipe.Close()
	<-m.done
	return nil
}

// Open opens entry n of the archive r. The first entry has the number 1.
func Open(ctx context.Context, r io.Reader, n int) (*Member, error) {
	in, out := io.Pipe()
	m := &Member{Reader: in, pipe: in, done: make(chan struct{})}
	found := make(chan error, 1)
	go func() {
		defer close(m.done)
		at, begun := 0, false
		err := walk(ctx, r, func(e Entry, open func() (io.Reader, error)) (bool, error) {
			if at++; at < n {
				return true, nil
			}
			if !e.IsFile() {
				return false, newError(protocols.NotFound, errors.New("it is a directory or a link"))
			}
			body, err := open()
			if err != nil {
				return false, err
			}
			m.Entry, begun = e, true
			found <- nil
			_, err = io.Copy(out, body)
			return false, err
		})
		if err == nil && !begun {
			err = newError(protocols.NotFound, fmt.Errorf("it has no entry %d", n))
		}
		_ = out.CloseWithError(err) // nil becomes io.EOF
		found <- err
	}()
	if err := <-found; err != nil {
		_ = m.Close()
		return nil, err
	}
	return m, nil
}

// visit is called for each entry, until the result more is false. The parameter open opens the
// entry.
type visit func(e Entry, open func() (io.Reader, error)) (more bool, err error)

func walk(ctx context.Context, r io.Reader, each visit) error {
	count := 0
	counted := &counter{r: r}
	bounded := func(e Entry, open func() (io.Reader, error)) (bool, error) {
		if count++; count > maxEntries {
			return false, newError(protocols.TooBig, fmt.Errorf("it has more than %d entries", maxEntries))
		}
		return each(e, func() (io.Reader, error) {
			body, err := open()
			return &errReader{body, counted}, counted.explain(err)
		})
	}
	if kept, ok := r.(RandomAccess); ok {
		first := make([]byte, firstBlockSize)
		if n, _ := kept.ReadAt(first, 0); isZip(first[:n]) {
			return counted.explain(walkZip(kept, bounded))
		}
	}
	return counted.explain(walkKind(ctx, counted, bounded))
}

func walkKind(ctx context.Context, counted *counter, each visit) error {
	in := bufio.NewReaderSize(counted, firstBlockSize)
	first, err := in.Peek(firstBlockSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if isZip(first) {
		kept, err := spool(ctx, in)
		if err != nil {
			return err
		}
		defer kept.remove()
		return walkZip(kept, each)
	}
	plain := in
	if open := compression(first); open != nil {
		decompressed, err := open(in)
		if err != nil {
			return err
		}
		if z, ok := decompressed.(*zstd.Decoder); ok {
			defer z.Close()
		}
		plain = bufio.NewReaderSize(&ratioLimiter{r: decompressed, in: counted}, firstBlockSize)
		if first, err = plain.Peek(tarBlock); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !isTar(first) {
			_, err := each(Entry{Size: -1}, func() (io.Reader, error) { return plain, nil })
			return err
		}
	}
	if !isTar(first) {
		return newError(protocols.Damaged, errors.New("it is not an archive"))
	}
	return walkTar(plain, counted, each)
}

// walkTar visits the entries of r. The parameter counted counts the octets of the archive, which
// may be compressed. walkTar also limits the ratio of an archive without compression, because sparse
// files have holes, so the archive may be smaller than its entries.
func walkTar(r io.Reader, counted *counter, each visit) error {
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, _ = io.CopyN(io.Discard, r, 1<<20) // skips the padding, so that the transfer ends
			return nil
		}
		if err != nil {
			return err
		}
		e := Entry{Name: h.Name, Size: h.Size, Modified: h.ModTime}
		switch h.Typeflag {
		case tar.TypeDir:
			e.Dir, e.Size = true, -1
		case tar.TypeSymlink, tar.TypeLink:
			e.Target, e.Size = h.Linkname, -1
		case tar.TypeXGlobalHeader:
			continue
		}
		if more, err := each(e, func() (io.Reader, error) { return &ratioLimiter{r: in, in: counted}, nil }); !more || err != nil {
			return err
		}
	}
}

type counter struct {
	r   io.Reader
	n   int64
	err error // the error of r, except io.EOF
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// explain returns the error of c.r if there is one, because it caused err. A [protocols.Error]
// stays unchanged. Any other error means that the archive is damaged.
func (c *counter) explain(err error) error {
	var e *protocols.Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case c.err != nil:
		return c.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it ends too early")
	}
	return newError(protocols.Damaged, err)
}

// ratioLimiter reads decompressed octets. After FreeOctets octets, it returns an error if their
// ratio to the compressed octets exceeds MaxRatio.
type ratioLimiter struct {
	r   io.Reader
	in  *counter // the compressed input
	out int64
}

func (b *ratioLimiter) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.out += int64(n); b.out > FreeOctets && b.out/MaxRatio > b.in.n {
		return 0, newError(protocols.TooBig, fmt.Errorf("it grows to more than %d times its size", MaxRatio))
	}
	return n, err
}

type errReader struct {
	r       io.Reader
	archive *counter
}

func (e *errReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = e.archive.explain(err)
	}
	return n, err
}

func newError(reason protocols.Reason, err error) error {
	return &protocols.Error{Reason: reason, Op: "open the archive", Err: err}
}
