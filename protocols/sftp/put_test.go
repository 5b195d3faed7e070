package sftp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// readNames returns the names in a folder.
func readNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range fetchtest.Must(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	return names
}

// interrupt begins to replace the file "f" by text, and returns the path of the part that remains.
func (s *testServer) interrupt(t *testing.T, c protocols.Putter, text string, sent int) string {
	t.Helper()
	s.write(t, "f", "old")
	up := upload(text)
	up.Replace, up.Body = true, brokenReader{bytes.NewReader([]byte(text[:sent]))}
	err := c.Put(t.Context(), fetchtest.Parse(t, s.url("/f")), up)
	fetchtest.Reason(t, err, protocols.LocalFailure)
	fetchtest.Contains(t, err.Error(), "the old file is unchanged")
	names := readNames(t, s.dir)
	fetchtest.Equal(t, len(names), 2, "a file and its part")
	path := filepath.Join(s.dir, names[0])
	fetchtest.Equal(t, fetchtest.Must(os.Stat(path))(t).Mode().Perm(), 0o600, "the permissions of a part")
	return path
}

// TestPlantedParts puts other items in the place of a part before the upload is resumed. None of them is changed, and the
// upload begins anew.
func TestPlantedParts(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<14)
	const sent = 100_000
	for name, plant := range map[string]func(t *testing.T, part, victim string) error{
		"a link to another file": func(_ *testing.T, part, victim string) error { return os.Symlink(victim, part) },
		"a link to nothing":      func(_ *testing.T, part, victim string) error { return os.Symlink(victim+"x", part) },
		"a directory":            func(_ *testing.T, part, _ string) error { return os.Mkdir(part, 0o700) },
		"a file that others write": func(_ *testing.T, part, _ string) error {
			return errors.Join(os.WriteFile(part, []byte(text[:sent]), 0o600), os.Chmod(part, 0o622))
		},
		"a longer file": func(_ *testing.T, part, _ string) error { return os.WriteFile(part, []byte(text+"x"), 0o600) },
		"a file with another piece": func(_ *testing.T, part, _ string) error {
			return os.WriteFile(part, []byte(text[:40_000]+strings.Repeat("\x00", 32<<10)+text[40_000+32<<10:sent]), 0o600)
		},
		"a file with another start": func(_ *testing.T, part, _ string) error { return os.WriteFile(part, []byte("x"+text[1:sent]), 0o600) },
		"a file with another end":   func(_ *testing.T, part, _ string) error { return os.WriteFile(part, []byte(text[:sent-1]+"x"), 0o600) },
		"the file of another account": func(t *testing.T, part, _ string) error {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			return errors.Join(os.WriteFile(part, []byte(text[:sent]), 0o600), os.Chown(part, 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, nil)
			c := s.newKnownClient(t)
			part := s.interrupt(t, c, text, sent)
			victim := filepath.Join(t.TempDir(), "victim")
			fetchtest.NoError(t, errors.Join(os.WriteFile(victim, []byte(text[:sent]), 0o600), os.Remove(part), plant(t, part, victim)))
			before := fetchtest.Must(os.Lstat(part))(t)
			up := upload(text)
			up.Replace, up.Resume = true, true
			fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/f")), up))
			fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(s.dir+"/f"))(t)) == text, true, "the file is the same")
			fetchtest.ReturnsText(t, text[:sent])(os.ReadFile(victim))
			fetchtest.Equal(t, os.SameFile(before, fetchtest.Must(os.Stat(s.dir+"/f"))(t)), false, "the planted item is continued")
			if after, err := os.Lstat(part); err == nil {
				fetchtest.Equal(t, os.SameFile(before, after) && !before.Mode().IsRegular(), true, "the planted item is still there")
			}
			for _, name := range readNames(t, s.dir) {
				fetchtest.Equal(t, name == "f" || filepath.Join(s.dir, name) == part, true, name, "is left")
			}
		})
	}
}

// TestSparseParts resumes a part in which a piece is missing whose samples are zero in the file, too.
func TestSparseParts(t *testing.T) {
	const piece = 32 << 10
	text := strings.Repeat(strings.Repeat("\x00", 6<<10)+strings.Repeat("x", piece-6<<10), 8)
	for _, at := range []int{3 * piece, 3*piece + 2<<10, 3*piece - 2<<10} {
		s := startServer(t, nil)
		c := s.newKnownClient(t)
		part := s.interrupt(t, c, text, 6*piece)
		fetchtest.NoError(t, os.WriteFile(part, []byte(text[:at]+strings.Repeat("\x00", piece)+text[at+piece:6*piece]), 0o600))
		up := upload(text)
		up.Replace, up.Resume = true, true
		fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, s.url("/f")), up))
		fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(s.dir+"/f"))(t)) == text, true, "the file is the same")
	}
}

