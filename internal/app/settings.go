package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/ui"
	"gofer/urlcore"
)

// changeSetting changes a setting in the settings file and returns the new options of the screen. Loads
// in progress keep the old settings.
func (st *State) changeSetting(ctx context.Context, screen Screen, e config.Edit) (ui.Options, error) {
	st.settingsMu.Lock()
	defer st.settingsMu.Unlock()
	if err := st.writeSetting(e); err != nil {
		return ui.Options{}, err
	}
	old := st.latest.Load()
	next := *old
	next.Config, next.ConfigError = st.start.LoadSettings()
	if next.InDemo {
		useDemoSettings(&next.Config, st.demo.Load())
	}
	screen.Override(&next.Config)
	next.Config.Take(&old.Config, "scope", "start")
	if config.Tag(e.Key, "scope") == "fetchers" {
		next.useSettings()
		next.news.store = old.news.store
		st.closeFetchers()
		next.fetchers, st.closeFetchers = NewFetchers(next.Setup, st.start.Schemes)
		st.Copies.Keep(st.Dirs.Copies(), int64(next.Config.KeptCopies)<<20)
	}
	st.latest.Store(&next)
	return next.ScreenOptions(ctx, screen), nil
}

// forgetLogins replaces the fetchers with fetchers that have no typed logins, cookies or consents. It
// closes idle connections, which may be logged in. Certificates in the user's file stay trusted.
func (st *State) forgetLogins(ctx context.Context, screen Screen) ui.Options {
	st.settingsMu.Lock()
	defer st.settingsMu.Unlock()
	next := *st.latest.Load()
	next.Memory = new(wire.Memory)
	st.pins.Forget()
	st.Identities.Forget()
	st.closeFetchers()
	next.fetchers, st.closeFetchers = NewFetchers(next.Setup, st.start.Schemes)
	st.latest.Store(&next)
	return next.ScreenOptions(ctx, screen)
}

// writeSetting changes a setting in the settings file. The demo changes a copy of the user's file.
func (st *State) writeSetting(e config.Edit) error {
	path := st.Dirs.Settings()
	switch {
	case path == "":
		return ErrNoConfig
	case st.InDemo && config.Tag(e.Key, "demo") == "own":
		return errors.New("the demo has its own " + e.Key)
	case st.InDemo && config.Tag(e.Key, "demo") == "user":
		return errors.New(e.Key + " applies to the demo too: change it outside the demo")
	}
	return config.Set(path, ConfigFile(st.Getenv), st.Getenv, e, CheckKeys)
}

// tryTime is the time limit for the trial of a news server, for which the user waits. A server that sends octet after
// octet is within all limits of silence.
const tryTime = 20 * time.Second

// tryNewsServer connects to a news server, which may be a name in the settings, and reads its greeting.
func (st *State) tryNewsServer(ctx context.Context, server string) error {
	u, named := st.Config.News.Server(strings.TrimSpace(server))
	if !named {
		var err error
		if u, err = newsservers.Parse(server); err != nil {
			return err
		}
	}
	news, ok := st.fetchers.Registry[u.Scheme()].(interface {
		Greet(ctx context.Context, server urlcore.URL) error
	})
	if !ok {
		return nil
	}
	trial, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	err := news.Greet(trial, u)
	if err != nil && trial.Err() != nil && ctx.Err() == nil {
		return protocols.TimeoutError("try the news server", false)
	}
	return err
}

// listSettings returns the settings in force and their sources.
func (s *Setup) listSettings() ([]config.Setting, error) {
	file, userFile := settingsFile(s.Dirs, s.Getenv), ConfigFile(s.Getenv)
	list, err := config.Settings(file, s.Getenv, CheckKeys)
	NoteTakenKeys(list, &s.Config.Keys)
	if !s.InDemo {
		return list, err
	}
	users, usersErr := config.Settings(userFile, s.Getenv, CheckKeys)
	for i := range list {
		key := list[i].Key
		switch index := slices.IndexFunc(users, func(u config.Setting) bool { return u.Key == key }); {
		case config.Tag(key, "demo") == "own":
			list[i].Source, list[i].Text = "the demo", s.Config.Text(key)
		case index >= 0 && config.Tag(key, "demo") == "user":
			list[i] = users[index]
		}
	}
	return list, cmp.Or(err, usersErr)
}
