package newsrc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"gofer/internal/userfile"
)

// maxFile bounds a file: a million groups fit.
const maxFile = 128 << 20

// Store is the files of one user, one for each server. It is safe for concurrent
// use, by several programs too.
type Store struct {
	// Path returns where the file of a server is, "host:port"; "" keeps in memory
	// what is said of it.
	Path func(server string) string
	// Locks is the folder of the locks against other programs of ours; "" is that
	// of each file.
	Locks string

	mu      sync.Mutex
	memory  map[string][]byte // of the servers that have no file
	pending map[string][]func(*File)
}

// BusyError says that a newsreader keeps a file to itself and would write over
// what others write into it.
type BusyError struct {
	Path string
	PID  int
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("slrn (process %d) is using %s: what is marked here is written when it has ended", e.PID, e.Path)
}

// File reads the file of a server. One that is not there is empty.
func (s *Store) File(server string) (*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.Path(server)
	data := s.memory[server]
	if path != "" {
		var err error
		if data, err = userfile.Read(path, maxFile); err != nil {
			return nil, err
		}
	}
	f := Parse(data)
	for _, edit := range s.pending[server] {
		edit(f)
	}
	return f, nil
}

// Change edits the file of a server: under a lock, as it is at that moment, and
// as a whole. What cannot be written yet, after an error, is kept for the next
// Change and for Close.
func (s *Store) Change(server string, edit func(*File)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		s.pending, s.memory = make(map[string][]func(*File)), make(map[string][]byte)
	}
	s.pending[server] = append(s.pending[server], edit)
	return s.flush(server)
}

// Close writes what has not been written yet.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for server := range s.pending {
		err = errors.Join(err, s.flush(server))
	}
	return err
}

func (s *Store) flush(server string) error {
	apply := func(old []byte) []byte {
		f := Parse(old)
		for _, edit := range s.pending[server] {
			edit(f)
		}
		return f.Bytes()
	}
	path := s.Path(server)
	if path == "" {
		s.memory[server] = apply(s.memory[server])
		delete(s.pending, server)
		return nil
	}
	err := s.change(path, apply)
	if err == nil {
		delete(s.pending, server)
	}
	return err
}

// change replaces the file at path by what edit makes of it, under the locks.
func (s *Store) change(path string, edit func(old []byte) []byte) error {
	lockFile := path
	if s.Locks != "" {
		if err := os.MkdirAll(s.Locks, 0o700); err != nil {
			return err
		}
		lockFile = filepath.Join(s.Locks, strings.TrimPrefix(filepath.Base(path), "."))
	}
	lock, err := userfile.Lock(context.Background(), lockFile)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	unlock, err := lockSlrn(path)
	if err != nil {
		return err
	}
	defer unlock()
	target, err := userfile.Resolve(path)
	if err != nil {
		return err
	}
	old, err := userfile.Read(target, maxFile)
	if err != nil {
		return err
	}
	if data := edit(old); !bytes.Equal(data, old) {
		return userfile.Replace(target, data)
	}
	return nil
}

// lockSlrn takes the lock of slrn: a file with the id of the process that uses
// the newsrc file, from its beginning to its end.
func lockSlrn(path string) (unlock func(), err error) {
	lock := path + "-lock"
	for range 2 {
		f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(strconv.Itoa(os.Getpid()))
			unlock := func() { _ = os.Remove(lock) }
			if err = errors.Join(err, f.Close()); err != nil {
				unlock()
				return func() {}, err
			}
			return unlock, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return func() {}, err
		}
		data, err := userfile.Read(lock, 1<<10)
		if err != nil {
			return func() {}, err
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && alive(pid) {
			return func() {}, &BusyError{Path: path, PID: pid}
		}
		_ = os.Remove(lock) // its process has been killed
	}
	return func() {}, fmt.Errorf("cannot lock %s", path)
}

// alive reports whether there is a process of that id, other than this one.
func alive(pid int) bool {
	if pid <= 0 || pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
