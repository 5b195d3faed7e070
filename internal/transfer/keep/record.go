package keep

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"iter"
	"time"

	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

// record is the beginning of a kept copy. It is followed by the octets of a document, or by the lines of a list.
type record struct {
	URL   string // canonical
	Moved bool   // the answer is the copy of URL, with the Fragment and the Notes of this record; there is nothing else
	IsDoc bool   // a document follows
	Ended int8   // what protocols.Head.Ended reports: 0 for nil, 1 for true, -1 for false

	Fragment, Title, Media, Charset, Converted, Problem, Identity, Path string
	Layout                                                              protocols.Layout
	Parsed, Drawing                                                     bool
	Size                                                                int64
	Modified                                                            time.Time
	Security                                                            protocols.Security
	Notes                                                               []string
}

// lineRecord is a line of a list.
type lineRecord struct {
	Kind protocols.Kind
	Text string
	Link string // canonical, or ""
	Note noteRecord
}

func newRecord(h *protocols.Head) record {
	return record{
		URL: h.URL.String(), Fragment: h.Fragment, Title: h.Title, Media: h.Media, Charset: h.Charset, Converted: h.Converted,
		Problem: h.Problem, Identity: h.Identity, Path: h.Path, Layout: h.Layout, Parsed: h.Parsed, Drawing: h.Drawing,
		Size: h.Size, Modified: h.Modified, Security: h.Security, Notes: h.Notes,
	}
}

// head returns the head of the copy, without its URL.
func (r *record) head() protocols.Head {
	h := protocols.Head{
		Fragment: r.Fragment, Title: r.Title, Media: r.Media, Charset: r.Charset, Converted: r.Converted,
		Problem: r.Problem, Identity: r.Identity, Path: r.Path, Layout: r.Layout, Parsed: r.Parsed, Drawing: r.Drawing,
		Size: r.Size, Modified: r.Modified, Security: r.Security, Notes: r.Notes,
	}
	if r.Ended != 0 {
		h.Ended = func() bool { return r.Ended > 0 }
	}
	return h
}

// encode returns a record and the octets of a document.
func encode(r record, document []byte) []byte {
	var out bytes.Buffer
	if gob.NewEncoder(&out).Encode(&r) != nil {
		return nil
	}
	return append(out.Bytes(), document...)
}

// listWriter encodes a list while its lines arrive.
type listWriter struct {
	lines bytes.Buffer
	enc   *gob.Encoder
	room  int64 // the most octets of the list; -1: it is not kept
}

func (w *listWriter) add(l *protocols.Line) {
	if w.room < 0 {
		return
	}
	if w.enc == nil {
		w.enc = gob.NewEncoder(&w.lines)
	}
	line := lineRecord{Kind: l.Kind, Text: l.Text, Note: newNoteRecord(l.Note)}
	if l.Link != nil {
		line.Link = l.Link.String()
	}
	if w.enc.Encode(&line) != nil || int64(w.lines.Len()) > w.room {
		w.lines, w.room = bytes.Buffer{}, -1
	}
}

// target returns the key of the copy of URL.
func (r *record) target() (key cache.Key, ok bool) {
	u, err := urlcore.Parse(r.URL)
	if err != nil {
		return cache.Key{}, false
	}
	return KeyOf(u)
}

// MovedTo returns the URL to which a server has redirected u, as a copy says, or nil.
func MovedTo(copies *cache.Store, u urlcore.URL) urlcore.URL {
	key, ok := KeyOf(u)
	if !ok || !copies.Has(key) {
		return nil
	}
	stored, _ := copies.Get(key)
	_, moved, err := decode(stored.Data)
	if err != nil || moved == nil {
		return nil
	}
	to, _ := urlcore.Parse(moved.URL)
	return to
}

// IsMovedTo returns a function that reports whether the data of a copy say that a page has moved to a URL for which the function
// is true.
func IsMovedTo(is func(urlcore.URL) bool) func(data []byte) bool {
	return func(data []byte) bool {
		_, moved, err := decode(data)
		if err != nil || moved == nil {
			return false
		}
		u, err := urlcore.Parse(moved.URL)
		return err == nil && is(u)
	}
}

// decode returns the answer in a copy, or the record of the URL that has the answer.
func decode(data []byte) (res *protocols.Resource, moved *record, err error) {
	rest := bytes.NewReader(data)
	var r record
	if err := gob.NewDecoder(rest).Decode(&r); err != nil {
		return nil, nil, err
	}
	u, err := urlcore.Parse(r.URL)
	switch {
	case err != nil:
		return nil, nil, err
	case r.Moved:
		return nil, &r, nil
	}
	res = &protocols.Resource{Head: r.head(), Closer: io.NopCloser(nil)}
	if res.URL = u; r.IsDoc {
		res.Body = rest
	} else {
		res.Lines = decodeLines(rest)
	}
	return res, nil, nil
}

func decodeLines(from *bytes.Reader) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		dec := gob.NewDecoder(from)
		for from.Len() > 0 {
			var r lineRecord
			err := dec.Decode(&r)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(protocols.Line{}, protocols.NewError(protocols.LocalFailure, "read the kept copy", "it is damaged"))
				return
			}
			l := protocols.Line{Kind: r.Kind, Text: r.Text, Note: r.Note.note()}
			if r.Link != "" {
				l.Link, _ = urlcore.Parse(r.Link)
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}
