package download

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// overlap is the number of received octets that are requested again, to check that the document is unchanged.
const overlap = 4 << 10

// maxBreaks is the maximum number of times that a transfer is repeated after lost connections without progress. The
// item is then left out. If maxBreaks items in a row lose their connections, the server is the cause, not the items.
const maxBreaks = 3

var errChanged = errors.New("the document has changed, or the server cannot resume")

// Notes about transfers that began again.
const (
	noteChanged  = "it had changed on the server, and was fetched from the beginning"
	noteNoResume = "the server cannot resume, so it was fetched from the beginning"
)

// saver saves one document to a file.
type saver struct {
	fetcher      protocols.Fetcher
	url          urlcore.URL
	limit        *limiter
	bounds       *bounds // nil: none
	report       func(done, size int64)
	addNote      func(text string)
	known        protocols.FileFacts // listed size and date of a file of a tree; if there is no date, the server is asked
	listedDate   time.Time           // used if the server sends no date
	retry        mirror.Retry
	ofTree       bool // the document is a file of a tree
	waitRecorder func(mirror.Wait)
	media        string // the media type that the server sent
}

// save fetches the document to p and closes p. It continues at the end of the octets in p, also after a lost
// connection.
func (t *saver) save(ctx context.Context, p *part) error {
	req := protocols.Request{URL: t.url, Modified: t.known.Modified.IsZero()}
	resume, useKnown := true, t.ofTree
	var permanent error // an error that is not retried
	err := t.retry.Do(ctx, t.waitRecorder, func() (progress bool, _ error) {
		for before := p.trusted; ; {
			req.Known = nil
			if useKnown { // only for the first attempt, because the file may change
				req.Known, useKnown = &t.known, false
			}
			err := t.fetch(ctx, req, p, resume)
			switch {
			case err == nil:
				return true, nil
			case before > 0 && resume && mustRestart(err) && !(p.inPlace && errors.Is(err, errChanged)):
				resume = false
				if p.inPlace { // the file is compared from its beginning
					p.trusted = 0
					continue
				}
				text := noteNoResume
				if errors.Is(err, errChanged) {
					text = noteChanged
				}
				t.addNote(text)
			case !t.insists() && (p.size == 0 || !resume || !t.canResume()):
				permanent = err
				return false, nil
			default:
				return p.trusted > before, err
			}
		}
	})
	if err = cmp.Or(permanent, err); err == nil {
		err = p.finish()
	}
	if err != nil {
		return errors.Join(err, p.close())
	}
	return nil
}

// mustRestart reports whether err means that the document must be fetched from its beginning.
func mustRestart(err error) bool {
	r := protocols.ReasonOf(err)
	return errors.Is(err, errChanged) || (r == protocols.Unsupported || r.IsServerFailure()) && !mirror.IsTemporary(err)
}

// insists reports whether the document is fetched again even if nothing was received or it cannot be resumed: as a file of a
// tree, or if the user has chosen the number of tries.
func (t *saver) insists() bool { return t.ofTree || t.retry.Tries > 0 }

// canResume reports whether the scheme of the URL supports resuming.
func (t *saver) canResume() bool {
	r, ok := t.fetcher.(interface{ Resumes(u urlcore.URL) bool })
	return ok && r.Resumes(t.url)
}

// fetch makes one attempt to fetch the document. If the parameter resume is true and the Fetcher can resume, it
// fetches only the overlap and the rest of the document. Octets of the file that it does not trust are fetched and
// compared.
func (t *saver) fetch(ctx context.Context, req protocols.Request, p *part, resume bool) error {
	f, keep := t.fetcher, p.inPlace
	if r, ok := f.(protocols.Resumer); ok && resume && p.trusted > 0 {
		req.Offset, keep = max(0, p.trusted-overlap), true
		f = transfer.Rest{Resumer: r}
	}
	w := &checkedWriter{t: t, p: p, ctx: ctx, next: req.Offset}
	notes, err := transfer.Save(ctx, f, req, w, func(head protocols.Head) error { return t.begin(head, p, req.Offset, keep) })
	for _, note := range notes {
		t.addNote(note)
	}
	if err == nil && w.next < p.size {
		err = errChanged
	}
	return err
}

// begin prepares the file for the octets from offset on of the document with the given head. If keep is false, the file
// becomes empty; otherwise the error is errChanged if the head is of another version of the document.
func (t *saver) begin(head protocols.Head, p *part, offset int64, keep bool) error {
	if head.Problem != "" {
		t.addNote("The file has the octets of the server: " + head.Problem)
	}
	t.media, head.Modified = head.Media, storableDate(head.Modified)
	switch {
	case !keep:
		if head.Modified.IsZero() {
			head.Modified = t.listedDate
		}
		if err := p.restart(head.Size, head.Modified); err != nil {
			return err
		}
	case head.Size >= 0 && p.record.Size >= 0 && offset+head.Size != p.record.Size,
		!head.Modified.IsZero() && !p.record.Modified.IsZero() && !head.Modified.Equal(p.record.Modified):
		return errChanged
	case p.inPlace && offset == 0:
		p.record.Size, p.record.Modified = head.Size, head.Modified
	}
	t.report(p.trusted, p.record.Size)
	return nil
}

// storableDate returns date, or the zero time if file systems cannot store it. Some servers list unknown dates
// as the year 1601 or 9999.
func storableDate(date time.Time) time.Time {
	if y := date.Year(); y < 1902 || y > 2261 { // [os.Chtimes] uses nanoseconds in 64 bits
		return time.Time{}
	}
	return date
}

// checkedWriter compares the octets that it gets with the octets in the file from the offset next on. It appends the
// octets after these to the file.
type checkedWriter struct {
	t    *saver
	p    *part
	ctx  context.Context
	next int64
	buf  []byte

	nextLook int64 // size of the file at which checkRoom looks at the disk again
}

func (w *checkedWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		piece := b[n:min(len(b), n+w.t.limit.maxStep())]
		if err := w.t.limit.wait(w.ctx, len(piece)); err != nil {
			return n, err
		}
		m := 0
		if w.next < w.p.size {
			m, err = w.compare(piece)
		} else if err = w.checkRoom(len(piece)); err != nil {
			return n, err
		} else if m, err = w.p.Write(piece); err != nil {
			err = protocols.LocalError("write "+cmp.Or(w.p.workingPath(), w.p.path), err)
		}
		n, w.next = n+m, w.next+int64(m)
		w.t.report(w.p.trusted, w.p.record.Size)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// compare compares octets with the file, and returns the number of octets that are equal.
func (w *checkedWriter) compare(b []byte) (int, error) {
	b = b[:min(int64(len(b)), w.p.size-w.next)]
	w.buf = append(w.buf[:0], b...)
	if err := w.p.readAt(w.buf, w.next); err != nil {
		return 0, err
	}
	if !bytes.Equal(w.buf, b) {
		return 0, errChanged
	}
	w.p.trusted = max(w.p.trusted, w.next+int64(len(b)))
	return len(b), nil
}
