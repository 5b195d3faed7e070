// Package transfer fetches whole listings and documents, for mirrors, downloads and uploads.
//
// A fetch here runs in the goroutine of its caller, and ends with its context: unlike a page, nobody looks at a part of a
// listing, and the octets of a document go straight to their writer.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxOctets bounds the memory of the lines of a listing, the answer that they are read from, and the answer before a
// document.
const maxOctets = 256 << 20

// SharedWorkers is the number of files of a tree that are sent or saved at a time over one connection.
const SharedWorkers = 16

// SharesConnection reports whether any number of transfers from and to the server of u use one connection.
func SharesConnection(u urlcore.URL) bool {
	f, ok := u.(urlcore.FTP)
	return ok && f.SSH
}

// ReadAll fetches all lines of a directory, a menu or a text. If the lines end with an error, ReadAll also returns the
// lines before the error; if there is no answer, the lines are nil.
func ReadAll(ctx context.Context, f protocols.Fetcher, req protocols.Request) (head protocols.Head, lines []protocols.Line, err error) {
	err = fetch(ctx, f, req, func(ctx context.Context, a *answer) error {
		head, lines = a.Head, make([]protocols.Line, 0)
		protocols.ProgressFrom(ctx).ReadLines()
		memory := 0
		for line, err := range a.lines() {
			if err != nil || ctx.Err() != nil {
				return err
			}
			line.RefuseFile(head.URL)
			lines = append(lines, line)
			if memory += memoryOf(&line); memory > maxOctets {
				a.stop(tooBig("keep the page in memory"))
			}
		}
		return nil
	})
	return head, lines, err
}

// Save fetches a document, calls begin with its head, and then writes its exact octets to w. An error of begin ends the
// fetch; after [fs.SkipAll], Save returns nil. The error is [protocols.ErrNoOctets] or the Unsaved of the head if the
// resource is not a document. A write error is returned unchanged. Save also returns the notes that are known only at the end
// of the document.
func Save(ctx context.Context, f protocols.Fetcher, req protocols.Request, w io.Writer, begin func(protocols.Head) error) (lateNotes []string, err error) {
	err = fetch(ctx, f, req, func(ctx context.Context, a *answer) error {
		err := a.CheckDocument()
		if err == nil && a.doc == nil {
			err = protocols.ErrNoOctets
		}
		if err == nil {
			err = begin(a.Head)
		}
		if err != nil {
			a.stop(err)
			return err
		}
		protocols.ProgressFrom(ctx).Limit(0, nil)
		_, err = a.doc.Save(w)
		if a.late != nil {
			lateNotes = a.late()
		}
		return err
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return lateNotes, err
}

// Rest is a Fetcher that fetches the rest of a document, from the Offset of the request on.
type Rest struct{ protocols.Resumer }

// Fetch implements [protocols.Fetcher].
func (r Rest) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return r.Resume(ctx, req)
}

// Catch calls task and returns its error. If task panics, Catch returns the error of the operation op with the panic.
func Catch(op string, task func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = protocols.PanicError(op, v)
		}
	}()
	return task()
}

// RecordLines yields lines, after it has called record with each of them. After the last line it calls end, whose error it
// yields. It does not call end if the lines end with an error, or if they are not read to their end.
func RecordLines(lines iter.Seq2[protocols.Line, error], record func(*protocols.Line), end func() error) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for line, err := range lines {
			if err == nil {
				record(&line)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
		if err := end(); err != nil {
			yield(protocols.Line{}, err)
		}
	}
}

// answer is an answer of a server: a list or a document.
type answer struct {
	protocols.Head
	list iter.Seq2[protocols.Line, error]
	doc  *document.Document      // nil for a list
	late func() []string         // may be nil
	stop context.CancelCauseFunc // ends the fetch, whose answer is not read to its end
}

func (a *answer) lines() iter.Seq2[protocols.Line, error] {
	if a.doc != nil {
		return a.doc.Lines()
	}
	return a.list
}

// fetch fetches what req asks for and calls read with the answer. If ctx has ended or the answer is too large, the error is
// the cause.
func fetch(ctx context.Context, f protocols.Fetcher, req protocols.Request, read func(context.Context, *answer) error) error {
	progress := new(protocols.Progress)
	ctx, cancel := context.WithCancelCause(protocols.WithProgress(ctx, progress))
	defer cancel(nil)
	progress.Limit(maxOctets, func() { cancel(tooBig("read the answer")) })
	return Catch("fetch", func() error {
		res, err := f.Fetch(ctx, req)
		if err != nil {
			return endCause(ctx, err)
		}
		if res.Closer != nil {
			defer func() { _ = res.Close() }()
		}
		a := &answer{Head: res.Head, list: res.Lines, late: res.LateNotes, stop: cancel}
		if a.URL == nil {
			a.URL = req.URL
		}
		switch {
		case res.Body != nil:
			if a.doc, err = document.Open(a.Head, res.Body); err != nil {
				return endCause(ctx, err)
			}
			a.doc.Item = res.Item
			defer a.doc.Wait(func() { cancel(nil) })
			a.Head = a.doc.Head
		case res.Session != nil:
			cancel(protocols.ErrSession)
			return protocols.ErrSession
		case res.Lines == nil:
			return &protocols.Error{Reason: protocols.Malformed, Op: "fetch"}
		}
		return endCause(ctx, read(ctx, a))
	})
}

// endCause returns the reason why ctx has ended, or err if it has not ended.
func endCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func tooBig(op string) error {
	return &protocols.Error{Reason: protocols.TooBig, Op: op, Err: fmt.Errorf("it takes more than %d MiB", maxOctets>>20)}
}

// lineMemory is the memory of a line without its texts, in octets. A slice that grows has up to twice the memory of its
// lines, and its last copy before that.
const lineMemory = 160

// memoryOf estimates the memory of a line, in octets.
func memoryOf(l *protocols.Line) int {
	octets := lineMemory + len(l.Text)
	if l.Link != nil {
		octets += 200 + len(l.Link.String())
	}
	if l.Note != nil {
		octets += l.Note.Memory()
	}
	return octets
}
