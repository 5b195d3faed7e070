package download

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"gofer/internal/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// LeftOut is an item of a tree that was not saved under any name.
type LeftOut struct {
	URL  urlcore.URL // nil if the item has none
	Path string      // relative to the root of the tree, with slashes
	Err  error       // the reason; not nil
}

// String returns the path of the item and the reason.
func (l LeftOut) String() string { return l.Path + ": " + nav.Sentence(l.Err) }

// PartialError reports that some items of a tree were not saved.
type PartialError struct {
	LeftOut []LeftOut // at least one
	Items   int       // the number of all items, saved or not
	Cause   error     // the error that ended the transfers early, or nil
}

// Error returns the number of omitted items.
func (e *PartialError) Error() string {
	text := fmt.Sprintf("%d of %d items were not saved", len(e.LeftOut), e.Items)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the first question among the errors, else the first network error,
// which a retry may fix, else the first error.
func (e *PartialError) Unwrap() error {
	i := slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.QuestionOf(l.Err) != nil })
	if i < 0 {
		i = slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.ReasonOf(l.Err).Network() })
	}
	return e.LeftOut[max(i, 0)].Err
}

// The reasons that do not come from the server.
var (
	errNoName    = errors.New("its name cannot be asked for")
	errElsewhere = errors.New("it is on another server")
	errTooDeep   = errors.New("it is too many levels down")
	errMayLoop   = errors.New("its listing equals that of a parent directory, and the server does not identify directories")
	errDirLink   = errors.New("it is a link to a directory that is not saved")
	errDeadLink  = errors.New("it is a dangling link")
	errUntold    = errors.New("it is a directory, but its listing does not say so")
)

// skippable reports whether err concerns one item only, so that the tree continues.
func skippable(err error) bool {
	r := protocols.ReasonOf(err)
	confirm, _ := protocols.QuestionOf(err).(*protocols.Confirm)
	return r.Server() || r == protocols.BadURL || r == protocols.Unsupported ||
		errors.Is(err, nav.ErrNoOctets) || errors.Is(err, nav.ErrSession) || errors.Is(err, syscall.ENAMETOOLONG) ||
		confirm != nil && confirm.Consent == protocols.ConsentPort
}

// broken reports whether err is a lost connection, and not one of too many. It counts
// them in lost.
func broken(err error, lost *int) bool {
	if !mirror.Reached(err) {
		return false
	}
	*lost++
	return *lost < maxBreaks
}

// leave records an item that is not listed.
func (w *walker) leave(u urlcore.URL, path string, err error) {
	w.tree.left = append(w.tree.left, LeftOut{u, path, err})
}

// leave records that file i is not saved.
func (s *treeSaver) leave(i int, err error) {
	f := &s.it.tree.Files[i]
	s.mu.Lock()
	s.settled[i] = true
	s.mu.Unlock()
	s.it.m.mu.Lock()
	defer s.it.m.mu.Unlock()
	s.it.status.LeftOut = append(s.it.status.LeftOut, LeftOut{f.URL, f.Path, err})
}

// partial returns a *PartialError if any item was not saved, else nil. If cause is
// not nil it ended the transfers, and each file without a result is recorded.
func (s *treeSaver) partial(cause error) error {
	if cause != nil {
		for i := range s.it.tree.Files {
			if !s.settled[i] {
				s.leave(i, cause)
			}
		}
	}
	left := s.it.Status().LeftOut
	if len(left) == 0 {
		return nil
	}
	return &PartialError{left, len(s.it.tree.Files) + len(s.it.tree.left), cause}
}

// endsTree reports whether err is a network failure or the quota. The files without
// a result are left out then; after a pause or a question they are not.
func endsTree(err error) bool {
	r := protocols.ReasonOf(err)
	return protocols.QuestionOf(err) == nil && (r.Network() || r == protocols.TooBig)
}
