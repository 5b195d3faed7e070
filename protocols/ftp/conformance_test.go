package ftp_test

import (
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/urlcore"
)

func newClient(d wire.Dialer) protocols.Fetcher { return &ftp.Client{Dialer: d, PlainPasswords: true} }

func TestConformanceLoopback(t *testing.T) {
	root := afero.NewMemMapFs()
	files := map[string]string{
		"README": "read me\n", "pub/lf.txt": "one\ntwo\n", "pub/octets.bin": "\x00\x01\xff\r\n",
		"large.bin": strings.Repeat("0123456789abcde\n", 1<<21),
	}
	for _, name := range realserver.OddNames() {
		files["names/"+name] = "name: " + name + "\n"
	}
	for name, data := range files {
		fetchtest.NoError(t, afero.WriteFile(root, "/"+name, []byte(data), 0o644))
	}
	fetchtest.NoError(t, root.MkdirAll("/empty", 0o755))
	s := fetchtest.CloseAtEnd(demo.StartFTP(root))(t)
	base := "ftp://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: base + "/names/;type=d", Layout: protocols.LayoutDirectory, Lines: len(realserver.OddNames()), Contains: []string{"plain.txt"}},
			{URL: base + "/README", Contains: []string{"read me"}},
			{URL: base + "/pub/octets.bin;type=i", Contains: []string{"\x00\x01\xff\r\n"}},
			{URL: base + "/empty/;type=d", Empty: true},
		},
		Large:    base + "/large.bin;type=i",
		Missing:  []string{base + "/no-such.txt;type=i", base + "/no-such/;type=d"},
		WalkFrom: []string{base + "/;type=d"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			f := u.(urlcore.FTP)
			data, ok := files[strings.TrimLeft(strings.Join(append(f.CWDs(), f.Name()), "/"), "/")]
			return []byte(data), ok
		},
	})
}

// daemonTarget returns the tests for a real server: its anonymous directories and the home of its
// account.
func daemonTarget(s *realserver.Server, scheme string, client func(wire.Dialer) protocols.Fetcher) fetchtest.Target {
	base := scheme + s.Addr
	account := scheme + s.User + ":" + s.Password + "@" + s.Addr
	byRootPath := account + "/%2F" + strings.TrimPrefix(s.Root, "/")
	return fetchtest.Target{
		New: client,
		Pages: []fetchtest.Page{
			{
				URL: base + "/pub/names/;type=d", Layout: protocols.LayoutDirectory,
				Lines:    len(realserver.OddNames()) + 2,
				Contains: append([]string{"dir with space"}, realserver.OddNames()...),
			},
			{URL: base + "/pub/README.txt;type=i", Contains: []string{"A tree for tests."}},
			{URL: base + "/pub/names/" + url.PathEscape(`two""quotes.txt`) + ";type=i", Contains: []string{`two""quotes.txt`}},
			{URL: base + "/pub/names/-x;type=i", Contains: []string{"name: -x"}},
			{URL: base + "/pub/thousand/;type=d", Lines: 1000, Contains: []string{"file999.txt"}},
			{URL: base + "/pub/empty/;type=d", Empty: true},
			{URL: base + "/pub/text/empty.txt;type=i", Empty: true},
			{URL: base + "/pub/large/1MB.bin;type=i", Contains: []string{"00000000000fff0\n"}},
			{URL: account + "/hello.txt;type=i", Contains: []string{"This is the home of " + s.User}},
			{URL: account + "/notes/;type=d", Lines: 1, Contains: []string{"today.txt"}},
			{URL: byRootPath + "/pub/README.txt;type=i", Contains: []string{"A tree for tests."}},
		},
		Large:   base + "/pub/large/50MB.bin;type=i",
		Missing: []string{base + "/pub/no-such.txt;type=i", base + "/pub/no-such/;type=d", base + "/no/such/dir/;type=d"},
		WalkFrom: []string{
			base + "/pub/;type=d", base + "/pub/names/;type=d", base + "/pub/latin1/;type=d", base + "/pub/control/;type=d",
			base + "/pub/links/;type=d", base + "/pub/line-ends/;type=d", account + "/;type=d", byRootPath + "/pub/;type=d",
		},
		// MayFail is true for files that only root may read, a dangling link, names with a line end, a large
		// file, and a name that Pure-FTPd refuses.
		MayFail: func(u urlcore.URL) bool {
			text := u.String()
			if s.Name == "pure-ftpd" && strings.Contains(text, "%5C") {
				return true
			}
			for _, part := range []string{"/secret", "/unreadable.txt", "/dangling", "/line-ends/", "/50MB.bin"} {
				if strings.Contains(text, part) {
					return true
				}
			}
			return false
		},
		Known: func(u urlcore.URL) ([]byte, bool) {
			f, ok := u.(urlcore.FTP)
			if !ok || f.Type == 'a' || strings.Contains(f.Path, "line-ends") {
				return nil, false
			}
			path := strings.Join(append(f.CWDs(), f.Name()), "/")
			switch {
			case f.User == "":
				path = filepath.Join(s.Root, "/"+path)
			case !strings.HasPrefix(path, "/"):
				path = filepath.Join(s.Home, path)
			}
			b, err := os.ReadFile(path)
			return b, err == nil
		},
		// The file of a URL without a type may be sent as text, with other line ends.
		SameOctets: func(got, want []byte) bool {
			return bytes.Equal(got, want) || bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want)
		},
	}
}

