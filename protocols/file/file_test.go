package file

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// urlOf returns the file URL of a path.
func urlOf(t testing.TB, path string) urlcore.File {
	t.Helper()
	dirs := strings.Split(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	return fetchtest.Must(urlcore.NewFile("", dirs[:len(dirs)-1], dirs[len(dirs)-1]))(t)
}

// writeFiles writes files below a new folder and returns the folder.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range files {
		path := root + "/" + name
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(data), 0o644)
		}
		if err != nil {
			t.Skipf("there can be no %q here: %v", name, err)
		}
	}
	return root
}

// oddNames returns file names with unusual octets. Only "/" and NUL are impossible in a name.
func oddNames() []string {
	return append(
		realserver.OddNames(), "gr\xfc\xdfe", "new\nline", "carriage\rreturn", "tab\there", "esc\x1b[31mred",
		"\xff\xfe", " ", "...", "a%2Fb", "host:70",
	)
}

func TestConformance(t *testing.T) {
	files := map[string]string{
		"README": "read me\n", "octets.bin": "\x00\x01\xff\r\n", "empty": "",
		"large.bin": strings.Repeat("0123456789abcde\n", 1<<19),
	}
	for _, name := range oddNames() {
		files["names/"+name] = "name: " + name + "\n"
	}
	root := writeFiles(t, files)
	fetchtest.NoError(t, os.Mkdir(root+"/nothing", 0o755))
	base := urlOf(t, root).String()
	fetchtest.Run(t, fetchtest.Target{
		New:   func(wire.Dialer) protocols.Fetcher { return new(Client) },
		Local: true,
		Pages: []fetchtest.Page{
			{URL: base + "/names/", Layout: protocols.LayoutDirectory, Lines: len(oddNames()), Contains: oddNames()},
			{URL: base + "/names", Layout: protocols.LayoutDirectory, Lines: len(oddNames())},
			{URL: base + "/README", Media: "text/plain", Contains: []string{"read me\n"}},
			{URL: base + "/octets.bin", Contains: []string{"\x00\x01\xff\r\n"}},
			{URL: base + "/empty", Empty: true},
			{URL: base + "/nothing/", Layout: protocols.LayoutDirectory, Empty: true},
		},
		Large:    base + "/large.bin",
		Missing:  []string{base + "/no-such", base + "/README/no-such", base + "/names/a%2Fb%2Fc", base + "/a%00b"},
		WalkFrom: []string{base + "/"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			b, err := os.ReadFile("/" + strings.Join(u.(urlcore.File).Segments(), "/"))
			return b, err == nil
		},
	})
}

// listDirectory fetches a directory. It returns each entry as "kind text URL", with "-> target" before the URL if the
// entry is a link. The URL is relative to the directory.
func listDirectory(t *testing.T, u urlcore.URL) (head protocols.Head, all []string) {
	t.Helper()
	r := fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: u}))(t)
	defer r.Close()
	for l, err := range r.Lines {
		fetchtest.NoError(t, err)
		s := l.Kind.String() + " " + l.Text
		if target := l.Note.Row().Target; target != "" {
			s += " -> " + target
		}
		all = append(all, s+" "+strings.TrimPrefix(l.Link.String(), r.URL.String()))
	}
	slices.Sort(all)
	return r.Head, all
}

func TestDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	root := writeFiles(t, map[string]string{"sub/inner.txt": "x", "pic.png": "x", "plain": "12345", ".hidden": "x", "a b.gz": "x"})
	for name, target := range map[string]string{
		"to-dir": "sub", "to-file": "sub/inner.txt", "gone": "no/such", "loop": "loop", "map.gif": "sub/inner.txt",
	} {
		fetchtest.NoError(t, os.Symlink(target, root+"/"+name))
	}
	modified := time.Date(2023, 11, 14, 22, 13, 20, 0, time.UTC)
	fetchtest.NoError(t, errors.Join(os.Chtimes(root+"/plain", modified, modified), os.Chmod(root+"/plain", 0o4751|os.ModeSetuid)))
	u := urlOf(t, root)
	head, got := listDirectory(t, u)
	want := []string{
		"archive a b.gz a%20b.gz", "binary .hidden .hidden", "binary gone -> no/such gone", "binary loop -> loop loop", "binary plain plain",
		"directory sub sub/", "directory to-dir -> sub to-dir/", "image map.gif -> sub/inner.txt map.gif",
		"image pic.png pic.png", "text to-file -> sub/inner.txt to-file",
	}
	slices.Sort(want)
	fetchtest.EqualSlices(t, got, want)
	if head.URL.String() != u.String()+"/" || head.Layout != protocols.LayoutDirectory || head.Title != filepath.Base(root) {
		t.Errorf("got the head %+v; want the URL %s/ and the title %s", head, u, filepath.Base(root))
	}
	plain := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, root+"/plain")}))(t)
	fetchtest.Equal(t, plain.Modified.Equal(modified), true, "the date of a document")
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, root+"/loop")})
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.NotFound, "the reason of %v", err)
	for _, u := range []urlcore.URL{head.URL, fetchtest.Parse(t, "file:///")} {
		if head, _ := listDirectory(t, u); head.URL != u {
			t.Errorf("Fetch(%s): got the URL %s; want the same", u, head.URL)
		}
	}
	owner, unknown := user.LookupId(strconv.Itoa(os.Getuid()))
	r := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: u}))(t)
	var names []string
	for l := range r.Lines {
		names = append(names, l.Text)
		n := l.Note.(*protocols.FileNote)
		if n.Owner == "" || n.Group == "" || n.Modified.IsZero() {
			t.Errorf("%s: got %+v; want an owner, a group and a date", l.Text, n)
		}
		if unknown == nil && n.Owner != owner.Username {
			t.Errorf("%s: got the owner %q; want %q", l.Text, n.Owner, owner.Username)
		}
		if l.Text == "plain" && (n.Size != 5 || !n.Modified.Equal(modified) || n.Mode != "rwsr-x--x") {
			t.Errorf("plain: got %+v; want size 5, mode rwsr-x--x and date %v", n, modified)
		}
		if l.Text == "sub" && n.Size != -1 {
			t.Errorf("directory sub: got size %d; want -1", n.Size)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("got the order %q; want a sorted list", names)
	}
	up, ok := urlcore.Up(head.URL)
	if _, above := listDirectory(t, up); !ok || !slices.Contains(above, "directory "+filepath.Base(root)+" "+filepath.Base(root)+"/") {
		t.Errorf("one level up, at %v: got %q; want the directory %s in it", up, above, filepath.Base(root))
	}
}

func TestRefusals(t *testing.T) {
	root := writeFiles(t, map[string]string{"f": "x", "empty": ""})
	path := urlOf(t, root+"/f").Path
	for _, tt := range []struct {
		name   string
		c      *Client
		url    string
		reason protocols.Reason
		text   string
	}{
		{"another host", new(Client), "file://other.example/" + path, protocols.Unsupported, "another host"},
		{"restricted", &Client{Restricted: true}, "file:///" + path, protocols.Denied, "not allowed"},
		{"not there", new(Client), "file:///" + path + "x", protocols.NotFound, ""},
		{"a slash in a name", new(Client), "file:///" + path + "%2Fx", protocols.NotFound, "name"},
		{"not a file URL", new(Client), "gopher://h/", protocols.Unsupported, ""},
	} {
		r, err := tt.c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, tt.url)})
		if r != nil || protocols.ReasonOf(err) != tt.reason || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v; want reason %v and %q", tt.name, err, tt.reason, tt.text)
		}
		if steps, err := tt.c.Plan(fetchtest.Parse(t, tt.url)); (err == nil) != (tt.name == "not there") {
			t.Errorf("%s: Plan = %v, %v; want success: %v", tt.name, steps, err, tt.name == "not there")
		}
	}
	host, _ := os.Hostname()
	for _, u := range []string{
		"file://localhost/" + path, "file://LOCALHOST/" + path, "file:///" + path, "file:/" + path,
		"file://" + host + "/" + path,
	} {
		parsed, err := urlcore.Parse(u)
		if err != nil {
			t.Logf("%s: %v", u, err) // a URL cannot contain this host name
			continue
		}
		r, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parsed})
		if err != nil {
			t.Errorf("Fetch(%s): %v", u, err)
			continue
		}
		b, err := io.ReadAll(r.Body)
		if string(b) != "x" || err != nil || r.URL.String() != "file:///"+path || r.Size != 1 {
			t.Errorf("Fetch(%s): got %q, %v, URL %s, size %d; want \"x\", URL file:///%s, size 1", u, b, err, r.URL, r.Size, path)
		}
		_ = r.Close()
	}
	if r := fetchtest.CloseAtEnd(new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, root+
		"/empty")}))(t); r.Size != -1 { // a file in /proc also has size 0
		t.Errorf("empty file: got size %d; want -1", r.Size)
	}
}

