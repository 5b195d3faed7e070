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

	"gofer/internal/download"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// locked is a Fetcher that wants one login.
type locked struct {
	user, password string
	given          string
	asked          int
	stored         strings.Builder
}

func (l *locked) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	if l.given == l.user+"/"+l.password {
		head := protocols.Head{URL: u, Media: "text/plain", Size: 5}
		return &protocols.Resource{Head: head, Body: strings.NewReader("open\n"), Closer: io.NopCloser(nil)}, nil
	}
	l.asked++
	login := &protocols.Login{URL: u, Server: "locked.example:21", Failed: l.given != "", Text: "530 Who\x1b are you?"}
	if f, ok := u.(urlcore.FTP); ok {
		login.User = f.User
	}
	login.With = func(user, password string) { l.given = user + "/" + password }
	return nil, login
}

// Put implements [protocols.Putter].
func (l *locked) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	if _, err := l.Fetch(ctx, u); err != nil {
		return err
	}
	_, err := io.Copy(&l.stored, up.Body)
	return err
}

// Change implements [protocols.Changer].
func (l *locked) Change(ctx context.Context, c *protocols.Change) (urlcore.URL, error) {
	_, err := l.Fetch(ctx, c.URL)
	return c.URL, err
}

// lockedProgram is gofer with l for its FTP server and a .netrc.
func lockedProgram(t *testing.T, l *locked, netrc string, mode os.FileMode) *Program {
	t.Helper()
	home := t.TempDir()
	if netrc != "" {
		file := filepath.Join(home, ".netrc")
		fetchtest.NoError(t, errors.Join(os.WriteFile(file, []byte(netrc), mode), os.Chmod(file, mode)))
	}
	p := testProgram(home, new(Setup))
	p.Fetchers = func(Setup) (protocols.Registry, func()) { return protocols.Registry{"ftp": l}, func() {} }
	return p
}

func TestLoginFromNetrc(t *testing.T) {
	const right = "machine locked.example login joe password secret\n"
	for _, tt := range []struct {
		name, netrc, url string
		mode             os.FileMode
		code             int
		told             string
	}{
		{"right", right, "ftp://locked.example/a.txt", 0o600, 0, ""},
		{"for the user", "machine locked.example login ann password x\n" + right, "ftp://joe@locked.example/a.txt", 0o600, 0, ""},
		{"wrong", "machine locked.example login joe password no", "ftp://locked.example/a.txt", 0o600, 4, "login failed"},
		{"for another user", right, "ftp://ann@locked.example/a.txt", 0o600, 4, "requires a login"},
		{"none", "", "ftp://locked.example/a.txt", 0o600, 4, "requires a login"},
		{"that others can read", right, "ftp://locked.example/a.txt", 0o644, 4, "chmod 600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &locked{user: "joe", password: "secret"}
			p := lockedProgram(t, l, tt.netrc, tt.mode)
			var out, told strings.Builder
			p.In, p.Out, p.Err = strings.NewReader("joe\nsecret\n"), &out, &told
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code || !strings.Contains(told.String(), tt.told) || strings.Contains(told.String(), "secret") {
				t.Errorf("exit %d, told %q, want %d, %q", code, told.String(), tt.code, tt.told)
			}
			if (out.String() == "open\n") != (tt.code == 0) {
				t.Errorf("printed %q", out.String())
			}
			if l.asked > 2 {
				t.Errorf("asked %d times", l.asked)
			}
		})
	}
}

