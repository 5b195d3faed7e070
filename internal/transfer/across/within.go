package across

import (
	"context"
	"fmt"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// Within returns a server for items that are in or below the directories of pages that the user sees. It asks the server s to follow no
// links below these directories, see [protocols.Request.Within], and goes at most maxDepth levels down.
func Within(s Server, dirs ...urlcore.URL) Server {
	w := within{Server: s}
	for _, d := range dirs {
		if d != nil {
			w.dirs = append(w.dirs, urlcore.Redact(d))
		}
	}
	return w
}

type within struct {
	Server
	dirs []urlcore.URL // without passwords
}

// directoryOf returns the directory of w that u is in, or nil.
func (w within) directoryOf(u urlcore.URL) (urlcore.URL, error) {
	u = urlcore.Redact(u)
	for range maxDepth + 2 {
		up, ok := urlcore.Up(u)
		switch {
		case slices.Contains(w.dirs, u):
			return u, nil
		case !ok || up == u:
			return nil, nil
		}
		u = up
	}
	return nil, protocols.NewError(protocols.TooBig, "open the item", fmt.Sprintf("there are more than %d levels of directories", maxDepth))
}

// Fetch implements [protocols.Fetcher].
func (w within) Fetch(ctx context.Context, req protocols.Request) (_ *protocols.Resource, err error) {
	if req.Within, err = w.directoryOf(req.URL); err != nil {
		return nil, err
	}
	return w.Server.Fetch(ctx, req)
}

// Put implements [protocols.Putter].
func (w within) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) (err error) {
	if up.Within, err = w.directoryOf(u); err != nil {
		return err
	}
	return w.Server.Put(ctx, u, up)
}

// Change implements [protocols.Changer].
func (w within) Change(ctx context.Context, c *protocols.Change) (_ urlcore.URL, err error) {
	if c.Within, err = w.directoryOf(c.URL); err != nil {
		return nil, err
	}
	return w.Server.Change(ctx, c)
}

// Resume implements [protocols.Resumer].
func (w within) Resume(ctx context.Context, req protocols.Request) (_ *protocols.Resource, err error) {
	r, ok := w.Server.(protocols.Resumer)
	if !ok {
		return nil, protocols.NewError(protocols.NotSupported, "continue the file", "its server sends files from their beginning only")
	}
	if req.Within, err = w.directoryOf(req.URL); err != nil {
		return nil, err
	}
	return r.Resume(ctx, req)
}