// TestConformanceServers runs the suite against each server, in passive and in active mode.
func TestConformanceServers(t *testing.T) {
	var variants []fetchtest.Variant
	for _, d := range realserver.FTPDaemons() {
		for _, active := range []bool{false, true} {
			start := func(t *testing.T) fetchtest.Target {
				s := d.Start(t)
				target := daemonTarget(s, d.Scheme+"://", func(dialer wire.Dialer) protocols.Fetcher {
					dialer.TLS.Roots = s.Roots()
					return &ftp.Client{Dialer: dialer, PlainPasswords: !d.TLS, PreferActive: active}
				})
				if d.TLS || active {
					target.WalkFrom = target.WalkFrom[1:2] // one walk is enough, and TLS is slow
				}
				return target
			}
			name := d.Name
			if active {
				name += " active"
			}
			if strings.HasPrefix(d.Name, "vsftpd") && d.Scheme == "ftp" && !active {
				t.Run(name, func(t *testing.T) { fetchtest.Run(t, start(t)) })
			} else {
				variants = append(variants, fetchtest.Variant{Name: name, Start: start})
			}
		}
	}
	fetchtest.RunVariants(t, variants)
}

// TestOddPasswords logs in with odd passwords.
func TestOddPasswords(t *testing.T) {
	login := func(t *testing.T, addr, user, password string) error {
		t.Helper()
		parsed := fetchtest.Must(urlcore.Parse("ftp://" + addr + "/"))(t)
		u := parsed.(urlcore.FTP)
		u.User, u.HasUser, u.Password, u.HasPassword = user, true, password, true
		c := &ftp.Client{PlainPasswords: true}
		defer c.Close()
		r, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if err == nil {
			_ = r.Close()
		}
		return err
	}
	t.Run("loopback", func(t *testing.T) {
		s := fetchtest.Must(demo.StartFTP(afero.NewMemMapFs()))(t)
		defer s.Close()
		for _, password := range []string{"0", "2", "23", "230", "230 ", " ", "%", "100%s", "x\xffy", "\xff", "gr\xfcn", ""} {
			s.SetPassword(password)
			if err := login(t, s.Addr(), demo.FTPUser, password); err != nil {
				t.Errorf("login with the password %q: %v", password, err)
			}
			var l *protocols.Login
			if err := login(t, s.Addr(), demo.FTPUser, password+"x"); !errors.As(err, &l) || !l.Failed {
				t.Errorf("login with the wrong password %q = %v; want a failed Login", password+"x", err)
			}
		}
	})
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel() // Pure-FTPd delays the reply to a wrong password, such as one with a doubled octet FF
			s := d.Start(t)
			for _, a := range realserver.OddAccounts() {
				if err := login(t, s.Addr, a.User, a.Password); err != nil {
					t.Errorf("login with the password %q: %v", a.Password, err)
				}
			}
		})
	}
}

