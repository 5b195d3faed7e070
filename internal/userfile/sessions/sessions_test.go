package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/urlcore"
)

func mustParse(s string) urlcore.URL {
	u, err := urlcore.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// record returns a Record of tabs, each a list of URLs.
func record(quit bool, tabs ...string) Record {
	r := Record{Quit: quit, Shown: len(tabs) - 1}
	for _, tab := range tabs {
		var t Tab
		for i, s := range strings.Fields(tab) {
			u := mustParse(s)
			t.Pages = append(t.Pages, Page{URL: u, Text: u.String(), Title: s[:8], Place: nav.Place{Cursor: i, Top: 2 * i}})
			t.At = i
		}
		r.Tabs = append(r.Tabs, t)
	}
	return r
}

const (
	a = "gopher://a/0/x"
	b = "ftp://b/y;type=d"
	c = "news:c.d"
)

// age makes the records in dir an hour older.
func age(t *testing.T, dir string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+recordSuffix))
	for _, path := range paths {
		info := fetchtest.Must(os.Stat(path))(t)
		fetchtest.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime().Add(-time.Hour)))
	}
}

// kill ends s like a killed program: its locks are released, and nothing is saved.
func (s *Store) kill() {
	if s.lock != nil {
		_ = s.lock.Close()
	}
	if s.resumed != nil {
		_ = s.resumed.lock.Close()
	}
}

func save(t *testing.T, s *Store, r Record) {
	t.Helper()
	fetchtest.NoError(t, s.Save(r))
}

func TestRestore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "sessions")
	first, second := Open(dir), Open(dir)
	if n, _ := first.Last(); n != 0 {
		t.Errorf("Last() without records = %d tabs, want 0", n)
	}
	save(t, first, record(false, a+" "+b, c))
	save(t, second, record(false, c))
	if n, _ := Open(dir).Last(); n != 0 {
		t.Errorf("Last() while all programs run = %d tabs, want 0", n)
	}
	first.kill()
	if n, lost := second.Last(); n != 2 || !lost {
		t.Errorf("Last() = %d, %v; want 2, true", n, lost)
	}
	got, ok := second.Take()
	if want := record(false, a+" "+b, c); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("Take() = %+v, %v\nwant    %+v", got, ok, want)
	}
	if n, _ := Open(dir).Last(); n != 0 {
		t.Errorf("Last() after another program took the record = %d tabs, want 0", n)
	}
	second.kill() // before it has saved the tabs that it took
	third := Open(dir)
	age(t, dir)
	if got, _ := third.Take(); len(got.Tabs) != 1 {
		t.Errorf("Take() = %d tabs, want 1: the tab of the latest program", len(got.Tabs))
	}
	save(t, third, record(false, a, b, c))
	third.kill()
	// The record of the third program is offered first, then the record that the second program took.
	for _, want := range []int{3, 2, 0} {
		s := Open(dir)
		got, _ := s.Take()
		fetchtest.Equal(t, len(got.Tabs), want, "tabs")
		if err := s.End(Record{Quit: true}); err != nil {
			t.Errorf("End() = %v, want nil", err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the folder has %v, want no files", left)
	}
}

// TestRestoreAfterQuit checks that the tabs of all lost programs, and of the last program that was quit, are offered.
func TestRestoreAfterQuit(t *testing.T) {
	dir := t.TempDir()
	lost := Open(dir)
	save(t, lost, record(false, b))
	lost.kill()
	age(t, dir)
	for _, tab := range []string{a, b, c} {
		s := Open(dir)
		fetchtest.NoError(t, s.End(record(true, tab)))
		age(t, dir)
	}
	nothing := Open(dir)
	fetchtest.NoError(t, nothing.End(Record{Quit: true}))
	save(t, nothing, record(false, a))
	dropped := Open(dir)
	dropped.Drop = func() bool { return true }
	save(t, dropped, record(false, a))
	fetchtest.NoError(t, dropped.End(record(true, a)))
	s := Open(dir)
	for _, want := range []Record{record(true, c), record(false, b), {}} {
		got, _ := s.Take()
		fetchtest.DeepEqual(t, got, want)
		got.Tabs = append(got.Tabs, record(false, a).Tabs...)
		save(t, s, got)
	}
}

// TestRecordIsBounded checks that a record is bounded and has no passwords, no pages that must not
// be kept, and no tabs with gofer's own pages only.
func TestRecordIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	s.Keep = func(u urlcore.URL) bool { return urlcore.Host(u) != "demo" }
	r := record(false, "about:home", "about:home ftp://joe:secret@b/x gopher://demo/0/x", "gopher://demo/1")
	save(t, s, r)
	data, err := os.ReadFile(s.path + recordSuffix)
	if err != nil || strings.Contains(string(data), "secret") || strings.Contains(string(data), "demo") {
		t.Errorf("the record is %s, %v; want no password and no page of the demo", data, err)
	}
	got, err := decode(data)
	if err != nil || len(got.Tabs) != 1 || got.Tabs[0].At != 1 || got.Shown != 0 || got.Tabs[0].Pages[1].Text != "ftp://joe@b/x" {
		t.Errorf("decode = %+v, %v; want one tab, at ftp://joe@b/x", got, err)
	}

	r = Record{Shown: 150}
	for i := range 200 {
		tab := Tab{At: 400}
		for j := range 500 {
			tab.Pages = append(tab.Pages, Page{URL: mustParse(fmt.Sprintf("gopher://h/0/%d/%d/%s", i, j, strings.Repeat("x", 1000)))})
		}
		tab.Pages = append(tab.Pages, Page{URL: mustParse("gopher://h/0/" + strings.Repeat("y", maxText))})
		r.Tabs = append(r.Tabs, tab)
	}
	save(t, s, r)
	data, err = os.ReadFile(s.path + recordSuffix)
	if err != nil || len(data) > maxRecord {
		t.Fatalf("the record has %d octets, %v; want at most %d", len(data), err, maxRecord)
	}
	got, err = decode(data)
	if err != nil || len(got.Tabs) != maxTabs {
		t.Fatalf("decode = %d tabs, %v; want %d", len(got.Tabs), err, maxTabs)
	}
	if tab := got.Tabs[7]; !strings.HasPrefix(tab.Pages[tab.At].Text, "gopher://h/0/7/400/") {
		t.Errorf("the current page of tab 7 is %.30s, want gopher://h/0/7/400/...", tab.Pages[tab.At].Text)
	}
	_ = s.End(r)
}

