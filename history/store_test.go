package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

var mustParse = fetchtest.Parse

func open(t testing.TB, path string) *Store {
	t.Helper()
	s := OpenStore(path)
	t.Cleanup(func() { s.Close() })
	return s
}

func visit(t testing.TB, s *Store, u, title string, at int64) {
	t.Helper()
	fetchtest.NoError(t, s.Visit(t.Context(), mustParse(t, u), title, time.Unix(at, 0)))
}

func texts(vs []Visit) string {
	var b []string
	for _, v := range vs {
		b = append(b, fmt.Sprintf("%s|%s|%d|%d|%d", v.URL, v.Title, v.First.Unix(), v.Last.Unix(), v.Count))
	}
	return strings.Join(b, "\n")
}

func TestVisits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c%41 d", "h.sqlite")
	s := open(t, path)
	visit(t, s, "gopher://a.example/1", "Hole\tA\n", 100)
	visit(t, s, "ftp://b.example/pub/;type=d", "", 200)
	visit(t, s, "gopher://a.example/1", "", 300)
	visit(t, s, "about:history", "own page", 400)
	want := "gopher://a.example/1|Hole A|100|300|2\nftp://b.example/pub/;type=d||200|200|1"
	vs, err := s.Search(t.Context(), "", 10)
	if got := texts(vs); err != nil || got != want {
		t.Errorf("Search = %s, %v\nwant %s", got, err, want)
	}
	fetchtest.NoError(t, s.Close())
	s = open(t, path)
	vs, err = s.Search(t.Context(), "", 1)
	if got := texts(vs); err != nil || got != strings.Split(want, "\n")[0] {
		t.Errorf("Search after opening again = %s, %v; want %s", got, err, strings.Split(want, "\n")[0])
	}
	forgetVisits(t, s, Selection{URL: mustParse(t, "gopher://a.example/1")}, 1)
	if vs, err = s.Search(t.Context(), "", 10); err != nil || len(vs) != 1 {
		t.Errorf("Search after Forget of a URL = %s, %v; want one visit", texts(vs), err)
	}
	forgetVisits(t, s, Selection{All: true}, 1)
	if vs, err = s.Search(t.Context(), "", 10); err != nil || len(vs) != 0 {
		t.Errorf("Search after Forget of all visits = %s, %v; want none", texts(vs), err)
	}
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the database has mode %v, %v; want 0600", fi.Mode(), err)
	}
}

func TestSearchRanks(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	visit(t, s, "gopher://a.example/1/x", "The library", 1)
	visit(t, s, "gopher://lib.example/1/%20y", "", 2)
	visit(t, s, "gopher://a.example/1/calibre", "Élan", 3)
	visit(t, s, "gopher://a.example/1/%5Bz", "LIBERTY, or not", 4)
	visit(t, s, "gopher://a.example/1/other", "glib", 5)
	for _, tt := range []struct {
		words string
		limit int
		want  []int64
	}{
		{"lib", 10, []int64{4, 1, 2, 5, 3}},
		{"lib", 3, []int64{4, 1, 2}},
		{"li the", 10, []int64{1, 5}},
		{"li xampl", 10, []int64{5, 4, 3, 2, 1}},
		{"example l", 10, []int64{4, 2, 1, 5, 3}},
		{"éla", 10, []int64{3}},
		{"[z", 10, []int64{4}},
		{"gopher", 2, []int64{5, 4}},
	} {
		vs, err := s.Search(t.Context(), tt.words, tt.limit)
		var got []int64
		for _, v := range vs {
			got = append(got, v.Last.Unix())
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Search(%q, %d) = %v, %v; want %v", tt.words, tt.limit, got, err, tt.want)
		}
	}
}

