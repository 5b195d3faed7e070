// Package sessions stores the tabs of each gofer process in a file, so that they can be opened again.
package sessions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

const (
	recordSuffix = ".json"
	lockSuffix   = ".lock"
	maxRecords   = 10 // bounds the records of earlier runs
)

// Store manages the records in a folder. Each gofer process has one record. A running process locks the
// lock file of its record. If another process gets the lock, the first one has ended. Store is safe for
// concurrent use. It reads and writes nothing before its first use.
type Store struct {
	Keep func(urlcore.URL) bool // reports whether a page is recorded; nil means that all pages are
	Drop func() bool            // reports whether to drop the record when the user quits; nil means no

	dir string

	mu      sync.Mutex
	path    string       // path of the own record, without the suffix; "" before there is one
	lock    *flock.Flock // lock of the own record
	last    []byte       // content of the own record
	resumed *claim       // the record that Take returned, until its tabs are in the own record
	ended   bool
}

// claim is a record of a program that has ended, with its lock.
type claim struct {
	path   string
	lock   *flock.Flock
	record Record
}

// Open returns the Store in dir. If dir is "", it stores nothing.
func Open(dir string) *Store { return &Store{dir: dir} }

// Save replaces the program's own record. It does not create a record without tabs.
func (s *Store) Save(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save(r)
}

func (s *Store) save(r Record) error {
	r = r.filter(s.Keep)
	if s.dir == "" || s.ended || s.path == "" && len(r.Tabs) == 0 {
		return nil
	}
	data, err := encode(r)
	if err != nil || bytes.Equal(data, s.last) {
		return err
	}
	if s.path == "" {
		if err := s.beginRecord(); err != nil {
			return err
		}
	}
	if err := userfile.Replace(s.path+recordSuffix, data); err != nil {
		return err
	}
	s.last = data
	if s.resumed != nil {
		s.resumed.remove()
		s.resumed = nil
	}
	return nil
}

// beginRecord chooses the name of the program's own record and locks it.
func (s *Store) beginRecord() error {
	if err := userfile.MakePrivate(s.dir); err != nil {
		return err
	}
	path := filepath.Join(s.dir, fmt.Sprintf("%d-%d", time.Now().UnixNano(), os.Getpid()))
	lock := flock.New(path+lockSuffix, flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return errors.Join(err, lock.Close())
	}
	s.path, s.lock = path, lock
	return nil
}

// End saves the program's own record for the last time. If the user has quit, End also removes the
// records of earlier runs that the user quit. But if the user has quit, and there are no tabs to keep
// or Drop returns true, End only removes the own record and the record that Take returned.
func (s *Store) End(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if r.Quit && (s.Drop != nil && s.Drop() || len(r.filter(s.Keep).Tabs) == 0) {
		if s.path != "" {
			(&claim{path: s.path, lock: s.lock}).remove()
		}
		if s.resumed != nil {
			s.resumed.remove()
		}
	} else {
		err = s.save(r)
		if s.resumed != nil {
			_ = s.resumed.lock.Close()
		}
		switch {
		case s.path == "":
		case s.last == nil: // the record could not be written
			(&claim{path: s.path, lock: s.lock}).remove()
		default:
			s.prune(r.Quit)
			_ = s.lock.Close()
		}
	}
	s.path, s.lock, s.resumed, s.ended = "", nil, nil, true
	return err
}

// Last returns the number of tabs in the record that Take would return. The result crashed reports
// whether the program of this record ended before the user quit it.
func (s *Store) Last() (tabs int, crashed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.claimLatest()
	if c == nil {
		return 0, false
	}
	_ = c.lock.Close()
	return len(c.record.Tabs), !c.record.Quit
}

// Take returns the latest record of an earlier run, or false if there is none. No other process gets
// the same record. The record is removed when the own record has been saved.
func (s *Store) Take() (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.claimLatest()
	if c == nil {
		return Record{}, false
	}
	if s.resumed != nil {
		_ = s.resumed.lock.Close()
	}
	s.resumed = c
	return c.record, true
}

// claimLatest locks the latest readable record that has tabs and that no other process has locked.
func (s *Store) claimLatest() *claim {
	for _, path := range s.otherRecords() {
		switch c, err := lockRecord(path); {
		case c == nil:
		case err == nil && len(c.record.Tabs) > 0:
			return c
		default:
			_ = c.lock.Close()
		}
	}
	return nil
}

// otherRecords returns the paths of the other records without their suffix, the latest first.
func (s *Store) otherRecords() []string {
	entries, _ := os.ReadDir(s.dir) // none without a folder
	modified := make(map[string]time.Time)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		path := filepath.Join(s.dir, name)
		if !ok || strings.HasPrefix(name, ".") || path == s.path || s.resumed != nil && path == s.resumed.path {
			continue
		}
		if info, err := e.Info(); err == nil {
			modified[path] = info.ModTime()
		}
	}
	return slices.SortedFunc(maps.Keys(modified), func(a, b string) int { return cmp.Or(modified[b].Compare(modified[a]), strings.Compare(a, b)) })
}

// prune removes records of earlier runs, except the newest maxRecords. If the parameter quit is true,
// prune also removes all records of programs that the user quit, and all unreadable records.
func (s *Store) prune(quit bool) {
	kept := 0
	for _, path := range s.otherRecords() {
		c, err := lockRecord(path)
		if c == nil {
			continue
		}
		if kept++; kept > maxRecords || quit && (err != nil || c.record.Quit) {
			c.remove()
			continue
		}
		_ = c.lock.Close()
	}
}

// lockRecord locks and reads the record at path. It returns nil if the program of the record is
// running, or if the record no longer exists. The error is the reason why the record cannot be read.
func lockRecord(path string) (*claim, error) {
	c := &claim{path: path, lock: flock.New(path+lockSuffix, flock.SetPermissions(0o600))}
	if ok, err := c.lock.TryLock(); err != nil || !ok {
		_ = c.lock.Close()
		return nil, err
	}
	info, err := os.Lstat(path + recordSuffix)
	if errors.Is(err, fs.ErrNotExist) { // another program has removed it
		c.remove()
		return nil, err
	}
	if err == nil && !userfile.IsPrivate(info) {
		return c, userfile.ErrNotOwn
	}
	data, err := userfile.Read(path+recordSuffix, maxRecord)
	if err == nil {
		c.record, err = decode(data)
	}
	return c, err
}

// remove removes the record, and then the lock, so that a program that gets the lock finds no record.
func (c *claim) remove() {
	_ = os.Remove(c.path + recordSuffix)
	_ = c.lock.Close()
	_ = os.Remove(c.path + lockSuffix)
}
