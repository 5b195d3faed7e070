// Package history records visited URLs, marks, followed pages with their entries, and what is known of servers in a SQLite
// database that several processes share.
package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/userfile"
)

// How long the methods wait while another process has locked the database.
const (
	readWait  = 250 * time.Millisecond // for reading, and for recording links
	closeWait = 250 * time.Millisecond // for unfinished changes in Close
	lockWait  = 5 * time.Second        // for changes that the user asked for
	noLimit   = math.MaxInt64          // for recording visits
)

// ErrBusy reports that another process has locked the database for too long.
var ErrBusy = userfile.ErrBusy

// Store records visited URLs, one row for each, in a SQLite database that several processes may
// share. A damaged database is renamed (see [Store.DamagedFile]) and replaced by a new one. A Store is
// safe for concurrent use. A process must not open two Stores of one database: Store.open also opens and
// closes the file itself, and POSIX then removes all locks of the process on the file.
type Store struct {
	path string
	stop chan struct{} // closed to stop waiting for other processes

	changes sync.WaitGroup // running calls of Visit, NewLinks and Forget, and the writing of habits

	habitsMu sync.Mutex        // guards habits
	habits   map[string]string // what KeepHabits is writing, by host:port; nil if nothing is being written

	mu       sync.Mutex // guards the following fields and the database
	db       *sql.DB    // nil before first use
	file     fs.FileInfo
	trimmed  bool
	compares int // calls of NewLinks
	// untrimmed is the size of the texts that were stored since their limit was checked; 0: it was never checked.
	untrimmed int
	damaged   string // path of the damaged database that was set aside
	closing   bool
	closed    bool
	lost      int // visits that were not recorded before Close
}

// OpenStore returns the history in the database at path. The first use opens the database. If that
// fails, the methods return an error that names the path.
func OpenStore(path string) *Store {
	return &Store{path: path, stop: make(chan struct{})}
}

// Exists reports whether the database exists.
func (s *Store) Exists() bool {
	_, err := os.Stat(s.path)
	return err == nil
}

// DamagedFile returns the path of a damaged database that s has renamed, or "" if there is none.
func (s *Store) DamagedFile() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damaged
}

// Close waits a short time for running calls of Visit, NewLinks and Forget, and closes the database.
// If visits could not be recorded, the error says how many.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	last := time.AfterFunc(closeWait, func() { close(s.stop) })
	s.changes.Wait()
	last.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	err := s.closeDB()
	if s.lost > 0 {
		return s.wrap("record "+english.Plural(s.lost, "visit", ""), ErrBusy)
	}
	return s.wrap("close", err)
}

// begin registers a change, so that Close waits for it. At the end of the change, the caller must call
// changes.Done. begin returns false if Close has been called.
func (s *Store) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.changes.Add(1)
	return true
}

func (s *Store) closeDB() error {
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// do calls f with the database. It repeats the call while another process has locked the database, at
// most for the duration wait. Then it returns ErrBusy. SQLite's busy timeout is not used, because
// it cannot be interrupted.
func (s *Store) do(ctx context.Context, wait time.Duration, doing string, f func(*sql.DB) error) error {
	end := time.NewTimer(wait)
	defer end.Stop()
	const maxPause = 32 * time.Millisecond
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := s.try(ctx, f)
		if !isBusy(err) && (!isMoved(err) || pause == maxPause) {
			return s.wrap(doing, err)
		}
		select {
		case <-time.After(pause):
			continue
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-end.C:
			err = ErrBusy
		case <-s.stop:
			err = ErrBusy
		}
		return s.wrap(doing, err)
	}
}

// read is like do, for reading only. If the database cannot be opened for writing, for example
// because the disk is full, f reads only its main file. It then misses the changes in the log.
func (s *Store) read(ctx context.Context, f func(*sql.DB) error) error {
	err := s.do(ctx, readWait, "read", f)
	switch code(err) & 0xff {
	case codeFull, codeIOError, codeCantOpen:
	default:
		return err
	}
	path, failed := userfile.Resolve(s.path)
	if failed != nil {
		return err
	}
	name, failed := driver()
	if failed != nil {
		return err
	}
	db, failed := sql.Open(name, fileURL(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if failed != nil {
		return err
	}
	defer db.Close()
	if f(db) != nil {
		return err
	}
	return nil
}

// try calls f with the database. If the database is damaged, try calls f again with a new one.
func (s *Store) try(ctx context.Context, f func(*sql.DB) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for reopened := false; ; reopened = true {
		err := s.open(ctx)
		if err == nil {
			err = f(s.db)
		}
		if !isDamage(err) || s.damaged != "" {
			return err
		}
		if !reopened { // a newer gofer may have changed the schema of the database meanwhile
			_ = s.closeDB()
			continue
		}
		if err := s.setAside(ctx, err); err != nil {
			return err
		}
	}
}

// open opens the database if it is not open or if another process has replaced it. It makes
// missing files and folders, readable only by the user.
func (s *Store) open(ctx context.Context) error {
	if s.db != nil {
		if now, err := os.Stat(s.path); err == nil && os.SameFile(now, s.file) {
			return nil
		}
		_ = s.closeDB()
	}
	switch {
	case s.closed:
		return fs.ErrClosed
	case s.path == "":
		return errors.New("there is no folder for the history")
	}
	name, err := driver()
	if err != nil {
		return err
	}
	path, err := userfile.Resolve(s.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Another process must not rename the database while SQLite opens it. Otherwise SQLite would find the
	// journal of the new database, roll it back and delete it. A process that renames a database takes
	// the same lock, see setAside.
	lock, err := userfile.LockShared(path)
	if errors.Is(err, ErrBusy) {
		return err
	} else if err == nil {
		defer lock.Unlock()
	}
	// SQLite would make the file readable for all. Its other files get the same mode.
	f, err := userfile.Open(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	s.file, err = f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	db, err := sql.Open(name, dsn(path))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db); err != nil {
		_ = db.Close()
		return err
	}
	s.db = db
	return nil
}

func dsn(path string) string {
	q := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(0)",
			"trusted_schema(OFF)",
			"cell_size_check(ON)",
			"journal_mode(WAL)",
			"synchronous(NORMAL)",
			"secure_delete(ON)",
			"temp_store(MEMORY)", // no copies in other files
		},
	}
	return fileURL(path, q)
}

// fileURL returns the name of a database for SQLite.
func fileURL(path string, q url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a path of Windows begins with a drive, as in C:/...
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

func (s *Store) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("history %s: %s: %w", s.path, doing, err)
}

// isBusy reports whether err goes away when another process has finished.
func isBusy(err error) bool {
	switch code(err) & 0xff {
	case codeBusy, codeLocked, codeProtocol:
		return true
	}
	return errors.Is(err, ErrBusy)
}

// isMoved reports whether err means that another process has moved the database or its journal. A
// gofer that does not use the lock of [Store.open] may do so.
func isMoved(err error) bool { return code(err) == codeDBMoved || code(err) == codeDeleteNoEnt }
