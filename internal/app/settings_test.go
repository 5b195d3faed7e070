package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/protocols"
	"gofer/ui"
	"gofer/urlcore"
)

// testScreen is a screen without flags and without a terminal.
var testScreen = Screen{Override: func(*config.Config) {}, Terminal: func(*ui.Options) {}}

func settingChanger(t *testing.T, st *State) func(config.Edit) (ui.Options, error) {
	return func(e config.Edit) (ui.Options, error) {
		return st.changeSetting(t.Context(), testScreen, e)
	}
}

// TestDemoSettings changes settings in the demo. They begin as a copy of the user's settings, and the next
// demo has the changed settings. The user's file must not change.
func TestDemoSettings(t *testing.T) {
	home, setup, text := t.TempDir(), Setup{}, "# mine\ntheme = \"light\"\nnews_server = \"news.example.org\"\n"
	userFile := filepath.Join(home, ".config/gofer/config.toml")
	fetchtest.NoError(t, os.MkdirAll(filepath.Dir(userFile), 0o700))
	fetchtest.NoError(t, os.WriteFile(userFile, []byte(text), 0o600))
	p := testStart(home, &setup)
	st := p.Open(fakeWorld{})
	set := settingChanger(t, st)
	fetchtest.Equal(t, st.Config.Theme, "light", "theme of the user")
	file := filepath.Join(home, ".local/share/gofer-demo/config.toml")
	if _, err := set(config.Edit{Key: "theme", Old: "light", Text: "pink"}); err == nil {
		t.Error("changing theme to pink succeeded")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a refused change, Stat(%s) = %v; want no file", file, err)
	}
	fetchtest.Equal(t, fetchtest.Must(set(config.Edit{Key: "theme", Old: "light", Text: "dark"}))(t).Config.Theme, "dark", "theme")
	fetchtest.Must(set(config.Edit{Key: "timeouts.idle", Old: "1m0s", Text: "9s"}))(t)
	fetchtest.Equal(t, setup.Config.Timeouts.Idle.String(), "9s", "timeout of the fetchers")
	fetchtest.Equal(t, setup.Config.NewsServer, fakeWorld{}.NewsServer(), "news server")
	if _, err := set(config.Edit{Key: "news_server", Old: "news.example.org", Text: "h.example"}); err == nil ||
		err.Error() != "the demo has its own news_server" {
		t.Errorf("changing news_server in the demo: %v, want an error", err)
	}
	st.Close()

	p = testStart(home, &setup)
	st = p.Open(fakeWorld{})
	defer st.Close()
	fetchtest.Equal(t, st.Config.Theme, "dark", "theme of the next demo")
	fetchtest.Equal(t, st.aboutPages().SettingsFile, file, "file")
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(userFile))(t)), text, "file of the user")
	for _, s := range fetchtest.Must(st.aboutPages().Settings())(t) {
		if s.Key == "theme" {
			fetchtest.Equal(t, s.Source, file+":2", "source")
		}
	}
	// The user's settings for safety apply in the demo too.
	safe := "restrict.enabled = true\nread_only = true\nplain_passwords = true\nask_ports = '7-9'\npassword_command = 'pw'\n"
	fetchtest.NoError(t, os.WriteFile(userFile, []byte(safe), 0o600))
	demo, want := fetchtest.Must(p.LoadSettings())(t), fetchtest.Must(config.Load(userFile, p.Getenv))(t)
	fetchtest.Equal(t, demo.Restrict.Enabled, true, "restricted")
	fetchtest.Equal(t, demo.ReadOnly && demo.PlainPasswords, true, "read only, passwords in the clear")
	fetchtest.Equal(t, reflect.DeepEqual(demo.AskPorts, want.AskPorts), true, "ports %v", demo.AskPorts)
	fetchtest.Equal(t, demo.PasswordCommand, "pw", "password command")
	shown := make(map[string]string)
	for _, s := range fetchtest.Must(st.aboutPages().Settings())(t) {
		shown[s.Key] = s.Text + ", " + s.Source
	}
	for key, want := range map[string]string{
		"theme": "dark, " + file + ":2", "restrict.enabled": "true, " + userFile + ":1", "read_only": "true, " + userFile + ":2",
		"plain_passwords": "true, " + userFile + ":3", "ask_ports": "7-9, " + userFile + ":4", "password_command": "pw, " + userFile + ":5",
		"news_server": fakeWorld{}.NewsServer() + ", the demo", "post.sent": ", the demo", "score_file": ", the demo",
	} {
		fetchtest.Equal(t, shown[key], want, "%s on about:settings", key)
	}
	for _, key := range []string{"read_only", "plain_passwords", "ask_ports", "password_command", "restrict.enabled"} {
		if _, err := set(config.Edit{Key: key}); err == nil || !strings.Contains(err.Error(), key+" applies to the demo") {
			t.Errorf("changing %s in the demo: %v, want an error", key, err)
		}
	}
}

