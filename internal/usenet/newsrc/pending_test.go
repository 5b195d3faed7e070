package newsrc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestPendingMarks checks that a later run of gofer writes the marks that could not be written while slrn
// was running, even after a crash.
func TestPendingMarks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("slrn is a program of Unix")
	}
	home, pending := t.TempDir(), filepath.Join(t.TempDir(), "pending")
	path := filepath.Join(home, ".newsrc")
	program := func() *Store {
		return &Store{Path: func(string) string { return path }, Pending: pending}
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte(slrnFile), 0o600))
	fetchtest.NoError(t, os.WriteFile(path+"-lock", []byte(strconv.Itoa(os.Getppid())), 0o600))
	var busy *BusyError
	one, two := program(), program()
	if err := mark(one, "gofer.help", 2); !errors.As(err, &busy) {
		t.Fatalf("got %v, want a BusyError", err)
	}
	err := two.Change("", func(f *File) {
		f.Set(Group{Name: "gofer.help", Subscribed: true, Read: Numbers{{1, 2}}}) // 11 is unread again
		f.Set(Group{Name: "new.group"})
	})
	if !errors.As(err, &busy) || !errors.As(two.Close(), &busy) {
		t.Fatalf("got %v, want a BusyError, also from Close", err)
	}
	// Both programs end without writing. The changes by slrn stay.
	after := strings.Replace(slrnFile, "gofer.announce:", "gofer.announce: 5", 1)
	fetchtest.NoError(t, errors.Join(os.WriteFile(path, []byte(after), 0o600), os.Remove(path+"-lock")))
	want := strings.Replace(after, "gofer.help! 1,11", "gofer.help: 1-2", 1) + "new.group!\n"
	three := program()
	if f := fetchtest.Must(three.File(""))(t); string(f.Bytes()) != want {
		t.Errorf("before Recover: got %q, want %q", f.Bytes(), want)
	}
	fetchtest.NoError(t, three.Recover(home))
	if data, _ := os.ReadFile(path); string(data) != want {
		t.Errorf("got %q, want %q", data, want)
	}
	if left, err := os.ReadDir(pending); err != nil || len(left) > 0 {
		t.Errorf("after Recover: the folder has %v, %v; want no files", left, err)
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"a: 1-3\nb!\n", "a: 1-3\nb!\n", ""},
		{"", "a! 1-2\nb!\nc:\n", "a + 1-2\nb !\nc :\n"},
		{"a! 1-3\n", "a: 2,4\n", "a :\na + 4\na - 1,3\n"},
	} {
		fetchtest.Equal(t, string(editsText(Parse([]byte(tt.from)).editsTo(Parse([]byte(tt.to))))), tt.want, "from %q to %q", tt.from, tt.to)
	}
	fetchtest.Equal(
		t, string(editsText(parseEdits([]byte("none\na + 1\n#b + 1\nc +- 1\nd * 1\n\ne !")))), "a + 1\ne !\n",
		"with invalid lines",
	)
}

func FuzzEdits(f *testing.F) {
	f.Add("a: 1-5\nb! 3\n", "a! 2-7\nb: 3\nc:\nd! 9\n")
	f.Add("a: 1,x\n", "a:\n")
	f.Fuzz(func(t *testing.T, from, to string) {
		before, after := Parse([]byte(from)), Parse([]byte(to))
		list := before.editsTo(after)
		again := parseEdits(editsText(list))
		before.apply(again)
		for _, want := range after.Groups() {
			got, ok := before.Group(want.Name)
			if !ok || got.Subscribed != want.Subscribed || got.Read.String() != want.Read.String() {
				t.Fatalf("%q: got %+v, want %+v", editsText(list), got, want)
			}
		}
	})
}

// FuzzMerge changes a file while another program changes it too, and merges the changes. It checks that every article
// that one of them has marked as read is read, unless the other has marked it as unread.
func FuzzMerge(f *testing.F) {
	f.Add("a: 1-5\nb! 3\n", "a! 2-7\nb: 3\n", "a: 1-9\nc:\n")
	f.Add("", "a: 1", "a! 2\nx: 1\n")
	f.Add("a: 1-18446744073709551615\n", "a:\n", "a: 5,x\n# a comment\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		before, mine, merged := Parse([]byte(base)), Parse([]byte(ours)), Parse([]byte(theirs))
		merged.apply(parseEdits(editsText(before.editsTo(mine))))
		for _, g := range mine.Groups() {
			old, _ := before.Group(g.Name)
			other, _ := Parse([]byte(theirs)).Group(g.Name)
			got, _ := merged.Group(g.Name)
			marked, cleared := g.Read.Subtract(old.Read), old.Read.Subtract(g.Read)
			want := other.Read.Union(marked).Subtract(cleared)
			if got.Read.String() != want.String() {
				t.Errorf("%s: %q, changed to %q and %q, is merged to %v, want %v", g.Name, base, ours, theirs, got.Read, want)
			}
		}
		for _, g := range Parse([]byte(theirs)).Groups() {
			if _, ok := merged.Group(g.Name); !ok {
				t.Errorf("the merge of %q and %q lacks the group %q", ours, theirs, g.Name)
			}
		}
	})
}
