package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
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

// parts returns what is merged: the newsrc files here and those of other machines, and
// the rest.
func (y *syncer) parts(ctx context.Context, base, others map[string]syncstate.State) (parts []syncPart) {
	st := y.st
	servers := map[string]bool{st.news.server: true}
	for _, u := range st.news.known() {
		servers[u.Addr()] = true
	}
	for key := range syncstate.Joined(y.base, y.others) {
		if server, _, ok := strings.Cut(key.Name, " "); ok && key.Kind == syncstate.Group {
			servers[server] = true
		}
	}
	delete(servers, "")
	if _, err := os.Stat(st.news.store.Path("")); err == nil && st.news.server == "" {
		y.left = append(y.left, errors.New("~/.newsrc: of which server it is, NNTPSERVER or the setting news_server tells"))
	}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		name := server
		if server == st.news.server {
			name = ""
		}
		part := partOf(syncstate.Key{Kind: syncstate.Group, Name: server})
		parts = append(parts, syncPart{part, st.news.store.Path(name), func(base, others syncstate.State, first bool) (merged syncstate.State, counts syncstate.Tally, err error) {
			err = st.news.store.Change(name, func(f *newsrc.File) { merged, counts = syncstate.MergeGroups(f, server, base, others, first) })
			if is[*newsrc.BusyError](err) { // the change is kept in a file
				st.warn(err)
				err = nil
			}
			return merged, counts, err
		}})
	}
	if path := st.Bookmarks.File(); path != "" {
		parts = append(parts, syncPart{syncstate.Bookmark, path, y.bookmarks})
	}
	if path := st.scores.path; path != "" {
		parts = append(parts, syncPart{syncstate.Rule, path, y.rules})
	}
	marked := syncstate.Joined(base[syncstate.Bookmark], others[syncstate.Bookmark]).Values(syncstate.Bookmark)
	return append(parts, syncPart{syncstate.Page, st.Dirs.Visits(), func(base, others syncstate.State, _ bool) (syncstate.State, syncstate.Tally, error) {
		return y.pages(ctx, slices.Sorted(maps.Keys(marked)), base, others)
	}})
}

func (y *syncer) bookmarks(base, others syncstate.State, first bool) (merged syncstate.State, counts syncstate.Tally, err error) {
	err = y.st.Bookmarks.Merge(func(text []byte, modified time.Time) []byte {
		if now := time.Now(); modified.After(now) {
			modified = now
		}
		text, merged, counts = syncstate.MergeBookmarks(text, modified, base, others, first)
		return text
	})
	return merged, counts, err
}

func (y *syncer) rules(base, others syncstate.State, first bool) (merged syncstate.State, counts syncstate.Tally, err error) {
	err = userfile.Change(y.st.scores.path, score.MaxSize, func(file []byte) ([]byte, error) {
		unfit := 0
		file, merged, counts, unfit = syncstate.MergeRules(file, base, others, first)
		if unfit > 0 {
			y.left = append(y.left, fmt.Errorf("%s: %d rules that are not UTF-8", y.st.scores.path, unfit))
		}
		return file, nil
	})
	return merged, counts, err
}

// pages merges the links of bookmarked pages, as they were when they were last loaded.
func (y *syncer) pages(ctx context.Context, marked []string, base, others syncstate.State) (merged syncstate.State, counts syncstate.Tally, err error) {
	merged = make(syncstate.State)
	there, here := 0, 0
	for _, url := range marked {
		key := syncstate.Key{Kind: syncstate.Page, Name: url}
		links, at, err := y.st.Visits.LastLinks(ctx, url)
		if err != nil {
			return nil, nil, err
		}
		var mine syncstate.Entry
		if !at.IsZero() {
			mine = syncstate.Entry{Stamp: uint64(at.UnixMilli()), Value: base64.StdEncoding.EncodeToString(links)}
		}
		entry := syncstate.Joined(syncstate.State{key: mine}, syncstate.State{key: base[key]}, syncstate.State{key: others[key]})[key]
		seen := time.UnixMilli(int64(min(entry.Stamp, 1<<60)))
		if entry.Stamp == 0 || seen.After(time.Now().Add(maxClockError)) {
			continue
		}
		if merged[key] = entry; mine.Stamp > base[key].Stamp {
			here++
		}
		if entry.Stamp <= mine.Stamp || entry.Equal(base[key]) { // the visit was forgotten here
			continue
		}
		there++
		links, err = base64.StdEncoding.DecodeString(entry.Value)
		if err == nil {
			err = y.st.Visits.SetLastLinks(ctx, url, links, seen)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	counts.Add("page", "seen", there, here)
	return merged, counts, nil
}

// maxClockError is how far in the future another machine may have seen something.
const maxClockError = 24 * time.Hour