// TestSettingsReachTransfers checks that downloads, uploads and changes use the fetchers of the
// latest settings, even if they belong to a state that was made before the change. Settings of the
// screen do not replace the fetchers.
func TestSettingsReachTransfers(t *testing.T) {
	var made []*transferLog
	p := testStart(t.TempDir(), new(Setup))
	p.Schemes = func(Setup) (protocols.Registry, func()) {
		made = append(made, new(transferLog))
		return protocols.Registry{"ftp": made[len(made)-1]}, func() {}
	}
	st := p.Open(nil)
	defer st.Close()
	server, set := st.Fetchers(Way{Use: Transfer, Retry: StoredLogins{st, nil}.Retry}), settingChanger(t, st)
	fetchtest.Must(set(config.Edit{Key: "prefetch", Text: "false", Old: "true"}))(t)
	fetchtest.Equal(t, len(made), 1, "fetchers after a setting of the screen")
	fetchtest.Must(set(config.Edit{Key: "ftp_active", Text: "true", Old: "false"}))(t)
	u := fetchtest.Parse(t, "ftp://h.example/a")
	downloads := st.Downloads.Fetcher.(interface {
		protocols.Fetcher
		protocols.Resumer
		Resumes(u urlcore.URL) bool
	})
	fetchtest.Equal(t, downloads.Resumes(u), true, "resumes")
	_, err1 := downloads.Fetch(t.Context(), protocols.Request{URL: u})
	_, err2 := downloads.Resume(t.Context(), protocols.Request{URL: u, Offset: 1})
	err3 := server.Put(t.Context(), u, new(protocols.Upload))
	_, err4 := server.Change(t.Context(), &protocols.Change{URL: u})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Error(err)
	}
	fetchtest.EqualSlices(t, made[1].calls, []string{"fetch", "resume", "put", "change"}, "calls of the latest fetchers")
	fetchtest.EqualSlices(t, made[0].calls, nil, "calls of the old fetchers")
}

// transferLog is a Fetcher that records its calls.
type transferLog struct{ calls []string }

func (l *transferLog) Fetch(context.Context, protocols.Request) (*protocols.Resource, error) {
	l.calls = append(l.calls, "fetch")
	return new(protocols.Resource), nil
}

func (l *transferLog) Resume(context.Context, protocols.Request) (*protocols.Resource, error) {
	l.calls = append(l.calls, "resume")
	return new(protocols.Resource), nil
}

func (l *transferLog) Put(context.Context, urlcore.URL, *protocols.Upload) error {
	l.calls = append(l.calls, "put")
	return nil
}

func (l *transferLog) Change(context.Context, *protocols.Change) (urlcore.URL, error) {
	l.calls = append(l.calls, "change")
	return nil, nil
}

