package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/ui"
)

// changeSetting changes a setting in the settings file and returns the new options of the screen. Loads
// in progress keep the old settings.
func (p *Program) changeSetting(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}, e about.SettingEdit) (ui.Options, error) {
	st.settingsMu.Lock()
	defer st.settingsMu.Unlock()
	if err := st.writeSetting(e); err != nil {
		return ui.Options{}, err
	}
	old := st.latest.Load()
	next := *old
	next.Config, next.ConfigError = p.loadSettings()
	if next.InDemo {
		useDemoSettings(&next.Config, st.demo.Load())
	}
	flags.override(&next.Config)
	next.Config.Take(&old.Config, "scope", "start")
	if config.Tag(e.Key, "scope") == "fetchers" {
		next.useSettings()
		next.news.store = old.news.store
		st.closeFetchers()
		next.fetchers, st.closeFetchers = NewFetchers(next.Setup, p.Schemes)
		st.Copies.Keep(st.Dirs.Copies(), int64(next.Config.KeptCopies)<<20)
	}
	st.latest.Store(&next)
	return p.screenOptions(ctx, &next, flags, started), nil
}

// forgetLogins replaces the fetchers with fetchers that have no typed logins, cookies or consents. It
// closes idle connections, which may be logged in. Certificates in the user's file stay trusted.
func (p *Program) forgetLogins(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}) ui.Options {
	st.settingsMu.Lock()
	defer st.settingsMu.Unlock()
	next := *st.latest.Load()
	next.Memory = new(wire.Memory)
	st.pins.Forget()
	st.closeFetchers()
	next.fetchers, st.closeFetchers = NewFetchers(next.Setup, p.Schemes)
	st.latest.Store(&next)
	return p.screenOptions(ctx, &next, flags, started)
}

// writeSetting changes a setting in the settings file. The demo changes a copy of the user's file.
func (st *state) writeSetting(e about.SettingEdit) error {
	path := st.Dirs.Settings()
	switch {
	case path == "":
		return errNoConfig
	case st.InDemo && config.Tag(e.Key, "demo") == "own":
		return errors.New("the demo has its own " + e.Key)
	case st.InDemo && config.Tag(e.Key, "demo") == "user":
		return errors.New(e.Key + " applies to the demo too: change it outside the demo")
	}
	return config.Set(path, configFile(st.Getenv), st.Getenv, e, checkKeys)
}

// listSettings returns the settings in force and their sources.
func (s *Setup) listSettings() ([]config.Setting, error) {
	file, userFile := settingsFile(s.Dirs, s.Getenv), configFile(s.Getenv)
	list, err := config.Settings(file, s.Getenv, checkKeys)
	if !s.InDemo {
		return list, err
	}
	users, usersErr := config.Settings(userFile, s.Getenv, checkKeys)
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
