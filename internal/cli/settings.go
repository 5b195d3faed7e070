package cli

import (
	"context"
	"slices"
	"strings"
	"sync"

	"gofer/internal/pages/about"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

// settingEditor returns a function that changes a setting in the file and returns the options with
// it. Loads under way go on with st, which is not changed.
func (p *Program) settingEditor(ctx context.Context, st *state, flags browseFlags, started <-chan struct{}) func(about.SettingEdit) (ui.Options, error) {
	var mu sync.Mutex // for one change at a time
	return func(e about.SettingEdit) (ui.Options, error) {
		mu.Lock()
		defer mu.Unlock()
		err := errNoConfig
		if path := configFile(p.Getenv); path != "" {
			err = config.Set(path, p.Getenv, e, checkKeys)
		}
		if err != nil {
			return ui.Options{}, err
		}
		next := *st.latest.Load()
		next.Config, next.ConfigError = p.settings()
		next.Config.ReadOnly, next.Config.Restrict = st.Config.ReadOnly, st.Config.Restrict
		table, _, _ := strings.Cut(e.Key, ".")
		if !slices.Contains(strings.Fields("theme colors mouse hyperlinks images ascii prefer_html prefetch threads sort_articles read_before_unread restore"), table) { // fetchers may use the others, and new ones ask for logins again
			next.useSettings()
			next.news.store = st.news.store
			st.closeFetchers()
			next.fetchers, st.closeFetchers = p.Fetchers(next.Setup)
			st.Copies.Keep(st.Dirs.Copies(), int64(next.Config.KeptCopies)<<20)
		}
		st.latest.Store(&next)
		return p.screenOptions(ctx, &next, flags, started), nil
	}
}
