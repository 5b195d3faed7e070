package history

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// validDatabase returns the content of a valid database with some visits.
func validDatabase(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "h.sqlite")
	s := open(t, path)
	for i := range 60 {
		visit(t, s, fmt.Sprintf("gopher://h%d.example/1/%s", i%7, strings.Repeat("x", i)), "A title", int64(i))
	}
	fetchtest.NoError(t, s.Close())
	return fetchtest.Must(os.ReadFile(path))(t)
}

// overwrite returns data with the parameter octets written over it at the place offset modulo len(data)+1.
// If the parameter octets is empty, overwrite cuts data off at this place.
func overwrite(data []byte, offset uint, octets []byte) []byte {
	at := int(offset % uint(len(data)+1))
	if len(octets) == 0 {
		return data[:at]
	}
	out := bytes.Clone(data)
	n := copy(out[at:], octets)
	return append(out, octets[n:]...)
}

// versionOffset is the offset of PRAGMA user_version in a database.
const versionOffset = 60

func TestDamagedStore(t *testing.T) {
	good := validDatabase(t)
	text := bytes.Index(good, []byte("CREATE TABLE"))
	column := bytes.Index(good, []byte("words TEXT"))
	for _, tt := range []struct {
		name string
		data []byte
	}{
		{"a negative version", overwrite(good, versionOffset, []byte{0xff, 0xff, 0xff, 0xff})},
		{"another file", bytes.Repeat([]byte("This is no database. "), 100)},
		{"noise", overwrite(good, 100, bytes.Repeat([]byte{0xa5}, len(good)-100))},
		{"cut off", good[:len(good)/2]},
		{"no table", overwrite(good, uint(text), []byte("CREATE VIEW!"))},
		{"another column", overwrite(good, uint(column), []byte("wards"))},
		{"a table without a schema", overwrite(good, versionOffset, []byte{0, 0, 0, 0})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "h.sqlite")
			earlier := path + ".damaged"
			for name, data := range map[string][]byte{path: tt.data, earlier: []byte("earlier")} {
				fetchtest.NoError(t, os.WriteFile(name, data, 0o600))
			}
			s := open(t, path)
			visit(t, s, "gopher://new.example/1", "New", 100)
			vs, err := s.Search(t.Context(), "", 10)
			if got, want := texts(vs), "gopher://new.example/1|New|100|100|1"; got != want || err != nil {
				t.Errorf("Search = %s, %v; want %s", got, err, want)
			}
			kept := path + ".damaged-2"
			fetchtest.Equal(t, s.DamagedFile(), kept, "set aside as")
			if got := string(fetchtest.Must(os.ReadFile(kept))(t)); got != string(tt.data) {
				t.Errorf("the renamed file has %d octets, want the %d of the damaged database", len(got), len(tt.data))
			}
			fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(earlier))(t)), "earlier", "the earlier damaged database")
			fetchtest.Equal(t, strings.Join(s.DamagedFiles(), " "), earlier+" "+kept, "set aside")
		})
	}
}

// TestDamagedParts checks that the other files of a database are renamed with it. If the path is a
// symbolic link, the target is renamed, not the link.
func TestDamagedParts(t *testing.T) {
	dir, target := t.TempDir(), t.TempDir()
	path, file := filepath.Join(dir, "h.sqlite"), filepath.Join(target, "visits")
	fetchtest.NoError(t, os.Symlink(file, path))
	for _, suffix := range suffixes {
		fetchtest.NoError(t, os.WriteFile(file+suffix, bytes.Repeat([]byte("no database"), 100), 0o600))
	}
	s := open(t, path)
	visit(t, s, "gopher://new.example/1", "", 1)
	fetchtest.Equal(t, s.DamagedFile(), file+damagedMark, "set aside as")
	if fi, err := os.Lstat(path); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the mode of the link became %v, %v; want a symbolic link", fi.Mode(), err)
	}
	fetchtest.NoError(t, s.Close())
	if left, err := filepath.Glob(file + "-*"); len(left) != 0 || err != nil {
		t.Errorf("got the files %q, %v next to the new database; want none", left, err)
	}
}

// TestNewerStoreMeanwhile checks that a database does not count as damaged when a newer gofer
// upgrades it while this one runs.
func TestNewerStoreMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	s := open(t, path)
	u := mustParse(t, "news:a.b")
	fetchtest.NoError(t, s.Visit(t.Context(), u, "", time.Unix(1, 0)))
	db, err := sql.Open("sqlite", dsn(path))
	fetchtest.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "ALTER TABLE visits RENAME COLUMN words TO text; PRAGMA user_version = 999")
	fetchtest.NoError(t, errors.Join(err, db.Close()))
	err = s.Visit(t.Context(), u, "", time.Unix(2, 0))
	if err == nil || !strings.Contains(err.Error(), "a newer gofer wrote it") || s.DamagedFile() != "" {
		t.Errorf("Visit: got %v, database renamed to %q; want an error about a newer database and no renaming", err, s.DamagedFile())
	}
}

// TestNewerStore checks that a database of a newer gofer stays unchanged.
func TestNewerStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	newer := overwrite(validDatabase(t), versionOffset, []byte{0, 0, 0x27, 0x0f})
	fetchtest.NoError(t, os.WriteFile(path, newer, 0o600))
	s := open(t, path)
	_, err := s.Search(t.Context(), "", 10)
	for _, err := range []error{err, s.Visit(t.Context(), mustParse(t, "news:a.b"), "", time.Now())} {
		if err == nil || !strings.Contains(err.Error(), "a newer gofer wrote it (schema 9999") {
			t.Errorf("Search or Visit: got %v, want an error about a newer database", err)
		}
	}
	fetchtest.NoError(t, s.Close())
	if string(fetchtest.Must(os.ReadFile(path))(t)) != string(newer) || s.DamagedFile() != "" || len(s.DamagedFiles()) != 0 {
		t.Error("the newer database was changed")
	}
}

