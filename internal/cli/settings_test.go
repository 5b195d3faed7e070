package cli

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui"
	"gofer/urlcore"
)

// TestSettingEditor changes settings while a program runs. The options and the fetchers have the new
// values, and what changed before stays.
func TestSettingEditor(t *testing.T) {
	home, asked := t.TempDir(), Setup{}
	p := testProgram(home, &asked)
	st := p.open(nil)
	defer st.close()
	set := p.settingEditor(t.Context(), st, browseFlags{}, nil)
	change := func(key, name, text string) (o ui.Options) {
		t.Helper()
		list := fetchtest.Must(config.Settings(configFile(p.Getenv), p.Getenv))(t)
		e := about.SettingEdit{Key: key, Name: name, Text: text}
		for _, s := range list {
			if s.Key == key {
				e.Old = s.Text
			}
		}
		return fetchtest.Must(set(e))(t)
	}
	fetchtest.Equal(t, change("theme", "", "dark").Theme, "dark", "theme")
	fetchtest.Equal(t, change(`host.""`+".charset", "a.example", "cp437").Host("a.example:70").Charset, "cp437", "charset")
	change("timeouts.idle", "", "9s")
	fetchtest.Equal(t, asked.Config.Timeouts.Idle.String(), "9s", "timeout of the fetchers")
	fetchtest.Equal(t, asked.Memory, st.Memory, "what was typed and agreed to")
	fetchtest.Equal(t, asked.Memory == nil, false, "no memory")
	change(`news.""`, "work", "news.example.org")
	o := change("news_server", "", "work")
	fetchtest.Equal(t, asked.news.server, "news.example.org:119", "news server")
	fetchtest.Equal(t, asked.news.store, st.news.store, "the newsrc files")
	fetchtest.Equal(t, o.Theme, "dark", "theme in the end")
	fetchtest.Equal(t, change("sort_articles", "", "-date").Articles, nav.Order{By: "date", Reversed: true}, "order")
	fetchtest.Equal(t, strings.Join(change("keys.page.\"\"", "wrap", "W F9").Keys["page"]["wrap"], " "), "W F9", "keys")
	if _, err := set(about.SettingEdit{Key: "theme", Old: "dark", Text: "pink"}); err == nil || !strings.HasPrefix(err.Error(), `theme is "pink", which is none of auto,`) {
		t.Errorf("a bad theme: %v", err)
	}
	if _, err := set(about.SettingEdit{Key: `keys.page.""`, Name: "nonsense", Text: "W"}); err == nil || !strings.HasPrefix(err.Error(), `there is no action "nonsense"`) {
		t.Errorf("a bad key: %v", err)
	}
}

// TestSettingEditorFails says why a setting cannot be written.
func TestSettingEditorFails(t *testing.T) {
	e := about.SettingEdit{Key: "theme", Old: "auto", Text: "dark"}
	for name, tt := range map[string]struct {
		prepare func(home string) (env string)
		want    string
	}{
		"no home": {func(string) string { return "" }, errNoConfig.Error()},
		"a folder in place of the file": {func(home string) string {
			fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer/config.toml"), 0o700))
			return home
		}, "it is a directory, not a regular file"},
		"an error in the file": {func(home string) string {
			fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
			fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".config/gofer/config.toml"), []byte("\nthem = 1\n"), 0o600))
			return home
		}, `config.toml:2: there is no setting "them"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := testProgram(tt.prepare(t.TempDir()), new(Setup))
			st := p.open(nil)
			defer st.close()
			_, err := p.settingEditor(t.Context(), st, browseFlags{}, nil)(e)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestSettingsPage lists every setting of the table once, and shows what gofer config tells after
// random changes.
func TestSettingsPage(t *testing.T) {
	p := testProgram(t.TempDir(), new(Setup))
	st := p.open(nil)
	defer st.close()
	set, random := p.settingEditor(t.Context(), st, browseFlags{}, nil), rand.New(rand.NewPCG(3, 4))
	for range 30 {
		list := fetchtest.Must(st.ownPages().Settings())(t)
		s := list[random.IntN(len(list))]
		if s.Choices != nil && s.Source != "" {
			fetchtest.Must(set(about.SettingEdit{Key: s.Key, Old: s.Text, Text: s.Choices[random.IntN(len(s.Choices))]}))(t)
		}
	}
	want := make(map[string]string)
	for _, s := range fetchtest.Must(config.Settings(configFile(p.Getenv), p.Getenv))(t) {
		want[s.Key] = s.Text
	}
	r := fetchtest.Must(st.ownPages().Fetch(context.Background(), about.Page("settings")))(t)
	for line, err := range r.Lines {
		fetchtest.NoError(t, err)
		key, ok := about.SettingKey(line.Link)
		if !ok {
			continue
		}
		text, listed := want[key]
		if len(text) > 20 {
			text = text[:17] + "..."
		}
		if delete(want, key); !listed || !strings.Contains(line.Text, text) {
			t.Errorf("%q: the setting %s is %q", line.Text, key, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// TestSettingsReachTransfers saves, stores and changes files by the fetchers of the latest settings,
// also with a state of before. Settings of the screen leave the fetchers as they are.
func TestSettingsReachTransfers(t *testing.T) {
	var made []*transferLog
	p := testProgram(t.TempDir(), new(Setup))
	p.Fetchers = func(Setup) (protocols.Registry, func()) {
		made = append(made, new(transferLog))
		return protocols.Registry{"ftp": made[len(made)-1]}, func() {}
	}
	st := p.open(nil)
	defer st.close()
	server, set := treeServer{st, storedLogins{p, nil}.using}, p.settingEditor(t.Context(), st, browseFlags{}, nil)
	fetchtest.Must(set(about.SettingEdit{Key: "prefetch", Text: "false", Old: "true"}))(t)
	fetchtest.Equal(t, len(made), 1, "fetchers after a setting of the screen")
	fetchtest.Must(set(about.SettingEdit{Key: "ftp_active", Text: "true", Old: "false"}))(t)
	u := fetchtest.Parse(t, "ftp://h.example/a")
	downloads := st.Downloads.Fetcher.(interface {
		protocols.Fetcher
		protocols.Resumer
		Resumes(u urlcore.URL) bool
	})
	fetchtest.Equal(t, downloads.Resumes(u), true, "resumes")
	_, err1 := downloads.Fetch(t.Context(), u)
	_, err2 := downloads.Resume(t.Context(), u, 1)
	err3 := server.Put(t.Context(), u, new(protocols.Upload))
	_, err4 := server.Change(t.Context(), &protocols.Change{URL: u})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Error(err)
	}
	fetchtest.EqualSlices(t, made[1].calls, []string{"fetch", "resume", "put", "change"}, "calls of the latest fetchers")
	fetchtest.EqualSlices(t, made[0].calls, nil, "calls of those before")
}

// transferLog is a Fetcher that records the calls.
type transferLog struct{ calls []string }

func (l *transferLog) Fetch(context.Context, urlcore.URL) (*protocols.Resource, error) {
	l.calls = append(l.calls, "fetch")
	return new(protocols.Resource), nil
}

func (l *transferLog) Resume(context.Context, urlcore.URL, int64) (*protocols.Resource, error) {
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
