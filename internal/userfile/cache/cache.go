// Package cache stores copies of the answers of servers. The copies are in memory or in a folder of
// bounded size, which several programs share.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"gofer/internal/userfile"
)

// Key identifies a copy.
type Key struct {
	Scheme, Addr, User string // scheme; "host:port" of the server; user of the login, or ""
	Name               string // name of the item, unique for the server and user
}

// Copy is a copy of an item.
type Copy struct {
	Data []byte
	At   time.Time // time of the copy
	Old  bool      // the copy was made before this program started
}

const (
	maxMemory = 8 << 20         // bounds the copies in memory, in octets
	minCopies = 8               // smallest number of copies that fit in the limit, whatever their size
	maxSize   = 32 << 20        // bounds a copy, in octets
	maxFile   = maxSize + 1<<20 // bounds the file of a copy
)

// Store stores the copies of a program. It stores none before the call of [Store.Keep]. A damaged copy
// counts as missing, and a write error only loses the copy. Store is safe for concurrent use.
type Store struct {
	IsInMemory func(addr string) bool // reports whether copies of a server are in memory only; may be nil
	Began      time.Time              // start of the program: earlier copies are old. If it is zero, Keep sets the current time
	ReadOnly   bool                   // no new copies are stored

	mu      sync.Mutex
	on      bool
	private bool
	dir     string // folder of the copies, or "" for memory
	checked bool   // isPrivate has been called for dir
	limit   int64
	memory  memory
	written int64 // octets written since the last sweep, or -1 before the first
	sweeps  sync.WaitGroup
	buffers sync.Pool // of *buffers
}

type buffers struct{ content, frame []byte }

// Keep makes s store copies: up to limit octets in dir, which need not exist, or in memory if dir is
// "" or limit is 0.
func (s *Store) Keep(dir string, limit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit <= 0 {
		dir = ""
	}
	if s.Began.IsZero() {
		s.Began = time.Now()
	}
	s.on, s.dir, s.limit, s.written, s.checked = true, dir, limit, -1, false
}

// Private begins or ends private mode. In private mode new copies are in memory only.
func (s *Store) Private(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private = on
}

// Close waits for the running sweeps.
func (s *Store) Close() { s.sweeps.Wait() }

// folder returns the folder for copies of k, or "" for memory. The result on reports whether s stores
// copies at all.
func (s *Store) folder(k Key) (dir string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.private || s.IsInMemory != nil && s.IsInMemory(k.Addr) {
		return "", s.on
	}
	if s.dir != "" && !s.checked {
		if s.checked = true; !isPrivate(s.dir) {
			s.dir = "" // other users could forge copies there
		}
	}
	return s.dir, s.on
}

// IsOnDisk reports whether new copies are stored on the disk. It returns false after a write has failed.
func (s *Store) IsOnDisk() bool { dir, _ := s.folder(Key{}); return dir != "" }

// MaxSize returns the largest size of a new copy of k, in octets.
func (s *Store) MaxSize(k Key) int64 {
	dir, on := s.folder(k)
	switch {
	case !on, s.ReadOnly:
		return 0
	case dir == "":
		return maxMemory / minCopies
	}
	return min(s.limit/minCopies, maxSize)
}

// Get returns the copy of k.
func (s *Store) Get(k Key) (Copy, bool) {
	dir, on := s.folder(k)
	if !on {
		return Copy{}, false
	}
	s.mu.Lock()
	c, ok := s.memory.get(k)
	began := s.Began
	s.mu.Unlock()
	if ok || dir == "" {
		return c, ok
	}
	path := k.path(dir)
	c, err := readCopy(path, k)
	if err != nil {
		var unread syscall.Errno
		if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &unread) { // the file is not a copy
			_ = os.Remove(path)
		}
		return Copy{}, false
	}
	touch(path)
	c.Old = c.At.Before(began.Truncate(time.Second))
	return c, true
}