// TestInvalidRows checks that invalid rows are ignored, and repaired when their URL is visited again.
func TestInvalidRows(t *testing.T) {
	const odd = "gopher://odd.example/1"
	for _, set := range []string{
		"url = NULL", "url = 7", "url = x'00ff'", "url = 'no URL'", "url = ''",
		"first = NULL", "first = 'x'", "first = -1", "first = 9e15",
		"last = NULL", "last = 'x'", "last = 9223372036854775807", "last = -9223372036854775808", "last = 1.5",
		"count = NULL", "count = 'x'", "count = 9223372036854775807",
		"title = NULL", "title = x'ff'", "title = 7", "words = NULL", "words = 7",
	} {
		t.Run(set, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "h.sqlite")
			s := open(t, path)
			visit(t, s, "gopher://a.example/1", "A", 1)
			visit(t, s, odd, "B", 2)
			for _, q := range []string{
				"PRAGMA writable_schema = ON",
				"UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'visits'",
			} {
				fetchtest.Must(s.db.Exec(q))(t)
			}
			fetchtest.NoError(t, s.Close())
			s = open(t, path)
			visit(t, s, "gopher://c.example/1", "C", 3)
			fetchtest.Must(s.db.Exec("UPDATE visits SET "+set+" WHERE url = ?", odd))(t)
			vs, err := s.Search(t.Context(), "", 10)
			if got := texts(vs); err != nil || !strings.Contains(got, "gopher://a.example/1|A|1|1|1") ||
				!strings.Contains(got, "gopher://c.example/1|C|3|3|1") {
				t.Errorf("Search = %s, %v; want the visits in the two other rows", got, err)
			}
			visit(t, s, odd, "B", 4)
			visit(t, s, odd, "", 5)
			visit(t, s, odd, "", 6)
			vs, err = s.Search(t.Context(), "odd.example b", 10)
			if got := texts(vs); err != nil || !strings.HasPrefix(got, odd+"|B|") || !strings.Contains(got, "|6|") || len(vs) != 1 {
				t.Errorf("Search after new visits = %s, %v; want one visit of %s, at 6, with the title B", got, err, odd)
			}
			if s.DamagedFile() != "" {
				t.Error("the database was renamed")
			}
		})
	}
}

// FuzzDamagedStore checks that visits are recorded, found and forgotten in a database with changed
// octets.
func FuzzDamagedStore(f *testing.F) {
	good := validDatabase(f)
	version := func(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	f.Add(uint(versionOffset), version(-1))
	f.Add(uint(versionOffset), version(0))
	f.Add(uint(versionOffset), version(2))
	f.Add(uint(0), []byte("no database"))
	f.Add(uint(0), []byte{})
	f.Add(uint(18), []byte{1, 1})                     // no write-ahead log
	f.Add(uint(16), []byte{2, 0})                     // the size of pages
	f.Add(uint(28), version(0x7fffffff))              // the number of pages
	f.Add(uint(100), []byte{0})                       // the kind of the first page
	f.Add(uint(len(good)/2), []byte{})                // half of the database
	f.Add(uint(4096), bytes.Repeat([]byte{0}, 4096))  // no table
	f.Add(uint(8192), bytes.Repeat([]byte{13}, 4096)) // no index
	f.Add(uint(len(good)-3), []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(uint(bytes.Index(good, []byte("words TEXT"))), []byte("wards"))
	f.Add(uint(bytes.Index(good, []byte("INTEGER PRIMARY KEY"))), []byte("INTEGER            "))
	f.Add(uint(bytes.Index(good, []byte("last  INTEGER"))), []byte("last  DATE   "))
	f.Fuzz(func(t *testing.T, offset uint, octets []byte) {
		path := filepath.Join(t.TempDir(), "h.sqlite")
		data := overwrite(good, offset, octets)
		fetchtest.NoError(t, os.WriteFile(path, data, 0o600))
		s := OpenStore(path)
		ctx := t.Context()
		visit := func() error {
			return s.Visit(ctx, mustParse(t, "gopher://fuzz.example/1"), "Fuzz", time.UnixMilli(latestTime))
		}
		errs := []error{visit()}
		for _, words := range []string{"", "fuzz.example"} {
			_, err := s.Search(ctx, words, 100)
			errs = append(errs, err)
		}
		for _, sel := range []Selection{{Host: "h1.example"}, {All: true}} {
			_, err := s.Forget(ctx, sel)
			errs = append(errs, err)
		}
		errs = append(errs, visit())
		vs, err := s.Search(ctx, "fuzz.example", 100)
		errs = append(errs, err, s.Close())
		if err := errors.Join(errs...); err != nil {
			if len(data) > versionOffset+4 && int32(binary.BigEndian.Uint32(data[versionOffset:])) > int32(len(migrations)) {
				return
			}
			t.Fatal(err)
		}
		if kept := s.DamagedFile(); kept != "" {
			fetchtest.Must(os.Stat(kept))(t)
			fetchtest.Equal(t, len(vs), 1, "visits found in the new database")
		}
	})
}
