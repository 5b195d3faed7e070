package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"gofer/internal/clean"
	"gofer/internal/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

const somewhere = fetchtest.URL("test:somewhere")

// files returns the names and contents of a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s=%q", e.Name(), b))
	}
	return strings.Join(out, " ")
}

func TestDownload(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	tests := []struct {
		name   string
		before []string // files that are there
		f      protocols.Fetcher
		n      int64
		err    error // errors.Is
		after  string
	}{
		{"whole", nil, fetchtest.File(new(atomic.Int32), "", nil, "a\r\n", "\x00b"), 5, nil, `f.bin="a\r\n\x00b"`},
		{"empty", nil, fetchtest.File(new(atomic.Int32), "", nil), 0, nil, `f.bin=""`},
		{"taken", []string{"f.bin"}, fetchtest.File(new(atomic.Int32), "", nil, "a"), 0, ErrExists, `f.bin="old"`},
		{"under way", []string{"f.bin.part"}, fetchtest.File(new(atomic.Int32), "", nil, "a"), 0, ErrUnfinished, `f.bin.part="old"`},
		{"broken at once", nil, fetchtest.File(new(atomic.Int32), "", broken), 0, broken, ``},
		{"broken", nil, fetchtest.File(new(atomic.Int32), "", broken, "ab", "c"), 3, broken, `f.bin.part="abc"`},
		{"list", nil, fetchtest.Menu(new(atomic.Int32), nil), 0, nav.ErrNoOctets, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range tt.before {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var done, size int64 = 0, -2
			n, err := Save(t.Context(), tt.f, somewhere, filepath.Join(dir, "f.bin"), func(d, s int64) { done, size = d, s })
			if n != tt.n || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("Save() = %d, %v; want %d, %v", n, err, tt.n, tt.err)
			}
			if done != tt.n || tt.n > 0 && size != -1 {
				t.Errorf("the last progress was %d of %d, want %d of -1", done, size, tt.n)
			}
			if got := files(t, dir); got != tt.after {
				t.Errorf("files %s, want %s", got, tt.after)
			}
			if tt.n > 0 && err != nil && !strings.Contains(err.Error(), "f.bin.part") {
				t.Errorf("the error %q does not tell where the rest is", err)
			}
		})
	}
}

