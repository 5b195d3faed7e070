package keep

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"gofer/internal/text/document"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// The limits of a fetch in advance.
const (
	DefaultPages   = 100
	DefaultMaxPage = 2 << 20                // octets of a document
	DefaultDelay   = 250 * time.Millisecond // between two requests to a server
	pageTime       = 2 * time.Minute        // for one page
)

// The reasons why a page is not kept.
var (
	ErrQuestion = errors.New("it asks a question: open it once")
	ErrPersonal = errors.New("it needs a login, and pages behind a login are not kept")
	ErrNotKept  = errors.New("pages of this kind are not kept")
)

// Reader fetches pages in advance and reads them to their end, so that copies are kept.
type Reader struct {
	Keeper  *Keeper
	MaxPage int64         // octets of a document; 0: [DefaultMaxPage]
	Delay   time.Duration // between two requests to the same server
}

// CanKeep reports whether copies of u can be kept, here or by the client for news.
func CanKeep(u urlcore.URL) bool {
	_, ok := KeyOf(u)
	return isNews(u) || ok && !protocols.KindOf(u).NeedsAnswers()
}

// fetch fetches a page and calls the function link for each of its links. It returns the approximate number of octets.
func (r *Reader) fetch(ctx context.Context, u urlcore.URL, link func(*protocols.Line, urlcore.URL)) (octets int64, err error) {
	if !CanKeep(u) {
		return 0, ErrNotKept
	}
	ctx, cancel := context.WithTimeoutCause(protocols.Unattended(ctx, nil), pageTime, protocols.TimeoutError("read "+u.String(), true))
	defer cancel()
	err = transfer.Catch("fetch", func() error {
		res, err := r.Keeper.Update(ctx, protocols.Request{URL: u})
		if err != nil {
			return err
		}
		if res.Closer != nil {
			defer func() { _ = res.Close() }()
		}
		switch {
		case res.Personal && !isNews(u):
			return ErrPersonal
		case res.Session != nil:
			return ErrNotKept
		case res.Body != nil:
			octets, err = r.readDocument(res, link)
		default:
			octets, err = r.readList(res, link)
		}
		return err
	})
	if q := protocols.QuestionOf(err); q != nil {
		err = ErrQuestion
	}
	return octets, err
}

func (r *Reader) maxPage(u urlcore.URL) int64 {
	limit := r.MaxPage
	if limit == 0 {
		limit = DefaultMaxPage
	}
	if key, ok := KeyOf(u); ok {
		limit = min(limit, r.Keeper.Copies.MaxSize(key))
	}
	return limit
}

func (r *Reader) readDocument(res *protocols.Resource, link func(*protocols.Line, urlcore.URL)) (int64, error) {
	limit := r.maxPage(res.URL)
	if res.Size > limit {
		return 0, tooLarge(limit)
	}
	octets, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		return 0, err
	case int64(len(octets)) > limit:
		return 0, tooLarge(limit)
	}
	if link == nil {
		return int64(len(octets)), nil
	}
	doc, err := document.Open(res.Head, bytes.NewReader(octets))
	if err != nil {
		return int64(len(octets)), nil //nolint:nilerr // a document that cannot be shown has no links
	}
	defer doc.Wait(func() {})
	if doc.Head.Layout == protocols.LayoutBinary {
		return int64(len(octets)), nil
	}
	for line, err := range doc.Lines() {
		if err != nil {
			break
		}
		eachLink(&line, link)
	}
	return int64(len(octets)), nil
}

func (r *Reader) readList(res *protocols.Resource, link func(*protocols.Line, urlcore.URL)) (octets int64, err error) {
	limit := int64(DefaultMaxPage)
	if key, ok := KeyOf(res.URL); ok {
		limit = r.Keeper.Copies.MaxSize(key)
	}
	for line, err := range res.Lines {
		if err != nil {
			return 0, err
		}
		if octets += int64(len(line.Text)) + 8; line.Link != nil {
			octets += int64(len(line.Link.String()))
		}
		if octets > limit {
			return 0, tooLarge(limit)
		}
		if link != nil {
			line.RefuseFile(res.URL)
			eachLink(&line, link)
		}
	}
	return octets, nil
}

func eachLink(line *protocols.Line, link func(*protocols.Line, urlcore.URL)) {
	if line.Link != nil {
		link(line, line.Link)
	}
	if note, ok := line.Note.(*protocols.Hypertext); ok {
		for _, l := range note.Links {
			if l.URL != nil && l.URL != line.Link {
				link(line, l.URL)
			}
		}
	}
}

func tooLarge(limit int64) error {
	return protocols.NewError(protocols.TooBig, "keep a copy", "it is larger than "+humanize.Bytes(uint64(max(limit, 0))))
}

// FetchAll fetches pages, one after the other from each server and from two servers at a time. After each page it calls done,
// from one goroutine at a time. If a server cannot be reached, it skips the other pages of this server. FetchAll returns the
// cause of ctx if ctx ends.
func (r *Reader) FetchAll(ctx context.Context, urls []urlcore.URL, done func(u urlcore.URL, octets int64, err error)) error {
	servers := mirror.GroupByServer(urls, func(u urlcore.URL) string {
		addr, _ := urlcore.Addr(u)
		return addr
	})
	var mu sync.Mutex
	mirror.AskServers(servers, func(urls []urlcore.URL) {
		r.fetchFrom(ctx, urls, func(u urlcore.URL, octets int64, err error) {
			mu.Lock()
			defer mu.Unlock()
			done(u, octets, err)
		})
	})
	return context.Cause(ctx)
}

// fetchFrom fetches pages of one server.
func (r *Reader) fetchFrom(ctx context.Context, urls []urlcore.URL, done func(u urlcore.URL, octets int64, err error)) {
	var unreachable error
	for i, u := range urls {
		if i > 0 && unreachable == nil && !mirror.Sleep(ctx, r.Delay) {
			return
		}
		octets, err := int64(0), unreachable
		if err == nil {
			octets, err = r.fetch(ctx, u, nil)
		}
		if ctx.Err() != nil {
			return
		}
		if protocols.ReasonOf(err).Is(protocols.NotConnected) || protocols.ReasonOf(err) == protocols.Offline {
			unreachable = err
		}
		done(u, octets, err)
	}
}