// TestSimilarNames replaces files with similar names and the same size and date at the same time.
func TestSimilarNames(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	names := []string{"x", ".x", "..x", "x.part", ".gofer-x.part", strings.Repeat("long", 62), strings.Repeat("long", 62) + "er", "x ", "-x", "x\n", "\xff"}
	var all sync.WaitGroup
	for i, name := range names {
		s.write(t, name, "old")
		all.Go(func() {
			u := fetchtest.Must(fetchtest.Parse(t, s.url("/;type=d")).(urlcore.FTP).Child(name))(t)
			up := upload(strings.Repeat(string(rune('a'+i)), 300_000))
			up.Replace = true
			if err := c.Put(t.Context(), u, up); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
	all.Wait()
	for i, name := range names {
		got := string(fetchtest.Must(os.ReadFile(s.dir + "/" + name))(t))
		fetchtest.Equal(t, got == strings.Repeat(string(rune('a'+i)), 300_000), true, name, "has its own text")
	}
	fetchtest.Equal(t, len(readNames(t, s.dir)), len(names), "files in the directory")
}

// TestSameNameAtOnce replaces a file by two others at the same time. It becomes one of them.
func TestSameNameAtOnce(t *testing.T) {
	s := startServer(t, nil)
	c := s.newKnownClient(t)
	s.write(t, "f", "old")
	texts := []string{strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20)}
	var all sync.WaitGroup
	for _, text := range texts {
		all.Go(func() {
			up := upload(text)
			up.Replace = true
			_ = c.Put(t.Context(), fetchtest.Parse(t, s.url("/f")), up)
		})
	}
	all.Wait()
	got := string(fetchtest.Must(os.ReadFile(s.dir + "/f"))(t))
	fetchtest.Equal(t, got == texts[0] || got == texts[1], true, "one of the files")
}

// fakeFiles is a server of names and their contents, without directories.
type fakeFiles struct {
	mu      sync.Mutex
	files   map[string]string
	refused func(request string) bool // such as "RENAME /a /b"
	log     []string
	cut     int // the connection is lost before the answer to this request, counted from 1
	asked   int
}

func (f *fakeFiles) serve(rw io.ReadWriter) {
	answerRequests(rw, "", func(kind byte, values []byte) (byte, string) {
		answer, text := f.answer(kind, values)
		if f.asked++; f.asked == f.cut {
			return 0, ""
		}
		return answer, text
	})
}

func (f *fakeFiles) answer(kind byte, values []byte) (byte, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := func() string {
		n := binary.BigEndian.Uint32(values)
		s := string(values[4 : 4+n])
		values = values[4+n:]
		return s
	}
	status := func(code uint32) (byte, string) { return 101, number(code) + text("") + text("") }
	a := next()
	content, exists := f.files[a]
	verb := map[byte]string{3: "OPEN", 6: "WRITE", 13: "REMOVE", 18: "RENAME"}[kind]
	b := ""
	if kind == 18 {
		b = next()
	}
	request := strings.TrimSpace(verb + " " + a + " " + b)
	f.log = append(f.log, request)
	_, taken := f.files[b]
	switch {
	case verb != "" && f.refused != nil && f.refused(request):
		return status(4)
	case kind == 3:
		flags := binary.BigEndian.Uint32(values)
		if exists == (flags&32 != 0) {
			return status(4)
		}
		f.files[a] = content
		return 102, text(a)
	case kind == 6:
		f.files[a] += string(values[12:])
		return status(0)
	case kind == 5 && exists:
		at, n := binary.BigEndian.Uint64(values), uint64(binary.BigEndian.Uint32(values[8:]))
		if size := uint64(len(content)); at < size {
			return 103, text(content[at:min(size, at+n)])
		}
		return status(1)
	case (kind == 7 || kind == 8 || kind == 17) && exists:
		return 105, number(5) + number(0) + number(uint32(len(content))) + number(0o100644)
	case kind == 13 && exists:
		delete(f.files, a)
		return status(0)
	case kind == 18 && exists && !taken:
		f.files[b] = content
		delete(f.files, a)
		return status(0)
	case kind == 18 && exists:
		return status(4)
	case kind == 4 || kind == 9 || kind == 10:
		return status(0)
	}
	return status(2)
}

// TestReplaceWithoutPosixRename replaces a file at a server whose RENAME replaces nothing, with failures at each step. The
// replaced file is never lost.
func TestReplaceWithoutPosixRename(t *testing.T) {
	isBackup := func(name string) bool { return strings.HasSuffix(name, ".old") }
	for name, tt := range map[string]struct {
		refused func(request string) bool
		want    string // the contents, by name; * is a temporary name
		wantErr string
	}{
		"all goes well":           {nil, "/b: a", ""},
		"no RENAME works":         {func(r string) bool { return strings.HasPrefix(r, "RENAME") }, "/a: a, /b: b", "ServerFailed"},
		"the item cannot move":    {func(r string) bool { return strings.HasPrefix(r, "RENAME /a ") }, "/a: a, /b: b", "ServerFailed"},
		"the target cannot move":  {func(r string) bool { return strings.HasPrefix(r, "RENAME /b ") }, "/a: a, /b: b", "ServerFailed"},
		"nothing gets its name":   {func(r string) bool { return strings.HasSuffix(r, " /b") && !strings.HasPrefix(r, "OPEN") }, "*: b, /a: a", "the old file is now called"},
		"the backup cannot leave": {func(r string) bool { return strings.HasPrefix(r, "REMOVE") }, "*: b, /b: a", "the old one is still there as"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeFiles{files: map[string]string{"/a": "a", "/b": "b"}, refused: tt.refused}
			s := startServer(t, func(s *testServer) { s.answer = f.serve })
			c := s.newKnownClient(t)
			_, err := c.Change(t.Context(), &protocols.Change{Kind: protocols.Rename, URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/a"), Name: "b", Replace: true})
			fetchtest.Equal(t, err != nil, tt.wantErr != "", fmt.Sprint(err))
			if err != nil && tt.wantErr != "ServerFailed" {
				fetchtest.Contains(t, err.Error(), tt.wantErr)
			}
			var got []string
			for name, content := range f.files {
				if isBackup(name) {
					name = "*"
				}
				got = append(got, name+": "+content)
			}
			fetchtest.Equal(t, strings.Join(slices.Sorted(slices.Values(got)), ", "), tt.want)
		})
	}
}

// TestCutReplacement loses the connection at each request of a replacement at a server without posix-rename. The replaced file is
// there until the new one is, the error says what is there, and a resumed upload leaves the new file and nothing else.
func TestCutReplacement(t *testing.T) {
	said := make(map[string]bool)
	for cut := 1; ; cut++ {
		f := &fakeFiles{files: map[string]string{"/b": "old"}, cut: cut}
		s := startServer(t, func(s *testServer) { s.answer = f.serve })
		c, u := s.newKnownClient(t), fetchtest.Parse(t, "sftp://joe@"+s.addr+"/b")
		put := func(resume bool) error {
			up := upload("newer")
			up.Replace, up.Resume = true, resume
			return c.Put(t.Context(), u, up)
		}
		err := put(false)
		if f.asked < cut {
			fetchtest.NoError(t, err)
			break
		}
		backup := ""
		for name, content := range f.files {
			if content == "old" {
				backup = strings.TrimPrefix(name, "/")
			}
		}
		fetchtest.Equal(t, backup != "" || f.files["/b"] == "newer", true, "cut %d: the old or the new file is there", cut)
		fetchtest.Contains(t, err.Error(), `store "/b"`)
		for text, want := range map[string]bool{"the old file is unchanged": backup == "b", "is now called": strings.HasSuffix(backup, ".old"), "may now be called": true, "the whole new one": true, "is still there as": f.files["/b"] == "newer"} {
			if strings.Contains(err.Error(), text) {
				said[text] = true
				fetchtest.Equal(t, want, true, "cut %d: it is true that %s", cut, text)
				fetchtest.Equal(t, !strings.HasSuffix(backup, ".old") || strings.Contains(err.Error(), backup), true, "cut %d: the error names %s", cut, backup)
			}
		}
		fetchtest.NoError(t, put(true))
		fetchtest.Equal(t, fmt.Sprint(f.files), "map[/b:newer]", "after cut %d: %v", cut, err)
	}
	fetchtest.Equal(t, len(said), 5, "kinds of errors: %v", said)
}

// TestPutWithoutPosixRename replaces a file at such a server, and refuses to write the part: nothing changes.
func TestPutWithoutPosixRename(t *testing.T) {
	for _, fails := range []bool{false, true} {
		f := &fakeFiles{files: map[string]string{"/b": "b"}, refused: func(r string) bool { return fails && strings.HasPrefix(r, "WRITE") }}
		s := startServer(t, func(s *testServer) { s.answer = f.serve })
		c := s.newKnownClient(t)
		up := upload("new")
		up.Replace = true
		err := c.Put(t.Context(), fetchtest.Parse(t, "sftp://joe@"+s.addr+"/b"), up)
		want := "new"
		if fails {
			want = "b"
			fetchtest.Contains(t, err.Error(), "the old file is unchanged")
		} else {
			fetchtest.NoError(t, err)
		}
		fetchtest.Equal(t, f.files["/b"], want)
		fetchtest.Equal(t, len(f.files), 1, "files at the server")
	}
}
