package about

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/archive"
	"gofer/internal/text/bundle"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// openBundle opens a page of a bundle of saved pages, or the start page of the bundle; see [urlcore.Bundled]. For a page
// that is not in the bundle it asks whether to fetch the page from the network.
func (c *Client) openBundle(ctx context.Context, r request) (*protocols.Resource, error) {
	at, page, ok := urlcore.BundledIn(r.URL)
	if !ok || at.Scheme() == "about" {
		return nil, c.missingPage(r.URL)
	}
	b, use, err := c.readBundle(ctx, &r, at)
	if err != nil {
		return nil, err
	}
	if page == nil {
		defer use.Close()
		return c.bundleStart(ctx, &r, at, b), nil
	}
	e, ok := b.Find(page)
	if !ok {
		_ = use.Close()
		return c.leaveBundle(ctx, &r, at, page)
	}
	content, fits, err := b.Content(ctx, e)
	if err != nil {
		_ = use.Close()
		return nil, err
	}
	out := &protocols.Resource{
		Head: protocols.Head{
			URL: r.URL, Title: e.Title, Media: e.Media, Charset: e.Charset, Size: e.Size, Modified: e.Modified, CopiedAt: e.Saved,
			Origin: &protocols.Origin{URL: page, Bundle: bundleName(at), Saved: e.Saved, Damaged: !fits, IsList: e.Made, Lead: leadIn(at, page)},
		},
		Body: content, Closer: use,
	}
	if out.CopiedAt.IsZero() {
		out.CopiedAt = b.Saved
	}
	out.Notes = []string{originNote(out.Origin)}
	return out, nil
}

// originNote says where a page comes from.
func originNote(o *protocols.Origin) string {
	note := "from bundle " + o.Bundle + ", saved " + bundleDate(o.Saved)
	if o.Damaged {
		note = "damaged: it does not have the digest of its map; " + note
	}
	return note
}

func bundleDate(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// bundleName returns the file name of a bundle.
func bundleName(at urlcore.URL) string {
	if name := document.FileName(at); name != "" {
		return name
	}
	return urlcore.Redact(at).String()
}

// openBundleFile opens the file of a bundle for reading at any offset. A bundle of a server is copied first. The result res
// must be closed after the use of the file.
func (c *Client) openBundleFile(ctx context.Context, r *request, at urlcore.URL) (file archive.RandomAccess, res *protocols.Resource, err error) {
	if kept, ok := c.lastArchive.open(at); ok && !r.Fresh {
		res = kept
	} else if res, err = c.Open(ctx, r.At(at)); err != nil {
		return nil, nil, err
	}
	if res.Body == nil {
		err = &protocols.Error{Reason: protocols.NotFound, Op: "open the bundle", Err: errors.New("it is not a document")}
		return nil, nil, errors.Join(err, closeResource(res))
	}
	if file, ok := res.Body.(archive.RandomAccess); ok {
		return file, res, nil
	}
	c.lastArchive.recordCopy(at, res, "")
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, closeResource(res)); err != nil {
		return nil, nil, err
	}
	kept, ok := c.lastArchive.open(at)
	if !ok {
		err = fmt.Errorf("it has more than %d MiB, or there is no space for a copy: save it, and open the file", maxKept>>20)
		return nil, nil, &protocols.Error{Reason: protocols.TooBig, Op: "open the bundle", Err: err}
	}
	return kept.Body.(archive.RandomAccess), kept, nil
}

// leaveBundle fetches a page that is not in the bundle, after a question.
func (c *Client) leaveBundle(ctx context.Context, r *request, at, page urlcore.URL) (*protocols.Resource, error) {
	server, _ := urlcore.Addr(page)
	key := at.String() + " " + page.Scheme() + " " + server
	if _, agreed := c.leaving.Load(key); !agreed {
		return nil, &protocols.Confirm{
			URL: r.URL, Question: "Fetch it from the network", Details: []string{urlcore.Redact(page).String()},
			Reason:      "This page is not in the bundle " + bundleName(at) + ".",
			GiveConsent: func() { c.leaving.Store(key, true) },
		}
	}
	res, err := c.Open(ctx, r.At(page))
	if err == nil && res.URL == nil {
		res.URL = page
	}
	return res, err
}

// leadIn returns the function Lead of an [protocols.Origin]: links of the page to servers, and to parts of the page, lead
// into the bundle.
func leadIn(at, page urlcore.URL) func(urlcore.URL) urlcore.URL {
	return func(u urlcore.URL) urlcore.URL {
		if _, _, ok := urlcore.BundledIn(u); ok {
			return u
		}
		if g, ok := u.(urlcore.Generic); ok && g.Name == "about" {
			name, of, isPart := strings.Cut(g.Rest, "?")
			whole, err := url.PathUnescape(of)
			if isPart && err == nil && !strings.HasPrefix(g.Rest, "link?") && whole == urlcore.Redact(page).String() {
				if in, err := urlcore.Bundled(at, page); err == nil {
					u = urlcore.Generic{Name: "about", Rest: name + "?" + urlcore.EscapeQuery(in.String())}
				}
			}
			return u
		}
		if addr, ok := urlcore.Addr(u); (!ok || addr == "") && u.Scheme() != "news" && u.Scheme() != "form" {
			return u
		}
		in, err := urlcore.Bundled(at, u)
		if err != nil {
			return protocols.UnopenedLink(urlcore.Redact(u).String())
		}
		return in
	}
}

// bundleStart returns the start page of a bundle.
func (c *Client) bundleStart(ctx context.Context, r *request, at urlcore.URL, b *bundle.Bundle) *protocols.Resource {
	lines := []protocols.Line{
		heading("Saved pages"),
		text(fmt.Sprintf("%s, saved %s.", english.Plural(len(b.Entries), "page", ""), bundleDate(b.Saved))),
	}
	if b.Refused > 0 {
		lines = append(lines, protocols.Line{
			Kind: protocols.Failure,
			Text: "Damaged or refused: " + english.Plural(b.Refused, "line", "") + " of its map. A bundle must not have pages of this machine.",
		})
	}
	var begin, others []Item
	for _, e := range b.Entries {
		u, err := urlcore.Parse(e.URL)
		if err != nil {
			continue
		}
		if it := (Item{URL: u, Title: e.Title}); e.Start {
			begin = append(begin, it)
		} else {
			others = append(others, it)
		}
	}
	for _, part := range []struct {
		heading string
		items   []Item
	}{{"Begin here", begin}, {"All pages", others}} {
		if len(part.items) > 0 {
			lines = append(lines, text(""), heading(part.heading))
			lines = append(lines, bundleRows(at, part.items)...)
		}
	}
	if len(b.LeftOut) > 0 {
		lines = append(lines, text(""), heading(english.Plural(len(b.LeftOut), "page", "")+" left out"))
	}
	for _, e := range b.LeftOut {
		name := e.URL
		if name == "" {
			name = e.Title
		}
		lines = append(lines, text(name+": "+e.LeftOut))
	}
	page := r.resource(yieldLines(ctx, lines))
	page.Title = bundleName(at)
	return page
}

// bundleRows returns the lines of pages in a bundle.
func bundleRows(at urlcore.URL, items []Item) []protocols.Line {
	lines := entryRows(items, clock)
	for i := range lines {
		if in, err := urlcore.Bundled(at, items[i].URL); err == nil {
			lines[i].Link = in
		} else {
			lines[i].Link = nil
		}
	}
	return lines
}
