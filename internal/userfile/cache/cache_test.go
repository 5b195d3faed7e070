package cache

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

func newStore(t *testing.T, dir string, limit int64) *Store {
	t.Helper()
	s := new(Store)
	s.Keep(dir, limit)
	t.Cleanup(s.Close)
	return s
}

func keyOf(addr, user, name string) Key {
	return Key{Scheme: "nntp", Addr: addr, User: user, Name: name}
}

// check checks that the copy for k is want; "" means no copy.
func check(t *testing.T, s *Store, k Key, want string) {
	t.Helper()
	if c, ok := s.Get(k); ok != (want != "") || string(c.Data) != want {
		t.Errorf("Get(%v) = %.40q, %v; want %.40q", k, c.Data, ok, want)
	}
}

func TestCopies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copies")
	text := "Subject: \xff\x00\r\n\r\n.." + strings.Repeat("text ", 1000)
	k, other := keyOf("news.example:119", "joe", "<1@x>"), keyOf("news.example:119", "", "<1@x>")
	first := newStore(t, dir, 1<<20)
	check(t, first, k, "")
	first.Put(k, []byte(text))
	check(t, first, k, text)
	check(t, first, other, "")

	again := new(Store)
	check(t, again, k, "") // nothing is kept before Keep
	again.Put(k, []byte("x"))
	again.Began = time.Now().Add(time.Minute)
	again.Keep(dir, 1<<20)
	if c, ok := again.Get(k); !ok || string(c.Data) != text || !c.Old || time.Since(c.At) > time.Hour {
		t.Errorf("Get of the copy of another program = %.20q, %v, old: %v, from %v; want an old copy of today", c.Data, ok, c.Old, c.At)
	}
	if c, _ := first.Get(k); c.Old {
		t.Error("Get of the copy of this program: Old is true, want false")
	}
	again.Private(true)
	check(t, again, k, "")
	again.Put(other, []byte("private"))
	check(t, again, other, "private")
	check(t, first, other, "")
	again.Private(false)
	first.Drop(k)
	check(t, again, k, "")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Dir(k.path(dir)): 0o700} {
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, fi, err, want)
		}
	}
}

func TestMemory(t *testing.T) {
	dir := t.TempDir()
	for name, s := range map[string]*Store{
		"no folder": newStore(t, "", 1<<20), "no room": newStore(t, dir, 0), "a demo": newStore(t, dir, 1<<20),
	} {
		s.IsInMemory = func(addr string) bool { return name == "a demo" && addr == "a:1" }
		used := keyOf("a:1", "", "used")
		s.Put(used, []byte("used"))
		for i := range 2 * minCopies {
			s.Put(keyOf("a:1", "", fmt.Sprint(i)), make([]byte, maxMemory/minCopies-1000))
			check(t, s, used, "used")
		}
		if _, ok := s.Get(keyOf("a:1", "", "0")); ok || s.memory.size > maxMemory {
			t.Errorf(
				"%s: copy 0 is kept: %t, and %d octets are in memory; want no copy 0, and at most %d octets", name, ok,
				s.memory.size, maxMemory,
			)
		}
		s.Put(used, make([]byte, maxMemory/minCopies+1)) // too large
		check(t, s, used, "used")
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("the folder has %v, %v; want no files", entries, err)
	}
}

// TestDamagedCopy checks that a file that is damaged, or belongs to another key, is not used and is
// removed.
func TestDamagedCopy(t *testing.T) {
	s := newStore(t, t.TempDir(), 1<<20)
	k := keyOf("a:1", "", "x")
	path := k.path(s.dir)
	s.Put(k, bytes.Repeat([]byte("text "), 100))
	whole := fetchtest.Must(os.ReadFile(path))(t)
	s.Put(keyOf("a:1", "", "y"), []byte("another"))
	another := fetchtest.Must(os.ReadFile(keyOf("a:1", "", "y").path(s.dir)))(t)
	bad := [][]byte{[]byte("x"), another, append(bytes.Clone(whole), 'x')}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x10
		bad = append(bad, whole[:i], flipped)
	}
	for _, data := range bad {
		fetchtest.NoError(t, os.WriteFile(path, data, 0o600))
		if c, ok := s.Get(k); ok && string(c.Data) != strings.Repeat("text ", 100) {
			t.Errorf("Get with the file %q = %q, want no copy", data, c.Data)
		} else if ok {
			continue // the bit has no meaning in the format
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) && len(data) > 0 {
			t.Errorf("the file %q was not removed: %v", data, err)
		}
	}
}

// TestIrregularFiles checks that irregular files, and files larger than a copy can be, are not used.
func TestIrregularFiles(t *testing.T) {
	s := newStore(t, t.TempDir(), 1<<50)
	k := keyOf("a:1", "", "x")
	path := k.path(s.dir)
	for name, spoil := range map[string]func() error{
		"a huge file":  func() error { return os.Truncate(path, 1<<40) },
		"a directory":  func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"another file": func() error { return errors.Join(os.Remove(path), os.Symlink(filepath.Join(s.dir, "other"), path)) },
	} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(s.dir, "other"), []byte("other"), 0o600))
		s.Put(k, []byte("text"))
		check(t, s, k, "text")
		fetchtest.NoError(t, spoil())
		check(t, s, k, "")
		s.Put(k, []byte("again"))
		check(t, s, k, "again")
		fetchtest.ReturnsText(t, "other", "%s: another file", name)(os.ReadFile(filepath.Join(s.dir, "other")))
	}
}

