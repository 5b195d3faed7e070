package history

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

// lockDatabase locks the database at path, as another program could, until the function free is called.
// If the parameter all is true, other programs cannot read the database either.
func lockDatabase(t *testing.T, path string, all bool) (free func()) {
	t.Helper()
	db := fetchtest.CloseAtEnd(sql.Open("sqlite", dsn(path)))(t)
	db.SetMaxOpenConns(1)
	do := func(q string) {
		t.Helper()
		fetchtest.Must(db.Exec(q))(t)
	}
	if all {
		do("PRAGMA locking_mode = EXCLUSIVE")
	}
	do("BEGIN IMMEDIATE")
	do("UPDATE visits SET count = count")
	return func() {
		t.Helper()
		do("ROLLBACK")
		fetchtest.NoError(t, db.Close())
	}
}

// waitForOpen waits until s has tried to open its database.
func waitForOpen(t *testing.T, s *Store) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		tried := s.file != nil
		s.mu.Unlock()
		if tried {
			return
		}
	}
	t.Fatal("the database was never opened")
}

func database(t *testing.T) (path string) {
	path = filepath.Join(t.TempDir(), "h.sqlite")
	s := OpenStore(path)
	visit(t, s, "gopher://a.example/1", "A", 1)
	fetchtest.NoError(t, s.Close())
	return path
}

// TestBusyStore checks that a visit is recorded when another program unlocks the database, and
// that reading does not wait for long.
func TestBusyStore(t *testing.T) {
	for _, all := range []bool{false, true} {
		path := database(t)
		free := lockDatabase(t, path, all)
		s := open(t, path)
		vs, err := s.Search(t.Context(), "", 10)
		if all && !errors.Is(err, ErrBusy) || !all && (err != nil || len(vs) != 1) {
			t.Errorf("all %v: Search in a locked database = %s, %v; want one visit, or ErrBusy if all is set", all, texts(vs), err)
		}
		u, recorded := mustParse(t, "gopher://b.example/1"), make(chan error)
		go func() { recorded <- s.Visit(context.Background(), u, "", time.Unix(2, 0)) }()
		waitForOpen(t, s)
		free()
		fetchtest.NoError(t, <-recorded)
		vs, err = s.Search(t.Context(), "", 10)
		if err != nil || !strings.HasPrefix(texts(vs), "gopher://b.example/1||2|2|1\n") {
			t.Errorf("all %v: Search after the lock = %s, %v; want the recorded visit first", all, texts(vs), err)
		}
	}
}

// TestBusyAtTheEnd checks that Close does not wait long for other programs and reports visits that
// were not recorded.
func TestBusyAtTheEnd(t *testing.T) {
	path := database(t)
	free := lockDatabase(t, path, true)
	s := OpenStore(path)
	u, recorded := mustParse(t, "gopher://b.example/1"), make(chan error)
	go func() { recorded <- s.Visit(context.Background(), u, "", time.Unix(2, 0)) }()
	waitForOpen(t, s)
	err := s.Close()
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "record 1 visit: another program is using it") {
		t.Errorf("Close: got %v, want an error about a lost visit", err)
	}
	fetchtest.ErrorIs(t, <-recorded, ErrBusy, "Visit")
	free()
	if err := s.Visit(t.Context(), u, "", time.Unix(3, 0)); err == nil {
		t.Error("Visit after Close returned no error")
	}
	if err := s.Close(); err == nil || s.db != nil {
		t.Errorf("second Close: got %v, want an error and no open database", err)
	}
	if vs, err := open(t, path).Search(t.Context(), "", 10); len(vs) != 1 || err != nil {
		t.Errorf("Search in a new Store = %s, %v; want one visit", texts(vs), err)
	}
}

// TestForgetWhileRead checks that Forget waits for a program that reads the database, and then
// overwrites the removed rows.
func TestForgetWhileRead(t *testing.T) {
	path := database(t)
	s := open(t, path)
	visit(t, s, "gopher://b.example/1", "", 2)
	other := fetchtest.CloseAtEnd(sql.Open("sqlite", dsn(path)))(t)
	rows, err := other.Query("SELECT url FROM visits")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := s.Forget(context.Background(), Selection{Host: "b.example"})
		done <- err
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if vs, err := s.Search(t.Context(), "", 10); err == nil && len(vs) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("Forget has removed no visit after a minute")
		}
	}
	fetchtest.NoError(t, rows.Close())
	fetchtest.NoError(t, <-done)
	fetchtest.Equal(t, grep(t, filepath.Dir(path), "b.example"), 0, "copies of the forgotten visits on disk")
}

// TestOpenWhileSetAside checks that a database is not opened while another program renames it
// because of damage.
func TestOpenWhileSetAside(t *testing.T) {
	path := database(t)
	lock := fetchtest.Must(userfile.Lock(t.Context(), path))(t)
	s := open(t, path)
	_, err := s.Search(t.Context(), "", 10)
	fetchtest.ErrorIs(t, err, ErrBusy, "Search")
	fetchtest.NoError(t, lock.Unlock())
	vs, err := s.Search(t.Context(), "", 10)
	if len(vs) != 1 || err != nil {
		t.Errorf("Search after the unlock = %s, %v; want one visit", texts(vs), err)
	}
}

// TestSetAsideMeanwhile moves a database or removes its journal, as another program might, and gets an error
// from SQLite. It checks that [Store.do] tries again after this error, and gives up if each attempt fails.
func TestSetAsideMeanwhile(t *testing.T) {
	for name, suffix := range map[string]string{"the journal": "-journal", "the database": ""} {
		t.Run(name, func(t *testing.T) {
			other := filepath.Join(t.TempDir(), "other")
			db := fetchtest.CloseAtEnd(sql.Open("sqlite", other))(t)
			db.SetMaxOpenConns(1)
			fetchtest.Must(db.Exec("CREATE TABLE t (a)"))(t)
			if suffix == "" { // SQLite notices the rename when it creates the journal
				fetchtest.NoError(t, os.Rename(other, other+damagedMark))
			}
			fetchtest.Must(db.Exec("BEGIN IMMEDIATE"))(t)
			_, moveErr := db.Exec("INSERT INTO t VALUES (1)")
			if suffix != "" {
				fetchtest.NoError(t, errors.Join(moveErr, os.Remove(other+suffix)))
				_, moveErr = db.Exec("COMMIT")
			}
			s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
			for _, times := range []int{1, 1000} {
				tries := 0
				err := s.do(t.Context(), noLimit, "try", func(*sql.DB) error {
					if tries++; tries <= times {
						return moveErr
					}
					return nil
				})
				if times == 1 && (err != nil || tries != 2) || times > 1 && (code(err) != code(moveErr) || tries > 10) {
					t.Errorf(
						"do with %d failing attempts: tried %d times, then returned %v; want success after 1, or %v after at most 10 tries",
						times, tries, err, moveErr,
					)
				}
			}
		})
	}
}
