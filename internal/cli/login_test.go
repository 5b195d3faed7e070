package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/urlcore"
)

// loginServer is a Fetcher that requires a login.
type loginServer struct {
	user, password string
	received       string
	requests       int
	stored         strings.Builder
}

func (l *loginServer) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	if l.received == l.user+"/"+l.password {
		head := protocols.Head{URL: req.URL, Media: "text/plain", Size: 5}
		return &protocols.Resource{Head: head, Body: strings.NewReader("open\n"), Closer: io.NopCloser(nil)}, nil
	}
	l.requests++
	login := &protocols.Login{URL: req.URL, Server: "locked.example:21", Failed: l.received != "", Text: "530 Who\x1b are you?"}
	if f, ok := req.URL.(urlcore.FTP); ok {
		login.User = f.User
	}
	login.With = func(user, password string) { l.received = user + "/" + password }
	return nil, login
}

// Put implements [protocols.Putter].
func (l *loginServer) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if _, err := l.Fetch(ctx, protocols.Request{URL: u}); err != nil {
		return err
	}
	_, err := io.Copy(&l.stored, up.Body)
	return err
}

// Change implements [protocols.Changer].
func (l *loginServer) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	_, err := l.Fetch(ctx, protocols.Request{URL: c.URL})
	return c.URL, err
}

// loginProgram returns gofer with l as its FTP server. If netrc is not "", the home directory has a file
// .netrc with this text and mode.
func loginProgram(t *testing.T, l *loginServer, netrc string, mode os.FileMode) *Program {
	t.Helper()
	home := t.TempDir()
	if netrc != "" {
		file := filepath.Join(home, ".netrc")
		fetchtest.NoError(t, errors.Join(os.WriteFile(file, []byte(netrc), mode), os.Chmod(file, mode)))
	}
	p := testProgram(home, new(app.Setup))
	p.Schemes = func(app.Setup) (protocols.Registry, func()) { return protocols.Registry{"ftp": l}, func() {} }
	return p
}

func TestLoginFromNetrc(t *testing.T) {
	const right = "machine locked.example login joe password secret\n"
	for _, tt := range []struct {
		name, netrc, url string
		mode             os.FileMode
		code             int
		stderr           string
	}{
		{"right", right, "ftp://locked.example/a.txt", 0o600, 0, ""},
		{"for the user", "machine locked.example login ann password x\n" + right, "ftp://joe@locked.example/a.txt", 0o600, 0, ""},
		{"wrong", "machine locked.example login joe password no", "ftp://locked.example/a.txt", 0o600, 4, "login failed"},
		{"for another user", right, "ftp://ann@locked.example/a.txt", 0o600, 4, "requires a login"},
		{"none", "", "ftp://locked.example/a.txt", 0o600, 4, "requires a login"},
		{"that others can read", right, "ftp://locked.example/a.txt", 0o644, 4, "chmod 600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &loginServer{user: "joe", password: "secret"}
			p := loginProgram(t, l, tt.netrc, tt.mode)
			var out, stderr strings.Builder
			p.In, p.Out, p.Err = strings.NewReader("joe\nsecret\n"), &out, &stderr
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code ||
				!strings.Contains(stderr.String(), tt.stderr) || strings.Contains(stderr.String(), "secret") {
				t.Errorf("exit %d, stderr %q, want %d, %q", code, stderr.String(), tt.code, tt.stderr)
			}
			if (out.String() == "open\n") != (tt.code == 0) {
				t.Errorf("dump printed %q with the exit code %d", out.String(), tt.code)
			}
			if l.requests > 2 {
				t.Errorf("the server got %d requests without the login, want at most 2", l.requests)
			}
		})
	}
}

