package cli

import (
	"fmt"
	"path/filepath"
	"sync"

	"gofer/history"
	"gofer/internal/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// state is what a command works with: the user's settings, what is remembered
// and the fetchers.
type state struct {
	config     config.Config
	bookmarks  *history.Bookmarks
	visitsFile string
	visits     lazy[*history.Store]
	world      lazy[World]
	fetchers   protocols.Registry

	closeFetchers func()
}

// lazy is a value that is made when it is first wanted.
type lazy[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (l *lazy[T]) get(build func() (T, error)) (T, error) {
	l.once.Do(func() { l.value, l.err = build() })
	return l.value, l.err
}

// made returns the value if it was ever wanted; it is not made any more.
func (l *lazy[T]) made() T {
	l.once.Do(func() {})
	return l.value
}

// open reads the settings and builds the fetchers. Inside the world of a demo,
// which else is nil, news: URLs go to its server; the world stays the caller's.
func (p *Program) open(world World) (*state, error) {
	dirs := history.FindDirs(p.Getenv)
	st := &state{visitsFile: dirs.Visits()}
	if dirs.Config != "" {
		var err error
		if st.config, err = config.Load(filepath.Join(dirs.Config, "config.toml"), p.Getenv); err != nil {
			return nil, err
		}
	}
	if st.config.Downloads == "" {
		st.config.Downloads = dirs.Downloads
	}
	if world != nil {
		st.config.NewsServer = world.NewsServer()
	}
	st.bookmarks = history.OpenBookmarks(dirs.Bookmarks())
	st.fetchers, st.closeFetchers = p.Fetchers(Setup{
		Version:       p.Version,
		Config:        st.config,
		Visits:        st.store,
		Bookmarks:     st.bookmarks,
		BookmarksFile: dirs.Bookmarks(),
		Demo: func() ([]urlcore.URL, error) {
			w := world
			if w == nil {
				var err error
				if w, err = st.world.get(p.StartWorld); err != nil {
					return nil, fmt.Errorf("start the demo: %w", err)
				}
			}
			return parseAll(w.URLs())
		},
	})
	return st, nil
}

// store opens the history when it is first wanted.
func (st *state) store() (*history.Store, error) {
	return st.visits.get(func() (*history.Store, error) { return history.OpenStore(st.visitsFile) })
}

// close ends what the state has opened.
func (st *state) close() {
	st.closeFetchers()
	_ = st.visits.made().Close()
	if w := st.world.made(); w != nil {
		_ = w.Close()
	}
}

func parseAll(texts []string) ([]urlcore.URL, error) {
	urls := make([]urlcore.URL, len(texts))
	for i, s := range texts {
		u, err := urlcore.Parse(s)
		if err != nil {
			return nil, err
		}
		urls[i] = u
	}
	return urls, nil
}
