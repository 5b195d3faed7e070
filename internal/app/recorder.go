package app

import (
	"cmp"
	"context"
	"slices"

	"gofer/protocols"
)

// Recorder is a link that records the fetched resource.
type Recorder struct {
	Fetcher
	Fragment string // the fragment of a resource without a fragment, or ""
	res      *protocols.Resource

	pageNotes []string // the notes of the page, or nil
}

func (f *Recorder) link() func(Fetcher) Fetcher {
	if f == nil {
		return nil
	}
	return func(next Fetcher) Fetcher {
		f.Fetcher = next
		return f
	}
}

// Fetch records the resource.
func (f *Recorder) Fetch(ctx context.Context, req protocols.Request) (res *protocols.Resource, err error) {
	if f.res, err = f.Fetcher.Fetch(ctx, req); err == nil && f.res != nil {
		f.res.Fragment = cmp.Or(f.res.Fragment, f.Fragment)
	}
	return f.res, err
}

// RecordHead records the notes of the page that is made of the resource.
func (f *Recorder) RecordHead(h protocols.Head) {
	if f.res != nil {
		f.pageNotes = h.Notes
	}
}

// Notes returns the notes of the resource. It must be called after the resource has been read.
func (f *Recorder) Notes() []string {
	if f.res == nil {
		return nil
	}
	notes := f.res.Notes
	if f.pageNotes != nil {
		notes = f.pageNotes
	}
	if f.res.LateNotes == nil {
		return notes
	}
	return slices.Concat(notes, f.res.LateNotes())
}
