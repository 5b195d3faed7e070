package download

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"gofer/internal/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// overlap is the number of octets that are requested again, to check that the document
// has not changed.
const overlap = 4 << 10

// maxBreaks is the number of consecutive interruptions without progress before an item is given up,
// and of consecutive interrupted items before the server is blamed.
const maxBreaks = 3

var errChanged = errors.New("the document has changed, or the server does not resume")

// The notes that a transfer began again.
const (
	noteChanged  = "it had changed at the server, and was begun again"
	noteNoResume = "the server does not resume, so it was begun again"
)

// transfer is one document on its way to a file.
type transfer struct {
	fetcher protocols.Fetcher
	url     urlcore.URL
	limit   *limiter
	report  func(done, size int64)
	note    func(text string)
	known   protocols.Known // properties in the listing of a tree; without a date the server is asked
	listed  time.Time       // the date if the server does not know it
	retry   mirror.Retry
	tree    bool // tried again even if nothing has come yet
	waits   func(mirror.Wait)
	media   string // the media type in the answer
}

// save fetches the document to p, which it closes. It continues at the end of p, also
// after an interruption.
func (t *transfer) save(ctx context.Context, p *part) error {
	if t.known.Modified.IsZero() {
		ctx = protocols.WithModified(ctx)
	}
	resume, listed := true, t.tree
	var final error // that another attempt does not change
	err := t.retry.Do(ctx, t.waits, func() (progress bool, _ error) {
		before := p.have
		for (p.inMemory || p.file != nil) && !p.rec.Whole {
			ctx := ctx
			if listed { // only at first, because the file may have changed since
				ctx, listed = protocols.WithKnown(ctx, t.known), false
			}
			err := t.fetch(ctx, p, resume)
			switch {
			case err == nil:
				return true, nil
			case before > 0 && resume && restarts(err) && !p.linked:
				resume = false
				why := noteNoResume
				if errors.Is(err, errChanged) {
					why = noteChanged
				}
				t.note(why)
			case !t.tree && (p.have == 0 || !resume || !t.resumes()):
				final = err
				return false, nil
			default:
				return p.have > before, err
			}
		}
		return true, nil
	})
	if err = cmp.Or(final, err); err == nil {
		err = p.finish()
	}
	if err != nil {
		return errors.Join(err, p.close())
	}
	return nil
}

// restarts reports whether a transfer that cannot be continued must begin again.
func restarts(err error) bool {
	r := protocols.ReasonOf(err)
	return errors.Is(err, errChanged) || (r == protocols.Unsupported || r.Server()) && !mirror.Temporary(err)
}

// resumes reports whether the scheme of the URL can resume.
func (t *transfer) resumes() bool {
	r, ok := t.fetcher.(interface{ Resumes(u urlcore.URL) bool })
	return ok && r.Resumes(t.url)
}

// sleep waits for d. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
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
	t.media, head.Modified = head.Media, storable(head.Modified)
	if known == nil {
		if head.Modified.IsZero() {
			head.Modified = t.listed
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
		t.note(note)
	}
	if err == nil && len(w.known) > 0 {
		err = errChanged
	}
	return err
}

// storable returns a date, or zero for one that file systems do not keep, as of the years 1601
// and 9999, which servers list for unknown dates.
func storable(date time.Time) time.Time {
	if y := date.Year(); y < 1902 || y > 2261 { // [os.Chtimes] has nanoseconds in 64 bits
		return time.Time{}
	}
	return date
}

// resuming fetches the rest of a document.
type resuming struct {
	protocols.Resumer
	from int64
}

func (r resuming) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	return r.Resume(ctx, u, r.from)
}

// writer writes to the file, after it has compared the known octets.
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
		m, err := w.p.Write(b[n:most])
		n += m
		w.t.report(w.p.have, w.p.rec.Size)
		if err != nil {
			return n, protocols.LocalError("write "+w.p.path+partSuffix, err)
		}
	}
	return n, nil
}
