package app

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/archive"
	"gofer/internal/text/bundle"
	"gofer/internal/transfer/collect"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// bundleOpener opens a local zip archive that is a bundle of saved pages as its start page.
type bundleOpener struct{ Fetcher }

func (b bundleOpener) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := b.Fetcher.Fetch(ctx, req)
	f, isFile := req.URL.(urlcore.File)
	if err != nil || !isFile || !strings.EqualFold(lastOctets(f.FileName(), len(".zip")), ".zip") {
		return res, err
	}
	file, ok := res.Body.(archive.RandomAccess)
	if !ok || !isBundle(file) {
		return res, nil
	}
	start, err := urlcore.Bundled(f, nil)
	if err != nil {
		return res, nil //nolint:nilerr // the path is too long: the page of the archive
	}
	_ = res.Close()
	return b.Fetcher.Fetch(ctx, req.At(start))
}

// isBundle reports whether a zip archive has the map of a bundle.
func isBundle(file archive.RandomAccess) bool {
	first := make([]byte, 100)
	if n, _ := file.ReadAt(first, 0); bundle.Begins(first[:n]) {
		return true
	}
	z, err := archive.OpenZip(file)
	return err == nil && z.Has(bundle.MapName)
}

func lastOctets(s string, n int) string { return s[max(0, len(s)-n):] }

// SaveBundle saves a bundle. The Manager m is new; SaveBundle closes it. The function retry answers questions of servers;
// nil: what needs an answer is left out.
func (st *State) SaveBundle(ctx context.Context, m *download.Manager, retry Retry, r collect.Request) (collect.Result, error) {
	defer m.Close()
	m.ReadingOf = st.ReadingOf
	r.Program = "gofer " + st.Version
	r.Titles = st.bookmarkTitles()
	r.Unread = st.Fetchers(Way{Use: Print, Retry: retry, Unread: true})
	return collect.Save(ctx, m, st.Fetchers(Way{Use: Transfer, Retry: retry}), r)
}

// bookmarkTitles returns the titles of the bookmarks.
func (st *State) bookmarkTitles() map[urlcore.URL]string {
	titles := make(map[urlcore.URL]string)
	if st.Bookmarks == nil {
		return titles
	}
	marks, _ := st.Bookmarks.List() // the page of the bookmarks shows the error
	for _, m := range marks {
		titles[m.URL] = cmp.Or(titles[m.URL], m.Title)
	}
	return titles
}

// saveScreenBundle saves a bundle for the screen, see [ui.Options].
func (st *State) saveScreenBundle(ctx context.Context, urls []urlcore.URL, path string, overwrite bool, report func(string)) (summary string, err error) {
	m := &download.Manager{Rate: st.Config.Downloads.LimitRate.N}
	result, err := st.SaveBundle(ctx, m, nil, collect.Request{
		URLs: urls, Path: path, Overwrite: overwrite, Options: collect.Options{Thread: true, Began: report},
	})
	if err != nil {
		return "", err
	}
	summary = english.Plural(result.Saved, "page", "")
	if partial, ok := errors.AsType[*mirror.PartialError](result.Err); ok {
		summary += ", " + humanize.Comma(int64(partial.Count())) + " left out; its start page lists them"
	}
	return summary, nil
}
