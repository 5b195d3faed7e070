// Package history remembers where the reader has been, in a SQLite database that
// several running programs share.
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

// How long other programs that hold the database are waited for.
const (
	readWait  = 250 * time.Millisecond // by who reads
	closeWait = 250 * time.Millisecond // by the visits that are not recorded yet at the end
	lockWait  = 5 * time.Second        // by who changes something because the user said so
	noLimit   = math.MaxInt64          // by a visit
)

// ErrBusy says that another program has kept the database locked.
var ErrBusy = userfile.ErrBusy

// Store remembers the URLs that were visited, one row for each, in a SQLite
// database that any number of running programs share. A database that is
// damaged is set aside, see [Store.Damaged], and a new one takes its place. A
// Store is safe for concurrent use, but a program must not have two of one
// database: to open its file takes away the locks of the other.
type Store struct {
	path string
	stop chan struct{} // closed: nobody waits for other programs any more

	changes sync.WaitGroup // calls of Visit and Forget

	mu       sync.Mutex // of what follows, and of the database
	db       *sql.DB    // nil until it is first used
	file     fs.FileInfo
	trimmed  bool
	compared int    // calls of NewLinks
	damaged  string // where a damaged database was put
	closing  bool
	closed   bool
	lost     int // visits that were not recorded before Close
}

// OpenStore returns the history in the database at path. Nothing is read or
// made yet: the errors of a place where no database can be come from the
// methods, and name the path.
func OpenStore(path string) *Store {
	return &Store{path: path, stop: make(chan struct{})}
}

// Damaged returns where a damaged database has been put since s was opened; ""
// if none was damaged.
func (s *Store) Damaged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damaged
}

// Close gives visits that wait for another program a last moment, and frees the
// database. The error tells how many visits are lost.
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

// begin counts a change, for which Close waits; it is false after Close. The
// change ends with changes.Done.
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

// do lets f work on the database, again and again for a time while another
// program holds it: then the error is ErrBusy. SQLite's own waiting cannot be
// ended.
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

// read is do for who changes nothing. Where the database cannot be opened for
// changes, as on a full disk, f reads its file alone, without what has not been
// written into it yet.
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

// try lets f work on the database once, or on a new one after that if it is
// damaged.
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
		if !reopened { // a newer gofer may have changed its schema meanwhile
			_ = s.closeDB()
			continue
		}
		if err := s.setAside(ctx, err); err != nil {
			return err
		}
	}
}

// open opens the database if it is not open, or if another program has put a
// new one in its place. It makes it and its folders when they are missing,
// readable by nobody else.
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
		return errors.New("there is no folder to keep it in")
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
	// A database that is set aside while SQLite opens it would take the journal of the
	// new one for its own: SQLite would roll it back, and delete it. Where no lock can
	// be made, none is set aside.
	lock, err := userfile.LockShared(path)
	if errors.Is(err, ErrBusy) {
		return err
	} else if err == nil {
		defer lock.Unlock()
	}
	// SQLite would make it readable for everybody; its other files follow it.
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

// fileURL is a database's name for SQLite.
func fileURL(path string, q url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of Windows: C:/...
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

func (s *Store) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("history %s: %s: %w", s.path, doing, err)
}

// isBusy reports whether err will pass when another program is done.
func isBusy(err error) bool {
	switch code(err) & 0xff {
	case codeBusy, codeLocked, codeProtocol:
		return true
	}
	return errors.Is(err, ErrBusy)
}

// isMoved reports whether err says that another program has taken away the database or
// its journal, as a gofer does that sets it aside without the lock of [Store.open].
func isMoved(err error) bool { return code(err) == codeDBMoved || code(err) == codeDeleteNoEnt }