// TestPasswordCommand takes the login from a program of the settings, on the
// command line and on the screen.
func TestPasswordCommand(t *testing.T) {
	program, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	say := func(text string) string { return program + ` -c "printf '` + text + `' %h %u"` }
	for _, tt := range []struct {
		name, command, url string
		code               int
		told               string
	}{
		{"with the user", say("secret\\\\nurl: x\\\\nUser: joe\\\\n"), "ftp://locked.example/a.txt", 0, ""},
		{"for the user", say("secret"), "ftp://joe@locked.example/a.txt", 0, ""},
		{"wrong", say("no"), "ftp://joe@locked.example/a.txt", 4, "login failed"},
		{"without a user", say("secret"), "ftp://locked.example/a.txt", 4, "requires a login"},
		{"it knows none", program + " -c 'exit 1'", "ftp://joe@locked.example/a.txt", 4, "requires a login"},
		{"the user is an option", say("secret"), "ftp://-joe@locked.example/a.txt", 4, "password_command: "},
		{"the user is a path", say("secret"), "ftp://x%2F..%2Fjoe@locked.example/a.txt", 4, "password_command: "},
		{"the user is a shell's", say("secret"), "ftp://$(id)@locked.example/a.txt", 4, "password_command: "},
		{"the user is not told", program + " -c 'echo secret'", "ftp://$(id)@locked.example/a.txt", 4, "login failed"},
		{"it is not there", "/no/such/program", "ftp://joe@locked.example/a.txt", 4, "password_command: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &locked{user: "joe", password: "secret"}
			p := lockedProgram(t, l, "", 0)
			var out, told strings.Builder
			p.In, p.Out, p.Err = strings.NewReader(""), &out, &told
			settings := filepath.Join(p.Getenv("HOME"), ".config", "gofer", "config.toml")
			fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte("password_command = '''"+tt.command+"'''\n"), 0o600)))
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code || !strings.Contains(told.String(), tt.told) || strings.Contains(told.String(), "secret") {
				t.Errorf("exit %d, told %q, want %d, %q", code, told.String(), tt.code, tt.told)
			}
			l.given = ""
			u := fetchtest.Must(urlcore.Parse(tt.url))(t)
			_, err = loginFetcher{protocols.Registry{"ftp": l}, storedLogins{p, nil}}.Fetch(t.Context(), u)
			if login, ok := errors.AsType[*protocols.Login](err); ok == (tt.code == 0) || login != nil && tt.told == "password_command: " && !strings.Contains(login.Note, tt.told) {
				t.Errorf("on the screen: got %v, %+v", err, login)
			}
		})
	}
}

// TestRestrictedLogins: the owner's logins are not for the readers of a public
// terminal.
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
			l := &locked{user: "joe", password: "secret"}
			p := lockedProgram(t, l, tt.netrc, 0o600)
			p.In, p.Out, p.Err = strings.NewReader(""), io.Discard, io.Discard
			settings := filepath.Join(p.Getenv("HOME"), ".config", "gofer", "config.toml")
			fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte(tt.settings), 0o600)))
			if code := p.Run(t.Context(), append([]string{"dump", "ftp://joe@locked.example/a.txt"}, tt.flags...)); code == 0 || l.given != "" {
				t.Errorf("exit %d, given %q", code, l.given)
			}
		})
	}
}

// TestPutLogsIn: an upload takes the login from where a fetch does.
func TestPutLogsIn(t *testing.T) {
	for _, tt := range []struct {
		name, netrc string
		code        int
	}{
		{"from the file", "machine locked.example login joe password secret", 0},
		{"none", "", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &locked{user: "joe", password: "secret"}
			p := lockedProgram(t, l, tt.netrc, 0o600)
			p.In, p.Out, p.Err = strings.NewReader("A note.\n"), io.Discard, io.Discard
			fetchtest.Equal(t, p.Run(t.Context(), []string{"put", "--yes", "-", "ftp://locked.example/a.txt"}), tt.code, "exit")
			if (l.stored.String() == "A note.\n") != (tt.code == 0) {
				t.Errorf("stored %q", l.stored.String())
			}
		})
	}
}

// lockedDraft is a message whose server wants a login.
type lockedDraft struct {
	protocols.Draft
	server *locked
	u      urlcore.URL
}

func (d lockedDraft) Send(ctx context.Context) error {
	_, err := d.server.Fetch(ctx, d.u)
	return err
}

// writing asks for a message about every URL.
type writing struct{ server *locked }

func (w writing) Fetch(_ context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return nil, &protocols.Compose{URL: u, Draft: lockedDraft{server: w.server, u: u}}
}

