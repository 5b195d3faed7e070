package collect

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"gofer/internal/text/clean"
	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Fetcher fetches lists and documents.
type Fetcher interface {
	protocols.Fetcher
	protocols.Resumer
}

// recorder is a Fetcher that records the heads of documents, and writes lists to files in a folder.
type recorder struct {
	Fetcher
	*record
}

// record is what recorders have recorded.
type record struct {
	folder string

	mu      sync.Mutex
	chosen  urlcore.URL                    // the latest URL that the user has named, see [protocols.Unattended]
	heads   map[urlcore.URL]protocols.Head // of documents
	lists   map[urlcore.URL]list
	written int // number of files with lists, also of earlier answers for the same URL
}

// list is a fetched list.
type list struct {
	head protocols.Head
	path string // of the file with its octets
	made bool   // the octets are a page made of the lines, not those of the server
}

// maxMenu is the largest answer of a server for a menu whose octets are kept.
const maxMenu = 64 << 20

// choose sets the URL that the user has named, for which the following requests are.
func (r *record) choose(u urlcore.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chosen = u
}

// unattended returns ctx for a request that only the page of the user leads to.
func (r *record) unattended(ctx context.Context) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return protocols.Unattended(ctx, r.chosen)
}

func (r *recorder) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return r.Fetcher.Resume(r.unattended(ctx), req)
}

func (r *recorder) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	ctx = r.unattended(ctx)
	var octets limitedBuffer
	_, isGopher := req.URL.(urlcore.Gopher)
	if isGopher {
		t := new(protocols.Transcript)
		t.CopyReceived(&octets)
		ctx = protocols.WithTranscript(ctx, t)
	}
	res, err := r.Fetcher.Fetch(ctx, req)
	if err != nil || req.Facts {
		return res, err
	}
	if res.Lines == nil {
		r.mu.Lock()
		r.heads[req.URL] = res.Head
		r.mu.Unlock()
		return res, nil
	}
	res.Preview = nil
	res.Lines = r.recordList(req.URL, res.Head, res.Lines, &octets)
	return res, nil
}

// recordList returns lines, which write the list at their end.
func (r *recorder) recordList(u urlcore.URL, h protocols.Head, lines iter.Seq2[protocols.Line, error], octets *limitedBuffer) iter.Seq2[protocols.Line, error] {
	var page bytes.Buffer
	beginPage(&page, u, h)
	return transfer.RecordLines(lines, func(line *protocols.Line) { writeLine(&page, line) }, func() error {
		page.WriteString("</body></html>\n")
		l, data := list{head: h, made: true}, page.Bytes()
		if h.Layout == protocols.LayoutMenu && octets.Len() > 0 && !octets.full && octets.Bytes()[0] != '+' { // not an answer of Gopher+
			l.made, data = false, octets.Bytes()
		}
		return r.keep(u, l, data)
	})
}

func (r *record) keep(u urlcore.URL, l list, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written++
	l.path = filepath.Join(r.folder, fmt.Sprint("list-", r.written))
	if err := os.WriteFile(l.path, data, 0o600); err != nil {
		return protocols.LocalError("keep the list "+urlcore.Redact(u).String(), err)
	}
	r.lists[u] = l
	return nil
}

func (r *record) list(u urlcore.URL) (list, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.lists[u]
	return l, ok
}

func (r *record) head(u urlcore.URL) protocols.Head {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heads[u]
}

// limitedBuffer is a buffer that drops the octets after the first maxMenu.
type limitedBuffer struct {
	bytes.Buffer
	full bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.full = b.full || b.Len()+len(p) > maxMenu; b.full {
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// beginPage begins the page of a list, in HTML. Its base is the URL of the list.
func beginPage(b *bytes.Buffer, u urlcore.URL, h protocols.Head) {
	title := html.EscapeString(shown(h.Title))
	if title == "" {
		title = html.EscapeString(urlcore.Redact(u).String())
	}
	fmt.Fprintf(b, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>%s</title></head><body>\n<h1>%s</h1>\n", title, title)
}

// writeLine writes a line of a list as a line of a page.
func writeLine(b *bytes.Buffer, l *protocols.Line) {
	text := l.Text
	size, date := "", ""
	if l.Note != nil {
		if row := l.Note.Row(); row.Text != "" {
			text = row.Text
		}
		switch n := l.Note.(type) {
		case *protocols.FileNote:
			if n.Size >= 0 {
				size = fmt.Sprintf(" %d octets", n.Size)
			}
			if !n.Modified.IsZero() {
				date = n.Modified.Format(" 2006-01-02")
			}
		case *protocols.ArticleNote:
			size = " " + shown(n.From)
			if !n.Date.IsZero() {
				date = n.Date.Format(" 2006-01-02")
			}
		}
	}
	text = html.EscapeString(shown(text))
	if u := l.Link; u != nil && bundleable(u) {
		text = fmt.Sprintf("<a href=\"%s\">%s</a>", html.EscapeString(u.String()), text)
	}
	fmt.Fprintf(b, "<div>%s%s%s</div>\n", text, html.EscapeString(size), date)
}

// bundleable reports whether a page of a list links to u.
func bundleable(u urlcore.URL) bool {
	_, isFile := u.(urlcore.File)
	return !isFile && u.Scheme() != "about" && urlcore.Redact(u) == u
}

// shown returns the text of a server as it is shown.
func shown(s string) string {
	var names mirror.Names
	names.LearnName(s)
	return clean.Text(names.Shown(s))
}
