// Package keep keeps answers of servers for reading offline: the pages that the user opens, and what is fetched in advance, a
// page with the pages below it ([Crawl]) or a list of URLs ([FetchAll]).
//
// A copy has the octets of the document, or the lines of the list, and the head of the answer. It is found only by the URL
// that was opened. Not kept are articles and groups, of which protocols/nntp keeps copies, answers that are for the user
// alone ([protocols.Head].Personal), answers of forms, and files of this machine.
package keep

import (
	"context"
	"iter"
	"sync"
	"time"

	"gofer/internal/transfer"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

// Keeper is a Fetcher that keeps the answers of Next, and returns the kept copy if the network fails. It is safe for
// concurrent use.
type Keeper struct {
	Next    protocols.Fetcher
	Copies  *cache.Store
	Network *Network
}

// Fetch returns the answer of Next, or its kept copy, with the date and a note about the failure. It does not wait for a
// network that is [Network.IsDown], unless the request is Fresh.
func (k *Keeper) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	key, ok := KeyOf(req.URL)
	if !ok || req.Offset > 0 {
		return k.Next.Fetch(ctx, req)
	}
	if k.Network.IsDown() && !req.Fresh {
		if res := k.find(key, "no network answers"); res != nil {
			return res, nil
		}
	}
	res, err := k.Update(ctx, req)
	if err == nil || ctx.Err() != nil {
		return res, err
	}
	if reason := protocols.ReasonOf(err); reason.IsNetworkFailure() && reason != protocols.Insecure && protocols.QuestionOf(err) == nil {
		if res := k.find(key, reason.String()); res != nil {
			return res, nil
		}
	}
	return nil, err
}

// Update is like Fetch, but an answer always comes from the server.
func (k *Keeper) Update(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	res, err := k.Next.Fetch(ctx, req)
	key, ok := KeyOf(req.URL)
	if !ok || ctx.Err() != nil {
		return res, err
	}
	if k.Network.note(key.Addr, err); err == nil {
		k.keep(key, req, res)
	}
	return res, err
}

// Has reports whether there is a copy of u.
func (k *Keeper) Has(u urlcore.URL) bool {
	key, ok := KeyOf(u)
	return ok && k.Copies.Has(key)
}

// KeyOf returns the key of the copy of u. It returns false if no copies of u are kept here.
func KeyOf(u urlcore.URL) (cache.Key, bool) {
	addr, ok := urlcore.Addr(u)
	if !ok || isNews(u) || addr == "" || u.Scheme() == "form" || urlcore.Redact(u) != u || protocols.KindOf(u) == protocols.Session {
		return cache.Key{}, false
	}
	return cache.Key{Scheme: "page", Addr: addr, Name: u.String()}, true
}

// isNews reports whether the client for news keeps the copies of u.
func isNews(u urlcore.URL) bool {
	switch u.(type) {
	case urlcore.News, urlcore.NNTP:
		return true
	}
	return false
}

// find returns the kept copy, or nil. The parameter why says in a note why it is not the answer of the server.
func (k *Keeper) find(key cache.Key, why string) *protocols.Resource {
	var from *record
	for range 2 { // a redirect has one step
		stored, ok := k.Copies.Get(key)
		if !ok {
			return nil
		}
		res, moved, err := decode(stored.Data)
		if err != nil {
			k.Copies.Drop(key)
			return nil
		}
		if moved == nil {
			if res.URL.String() != key.Name {
				return nil
			}
			if from != nil {
				res.Fragment, res.Notes = from.Fragment, from.Notes
			}
			res.CopiedAt = stored.At
			res.Notes = append([]string{"copy of " + stored.At.Format("2006-01-02 15:04") + ": " + why}, res.Notes...)
			return res
		}
		from = moved
		if key, ok = moved.target(); !ok {
			return nil
		}
	}
	return nil
}

// keep makes res store a copy of itself when it has been read to its end.
func (k *Keeper) keep(key cache.Key, req protocols.Request, res *protocols.Resource) {
	if res == nil || res.Session != nil || res.Personal || res.Unchanged || res.Unsaved != nil || req.Facts || req.Hidden || req.Older > 0 || !res.CopiedAt.IsZero() {
		return
	}
	if res.URL == nil {
		res.URL = req.URL
	}
	own, ok := KeyOf(res.URL)
	room := k.Copies.MaxSize(own)
	if !ok || room == 0 || res.Size > room {
		return
	}
	store := func(r record, content []byte) {
		if own != key { // what the server that redirects says is not part of the copy of another server
			k.Copies.Put(key, encode(record{URL: own.Name, Moved: true, Fragment: r.Fragment, Notes: r.Notes}, nil))
			r.Fragment, r.Notes = "", nil
		}
		k.Copies.Put(own, encode(r, content))
	}
	if res.Body != nil {
		res.Body = cache.Record(res.Body, room, func(octets []byte) {
			head := newRecord(&res.Head)
			head.IsDoc = true
			if res.LateNotes != nil {
				head.Notes = append(head.Notes, res.LateNotes()...)
			}
			store(head, octets)
		})
		return
	}
	res.Lines = recordList(&res.Head, res.Lines, room, store)
}

// recordList returns lines, which call store with the copy of the list at their end.
func recordList(h *protocols.Head, lines iter.Seq2[protocols.Line, error], room int64, store func(record, []byte)) iter.Seq2[protocols.Line, error] {
	w := listWriter{room: room}
	return transfer.RecordLines(lines, w.add, func() error {
		if w.room < 0 {
			return nil
		}
		head := newRecord(h)
		if h.Ended != nil {
			head.Ended = -1
			if h.Ended() {
				head.Ended = 1
			}
		}
		store(head, w.lines.Bytes())
		return nil
	})
}

// recheck is the time after which a network that was down is tried again.
const recheck = 30 * time.Second

// Network knows whether the network seems to be down: since the last answer of any server, no connection could be made to two
// hosts. One host that does not answer may be down itself, and a refused connection is an answer. The zero value is ready
// and safe for concurrent use.
type Network struct {
	Now func() time.Time // nil: time.Now

	mu     sync.Mutex
	failed map[string]bool // by host:port
	last   time.Time       // of the last failure
}

// IsDown reports whether the network seems to be down. After [recheck] it returns false, so that the next fetch tries again.
func (n *Network) IsDown() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.failed) >= 2 && n.now().Sub(n.last) < recheck
}

func (n *Network) now() time.Time {
	if n.Now == nil {
		return time.Now()
	}
	return n.Now()
}

// note records the result of a fetch.
func (n *Network) note(addr string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch protocols.ContactOf(err) {
	case protocols.ContactMade:
		n.failed = nil
	case protocols.ContactNone:
		if n.last = n.now(); n.failed == nil {
			n.failed = make(map[string]bool)
		}
		if len(n.failed) < 2 {
			n.failed[addr] = true
		}
	}
}