func TestSearch(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	visit(t, s, "gopher://gopher.example/1/phlogs", "Phlogs & Logs", 1)
	visit(t, s, "gopher://gopher.example/0/m%C3%B6we.txt", "Die MÖWE 100%_sure", 2)
	visit(t, s, "nntp://news.example/comp.lang.c", "it's \"quoted\" NEAR(x)", 3)
	for _, tt := range []struct {
		words string
		want  []int64
	}{
		{"", []int64{3, 2, 1}},
		{"   \t ", []int64{3, 2, 1}},
		{"phlog", []int64{1}},
		{"PHLOG logs", []int64{1}},
		{"gopher.example", []int64{2, 1}},
		{"möwe", []int64{2}},
		{"Möwe.TXT", []int64{2}},
		{"100%_", []int64{2}},
		{"1__%", nil},
		{"%", []int64{2}},
		{"_", []int64{2}},
		{"it's", []int64{3}},
		{`"quoted"`, []int64{3}},
		{"NEAR(", []int64{3}},
		{"' OR 1=1 --", nil},
		{`" OR * NOT (`, nil},
		{"'); DROP TABLE visits; --", nil},
		{"*", nil},
		{"\x00", nil},
		{"\xff\xfe", nil},
		{strings.Repeat("a ", 5000), []int64{1}},
		{strings.Repeat("(", 100000), nil},
	} {
		vs, err := s.Search(t.Context(), tt.words, 10)
		if err != nil {
			t.Errorf("Search(%.40q): %v", tt.words, err)
			continue
		}
		var got []int64
		for _, v := range vs {
			got = append(got, v.Last.Unix())
		}
		if strings.HasPrefix(tt.words, "a a ") {
			continue // only the error is checked
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("Search(%.40q) = %v, want %v", tt.words, got, tt.want)
		}
	}
}

// TestNothingSecretOnDisk searches the files of the database for passwords.
func TestNothingSecretOnDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "h.sqlite"))
	visit(t, s, "ftp://user:sesame123@h.example/pub/;type=d", "title-of-it", 1)
	visit(t, s, "telnet://user:sesame123@h.example/", "", 1)
	visit(t, s, "sftp://user:sesame123@h.example/x", "", 1)
	if got := grep(t, dir, "h.example"); got == 0 {
		t.Error("the visit is not on disk, so the test reads the wrong files")
	}
	fetchtest.Equal(t, grep(t, dir, "sesame123"), 0, "copies of the password on disk")
	forgetVisits(t, s, Selection{URL: mustParse(t, "ftp://user:sesame123@h.example/pub/;type=d")}, 1)
	fetchtest.Equal(t, grep(t, dir, "title-of-it"), 0, "copies of a forgotten title on disk")
}

func grep(t *testing.T, dir, word string) int {
	t.Helper()
	files := fetchtest.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
	n := 0
	for _, f := range files {
		data := fetchtest.Must(os.ReadFile(f))(t)
		n += bytes.Count(data, []byte(word))
	}
	return n
}

func TestStoreIsBounded(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	for i := range 50 {
		visit(t, s, fmt.Sprintf("gopher://h.example/1/%d", i), "", int64(i))
	}
	fetchtest.NoError(t, trim(t.Context(), s.db, 50))
	if vs, err := s.Search(t.Context(), "", 100); err != nil || len(vs) != 50 {
		t.Errorf("trim to the present number left %d URLs, %v; want 50", len(vs), err)
	}
	fetchtest.NoError(t, trim(t.Context(), s.db, 20))
	vs, err := s.Search(t.Context(), "", 100)
	if err != nil || len(vs) != 20 || vs[19].Last.Unix() != 30 {
		t.Errorf("trim to 20 left %d URLs, %v; want the 20 latest, got:\n%s", len(vs), err, texts(vs))
	}
}

func TestStoppedContext(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fetchtest.ErrorIs(t, s.Visit(ctx, mustParse(t, "gopher://a.example/1"), "", time.Now()), context.Canceled, "Visit")
	fetchtest.FailsWith(t, context.Canceled, "Search")(s.Search(ctx, "", 1))
}

const (
	workerEnv = "GOFER_TEST_HISTORY_WORKER" // environment variable with the folder of runWorker; if it is set, TestMain only calls runWorker
	workers   = 5
	perWorker = 30
)

