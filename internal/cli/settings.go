package cli

import (
	"context"
	"errors"
	"slices"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

// changeSetting changes a setting in the file and returns the options with it. Loads under way
// keep the settings that they began with.
func (p *Program) changeSetting(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}, e about.SettingEdit) (ui.Options, error) {
	st.changing.Lock()
	defer st.changing.Unlock()
	if err := st.writeSetting(e); err != nil {
		return ui.Options{}, err
	}
	old := st.latest.Load()
	next := *old
	next.Config, next.ConfigError = p.settings()
	if next.InDemo {
		useDemoSettings(&next.Config, st.demo.Load())
	}
	next.Config.ReadOnly, next.Config.Restrict = old.Config.ReadOnly, old.Config.Restrict
	if config.Scope(e.Key) == "fetchers" {
		next.useSettings()
		next.news.store = old.news.store
		st.closeFetchers()
		next.fetchers, st.closeFetchers = p.Fetchers(next.Setup)
		st.Copies.Keep(st.Dirs.Copies(), int64(next.Config.KeptCopies)<<20)
	}
	st.latest.Store(&next)
	return p.screenOptions(ctx, &next, flags, started), nil
}

// writeSetting changes a setting in the file, which in the demo begins as a copy of the user's.
func (st *state) writeSetting(e about.SettingEdit) error {
	path := st.Dirs.Settings()
	switch {
	case path == "":
		return errNoConfig
	case st.InDemo && slices.Contains([]string{"news_server", "score_file", "post.sent"}, e.Key):
		return errors.New("the demo has its own " + e.Key)
	case st.InDemo && slices.Contains([]string{"read_only", "plain_passwords", "ask_ports", "password_command"}, e.Key):
		return errors.New(e.Key + " protects you in the demo too: change it outside the demo")
	}
	return config.Set(path, configFile(st.Getenv), st.Getenv, e, checkKeys)
}
