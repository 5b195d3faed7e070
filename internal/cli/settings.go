package cli

import (
	"context"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

// changeSetting changes a setting in the file and returns the options with it. Loads under way
// go on with the state before.
func (p *Program) changeSetting(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}, e about.SettingEdit) (ui.Options, error) {
	st.changing.Lock()
	defer st.changing.Unlock()
	err := errNoConfig
	if path := configFile(p.Getenv); path != "" {
		err = config.Set(path, p.Getenv, e, checkKeys)
	}
	if err != nil {
		return ui.Options{}, err
	}
	old := st.latest.Load()
	next := *old
	next.Config, next.ConfigError = p.settings()
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
