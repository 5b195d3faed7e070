package download

import (
	"bytes"
	"context"
	"errors"
	"time"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// overlap is how many octets that are there already are asked for again, to see
// that the document is still the same.
const overlap = 4 << 10

// maxBreaks is how often a transfer that has broken off is gone on with while no
// octet comes.
const maxBreaks = 3

// errChanged says that the rest does not belong to what has come before.
var errChanged = errors.New("the document has changed, or the server does not resume")

// restNotes tell why a document was fetched from its beginning once more.
const (
	noteChanged  = "it had changed at the server, and was begun again"
	noteNoResume = "the server does not resume, so it was begun again"
)

// transfer is one document on its way to a file.
type transfer struct {
	fetcher  protocols.Fetcher
	url      urlcore.URL
	limit    *limiter
	report   func(done, size int64)
	note     func(text string) // tells what is remarkable; may be nil
	modified time.Time         // where it is known, the server need not be asked
	media    string            // of the document, when it has been answered
}

// save fetches the document to p, which it closes. It goes on where p ends, and
// after each break for as long as octets come.
func (t *transfer) save(ctx context.Context, p *part) error {
	if t.modified.IsZero() {
		ctx = protocols.WithModified(ctx)
	}
	resume := true
	var err error
	for breaks := 0; p.file != nil && !p.rec.Whole; {
		before := p.have
		if err = t.fetch(ctx, p, resume); err == nil {
			break
		}
		switch {
		case before > 0 && resume && restarts(err) && !p.linked:
			resume = false
			if t.note != nil && errors.Is(err, errChanged) {
				t.note(noteChanged)
			} else if t.note != nil {
				t.note(noteNoResume)
			}
			continue
		case ctx.Err() == nil && protocols.ReasonOf(err).Network() && p.have > 0 && resume && t.resumes():
			if breaks++; p.have > before {
				breaks = 0
			}
			if breaks < maxBreaks && sleep(ctx, time.Duration(breaks*breaks)*time.Second) {
				continue
			}
		}
		return errors.Join(err, p.close())
	}
	if err := p.finish(); err != nil {
		return errors.Join(err, p.close())
	}
	return nil
}

// restarts reports whether err, of an attempt to go on, says that only a new
// beginning helps.
func restarts(err error) bool {
	r := protocols.ReasonOf(err)
	return errors.Is(err, errChanged) || r == protocols.Unsupported || r.Server()
}

// resumes reports whether the scheme of the URL can go on at all.
func (t *transfer) resumes() bool {
	r, ok := t.fetcher.(interface{ Resumes(u urlcore.URL) bool })
	return ok && r.Resumes(t.url)
}

// sleep waits, and reports whether ctx has let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// fetch fetches the document, or the rest of it.
func (t *transfer) fetch(ctx context.Context, p *part, resume bool) error {
	f, from, known := t.fetcher, int64(0), []byte(nil)
	if r, ok := f.(protocols.Resumer); ok && resume && p.have > 0 {
		var err error
		if known, err = p.tail(overlap); err != nil {
			return err
		}
		from = p.have - int64(len(known))
		f = resuming{r, from}
	}
	l := nav.Open(ctx, f, t.url)
	defer l.Cancel()
	head, err := l.Wait()
	switch {
	case err != nil:
		return err
	case !head.Layout.Document():
		return nav.ErrNoOctets
	}
	t.media = head.Media
	if known == nil {
		if head.Modified.IsZero() {
			head.Modified = t.modified
		}
		if err := p.begin(head.Size, head.Modified); err != nil {
			return err
		}
	} else if head.Size >= 0 && p.rec.Size >= 0 && from+head.Size != p.rec.Size ||
		!head.Modified.IsZero() && !p.rec.Modified.IsZero() && !head.Modified.Equal(p.rec.Modified) {
		return errChanged
	}
	t.report(p.have, p.rec.Size)
	w := &writer{t: t, p: p, ctx: ctx, known: known}
	_, err = l.Save(w)
	for _, note := range l.LateNotes() {
		if t.note != nil {
			t.note(note)
		}
	}
	if err == nil && len(w.known) > 0 {
		err = errChanged
	}
	return err
}

// resuming fetches the rest of a document.
type resuming struct {
	protocols.Resumer
	from int64
}

func (r resuming) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return r.Resume(ctx, u, r.from)
}

// writer writes what comes to the file, after what is known of it.
type writer struct {
	t     *transfer
	p     *part
	ctx   context.Context
	known []byte
}

func (w *writer) Write(b []byte) (int, error) {
	n := min(len(w.known), len(b))
	if !bytes.Equal(w.known[:n], b[:n]) {
		return 0, errChanged
	}
	w.known = w.known[n:]
	for n < len(b) {
		most := min(len(b), n+w.t.limit.step())
		if err := w.t.limit.wait(w.ctx, most-n); err != nil {
			return n, err
		}
		m, err := w.p.file.Write(b[n:most])
		n += m
		w.p.have += int64(m)
		w.t.report(w.p.have, w.p.rec.Size)
		if err != nil {
			return n, protocols.LocalError("write "+w.p.file.Name(), err)
		}
	}
	return n, nil
}