// TestResumeServers resumes a file at several offsets, from the loopback server and from real servers.
func TestResumeServers(t *testing.T) {
	resume := func(t *testing.T, text string, roots *x509.CertPool) {
		t.Helper()
		u := fetchtest.Must(urlcore.Parse(text))(t)
		c := &ftp.Client{Dialer: wire.Dialer{TLS: wire.TLS{Roots: roots}}}
		defer c.Close()
		read := func(r *protocols.Resource, err error) string {
			t.Helper()
			fetchtest.NoError(t, err)
			defer r.Close()
			b, err := io.ReadAll(r.Body)
			if err != nil || r.Size != int64(len(b)) {
				t.Errorf("the Body has %d octets, error %v; Size is %d", len(b), err, r.Size)
			}
			return string(b)
		}
		whole := read(c.Fetch(t.Context(), protocols.Request{URL: u}))
		for _, offset := range []int{0, 1, len(whole) / 2, len(whole) - 1, len(whole)} {
			if got := read(c.Resume(t.Context(), protocols.Request{URL: u, Offset: int64(offset)})); got != whole[offset:] {
				t.Errorf("Resume() from %d: the Body is %.40q; want %.40q", offset, got, whole[offset:])
			}
		}
		if _, err := c.Resume(t.Context(), protocols.Request{URL: u, Offset: int64(len(whole) + 1)}); err == nil ||
			!strings.Contains(err.Error(), "fetch the whole file") {
			t.Errorf("Resume() from beyond the end = %v; want the advice to fetch the whole file", err)
		}
	}
	t.Run("loopback", func(t *testing.T) {
		tree := afero.NewMemMapFs()
		fetchtest.NoError(t, afero.WriteFile(tree, "/f.bin", []byte("0123\r\n6789\xff\x00"), 0o644))
		s := fetchtest.Must(demo.StartFTP(tree))(t)
		defer s.Close()
		resume(t, "ftp://"+s.Addr()+"/f.bin", nil)
	})
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			resume(t, d.Scheme+"://"+s.Addr+"/pub/large/1MB.bin", s.Roots())
		})
	}
}

// TestNameListServers lists a pattern by NLST at real servers, and a directory that does not exist.
func TestNameListServers(t *testing.T) {
	for _, d := range realserver.FTPDaemons() {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			c := &ftp.Client{Dialer: wire.Dialer{TLS: wire.TLS{Roots: s.Roots()}}}
			defer c.Close()
			base := d.Scheme + "://" + s.Addr + "/pub/text/"
			if _, _, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: fetchtest.Parse(t, base+"none;type=d")}); err == nil {
				t.Error("got no error for a directory that does not exist")
			}
			if strings.HasPrefix(d.Name, "pure-ftpd") { // it finds no names for a pattern
				return
			}
			_, lines, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: fetchtest.Parse(t, base+"lf.*;type=d")})
			fetchtest.NoError(t, err)
			if len(lines) == 0 || lines[len(lines)-1].Link == nil {
				t.Fatalf("the lines are %v, want the file lf.txt", lines)
			}
			u := lines[len(lines)-1].Link
			if _, text := fetchtest.Read(t, c, u); !strings.HasPrefix(text, "line one") {
				t.Errorf("%s has the text %.40q", u, text)
			}
		})
	}
}
