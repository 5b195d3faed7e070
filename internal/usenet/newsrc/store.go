package newsrc

import (
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
	"time"

	"gofer/internal/userfile"
)

// maxFile is the largest size of a file, in octets. A million groups fit.
const maxFile = 128 << 20

// Store manages the files of one user, one for each server. Several goroutines and several programs
// may use the files at the same time.
type Store struct {
	// Path returns the path of the file of a server. The parameter server is "host:port", or a
	// name that the caller of the Store has chosen. If the path is "", the file is kept in memory.
	Path func(server string) string
	// Locks is the folder of the lock files for other gofer processes. If it is "", each lock
	// file is in the folder of its newsrc file.
	Locks string
	// Pending is the folder of the changes that could not be written yet. It has one file for
	// each newsrc file. If Pending is "", the changes are kept in memory.
	Pending string
	// Replaced is the folder of the lines that [Store.Cut] replaced. It has one file for each newsrc
	// file. If Replaced is "", these lines are not kept.
	Replaced string

	mu      sync.Mutex
	memory  map[string][]byte // the files that are kept in memory, by server
	waiting map[string][]edit // pending changes by path; a nil list if the changes are in a file
}

// BusyError reports that a newsreader has locked a file. The newsreader would overwrite changes by
// other programs.
type BusyError struct {
	Path string
	PID  int // 0 if unknown
}

func (e *BusyError) Error() string {
	process := ""
	if e.PID != 0 {
		process = fmt.Sprintf(" (process %d)", e.PID)
	}
	return fmt.Sprintf("slrn%s is running; marks are written when it ends", process)
}

// File returns the file of a server with the pending changes. A missing file is empty.
func (s *Store) File(server string) (*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.Path(server)
	if path == "" {
		return Parse(s.memory[server]), nil
	}
	f, _, err := s.read(path, path)
	return f, err
}

// read reads the file at target and applies the pending changes of path. path may be a link to
// target.
func (s *Store) read(path, target string) (f *File, waiting []edit, err error) {
	data, err := userfile.Read(target, maxFile)
	if err != nil {
		return nil, nil, err
	}
	if s.Pending != "" {
		kept, err := userfile.Read(s.pendingPath(path), maxFile)
		if err != nil {
			return nil, nil, err
		}
		waiting = parseEdits(kept)
	}
	waiting = append(waiting, s.waiting[path]...)
	f = Parse(data)
	f.apply(waiting)
	return f, waiting, nil
}

// pendingPath returns the path of the pending changes of the file at path.
func (s *Store) pendingPath(path string) string {
	return filepath.Join(s.Pending, strings.TrimPrefix(filepath.Base(path), "."))
}

// Change applies the function change to the file of a server. It locks the file meanwhile, and
// replaces it as a whole. If the file cannot be written, the change stays pending: the next Change,
// Close or [Store.Recover] writes it.
func (s *Store) Change(server string, change func(*File)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.Path(server); path != "" {
		return s.change(path, change)
	}
	if s.memory == nil {
		s.memory = make(map[string][]byte)
	}
	f := Parse(s.memory[server])
	change(f)
	s.memory[server] = f.Bytes()
	return nil
}

// Close writes the pending changes. If it returns a [*BusyError], the changes stay in the folder Pending for
// the next process.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for path := range s.waiting {
		err = errors.Join(err, s.change(path, func(*File) {}))
	}
	return err
}

// Recover writes the pending changes of earlier processes into the newsrc files in the folder home.
func (s *Store) Recover(home string) error {
	entries, err := os.ReadDir(s.Pending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") {
			err = errors.Join(err, s.change(filepath.Join(home, "."+name), func(*File) {}))
		}
	}
	return err
}

// change applies the function change to the file at path. If the file cannot be written, the change
// stays pending.
func (s *Store) change(path string, change func(*File)) error {
	unlock, err := s.lock(path)
	if err != nil {
		return s.storePending(path, change, err, false)
	}
	defer unlock()
	if err := s.write(path, change); err != nil {
		return s.storePending(path, change, err, s.Pending != "")
	}
	delete(s.waiting, path)
	if s.Pending != "" {
		if err := os.Remove(s.pendingPath(path)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// lock locks the file at path against other gofer processes.
func (s *Store) lock(path string) (unlock func(), err error) {
	lockFile := path
	if s.Locks != "" {
		if err := os.MkdirAll(s.Locks, 0o700); err != nil {
			return nil, err
		}
		lockFile = filepath.Join(s.Locks, strings.TrimPrefix(filepath.Base(path), "."))
	}
	lock, err := userfile.Lock(context.Background(), lockFile)
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}

// write applies the function change to the file at path while it has slrn's lock.
func (s *Store) write(path string, change func(*File)) error {
	unlock, err := lockSlrn(path)
	if err != nil {
		return err
	}
	defer unlock()
	target, err := userfile.Resolve(path)
	if err != nil {
		return err
	}
	f, _, err := s.read(path, target)
	if err != nil {
		return err
	}
	old := f.parsed
	change(f)
	if data := f.Bytes(); string(data) != old {
		return userfile.Replace(target, data)
	}
	return nil
}

// storePending stores a change that could not be written because of err: in the pending file if
// toFile is true, else in memory. It returns err, or nil if there is nothing to write.
func (s *Store) storePending(path string, change func(*File), err error, toFile bool) error {
	if s.waiting == nil {
		s.waiting = make(map[string][]edit)
	}
	before, waiting, readErr := s.read(path, path)
	if readErr != nil {
		before, toFile = Parse(nil), false
	}
	after := Parse(before.Bytes())
	change(after)
	changes := before.editsTo(after)
	if len(waiting)+len(changes) == 0 && readErr == nil {
		return nil // nothing to write
	}
	s.waiting[path] = append(s.waiting[path], changes...)
	if !toFile {
		return err
	}
	storeErr := os.MkdirAll(s.Pending, 0o700)
	if storeErr == nil {
		storeErr = userfile.Replace(s.pendingPath(path), editsText(append(waiting, changes...)))
	}
	if storeErr != nil {
		return fmt.Errorf("%w; the change cannot be kept for later: %w", err, storeErr)
	}
	s.waiting[path] = nil
	return err
}

// maxEmptyLockAge is the largest age of a valid lock file without a process ID. slrn creates the file
// first and then writes the ID.
const maxEmptyLockAge = time.Minute

// lockSlrn creates slrn's lock file, which contains the process ID.
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
		fi, err := os.Lstat(lock)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process has ended
		}
		data, readErr := userfile.Read(lock, 1<<10)
		if err = errors.Join(err, readErr); err != nil {
			return func() {}, err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil && time.Since(fi.ModTime()).Abs() < maxEmptyLockAge {
			return func() {}, &BusyError{Path: path}
		}
		if err == nil && isAlive(pid) {
			return func() {}, &BusyError{Path: path, PID: pid}
		}
		_ = os.Remove(lock) // the process that locked the file was killed
	}
	return func() {}, fmt.Errorf("cannot lock %s", path)
}

// isAlive reports whether another process with the ID pid is running.
func isAlive(pid int) bool {
	if pid <= 0 || pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(syscall.Signal(0))
	}
	return err == nil || errors.Is(err, fs.ErrPermission)
}