// TestSettingScopes changes settings of a running program: one of each table, and every setting outside
// of tables. It checks whether a setting affects the screen, the fetchers, or nothing before a restart.
func TestSettingScopes(t *testing.T) {
	values := map[string]string{
		"news_server": "h.example", "newest_articles": "7", "read_before_unread": "7", "kept_copies": "7", "score_file": "~/s", "ask_ports": "7",
		"password_command": "echo pw", "downloads": "/d", "colors.accent": "75", "timeouts.connect": "7s", "host.\"\".charset": "cp437",
		"news.\"\"": "h.example", "search.\"\"": "gopher://h.example/7/{q}", "gateway.\"\"": "http://h.example/%s", "open.\"\".command": "feh %s",
		"mail.from": "a@h.example", "post.from": "a@h.example", "anonymous_password": "a@h.example", "refresh": "30m",
	}
	tried := make(map[string]bool) // by key, or by table
	for i, s := range fetchtest.Must(config.Settings("", func(string) string { return "" }))(t) {
		table, _, _ := strings.Cut(s.Key, ".")
		if tried[table] {
			continue
		}
		tried[table] = true
		t.Run(s.Key, func(t *testing.T) {
			var made []Setup
			p := testStart(t.TempDir(), new(Setup))
			s := fetchtest.Must(config.Settings("", p.Getenv))(t)[i] // the folder for downloads is in the home directory
			p.Schemes = func(s Setup) (protocols.Registry, func()) {
				made = append(made, s)
				return protocols.Registry{}, func() {}
			}
			st := p.Open(nil)
			defer st.Close()
			st.Sessions = sessions.Open("")
			before, was := screenState(t, st, st.ScreenOptions(t.Context(), testScreen)), made[0].Config
			e := config.Edit{Key: s.Key, Name: "name", Old: s.Text, Text: values[s.Key]}
			if i := slices.IndexFunc(s.Choices, func(choice string) bool { return choice != s.Text }); i >= 0 {
				e.Text = s.Choices[i]
			}
			o := fetchtest.Must(settingChanger(t, st)(e))(t)
			reached := "start"
			switch {
			case len(made) == 2 && !reflect.DeepEqual(made[1].Config, was):
				reached = "fetchers"
			case len(made) == 1 && screenState(t, st, o) != before:
				reached = "screen"
			}
			fetchtest.Equal(t, reached, config.Tag(s.Key, "scope"), "scope of %q", e.Text)
		})
	}
}

// screenState returns a text with the values of o and the other values that the screen uses.
func screenState(t *testing.T, st *State, o ui.Options) (text string) {
	for name, field := range reflect.ValueOf(o).Fields() {
		switch field.Kind() {
		case reflect.Func, reflect.Pointer, reflect.Interface:
			text += fmt.Sprintln(name.Name, field.IsNil())
		default:
			text += fmt.Sprintln(name.Name, field)
		}
	}
	login := protocols.Login{Server: "h.example:21", User: "joe", With: func(string, string) {}}
	_, password, _, err := StoredLogins{st, nil}.Find(t.Context(), &login)
	fetchtest.NoError(t, err)
	return text + fmt.Sprintln(password, st.latest.Load().Config.Restore)
}

// TestForgetLogins checks that forgetting logins replaces the fetchers and closes their connections.
// The new fetchers have an empty memory, which later changes of settings keep.
func TestForgetLogins(t *testing.T) {
	setup := Setup{}
	p := testStart(t.TempDir(), &setup)
	closed, fetchers := 0, p.Schemes
	p.Schemes = func(s Setup) (protocols.Registry, func()) {
		table, end := fetchers(s)
		return table, func() { closed++; end() }
	}
	st := p.Open(nil)
	defer st.Close()
	old := setup.Memory
	st.pins.Agree("h:70", "SHA-256 00")
	st.ScreenOptions(t.Context(), testScreen).ForgetLogins()
	_, trusted := st.pins.Pin("h:70")
	fetchtest.Equal(t, trusted, false, "trust in a certificate that is not in the file")
	if setup.Memory == nil || setup.Memory == old || closed != 1 {
		t.Errorf("memory %p, before %p, connections closed %d times, want another memory and 1", setup.Memory, old, closed)
	}
	forgot := setup.Memory
	fetchtest.Must(settingChanger(t, st)(config.Edit{Key: "timeouts.idle", Old: "1m0s", Text: "9s"}))(t)
	fetchtest.Equal(t, setup.Memory, forgot, "memory after a change of the settings")
}

// drippingServer is a news client whose server begins a greeting that never ends.
type drippingServer struct{ protocols.Fetcher }

func (drippingServer) Greet(ctx context.Context, _ urlcore.URL) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestTryEndlessServer checks that the trial of a news server ends.
func TestTryEndlessServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &State{fetchers: serving(drippingServer{})}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := st.tryNewsServer(ctx, "nntp://a.example")
		fetchtest.Equal(t, protocols.ReasonOf(err), protocols.FirstByteTimeout, "the reason")
		fetchtest.NoError(t, ctx.Err())
	})
}