// TestPasswordCommand checks that the password command provides logins on the command line and on
// the screen.
func TestPasswordCommand(t *testing.T) {
	program, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	say := func(text string) string { return program + ` -c "printf '` + text + `' %h %u"` }
	for _, tt := range []struct {
		name, command, url string
		code               int
		stderr             string
	}{
		{"with the user", say("secret\\\\nurl: x\\\\nUser: joe\\\\n"), "ftp://locked.example/a.txt", 0, ""},
		{"for the user", say("secret"), "ftp://joe@locked.example/a.txt", 0, ""},
		{"wrong", say("no"), "ftp://joe@locked.example/a.txt", 4, "login failed"},
		{"without a user", say("secret"), "ftp://locked.example/a.txt", 4, "requires a login"},
		{"no login found", program + " -c 'exit 1'", "ftp://joe@locked.example/a.txt", 4, "requires a login"},
		{"the user is an option", say("secret"), "ftp://-joe@locked.example/a.txt", 4, "password_command: "},
		{"the user is a path", say("secret"), "ftp://x%2F..%2Fjoe@locked.example/a.txt", 4, "password_command: "},
		{"the user is shell syntax", say("secret"), "ftp://$(id)@locked.example/a.txt", 4, "password_command: "},
		{"the command ignores the user", program + " -c 'echo secret'", "ftp://$(id)@locked.example/a.txt", 4, "login failed"},
		{"no such program", "/no/such/program", "ftp://joe@locked.example/a.txt", 4, "password_command: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &loginServer{user: "joe", password: "secret"}
			p := loginProgram(t, l, "", 0)
			var out, stderr strings.Builder
			p.In, p.Out, p.Err = strings.NewReader(""), &out, &stderr
			settings := filepath.Join(p.Getenv("HOME"), ".config", "gofer", "config.toml")
			fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte("password_command = '''"+
				tt.command+"'''\n"), 0o600)))
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code ||
				!strings.Contains(stderr.String(), tt.stderr) || strings.Contains(stderr.String(), "secret") {
				t.Errorf("exit %d, stderr %q, want %d, %q", code, stderr.String(), tt.code, tt.stderr)
			}
			l.received = ""
			u := fetchtest.Must(urlcore.Parse(tt.url))(t)
			_, err = p.state.Fetchers(app.Way{
				Use: app.Page, Retry: app.StoredLogins{State: p.state}.Retry,
			}).Fetch(t.Context(), protocols.Request{URL: u})
			if login, ok := errors.AsType[*protocols.Login](err); ok == (tt.code == 0) ||
				login != nil && tt.stderr == "password_command: " && !strings.Contains(login.Note, tt.stderr) {
				t.Errorf("Fetch of the screen = %v with the login %+v; want a login: %v", err, login, tt.code != 0)
			}
		})
	}
}

// TestRestrictedLogins checks that restricted mode uses no stored logins.
func TestRestrictedLogins(t *testing.T) {
	for _, tt := range []struct {
		name, netrc, settings string
		flags                 []string
	}{
		{"the file", "machine locked.example login joe password secret", "", []string{"--restrict"}},
		{"the settings", "machine locked.example login joe password secret", "[restrict]\nenabled = true\n", nil},
		{"the command", "", "password_command = 'printf secret'\n", []string{"--restrict"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &loginServer{user: "joe", password: "secret"}
			p := loginProgram(t, l, tt.netrc, 0o600)
			p.In, p.Out, p.Err = strings.NewReader(""), io.Discard, io.Discard
			settings := filepath.Join(p.Getenv("HOME"), ".config", "gofer", "config.toml")
			fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte(tt.settings), 0o600)))
			if code := p.Run(t.Context(), append([]string{"dump", "ftp://joe@locked.example/a.txt"}, tt.flags...)); code == 0 || l.received != "" {
				t.Errorf("exit %d, the server received the login %q; want an error and no login", code, l.received)
			}
		})
	}
}

// TestPutLogsIn checks that put logs in with stored logins.
func TestPutLogsIn(t *testing.T) {
	for _, tt := range []struct {
		name, netrc string
		code        int
	}{
		{"from the file", "machine locked.example login joe password secret", 0},
		{"none", "", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &loginServer{user: "joe", password: "secret"}
			p := loginProgram(t, l, tt.netrc, 0o600)
			p.In, p.Out, p.Err = strings.NewReader("A note.\n"), io.Discard, io.Discard
			fetchtest.Equal(t, p.Run(t.Context(), []string{"put", "--yes", "-", "ftp://locked.example/a.txt"}), tt.code, "exit")
			if (l.stored.String() == "A note.\n") != (tt.code == 0) {
				t.Errorf("put stored %q with the exit code %d", l.stored.String(), tt.code)
			}
		})
	}
}

// loginServerDraft is a draft whose server requires a login.
type loginServerDraft struct {
	protocols.Draft
	server *loginServer
	u      urlcore.URL
}

func (d loginServerDraft) Send(ctx context.Context) error {
	_, err := d.server.Fetch(ctx, protocols.Request{URL: d.u})
	return err
}

// messageFetcher is a Fetcher that asks for a message for every URL.
type messageFetcher struct{ server *loginServer }

func (w messageFetcher) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return nil, &protocols.Compose{URL: req.URL, Draft: loginServerDraft{server: w.server, u: req.URL}}
}