func TestOverwrite(t *testing.T) {
	broken := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	refused := fetchtest.Func(func(context.Context, urlcore.URL) (*protocols.Resource, error) { return nil, broken })
	for _, tt := range []struct {
		name   string
		before []string
		f      protocols.Fetcher
		err    error
		after  string
	}{
		{"nothing there", nil, fetchtest.File(new(atomic.Int32), "", nil, "new"), nil, `f="new"`},
		{"both there", []string{"f", "f.part"}, fetchtest.File(new(atomic.Int32), "", nil, "new"), nil, `f="new"`},
		{"broken", []string{"f", "f.part"}, fetchtest.File(new(atomic.Int32), "", broken, "ne"), broken, `f="old" f.part="ne"`},
		{"no answer", []string{"f", "f.part"}, refused, broken, `f="old" f.part="old"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range tt.before {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Overwrite(t.Context(), tt.f, somewhere, filepath.Join(dir, "f")); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("Overwrite() error = %v, want %v", err, tt.err)
			}
			if got := files(t, dir); got != tt.after {
				t.Errorf("files %s, want %s", got, tt.after)
			}
		})
	}
}

// What is no file is not overwritten: a folder, a device, a link.
func TestOverwriteNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"folder", "half.part"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("folder", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "folder"), filepath.Join(dir, "half"), filepath.Join(dir, "link"), os.DevNull} {
		f := fetchtest.Func(nil) // would panic
		if _, err := Overwrite(t.Context(), f, somewhere, path); !errors.Is(err, errNoFile) {
			t.Errorf("Overwrite(%s): %v, want %v", path, err, errNoFile)
		}
	}
}

// A download whose .part another one has begun again claims nothing.
func TestOverwriteRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	_, err := Save(t.Context(), fetchtest.File(new(atomic.Int32), "", nil, "first"), somewhere, path, func(int64, int64) {
		if err := errors.Join(os.Remove(path+partSuffix), os.WriteFile(path+partSuffix, []byte("sec"), 0o600)); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, errReplaced) {
		t.Errorf("Save() error = %v, want %v", err, errReplaced)
	}
	if got, want := files(t, filepath.Dir(path)), `f.part="sec"`; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
}

func TestDownloadLocalFailure(t *testing.T) {
	f := fetchtest.Func(nil) // would panic
	for _, path := range []string{filepath.Join(t.TempDir(), "no", "f"), filepath.Join("/dev/null", "f")} {
		_, err := Save(t.Context(), f, somewhere, path)
		var e *protocols.Error
		if !errors.As(err, &e) || e.Reason != protocols.LocalFailure {
			t.Errorf("Download to %s: %v, want reason LocalFailure before anything is fetched", path, err)
		}
	}
}

func TestDownloadRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	_, err := Save(t.Context(), fetchtest.File(new(atomic.Int32), "", nil, "new"), somewhere, path, func(int64, int64) {
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, ErrExists) {
		t.Errorf("Save() error = %v, want ErrExists", err)
	}
	if got, want := files(t, filepath.Dir(path)), `f="theirs" f.part="new"`; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
}

func TestDownloadCancel(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() {
			_, err := Save(ctx, fetchtest.File(new(atomic.Int32), "", fetchtest.ErrStall, "abc"), somewhere, filepath.Join(dir, "f"))
			ended <- err
		}()
		synctest.Wait()
		cancel(nav.ErrStopped)
		if err := <-ended; !errors.Is(err, nav.ErrStopped) {
			t.Errorf("Save() error = %v, want nav.ErrStopped", err)
		}
	})
	if got, want := files(t, dir), `f.part="abc"`; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
}

func TestFileName(t *testing.T) {
	tests := []struct {
		u    urlcore.URL
		want string
	}{
		{urlcore.Gopher{Type: '9', Selector: "/pub/a b.zip"}, "a b.zip"},
		{urlcore.Gopher{Type: '0', HostPort: urlcore.HostPort{Host: "example.org"}}, "example.org"},
		{urlcore.Gopher{Type: '0', Selector: "/a/../.."}, "download"},
		{urlcore.Gopher{Type: '0', Selector: "/.bashrc"}, "bashrc"},
		{urlcore.Gopher{Type: '0', Selector: "-rf"}, "rf"},
		{urlcore.Gopher{Type: '0', Selector: `C:\autoexec.bat`}, "C__autoexec.bat"},
		{urlcore.Gopher{Type: '0', Selector: "a\x1b[31m\u202egpj.exe"}, "a_[31mgpj.exe"},
		{urlcore.Gopher{Type: '0', Selector: "/x/Gr\xfc\xdfe.txt/"}, "Grüße.txt"},
		{urlcore.Gopher{Type: '0', Selector: "nul.txt"}, "_nul.txt"},
		{urlcore.Gopher{Type: '0', Selector: "COM1"}, "_COM1"},
		{urlcore.Gopher{Type: '0', Selector: "trailing. . "}, "trailing"},
		{urlcore.Gopher{Type: '0', Selector: strings.Repeat("ü", 300) + ".tar.gz"}, strings.Repeat("ü", 96) + ".tar.gz"},
		{urlcore.Gopher{Type: '0', Selector: "a." + strings.Repeat("x", 300)}, "a." + strings.Repeat("x", 198)},
		{urlcore.FTP{Path: "pub/a%2Fb.bin"}, "b.bin"},
		{urlcore.FTP{Path: "pub/"}, "pub"},
		{urlcore.FTP{Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h.example"}}, Path: "%2F"}, "h.example"},
		{urlcore.News{MessageID: "1/2@example.org"}, "1_2@example.org.eml"},
		{urlcore.NNTP{Group: "a.b", Article: 7, HasArticle: true}, "a.b-7.eml"},
		{urlcore.Generic{Name: "x", Rest: "//h/dir/name?q=/z"}, "name"},
		{nil, "download"},
	}
	for _, tt := range tests {
		if got := FileName(tt.u); got != tt.want {
			t.Errorf("FileName(%#v) = %q, want %q", tt.u, got, tt.want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{"", "/a/b.txt", "..", "con", strings.Repeat("é", 200), "a\x00b", "\u0301", "x." + strings.Repeat("\u0301", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range []urlcore.URL{urlcore.Gopher{Type: '0', Selector: s}, urlcore.News{MessageID: s}} {
			name := FileName(u)
			switch {
			case name == "" || len(name) > maxName || !utf8.ValidString(name):
				t.Errorf("FileName of %q is %q", s, name)
			case strings.ContainsAny(name, "/\\:\x00\r\n\x1b*?\"<>|"), strings.ContainsAny(name[:1], ".-~ "), strings.ContainsAny(name[len(name)-1:], ". "):
				t.Errorf("FileName of %q is %q", s, name)
			case clean.Text(name) != name, reserved(name):
				t.Errorf("FileName of %q is %q", s, name)
			}
		}
	})
}

func TestUnique(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"a.tar.gz", "a(1).tar.gz", "a(2).tar.gz"} {
		got := Unique(filepath.Join(dir, "a.tar.gz"))
		if got != filepath.Join(dir, want) {
			t.Errorf("Unique(a.tar.gz) = %s, want %s", got, want)
		}
		if want == "a(1).tar.gz" {
			got += partSuffix
		}
		if err := os.WriteFile(got, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Of an unknown double suffix the last one is it, as browsers have it.
	sum := filepath.Join(dir, "1MB.bin.sha256")
	if err := os.WriteFile(sum, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Unique(sum), filepath.Join(dir, "1MB.bin(1).sha256"); got != want {
		t.Errorf("Unique(%s) = %s, want %s", sum, got, want)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := Unique(filepath.Join(dir, "link")); got != filepath.Join(dir, "link(1)") {
		t.Errorf("Unique of a dangling link = %s, want link(1)", got)
	}
}
