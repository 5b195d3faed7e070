package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
	"gofer/internal/userfile"
	"gofer/internal/userfile/syncstate"
)

// mergeFiles merges the newsrc files of all servers that any machine knows, the bookmarks, the
// score file and the links of bookmarked pages.
func (y *syncer) mergeFiles(ctx context.Context) {
	st := y.st
	servers := map[string]bool{st.news.server: true}
	for _, u := range st.news.serversWithFile() {
		servers[u.Addr()] = true
	}
	for kind := range y.all {
		if server, ok := strings.CutPrefix(kind, syncstate.Newsrc); ok {
			servers[server] = true
		}
	}
	delete(servers, "")
	if _, err := os.Stat(st.news.store.Path("")); err == nil && st.news.server == "" {
		y.leftOut = append(y.leftOut, errors.New("~/.newsrc: set NNTPSERVER or news_server to the name of its server"))
	}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		name := server
		if server == st.news.server {
			name = ""
		}
		y.merge(ctx, syncstate.Newsrc+server, st.news.store.Path(name), func(m *syncstate.Merge) error {
			err := st.news.store.Change(name, func(f *newsrc.File) { m.Groups(f, server) })
			if hasType[*newsrc.BusyError](err) { // the store has saved the change and will write it later
				st.warn(err)
				return nil
			}
			return err
		})
	}
	if path := st.Bookmarks.File(); path != "" {
		y.merge(ctx, syncstate.Bookmark, path, func(m *syncstate.Merge) error { return st.Bookmarks.Merge(m.Bookmarks) })
	}
	if path := st.scores.path; path != "" {
		y.merge(ctx, syncstate.Rule, path, func(m *syncstate.Merge) error {
			return userfile.Change(path, score.MaxSize, func(file []byte) ([]byte, error) { return m.Rules(file), nil })
		})
	}
	y.merge(ctx, syncstate.Page, st.Dirs.Visits(), func(m *syncstate.Merge) error { return y.mergePages(ctx, m) })
}

// mergePages merges the links that bookmarked pages had at their last visit.
func (y *syncer) mergePages(ctx context.Context, m *syncstate.Merge) error {
	marked, known := y.all.Values(syncstate.Bookmark), make(syncstate.Entries)
	for url := range marked {
		links, visitTime, err := y.st.Visits.LastLinks(ctx, url)
		if err != nil {
			return err
		}
		if !visitTime.IsZero() {
			known[url] = syncstate.Entry{Stamp: uint64(visitTime.UnixMilli()), Value: base64.StdEncoding.EncodeToString(links)}
		}
	}
	for url, e := range m.Pages(known, marked) {
		links, err := base64.StdEncoding.DecodeString(e.Value)
		if err == nil {
			err = y.st.Visits.SetLastLinks(ctx, url, links, time.UnixMilli(int64(min(e.Stamp, uint64(time.Now().UnixMilli())))))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
