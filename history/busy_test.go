package history

import (
	"context"
	"database/sql"
	"errors"
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
