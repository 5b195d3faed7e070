package download

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestMemoryPart checks the files on disk after a transfer of a file in memory has ended.
func TestMemoryPart(t *testing.T) {
	date := time.Date(2024, 2, 29, 12, 0, 1, 0, time.UTC)
	big := strings.Repeat("x", maxInMemory)
	finish, interrupt := (*part).finish, (*part).close
	for _, tt := range []struct {
		name   string
		first  string // content of the first write; the second write has "def"
		taken  bool   // another program saves a file of the same name meanwhile
		force  force
		end    func(*part) error
		want   string // content of the file
		rest   string // content of the .part file
		exists bool   // the error is ErrExists
	}{
		{name: "complete", first: "abc", end: finish, want: "abcdef"},
		{name: "larger than announced", first: big, end: finish, want: big + "def"},
		{name: "interrupted", first: "abc", end: interrupt, rest: "abcdef"},
		{name: "its name was taken", first: "abc", taken: true, end: finish, want: "other", exists: true},
		{name: "its name was taken, replaced", first: "abc", taken: true, force: forceAll, end: finish, want: "abcdef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path, u := filepath.Join(dir, "f"), fetchtest.Must(urlcore.Parse("ftp://h/f"))(t)
			pl := place{path: path, force: tt.force, records: &records{dir: recordsOf(dir)}}
			p := newMemoryPart(pl, u)
			fetchtest.NoError(t, p.restart(6, date))
			fetchtest.Must(p.Write([]byte(tt.first)))(t)
			fetchtest.Equal(t, len(fetchtest.Must(os.ReadDir(dir))(t)), 0, "files before the end")
			fetchtest.Must(p.Write([]byte("def")))(t)
			if tt.taken {
				fetchtest.NoError(t, os.WriteFile(path, []byte("other"), 0o666))
			}
			if err := tt.end(p); errors.Is(err, ErrExists) != tt.exists || err != nil && !tt.exists {
				t.Errorf("got the error %v, want ErrExists: %v", err, tt.exists)
			}
			got, _ := os.ReadFile(path)
			rest, _ := os.ReadFile(path + partSuffix)
			_, hasRecord := pl.records.read(path)
			if string(got) != tt.want || string(rest) != tt.rest || hasRecord != (tt.rest != "") {
				t.Errorf(
					"got %d octets in the file, %d in the .part file, a record: %v; want %d, %d, %v", len(got),
					len(rest), hasRecord, len(tt.want), len(tt.rest), tt.rest != "",
				)
			}
			if info, err := os.Stat(path); err == nil && !tt.exists && !info.ModTime().Equal(date) {
				t.Errorf("date of the file: got %v, want %v", info.ModTime(), date)
			}
			if tt.rest != "" {
				again := fetchtest.Must(openPart(pl, u))(t)
				fetchtest.Equal(t, again.size, int64(len(tt.rest)), "octets in the .part file")
				fetchtest.NoError(t, again.discard())
			}
		})
	}
}