// TestDamagedRecords checks that files that are not records are ignored.
func TestDamagedRecords(t *testing.T) {
	for _, data := range []string{"", "{", "[]", `{"tabs":[{"at":-5,"pages":[]}]}`, `{"tabs":[{"at":99,"pages":[{"url":"\u0000"}]}]}`} {
		dir := t.TempDir()
		good := Open(dir)
		save(t, good, record(false, a))
		good.kill()
		age(t, dir)
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "1-1"+recordSuffix), []byte(data), 0o600))
		if n, _ := Open(dir).Last(); n != 1 {
			t.Errorf("Last() with the damaged record %q = %d tabs, want 1: the tab of the other record", data, n)
		}
	}
	for _, at := range []int{-9, 0, 9} {
		got, err := decode(fmt.Appendf(nil, `{"shown":%d,"tabs":[{"at":%d,"pages":[{"url":"gopher://h/1","top":-5}]}]}`, at, at))
		if err != nil || got.Shown != 0 || got.Tabs[0].At != 0 || got.Tabs[0].Pages[0].Top != 0 {
			t.Errorf("decode with the indexes %d = %+v, %v; want all indexes 0", at, got, err)
		}
	}
}

func TestNoFolder(t *testing.T) {
	s := Open("")
	save(t, s, record(false, a))
	if _, ok := s.Take(); ok {
		t.Error("Take() without a folder: got a record, want none")
	}
	fetchtest.NoError(t, s.End(record(true, a)))
}

// TestUnwritableRecord checks that a program that cannot write its record removes its lock.
func TestUnwritableRecord(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	fetchtest.NoError(t, s.beginRecord())
	fetchtest.NoError(t, os.Mkdir(s.path+recordSuffix, 0o700))
	if err := s.End(record(false, a)); err == nil {
		t.Error("End() without write access = nil, want an error")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the folder has %v, want no files", left)
	}
}
