package pins

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// fingerprint returns the fingerprint number n.
func fingerprint(n int) string { return fmt.Sprintf("SHA-256 %064x", n) }

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gofer", "certificates.txt")
	s := Open(path)
	want := func(s *Store, addr, fingerprint string) {
		t.Helper()
		if got, ok := s.Pin(addr); got != fingerprint || ok != (fingerprint != "") {
			t.Errorf("%s: got %q, %v, want %q", addr, got, ok, fingerprint)
		}
	}
	want(s, "h:70", "")
	s.Agree("h:70", fingerprint(1))
	want(s, "h:70", fingerprint(1))
	want(s, "h:71", "")
	if _, err := os.Stat(path); err == nil {
		t.Error("Agree wrote the file")
	}
	want(Open(path), "h:70", "")
	s.Remember("h:70", fingerprint(1))
	s.Remember("H:71", fingerprint(2))
	for _, s := range []*Store{s, Open(path)} {
		want(s, "h:70", fingerprint(1))
		want(s, "H:70", fingerprint(1))
		want(s, "h:71", fingerprint(2))
	}
	// Another certificate replaces the first one.
	s.Agree("h:70", fingerprint(3))
	want(Open(path), "h:70", fingerprint(1))
	s.Remember("h:70", fingerprint(3))
	want(Open(path), "h:70", fingerprint(3))
	if data, _ := os.ReadFile(path); strings.Count(string(data), "h:70") != 1 || !strings.HasPrefix(string(data), "# ") {
		t.Errorf("got %q, want a comment and one line of h:70", data)
	}
	// Forget keeps the file.
	s.Agree("h:72", fingerprint(4))
	s.Agree("h:70", fingerprint(4))
	s.Forget()
	want(s, "h:72", "")
	want(s, "h:70", fingerprint(3))
	fetchtest.NoError(t, s.Close())
}

// TestFile reads and writes files that a user has edited.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "certificates.txt")
	odd := "\n# mine\r\nh:70 MD5 abc\n\xff\x00 what is this\nold:1 " + strings.ToUpper(fingerprint(7)) + "\nh:70 " +
		fingerprint(8) + " 2026-01-01\nh:70 " + fingerprint(9) + " 2026-01-02\nno line end"
	fetchtest.NoError(t, os.WriteFile(path, []byte(odd), 0o640))
	s := Open(path)
	for addr, want := range map[string]string{"h:70": fingerprint(9), "old:1": "SHA-256 " + strings.ToUpper(fmt.Sprintf("%064x", 7))} {
		if got, _ := s.Pin(addr); !strings.EqualFold(got, want) {
			t.Errorf("%s: got %q, want %q", addr, got, want)
		}
	}
	s.Remember("h:70", fingerprint(9)) // the file has this pin
	if data, _ := os.ReadFile(path); string(data) != odd {
		t.Errorf("got %q, want the file unchanged", data)
	}
	s.Remember("new:2", fingerprint(1))
	s.Remember("h:70", fingerprint(2))
	data, _ := os.ReadFile(path)
	for _, kept := range []string{
		"\n# mine\r\nh:70 MD5 abc\n\xff\x00 what is this\nold:1 ", "no line end\nnew:2 ", "\nh:70 " + fingerprint(2),
	} {
		fetchtest.Contains(t, string(data), kept, "what is kept")
	}
	if strings.Contains(string(data), fingerprint(8)) || strings.Contains(string(data), fingerprint(9)) {
		t.Errorf("got %q, want no old lines", data)
	}
	s.Remember("a b:70\n", fingerprint(1)) // a line cannot contain this address
	if after, _ := os.ReadFile(path); string(after) != string(data) {
		t.Errorf("got %q, want the file unchanged", after)
	}
}

func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("# mine\n")
	for i := range maxPins + 10 {
		b.WriteString(line(fmt.Sprintf("h%d:70", i), fingerprint(i)))
	}
	got := string(setPin([]byte(b.String()), "new:70", fingerprint(1)))
	if n := strings.Count(got, "\n"); n != maxPins+1 || !strings.HasPrefix(got, "# mine\nh11:70 ") || !strings.Contains(got, "\nnew:70 ") {
		t.Errorf("got %d lines that begin %.60q, want %d with the oldest removed", n, got, maxPins+1)
	}
}

func TestInvalidFile(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	s.Agree("h:70", fingerprint(1))
	s.Remember("h:70", fingerprint(1))
	if got, ok := s.Pin("h:70"); got != fingerprint(1) || !ok {
		t.Errorf("got %q, %v, want the fingerprint until the program ends", got, ok)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "it is a directory") {
		t.Errorf("Close() = %v, want an error about a directory", err)
	}
	none := Open("")
	none.Remember("h:70", fingerprint(1))
	fetchtest.NoError(t, none.Close())
}

// TestWriters adds pins in eight programs at once, each with several goroutines.
func TestWriters(t *testing.T) {
	const programs, each = 8, 5
	write := func(path string, program int) {
		s := Open(path)
		var running sync.WaitGroup
		for i := range each {
			running.Go(func() {
				addr := fmt.Sprintf("h%d:%d", program, i)
				s.Agree(addr, fingerprint(i))
				s.Remember(addr, fingerprint(i))
				s.Pin("h0:0")
			})
		}
		running.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if path := os.Getenv("GOFER_TEST_PINS"); path != "" {
		n, _ := strconv.Atoi(os.Getenv("GOFER_TEST_PROGRAM"))
		write(path, n)
		return
	}
	path := filepath.Join(t.TempDir(), "certificates.txt")
	var running sync.WaitGroup
	for n := range programs {
		running.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestWriters$")
			cmd.Env = append(os.Environ(), "GOFER_TEST_PINS="+path, "GOFER_TEST_PROGRAM="+strconv.Itoa(n))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	running.Wait()
	s := Open(path)
	for n := range programs {
		for i := range each {
			if got, _ := s.Pin(fmt.Sprintf("h%d:%d", n, i)); got != fingerprint(i) {
				t.Errorf("h%d:%d: got %q, want %q", n, i, got, fingerprint(i))
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".certificates.txt.[0-9]*")); len(left) > 0 {
		t.Errorf("files that were not removed: %q", left)
	}
}
