package across

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"time"

	"gofer/internal/transfer"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
)

// Difference is how an item of a directory differs from the item of the same name in another directory.
type Difference uint8

// The differences.
const (
	Equal   Difference = iota
	New                // the other directory has no such item
	Changed            // size or date differ, or the content
	Later              // like Changed, and the item is the newer one
	Earlier            // like Changed, and the item is the older one
	Unknown            // the listings do not show whether the items differ
)

// Compare compares items with the items of another directory by their kinds, sizes and dates. Directories of the same name
// are Unknown, see [Trees]. Links with the same target are Equal, whatever their dates.
func Compare(items, others []protocols.Line) []Difference {
	byName := make(map[string]*protocols.Line, len(others))
	for i := range others {
		byName[nameOf(others[i].Link)] = &others[i]
	}
	all := make([]Difference, len(items))
	for i := range items {
		all[i] = difference(&items[i], byName[nameOf(items[i].Link)])
	}
	return all
}

func difference(a, b *protocols.Line) Difference {
	switch {
	case a.Link == nil:
		return Equal
	case b == nil:
		return New
	case haveOneTarget(a, b):
		return Equal
	case (a.Kind == protocols.Directory) != (b.Kind == protocols.Directory):
		return Changed
	case a.Kind == protocols.Directory:
		return differenceOfDirs(a, b)
	}
	na, okA := a.Note.(*protocols.FileNote)
	nb, okB := b.Note.(*protocols.FileNote)
	if !okA || !okB {
		return Unknown
	}
	later, known := compareDates(na, nb)
	switch sa, sb := na.ExactSize(), nb.ExactSize(); {
	case later > 0:
		return Later
	case later < 0:
		return Earlier
	case sa >= 0 && sb >= 0 && sa != sb:
		return Changed
	case sa < 0 || sb < 0 || !known:
		return Unknown
	}
	return Equal
}

// differenceOfDirs compares two directories, of which each may be a link, but not to the same target.
func differenceOfDirs(a, b *protocols.Line) Difference {
	if isLink(a) != isLink(b) || linkTarget(a) != "" && linkTarget(b) != "" {
		return Changed
	}
	return Unknown
}

// compareDates returns 1 if a is newer than b, -1 if it is older, and 0 if they may have the same date. Then known is false if one
// of the dates is unknown, or too coarse to decide.
func compareDates(a, b *protocols.FileNote) (later int, known bool) {
	if a.Modified.IsZero() || b.Modified.IsZero() {
		return 0, false
	}
	same := a.Modified.Equal(b.Modified)
	step := time.Second
	switch {
	case (a.DateOnly || b.DateOnly) && a.Modified.Sub(b.Modified).Abs() < 48*time.Hour:
		return 0, same && a.DateOnly && b.DateOnly
	case a.Modified.Second() == 0 && a.Modified.Nanosecond() == 0 || b.Modified.Second() == 0 && b.Modified.Nanosecond() == 0:
		step = time.Minute // a listing without seconds
	}
	ta, tb := a.Modified.Truncate(step), b.Modified.Truncate(step)
	if diff := ta.Sub(tb); (a.Local || b.Local) && diff.Abs() <= 24*time.Hour && diff%(15*time.Minute) == 0 {
		return 0, same // the time zone of the server is not known
	}
	later = ta.Compare(tb)
	return later, later != 0 || step == time.Second || same
}

// laterDate returns 1 if a is newer than b, -1 if it is older, and 0 if they may have the same date.
func laterDate(a, b *protocols.FileNote) int {
	later, _ := compareDates(a, b)
	return later
}

// SameNames returns the indexes of the files that both directories have, unless their sizes differ.
func SameNames(items, others []protocols.Line) (pairs [][2]int) {
	for _, p := range sameNames(items, others, func(l *protocols.Line) bool { return l.Kind != protocols.Directory }) {
		if a, b := sizeOf(&items[p[0]]), sizeOf(&others[p[1]]); a < 0 || b < 0 || a == b {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// sameNames returns the indexes of the items that both directories have and for which the function is returns true.
func sameNames(items, others []protocols.Line, is func(l *protocols.Line) bool) (pairs [][2]int) {
	byName := make(map[string]int, len(others))
	for i := range others {
		if others[i].Link != nil && is(&others[i]) {
			byName[nameOf(others[i].Link)] = i
		}
	}
	for i := range items {
		if items[i].Link == nil || !is(&items[i]) {
			continue
		}
		if j, ok := byName[nameOf(items[i].Link)]; ok {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// SameContent reports whether two documents have the same octets. It calls report with the number of octets fetched.
func SameContent(ctx context.Context, server protocols.Fetcher, a, b protocols.Line, report func(octets int)) (bool, error) {
	sumA, err := digest(ctx, server, a, report)
	if err != nil {
		return false, err
	}
	sumB, err := digest(ctx, server, b, report)
	return bytes.Equal(sumA, sumB), err
}

// digest returns the SHA-256 checksum of a document.
func digest(ctx context.Context, server protocols.Fetcher, l protocols.Line, report func(octets int)) ([]byte, error) {
	h := sha256.New()
	r := mirror.Retry{Tries: mirror.RefusedTries}
	err := r.Do(ctx, func(mirror.Wait) {}, func() (bool, error) {
		h.Reset()
		w := writerFunc(func(p []byte) (int, error) { report(len(p)); return h.Write(p) })
		_, err := transfer.Save(ctx, server, protocols.Request{URL: l.Link, Fresh: true}, w, func(protocols.Head) error { return nil })
		return false, err
	})
	return h.Sum(nil), err
}

// writerFunc is an [io.Writer] that calls the function.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

var _ io.Writer = writerFunc(nil)
