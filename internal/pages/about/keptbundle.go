package about

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"gofer/internal/text/bundle"
	"gofer/protocols"
	"gofer/urlcore"
)

// keptBundle is the bundle that was opened last, so that its pages open without reading its map again. The zero value is
// empty.
type keptBundle struct {
	mu   sync.Mutex
	url  urlcore.URL
	last *openBundle
}

// openBundle is an open bundle. Its file is closed when it has been replaced and nothing reads it any more. Until then no
// other file has its inode.
type openBundle struct {
	*bundle.Bundle
	file  io.Closer
	info  fs.FileInfo
	users int // number of readers, plus 1 if the keptBundle has it; keptBundle.mu guards it
}

// open returns the kept bundle of u if it is in the file that info describes. The result use must be closed.
func (k *keptBundle) open(u urlcore.URL, info fs.FileInfo) (b *bundle.Bundle, use io.Closer, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o := k.last
	if o == nil || k.url != u || !os.SameFile(o.info, info) || o.info.Size() != info.Size() || !o.info.ModTime().Equal(info.ModTime()) {
		return nil, nil, false
	}
	o.users++
	return o.Bundle, k.user(o), true
}

// keep keeps an open bundle in place of the one before. The result must be closed after the use of the bundle.
func (k *keptBundle) keep(u urlcore.URL, o *openBundle) io.Closer {
	k.mu.Lock()
	before := k.last
	k.url, k.last, o.users = u, o, 2
	k.mu.Unlock()
	if before != nil {
		k.release(before)
	}
	return k.user(o)
}

func (k *keptBundle) user(o *openBundle) io.Closer {
	return closer(sync.OnceFunc(func() { k.release(o) }))
}

func (k *keptBundle) release(o *openBundle) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.users--; o.users == 0 {
		_ = o.file.Close()
	}
}

// readBundle opens the bundle at the URL at. The result use must be closed after the use of the bundle.
func (c *Client) readBundle(ctx context.Context, r *request, at urlcore.URL) (b *bundle.Bundle, use io.Closer, err error) {
	file, res, err := c.openBundleFile(ctx, r, at)
	if err != nil {
		return nil, nil, err
	}
	var info fs.FileInfo
	if f, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err = f.Stat(); err != nil {
			info = nil
		}
	}
	if info != nil {
		if b, use, ok := c.lastBundle.open(at, info); ok {
			return b, use, closeResource(res)
		}
	}
	if b, err = bundle.Open(ctx, file, c.now()); err != nil {
		_ = res.Close()
		if errors.Is(err, bundle.ErrNoBundle) {
			err = &protocols.Error{Reason: protocols.Unsupported, Op: "open the bundle", Err: err}
		}
		return nil, nil, err
	}
	if info == nil {
		return b, res, nil
	}
	return b, c.lastBundle.keep(at, &openBundle{Bundle: b, file: res, info: info}), nil
}
