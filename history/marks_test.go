package history

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

func TestVisited(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	var urls []string
	var want []bool
	for i := range 3*maxQueryURLs + 7 {
		u := "gopher://h.example/1/" + strconv.Itoa(i)
		if i%7 == 0 {
			visit(t, s, u, "", 1)
		}
		urls, want = append(urls, u), append(want, i%7 == 0)
	}
	urls, want = append(urls, urls[0], "", "'"), append(want, true, false, false)
	if got, err := s.Visited(t.Context(), urls); err != nil || !slices.Equal(got, want) {
		t.Errorf("Visited = %v, %v; want %v", got, err, want)
	}
	if got, err := s.Visited(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("Visited(nil) = %v, %v; want an empty result", got, err)
	}
}

// hasLinks reports whether the links of a page are recorded.
func hasLinks(t *testing.T, s *Store, u urlcore.URL) (has bool) {
	t.Helper()
	fetchtest.NoError(t, s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM pages WHERE url = ?)", u.String()).Scan(&has))
	return has
}

func TestNewLinks(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	u := mustParse(t, "ftp://joe:secret@h.example/;type=d")
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		what  string
		after time.Duration
		links []uint64
		want  []uint64
	}{
		{"the first visit", 0, []uint64{8, 4, 2, 4}, nil},
		{"a reload", time.Minute, []uint64{2, 4, 8, 10}, []uint64{10}},
		{"a reload keeps what was new", 20 * time.Minute, []uint64{12, 10, 4, 2, 8}, []uint64{10, 12}},
		{"half an hour after the last load", 50 * time.Minute, []uint64{2, 4, 8, 10, 12, 14}, []uint64{14}},
		{"a reload of the same", 51 * time.Minute, []uint64{2, 4, 8, 10, 12, 14}, []uint64{14}},
		{"gone", 2 * time.Hour, []uint64{2}, nil},
		{"back again", 3 * time.Hour, []uint64{2, 4}, []uint64{4}},
		{"a clock that was put back", time.Hour, []uint64{2, 4}, nil},
		{"too many", 9 * time.Hour, make([]uint64, MaxLinks+1), nil},
		{"nothing left", 10 * time.Hour, nil, nil},
		{"again from nothing", 11 * time.Hour, []uint64{6}, []uint64{6}},
	} {
		at := begin.Add(tt.after)
		got, err := s.NewLinks(t.Context(), u, tt.links, at)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: NewLinks = %v, %v; want %v", tt.what, got, err, tt.want)
		}
	}
	fetchtest.Equal(t, hasLinks(t, s, urlcore.Redact(u)), true, "whether the links are recorded without the password")
	if fresh, err := s.NewLinks(t.Context(), mustParse(t, "about:home"), []uint64{2}, begin); fresh != nil || err != nil {
		t.Errorf("NewLinks of about:home = %v, %v; want nil, nil", fresh, err)
	}
}

// TestForgetLinks checks that the links of a page are forgotten with its visits.
func TestForgetLinks(t *testing.T) {
	for _, tt := range []struct {
		what string
		sel  Selection
	}{
		{"URL", Selection{URL: mustParse(t, "gopher://a.example/1")}},
		{"host", Selection{Host: "A.example"}},
		{"day", Selection{Day: time.Unix(100, 0)}},
		{"all", Selection{All: true}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
			u, other := mustParse(t, "gopher://a.example/1"), mustParse(t, "gopher://b.example/1")
			visit(t, s, u.String(), "", 100)
			visit(t, s, other.String(), "", 1_000_000)
			for _, u := range []urlcore.URL{u, other} {
				fetchtest.Must(s.NewLinks(t.Context(), u, []uint64{2}, time.Unix(2_000_000, 0)))(t)
			}
			fetchtest.Must(s.Forget(t.Context(), tt.sel))(t)
			fetchtest.Equal(t, hasLinks(t, s, u), false, "whether the links are still recorded")
			fetchtest.Equal(t, hasLinks(t, s, other), !tt.sel.All, "whether the links of the other page are recorded")
		})
	}
}

// TestLinksAreBounded checks that the links of the least recently loaded pages are dropped first.
func TestLinksAreBounded(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	page := func(i int) urlcore.URL { return mustParse(t, "gopher://h.example/1/"+strconv.Itoa(i)) }
	for i := range 10 {
		fetchtest.Must(s.NewLinks(t.Context(), page(i), make([]uint64, 100), time.Unix(int64(i), 0)))(t)
		fetchtest.Must(s.NewLinks(t.Context(), page(i), []uint64{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}, time.Unix(int64(i), 0)))(t)
	}
	tx := fetchtest.Must(s.db.BeginTx(t.Context(), &sql.TxOptions{}))(t)
	fetchtest.NoError(t, dropLinks(t.Context(), tx, 3*(8*10+len(page(1).String())+16)))
	fetchtest.NoError(t, tx.Commit())
	for i := range 10 {
		fetchtest.Equal(t, hasLinks(t, s, page(i)), i >= 7, "whether the links of page %d are recorded", i)
	}
}

// TestInvalidLinks checks that NewLinks replaces an invalid row, which does not count as damage of the
// database.
func TestInvalidLinks(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "h.sqlite"))
	u := mustParse(t, "gopher://h.example/1")
	for _, row := range []string{"'x', x'00'", "1, 'text'", "-1, x''", "1e300, 5", "1, zeroblob(100000)", "1, x'0102'"} {
		fetchtest.Must(s.NewLinks(t.Context(), u, []uint64{2}, time.Unix(0, 0)))(t)
		fetchtest.Must(s.db.Exec("UPDATE pages SET (at, links) = (" + row + ")"))(t)
		if _, err := s.NewLinks(t.Context(), u, []uint64{2}, time.Unix(1, 0)); err != nil || s.DamagedFile() != "" {
			t.Errorf("NewLinks with the row %s: got %v, database renamed to %q; want no error and no renaming", row, err, s.DamagedFile())
		}
	}
}

// TestMigrate checks that a database with the first schema is upgraded and keeps its visits.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.sqlite")
	s := open(t, path)
	visit(t, s, "gopher://h.example/1", "old", 1)
	fetchtest.Must(s.db.Exec("DROP TABLE pages; DROP TABLE habits; DROP TABLE sources; DROP TABLE entries; DROP TABLE texts; DROP TABLE text_index; PRAGMA user_version = 1"))(t)
	fetchtest.NoError(t, s.Close())
	s = open(t, path)
	fetchtest.Must(s.NewLinks(t.Context(), mustParse(t, "gopher://h.example/1"), nil, time.Unix(1, 0)))(t)
	if vs, err := s.Search(t.Context(), "old", 9); len(vs) != 1 || err != nil || s.DamagedFile() != "" {
		t.Errorf("Search = %v, %v; database renamed to %q; want one visit and no renaming", texts(vs), err, s.DamagedFile())
	}
}

func BenchmarkVisited(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "h"))
	urls := make([]string, 72)
	for i := range urls {
		urls[i] = "gopher://h.example/1/" + strconv.Itoa(i)
		visit(b, s, urls[i], "", 1)
	}
	for b.Loop() {
		if _, err := s.Visited(b.Context(), urls); err != nil {
			b.Fatal(err)
		}
	}
}