// TestSendingLogsIn checks that messages, files and changes sent from the screen use stored logins.
func TestSendingLogsIn(t *testing.T) {
	l := &loginServer{user: "joe", password: "secret"}
	p := loginProgram(t, l, "machine locked.example login joe password secret", 0o600)
	p.Schemes = func(app.Setup) (protocols.Registry, func()) {
		return protocols.Registry{"ftp": l, "mailto": messageFetcher{l}}, func() {}
	}
	p.Err = io.Discard
	st := p.openState(nil)
	defer st.Close()
	o := st.ScreenOptions(t.Context(), p.screen(browseFlags{}, nil))
	u := fetchtest.Must(urlcore.Parse("ftp://locked.example/a.txt"))(t)
	for name, send := range map[string]func() error{
		"a message": func() error {
			_, err := st.Fetchers(app.Way{
				Use: app.Page, Retry: app.StoredLogins{State: st}.Retry,
			}).Fetch(t.Context(), protocols.Request{URL: urlcore.Mailto{Address: "joe@example.org"}})
			var c *protocols.Compose
			if !errors.As(err, &c) {
				return err
			}
			return c.Draft.Send(t.Context())
		},
		"a file": func() error {
			return o.Upload(t.Context(), filepath.Join(p.Getenv("HOME"), ".netrc"), u, &protocols.Upload{}, func(int64, int64) {})
		},
		"a change": func() error {
			_, err := o.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: u})
			return err
		},
	} {
		l.received = ""
		if err := send(); err != nil || l.received != "joe/secret" {
			t.Errorf("sending %s: %v, the server received the login %q; want nil, joe/secret", name, err, l.received)
		}
	}
}

// TestDownloadsLogIn checks that downloads of the screen use stored logins.
func TestDownloadsLogIn(t *testing.T) {
	l := &loginServer{user: "joe", password: "secret"}
	p := loginProgram(t, l, "machine locked.example login joe password secret", 0o600)
	p.Err = io.Discard
	st := p.openState(nil)
	defer st.Close()
	u := fetchtest.Must(urlcore.Parse("ftp://locked.example/a.txt"))(t)
	item, _ := st.Downloads.Add(download.Request{URL: u, Path: filepath.Join(t.TempDir(), "a.txt")})
	if s := item.Wait(); s.State != download.Saved || s.Err != nil {
		t.Errorf("the download has the state %v, the error %v; want %v, nil", s.State, s.Err, download.Saved)
	}
}

// TestLoginFromNewsauth checks that ~/.newsauth is used for news servers only.
func TestLoginFromNewsauth(t *testing.T) {
	for _, tt := range []struct {
		name, text, url string
		mode            os.FileMode
		code            int
	}{
		{"with a user", "locked.example secret joe\n", "news:a@b", 0o600, 0},
		{"with the local user", "locked.example secret\n", "nntp://locked.example/a.b/1", 0o600, 0},
		{"for another server", "other.example secret joe\n", "news:a@b", 0o600, 4},
		{"that others can read", "locked.example secret joe\n", "news:a@b", 0o640, 4},
		{"not for FTP", "locked.example secret joe\n", "ftp://locked.example/a.txt", 0o600, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &loginServer{user: "joe", password: "secret"}
			p := loginProgram(t, l, "", 0)
			p.Schemes = func(app.Setup) (protocols.Registry, func()) {
				return protocols.Registry{"ftp": l, "news": l, "nntp": l}, func() {}
			}
			env := p.Getenv
			p.Getenv = func(name string) string {
				if name == "USER" {
					return "joe"
				}
				return env(name)
			}
			file := filepath.Join(env("HOME"), ".newsauth")
			fetchtest.NoError(t, errors.Join(os.WriteFile(file, []byte(tt.text), tt.mode), os.Chmod(file, tt.mode)))
			var stderr strings.Builder
			p.Out, p.Err = io.Discard, &stderr
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code {
				t.Errorf("exit %d, stderr %q, want %d", code, stderr.String(), tt.code)
			}
		})
	}
}

// TestConsents checks that each flag answers only its own kind of question.
func TestConsents(t *testing.T) {
	all := consentFlags{protocols.ConsentCertificate: true, protocols.ConsentPlainPassword: true, protocols.ConsentPort: true}
	for _, tt := range []struct {
		kind  protocols.Consent
		given consentFlags
		want  bool
	}{
		{protocols.ConsentCertificate, consentFlags{protocols.ConsentCertificate: true}, true},
		{protocols.ConsentCertificate, consentFlags{protocols.ConsentPlainPassword: true, protocols.ConsentPort: true}, false},
		{protocols.ConsentPlainPassword, consentFlags{protocols.ConsentPlainPassword: true}, true},
		{protocols.ConsentPort, consentFlags{protocols.ConsentPort: true}, true},
		{protocols.ConsentAsked, all, false},
		{protocols.ConsentReplace, all, false},
	} {
		fetchtest.Equal(t, tt.given.allow(&protocols.Confirm{Consent: tt.kind}), tt.want, "%d by %+v", tt.kind, tt.given)
	}
}