// TestFolderOfOthers checks that a folder is not used if other users can write to it: they could
// forge copies.
func TestFolderOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its folders have no such modes")
	}
	dir := t.TempDir()
	k := keyOf("a:1", "", "x")
	newStore(t, dir, 1<<20).Put(k, []byte("forged"))
	fetchtest.NoError(t, os.Chmod(dir, 0o777))
	s := newStore(t, dir, 1<<20)
	check(t, s, k, "")
	s.Put(k, []byte("text"))
	check(t, s, k, "text")
	fetchtest.NoError(t, os.Chmod(dir, 0o700))
	check(t, newStore(t, dir, 1<<20), k, "forged")
}

// TestNoFolder checks that copies are kept in memory if they cannot be written.
func TestNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
	s := newStore(t, path, 1<<20)
	s.Put(keyOf("a:1", "", "x"), []byte("x"))
	check(t, s, keyOf("a:1", "", "x"), "x")
}

func TestBound(t *testing.T) {
	const limit = 1 << 20
	dir := t.TempDir()
	s := newStore(t, dir, limit)
	random := rand.NewChaCha8([32]byte{})
	put := func(i int) Key {
		data := make([]byte, 10_000) // takes 12 kB on the disk
		_, _ = random.Read(data)
		k := keyOf("a:1", "", fmt.Sprint(i))
		s.Put(k, data)
		s.sweeps.Wait()
		return k
	}
	used := put(0)
	old := time.Now().Add(-24 * time.Hour)
	for i := 1; i < 300; i++ {
		if err := os.Chtimes(put(i).path(dir), old, old.Add(time.Duration(i)*time.Second)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		fetchtest.NoError(t, os.Chtimes(used.path(dir), old, old))
		if _, ok := s.Get(used); !ok {
			t.Fatalf("after %d copies, the copy that is used again and again is missing", i)
		}
		var total int64
		for _, f := range listFiles(dir, "") {
			total += f.size
		}
		if total > limit+limit/16 {
			t.Fatalf("after %d copies there are %d octets, want at most %d", i, total, limit+limit/16)
		}
	}
	left := filepath.Join(filepath.Dir(used.path(dir)), temporaryPrefix+"left")
	fetchtest.NoError(t, os.WriteFile(left, nil, 0o600))
	sweep(dir, limit)
	if _, err := os.Stat(left); err != nil {
		t.Error("sweep removed a new unfinished file:", err)
	}
	fetchtest.NoError(t, os.Chtimes(left, old, old))
	sweep(dir, limit)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("sweep did not remove an old unfinished file:", err)
	}
}

// TestShares checks that many copies of one server do not push out older copies of another server.
func TestShares(t *testing.T) {
	const limit = 1 << 20
	dir := t.TempDir()
	s := newStore(t, dir, limit)
	old := time.Now().Add(-24 * time.Hour)
	random := rand.NewChaCha8([32]byte{})
	data := make([]byte, 10_000)
	quiet := keyOf("quiet:1", "", "x")
	s.Put(quiet, data)
	s.sweeps.Wait()
	fetchtest.NoError(t, os.Chtimes(quiet.path(dir), old, old))
	for i := range 300 {
		_, _ = random.Read(data)
		s.Put(keyOf("loud:1", "", fmt.Sprint(i)), data)
		s.sweeps.Wait()
	}
	if _, ok := s.Get(quiet); !ok {
		t.Error("the copies of one server have pushed out the copy of another server")
	}
}

func TestClear(t *testing.T) {
	dir := t.TempDir()
	long := keyOf("a.example:119", strings.Repeat("/", 500), "x")
	all := []Key{
		keyOf("A.example:119", "", "x"), keyOf("a.example:563", "../..", "x"), keyOf("[2001:db8::1]:119", "", "x"),
		keyOf("b.example:119", "a.example:119", "x"),
	}
	for _, tt := range []struct {
		host string
		left []bool
	}{
		{"a.example", []bool{false, false, true, true}},
		{"2001:db8::1", []bool{true, true, false, true}},
		{"example", []bool{true, true, true, true}},
		{"", []bool{false, false, false, false}},
	} {
		s, other := newStore(t, dir, 1<<20), newStore(t, "", 1<<20)
		want := 0
		for i, k := range all {
			s.Put(k, []byte("x"))
			other.Put(k, []byte("x"))
			if !tt.left[i] {
				want++
			}
		}
		fetchtest.Returns(t, want, "%q", tt.host)(s.Clear(dir, tt.host))
		_, _ = other.Clear("", tt.host)
		for i, k := range all {
			x := map[bool]string{true: "x"}[tt.left[i]]
			check(t, s, k, x)
			check(t, other, k, x)
		}
	}
	s := newStore(t, dir, 1<<20)
	s.Put(long, []byte("long"))
	check(t, s, long, "long")
	fetchtest.Must(s.Clear(dir, ""))(t)
	check(t, s, long, "")
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("after Clear the folder has %v, %v; want nothing", left, err)
	}
}

// TestPrograms checks that programs that write, read, sweep and clear at the same time find whole
// copies or none.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	var running sync.WaitGroup
	for p := range 4 {
		s := newStore(t, dir, 256<<10)
		running.Go(func() {
			for i := range 200 {
				k := keyOf("a:1", "", fmt.Sprint(i%20))
				s.Put(k, bytes.Repeat(fmt.Appendf(nil, "%d %d ", i%20, p), 2000))
				if c, ok := s.Get(k); ok {
					if name, _, _ := strings.Cut(string(c.Data), " "); name != fmt.Sprint(i%20) || bytes.Count(c.Data, []byte(" ")) != 4000 {
						t.Errorf("Get of copy %d = %.30q, want a copy that one program wrote", i%20, c.Data)
					}
				}
				if i == 100 {
					_, _ = s.Clear(dir, "")
				}
			}
		})
	}
	running.Wait()
}