// TestSendingLogsIn: what is sent from the screen, a message, a file or a change, takes
// the login from where a fetch does.
func TestSendingLogsIn(t *testing.T) {
	l := &locked{user: "joe", password: "secret"}
	p := lockedProgram(t, l, "machine locked.example login joe password secret", 0o600)
	p.Fetchers = func(Setup) (protocols.Registry, func()) {
		return protocols.Registry{"ftp": l, "mailto": writing{l}}, func() {}
	}
	p.Err = io.Discard
	st := p.open(nil)
	defer st.close()
	o := p.screenOptions(t.Context(), st, browseFlags{}, nil)
	u := fetchtest.Must(urlcore.Parse("ftp://locked.example/a.txt"))(t)
	for name, send := range map[string]func() error{
		"a message": func() error {
			_, err := loginFetcher{st.fetchers, storedLogins{p, nil}}.Fetch(t.Context(), urlcore.Mailto{Address: "joe@example.org"})
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
		l.given = ""
		if err := send(); err != nil || l.given != "joe/secret" {
			t.Errorf("%s: got %v, given %q", name, err, l.given)
		}
	}
}

// TestDownloadsLogIn: what is saved takes the login from where a fetch does.
func TestDownloadsLogIn(t *testing.T) {
	l := &locked{user: "joe", password: "secret"}
	p := lockedProgram(t, l, "machine locked.example login joe password secret", 0o600)
	p.Err = io.Discard
	st := p.open(nil)
	defer st.close()
	u := fetchtest.Must(urlcore.Parse("ftp://locked.example/a.txt"))(t)
	item, _ := st.Downloads.Add(download.Request{URL: u, Path: filepath.Join(t.TempDir(), "a.txt")})
	if s := item.Wait(); s.State != download.Saved || s.Err != nil {
		t.Errorf("it is %v, %v", s.State, s.Err)
	}
}

// TestLoginFromNewsauth: news servers, and no others, are looked for in ~/.newsauth,
// before ~/.netrc.
func TestLoginFromNewsauth(t *testing.T) {
	for _, tt := range []struct {
		name, text, url string
		mode            os.FileMode
		code            int
	}{
		{"with a user", "locked.example secret joe\n", "news:a@b", 0o600, 0},
		{"as the account here", "locked.example secret\n", "nntp://locked.example/a.b/1", 0o600, 0},
		{"of another server", "other.example secret joe\n", "news:a@b", 0o600, 4},
		{"that others can read", "locked.example secret joe\n", "news:a@b", 0o640, 4},
		{"not for FTP", "locked.example secret joe\n", "ftp://locked.example/a.txt", 0o600, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &locked{user: "joe", password: "secret"}
			p := lockedProgram(t, l, "", 0)
			p.Fetchers = func(Setup) (protocols.Registry, func()) {
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
			var told strings.Builder
			p.Out, p.Err = io.Discard, &told
			if code := p.Run(t.Context(), []string{"dump", tt.url}); code != tt.code {
				t.Errorf("got %d, %q, want %d", code, told.String(), tt.code)
			}
		})
	}
}

// TestConsents: a flag answers its kind of question, and no other.
func TestConsents(t *testing.T) {
	all := consents{certificate: true, plainPassword: true, port: true}
	for _, tt := range []struct {
		kind  protocols.Consent
		given consents
		want  bool
	}{
		{protocols.ConsentCertificate, consents{certificate: true}, true},
		{protocols.ConsentCertificate, consents{plainPassword: true, port: true}, false},
		{protocols.ConsentPlainPassword, consents{plainPassword: true}, true},
		{protocols.ConsentPort, consents{port: true}, true},
		{protocols.ConsentAsked, all, false},
		{protocols.ConsentReplace, all, false},
		{protocols.ConsentPort + 1, all, false},
	} {
		fetchtest.Equal(t, tt.given.agree(&protocols.Confirm{Consent: tt.kind}), tt.want, "%d by %+v", tt.kind, tt.given)
	}
}
