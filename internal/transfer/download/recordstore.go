package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// Limits of the folder of records. Older records are removed when a program uses the folder for the first time. A file
// without its record is not continued, but fetched again.
const (
	maxRecords   = 4096
	maxRecordAge = 180 * 24 * time.Hour
)

// records holds the records of unfinished files in a folder, which several programs share. Without a folder that can
// be written to, it holds them in memory.
type records struct {
	dir  string // "": in memory
	keep func(urlcore.URL) bool

	prepare sync.Once
	mu      sync.Mutex
	memory  map[string]record
	held    map[string]bool // locked records in memory
}

// heldRecord is the locked record of a file.
type heldRecord struct {
	store *records
	key   string
	file  *lockedFile // nil: in memory
	empty bool        // there is no record yet
}

// folder returns the folder of the records, or "" if they are in memory. The first call makes and sweeps the folder.
func (s *records) folder() string {
	s.prepare.Do(func() {
		if s.dir == "" {
			return
		}
		if err := userfile.MakePrivate(s.dir); err != nil {
			s.dir = ""
			return
		}
		sweepRecords(s.dir, time.Now())
	})
	return s.dir
}

// hold locks the record of the file at path, and returns it. The result known is false if there is none. If another
// download has locked it, the error is errLocked.
func (s *records) hold(path string) (h *heldRecord, r record, known bool, err error) {
	h = &heldRecord{store: s, key: fileKey(runtime.GOOS, path)}
	if dir := s.folder(); dir != "" {
		h.file, err = openLocked(filepath.Join(dir, h.key))
		if errors.Is(err, errLocked) {
			return nil, record{}, false, err
		}
	}
	if h.file == nil {
		if err := h.holdInMemory(); err != nil {
			return nil, record{}, false, err
		}
	}
	r, known = s.read(path)
	h.empty = !known
	return h, r, known, nil
}

// read returns the record of the file at path without a lock. It returns false if there is none.
func (s *records) read(path string) (record, bool) {
	key, dir := fileKey(runtime.GOOS, path), s.folder()
	s.mu.Lock()
	r, ok := s.memory[key]
	s.mu.Unlock()
	if ok || dir == "" {
		return r, ok
	}
	name := filepath.Join(dir, key)
	data, err := userfile.ReadNoFollow(name, maxRecord, true)
	if err != nil {
		return record{}, false
	}
	return decodeRecord(data)
}

// findPart returns the path of the unfinished file for path that this user's gofer has made. It returns false if there
// is none.
func (s *records) findPart(path string) (name string, r record, ok bool) {
	if r, ok = s.read(path); ok {
		name, ok = r.partPath(path)
	}
	return name, r, ok
}

// isPart reports whether the file at path is an unfinished file that this user's gofer has made, and returns the path
// of the complete file.
func (s *records) isPart(path string) (whole string, ok bool) {
	for _, base := range partBases(filepath.Base(path)) {
		whole := filepath.Join(filepath.Dir(path), base)
		if r, ok := s.read(whole); ok {
			if name, ok := r.partPath(whole); ok && name == path {
				return whole, true
			}
		}
	}
	return "", false
}

func (h *heldRecord) holdInMemory() error {
	s := h.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[h.key] {
		return errLocked
	}
	if s.held == nil {
		s.held, s.memory = make(map[string]bool), make(map[string]record)
	}
	s.held[h.key] = true
	return nil
}

// write replaces the record. If it cannot be written, as on a full disk, it is kept in memory.
func (h *heldRecord) write(r record) {
	h.empty = false
	if h.file != nil && h.file.replace(r.encode()) == nil {
		return
	}
	if h.file != nil {
		_ = h.file.remove()
		if h.file = nil; h.holdInMemory() != nil {
			return // another download holds it, so this one cannot be continued
		}
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.memory[h.key] = r
}

// release unlocks the record.
func (h *heldRecord) release() {
	switch {
	case h.empty:
		h.remove()
	case h.file != nil:
		_ = h.file.Close()
	default:
		h.store.mu.Lock()
		delete(h.store.held, h.key)
		h.store.mu.Unlock()
	}
}

// remove removes the record and unlocks it.
func (h *heldRecord) remove() {
	if h.file != nil {
		_ = h.file.remove()
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	delete(h.store.memory, h.key)
	if h.file == nil {
		delete(h.store.held, h.key)
	}
}

// sweepRecords removes the records in dir that are older than maxRecordAge, and all but the newest maxRecords. It keeps
// locked records.
func sweepRecords(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, info := range all {
		if i < maxRecords && now.Sub(info.ModTime()) < maxRecordAge {
			continue
		}
		if f, err := openLocked(filepath.Join(dir, info.Name())); err == nil {
			_ = f.remove()
		}
	}
}