// Has reports whether there is a copy of k, without reading it.
func (s *Store) Has(k Key) bool {
	dir, on := s.folder(k)
	if !on {
		return false
	}
	s.mu.Lock()
	_, ok := s.memory.get(k)
	s.mu.Unlock()
	if ok || dir == "" {
		return ok
	}
	_, err := os.Stat(k.path(dir))
	return err == nil
}

// Put stores data as the copy of k, unless data has more than MaxSize octets.
func (s *Store) Put(k Key, data []byte) {
	if s.ReadOnly || int64(len(data)) > s.MaxSize(k) {
		return
	}
	now := time.Now()
	dir, _ := s.folder(k)
	if dir != "" {
		size, err := s.writeCopy(k.path(dir), k, data, now)
		if errors.Is(err, fs.ErrNotExist) { // another program has removed the copies
			size, err = s.writeCopy(k.path(dir), k, data, now)
		}
		if err == nil {
			s.countWritten(size)
			return
		}
		s.mu.Lock()
		s.dir = "" // the disk is full or the folder is not writable, so copies are kept in memory
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory.put(k, Copy{Data: bytes.Clone(data), At: now})
}

// Drop removes the copy of k.
func (s *Store) Drop(k Key) {
	dir, _ := s.folder(k)
	s.mu.Lock()
	s.memory.drop(k)
	s.mu.Unlock()
	if dir != "" {
		_ = os.Remove(k.path(dir))
	}
}

// errDamaged reports that a file is not a complete copy.
var errDamaged = errors.New("the copy is damaged")

// codec returns the encoder and the decoder of copies. They take memory, so they are made for the first
// copy.
var codec = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	dec, decErr := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(2*maxSize))
	if err = errors.Join(err, decErr); err != nil {
		panic(err) // the options are wrong
	}
	return enc, dec
})

// writeCopy writes the file of a copy atomically. The file is a compressed frame that has a checksum and
// contains the time, the key and the data. writeCopy does not sync the file, so a crash of the machine
// may damage the copy.
func (s *Store) writeCopy(path string, k Key, data []byte, at time.Time) (size int64, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	b, _ := s.buffers.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	defer s.buffers.Put(b)
	b.content = binary.BigEndian.AppendUint64(b.content[:0], uint64(at.Unix()))
	b.content = append(append(b.content, k.head()...), data...)
	enc, _ := codec()
	b.frame = enc.EncodeAll(b.content, b.frame[:0])
	f, err := os.CreateTemp(dir, temporaryPrefix+"*")
	if err != nil {
		return 0, err
	}
	_, err = f.Write(b.frame)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return 0, err
	}
	if err := os.Rename(f.Name(), path); err != nil { // on Windows it fails while another program reads the file
		_ = os.Remove(f.Name())
		return 0, nil
	}
	return roundToBlock(int64(len(b.frame))), nil
}

func readCopy(path string, k Key) (Copy, error) {
	content, err := readContent(path, maxFile)
	if err != nil {
		return Copy{}, err
	}
	head := k.head()
	if len(content) < 8+len(head) || string(content[8:8+len(head)]) != head {
		return Copy{}, errDamaged
	}
	return Copy{Data: content[8+len(head):], At: time.Unix(int64(binary.BigEndian.Uint64(content)), 0)}, nil
}

// readContent returns the time, the key and the data in the file of a copy, which has at most limit octets.
func readContent(path string, limit int64) ([]byte, error) {
	frame, err := userfile.Read(path, limit)
	switch {
	case err != nil:
		return nil, err
	case frame == nil:
		return nil, os.ErrNotExist
	}
	_, dec := codec()
	content, err := dec.DecodeAll(frame, nil)
	if err != nil {
		return nil, errDamaged
	}
	return content, nil
}

// head returns the key as it is stored in a file.
func (k Key) head() string { return k.server() + "\x00" + k.Name + "\x00" }

func (k Key) server() string { return k.Scheme + " " + k.Addr + " " + k.User }

// path returns the path of the file of k. No text from the server is in the file name.
func (k Key) path(dir string) string {
	sum := sha256.Sum256([]byte(k.head()))
	return filepath.Join(dir, folderName(k.server()), hex.EncodeToString(sum[:16]))
}
