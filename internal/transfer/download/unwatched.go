package download

import (
	"errors"
	"fmt"
	"path/filepath"
)

// The bounds of downloads without a screen: a server that sends without end would fill the disk while nobody looks.
const (
	maxUnwatched  = 1 << 30 // octets of a document of unknown size; few documents of servers that tell no sizes are larger
	keptFreeShare = 20      // this part of the disk is left to other programs ...
	maxKeptFree   = 1 << 30 // ... but not more octets
	spaceStep     = 8 << 20 // octets of a document between two looks at the disk
)

// errUnwatched is wrapped in the errors that pause a download without a screen.
var errUnwatched = errors.New("resume it here to go on")

var (
	errEndless  = fmt.Errorf("paused without a screen: it is very large, and the server does not tell its size; %w", errUnwatched)
	errLowSpace = fmt.Errorf("paused without a screen: the disk is nearly full; %w", errUnwatched)
)

// bounds are the bounds of the downloads of a run without a screen.
type bounds struct {
	maxSize int64 // of a document of unknown size
	space   func(dir string) (free, size uint64, ok bool)
}

// newBounds returns the bounds of the downloads, or nil for a run with a screen.
func (m *Manager) newBounds() *bounds {
	if !m.isQueue {
		return nil
	}
	if m.bounds != nil {
		return m.bounds
	}
	return &bounds{maxUnwatched, diskSpace}
}

// checkRoom returns an error if n more octets would exceed the bounds of a download without a screen.
func (w *checkedWriter) checkRoom(n int) error {
	b, size := w.t.bounds, w.p.size+int64(n)
	switch {
	case b == nil:
		return nil
	case w.p.record.Size < 0 && size > b.maxSize:
		return errEndless
	case size <= w.nextLook:
		return nil
	}
	w.nextLook = size + spaceStep
	if free, all, ok := b.space(filepath.Dir(w.p.path)); ok && free < min(all/keptFreeShare, maxKeptFree) {
		return errLowSpace
	}
	return nil
}