func TestMain(m *testing.M) {
	if path := os.Getenv(workerEnv); path != "" {
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin) // wait until all workers are ready
		if err := runWorker(path, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runWorker runs in each of several processes. It visits a shared URL and URLs that only this process
// visits, and adds bookmarks.
func runWorker(dir, name string) error {
	ctx := context.Background()
	s := OpenStore(filepath.Join(dir, "new", "h.sqlite"))
	b := bookmarks.Open(filepath.Join(dir, "new", "bookmarks.txt"))
	for i := range perWorker {
		for _, text := range []string{"gopher://h.example/1/" + name + "/" + strconv.Itoa(i), "gopher://h.example/1/shared"} {
			u, err := urlcore.Parse(text)
			if err != nil {
				return err
			}
			if err := s.Visit(ctx, u, "t", time.Now()); err != nil {
				return err
			}
			if i%10 == 0 {
				err := ErrBusy
				for errors.Is(err, ErrBusy) { // the user would try again on a busy machine
					err = b.Put(nil, bookmarks.Bookmark{URL: u, Title: name})
				}
				if err != nil {
					return err
				}
			}
		}
		if _, err := s.Search(ctx, "shared", 5); err != nil {
			return err
		}
	}
	return s.Close()
}

// TestManyProgramsFindDamage checks that one of several programs renames a damaged database, and that
// all share the new one.
func TestManyProgramsFindDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "h.sqlite")
	fetchtest.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	damaged := bytes.Repeat([]byte("no database"), 100)
	fetchtest.NoError(t, os.WriteFile(path, damaged, 0o600))
	runPrograms(t, dir)
	got := OpenStore(path).DamagedFiles()
	if len(got) != 1 {
		t.Fatalf("renamed databases: got %q, want one", got)
	}
	if kept := fetchtest.Must(os.ReadFile(got[0]))(t); !bytes.Equal(kept, damaged) {
		t.Errorf("the renamed file has %d octets, want the %d of the damaged database", len(kept), len(damaged))
	}
}

// runPrograms runs several processes at the same time. It checks the history and the bookmarks that they
// share in dir.
func runPrograms(t *testing.T, dir string) {
	stdin, start, err := os.Pipe()
	fetchtest.NoError(t, err)
	defer stdin.Close()
	defer start.Close()
	var running [workers]*exec.Cmd
	for i := range running {
		cmd := exec.Command(os.Args[0], "w"+strconv.Itoa(i))
		cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), workerEnv+"="+dir), stdin, new(bytes.Buffer)
		ready := fetchtest.Must(cmd.StdoutPipe())(t)
		fetchtest.NoError(t, cmd.Start())
		fetchtest.Must(ready.Read(make([]byte, len("ready\n"))))(t)
		running[i] = cmd
	}
	fetchtest.NoError(t, start.Close())
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker %d: %v: %s", i, err, cmd.Stderr)
		}
	}
	s := open(t, filepath.Join(dir, "new", "h.sqlite"))
	vs := fetchtest.Must(s.Search(t.Context(), "", 10*workers*perWorker))(t)
	fetchtest.Equal(t, len(vs), workers*perWorker+1, "URLs")
	for _, v := range vs {
		if strings.HasSuffix(v.URL.String(), "/shared") && v.Count != workers*perWorker {
			t.Errorf("the shared URL was counted %d times, want %d", v.Count, workers*perWorker)
		}
	}
	list := fetchtest.Must(bookmarks.Open(filepath.Join(dir, "new", "bookmarks.txt")).List())(t)
	fetchtest.Equal(t, len(list), workers*perWorker/10+1, "bookmarks")
}

func BenchmarkOpenStore(b *testing.B) {
	path := filepath.Join(b.TempDir(), "h")
	open(b, path).Close()
	for b.Loop() {
		open(b, path).Close()
	}
}

func BenchmarkSearch(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "h"))
	visit(b, s, "gopher://h.example/1", "the first", 0)
	if _, err := s.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 50000)
		INSERT INTO visits (url, title, words, first, last, count)
		SELECT 'gopher://h/1/'||i, 'some title', 'gopher://h/1/'||i||char(10)||'gopher://h/1/'||i||char(10)||'some title', i, i, 1 FROM n`); err != nil {
		b.Fatal(err)
	}
	for _, words := range []string{"nowhere", "some", "gopher"} {
		b.Run(words, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), words, 500); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
