package download

import (
	"errors"
	"fmt"
	"slices"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// LeftOut is an item of a directory or mirror that was not saved, and that is not
// saved under another name either.
type LeftOut struct {
	URL  urlcore.URL // nil if the item has none
	Path string      // below the directory that is saved, with slashes
	Err  error       // why; not nil
}

// String names the item and tells why it was left out.
func (l LeftOut) String() string { return l.Path + ": " + nav.Sentence(l.Err) }

// PartialError is the error of a directory or mirror that was saved but for some
// items, which [Status.LeftOut] names.
type PartialError struct {
	LeftOut []LeftOut // at least one
	Items   int       // how many there are, those that were left out included
	Cause   error     // what ended the rest early, or nil
}

// Error counts the items that were left out.
func (e *PartialError) Error() string {
	text := fmt.Sprintf("%d of %d items were not saved", len(e.LeftOut), e.Items)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns a question, or else an error of the network, over which another
// try may get, or else the first error.
func (e *PartialError) Unwrap() error {
	i := slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.QuestionOf(l.Err) != nil })
	if i < 0 {
		i = slices.IndexFunc(e.LeftOut, func(l LeftOut) bool { return protocols.ReasonOf(l.Err).Network() })
	}
	return e.LeftOut[max(i, 0)].Err
}

// Why items are left out about which the server says nothing.
var (
	errNoName    = errors.New("its name cannot be asked for")
	errElsewhere = errors.New("it is on another server")
	errTooDeep   = errors.New("it is too many levels down")
	errMayLoop   = errors.New("its list is that of a directory above it, and the server does not tell whether they are the same")
	errDirLink   = errors.New("it is a link to a directory that is not saved")
	errDeadLink  = errors.New("it is a link to what is not there")
	errUntold    = errors.New("it is a directory, which its list does not tell")
)

// skippable reports whether err is of one item alone.
func skippable(err error) bool {
	r := protocols.ReasonOf(err)
	confirm, _ := protocols.QuestionOf(err).(*protocols.Confirm)
	return r.Server() || r == protocols.BadURL || r == protocols.Unsupported || errors.Is(err, nav.ErrNoOctets) || errors.Is(err, nav.ErrSession) ||
		confirm != nil && confirm.Consent == protocols.ConsentPort // of what one item names
}

// leave notes that the walker has left out an item.
func (w *walker) leave(u urlcore.URL, path string, err error) {
	w.tree.left = append(w.tree.left, LeftOut{u, path, err})
	if u != nil {
		w.tree.elsewhere(u)
	}
}

// leave notes that file i was left out.
func (s *treeSaver) leave(i int, err error) {
	f := &s.it.tree.Files[i]
	s.mu.Lock()
	s.settled[i] = true
	s.it.tree.elsewhere(f.URL)
	s.mu.Unlock()
	s.it.m.mu.Lock()
	defer s.it.m.mu.Unlock()
	s.it.status.LeftOut = append(s.it.status.LeftOut, LeftOut{f.URL, f.Path, err})
}

// partial returns the error of a tree of which something was left out; cause is
// what ended it early, or nil.
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