// TestEndOfContext checks that nothing is read after the context has ended.
func TestEndOfContext(t *testing.T) {
	root := writeFiles(t, map[string]string{"a": "x", "b": "y"})
	for _, path := range []string{root, root + "/a"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := new(Client).Fetch(ctx, protocols.Request{URL: urlOf(t, path)})
		fetchtest.NoError(t, err)
		stopped := errors.New("stopped")
		cancel(stopped)
		if r.Body != nil {
			_, err = r.Body.Read(make([]byte, 1))
		} else {
			for _, e := range r.Lines {
				err = e
			}
		}
		fetchtest.ErrorIs(t, err, stopped, "%s", path)
		_ = r.Close()
	}
}

// FuzzNames checks that the URL of any name gives the same octets again.
func FuzzNames(f *testing.F) {
	for _, name := range oddNames() {
		f.Add("/tmp", name)
	}
	f.Fuzz(func(t *testing.T, dir, name string) {
		if name == "" || strings.ContainsAny(name, "/\x00") || strings.Contains(dir, "\x00") {
			return
		}
		here := urlOf(t, strings.TrimSuffix(dir, "/")+"/")
		segments := here.Segments()
		d := &directory{url: here, dirs: segments[:len(segments)-1]}
		for _, isDir := range []bool{false, true} {
			u := d.linkTo(name, isDir)
			fetchtest.CheckCanonical(t, u)
			path, ok := makeNativePath(u.(urlcore.File).Segments())
			want := "/" + strings.TrimPrefix(strings.TrimSuffix(dir, "/"), "/") + "/" + name
			if len(d.dirs) == 0 {
				want = "/" + name
			}
			if isDir {
				want += "/"
			}
			if runtime.GOOS != "windows" && (!ok || path != want) {
				t.Fatalf("linkTo(%q) in %q: got the path %q; want %q", name, dir, path, want)
			}
		}
	})
}

// stuckFile is a file on a file server that does not answer.
type stuckFile chan struct{}

func (s stuckFile) Read([]byte) (int, error) {
	<-s
	return 0, io.EOF
}

func TestEndOfContextInRead(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	file, over := make(stuckFile), errors.New("over")
	defer close(file)
	failed := make(chan error)
	go func() {
		_, err := (&reader{ctx: ctx, file: file}).Read(make([]byte, 10))
		failed <- err
	}()
	cancel(over)
	fetchtest.ErrorIs(t, <-failed, over)
}

// TestVersion opens a file only if its size or its date has changed.
func TestVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := func(content string) {
		t.Helper()
		fetchtest.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		fetchtest.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(int64(len(content)), 5)))
	}
	version := ""
	fetch := func(unchanged bool, want string) {
		t.Helper()
		r := fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: urlOf(t, path), Version: version}))(t)
		defer r.Close()
		fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)), want, "content")
		fetchtest.Equal(t, r.Unchanged, unchanged, "unchanged")
		version = r.Version
	}
	write("one")
	fetch(false, "one")
	fetch(true, "")
	write("other")
	fetch(false, "other")
}
