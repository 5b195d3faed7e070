package download

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"gofer/internal/mirror"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// The reasons that do not come from the server.
var (
	errNoName     = errors.New("its name cannot be asked for")
	errIncomplete = errors.New("the server does not list all of it")
	errElsewhere  = errors.New("it is on another server")
	errTooDeep    = errors.New("it is too many levels down")
	errMayLoop    = errors.New("its listing equals that of a parent directory, and the server does not identify directories")
	errDirLink    = errors.New("it is a link to a directory that is not saved")
	errDeadLink   = errors.New("it is a dangling link")
	errUntold     = errors.New("it is a directory or a link to one, which the server lists as something else")

	errLinkHere    = errors.New("it is a symbolic link, which is not followed; name its target instead")
	errFileHere    = errors.New("it is a file or link here; mirror --delete replaces it")
	errFileKept    = errors.New("it is a file or link here, which is kept")
	errDirHere     = errors.New("it is a directory here; mirror --delete replaces it")
	errDirKept     = errors.New("it is a directory here, with items that are kept")
	errDirUnclear  = errors.New("it is a directory here, and the server does not say that it is a file")
	errMovedAside  = errors.New("gofer moved it aside to replace it, and was interrupted: move it back, or remove it")
	errNameTaken   = errors.New("there is an item of the same name here, or of one that differs in case only")
	errSpecialHere = errors.New("it is neither a file nor a directory here")
)

// skippable reports whether err concerns one item only, so that the tree continues.
func skippable(err error) bool {
	r := protocols.ReasonOf(err)
	confirm, _ := protocols.QuestionOf(err).(*protocols.Confirm)
	return r.Server() || r == protocols.LocalFailure && errors.Is(err, fs.ErrPermission) || r == protocols.BadURL || r == protocols.Unsupported ||
		errors.Is(err, errFileHere) || errors.Is(err, errNameTaken) || errors.Is(err, errNoDirectory) || errors.Is(err, errFileKept) || errors.Is(err, nav.ErrNoOctets) || errors.Is(err, nav.ErrSession) || errors.Is(err, syscall.ENAMETOOLONG) ||
		confirm != nil && confirm.Consent == protocols.ConsentPort
}

// correctDenial returns err with the reason Denied if it is the reply of vsftpd for files that are not
// there and files that cannot be read: the listing has the file.
func correctDenial(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotThere && strings.HasPrefix(e.Text, "Failed to open file") {
		denied := *e
		denied.Reason, err = protocols.Denied, &denied
	}
	return err
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
	w.tree.left = append(w.tree.left, mirror.LeftOut{URL: u, Path: path, Err: err})
}

// leave records that file i is not saved.
func (s *treeSaver) leave(i int, err error) {
	s.mu.Lock()
	s.settled[i] = true
	s.mu.Unlock()
	s.leaveItem(&s.it.tree.Files[i], err)
}

// leaveItem records that a file or directory is not saved.
func (s *treeSaver) leaveItem(f *TreeFile, err error) {
	s.it.m.mu.Lock()
	defer s.it.m.mu.Unlock()
	s.it.status.LeftOut = append(s.it.status.LeftOut, mirror.LeftOut{URL: f.URL, Path: f.Path, Err: err})
}

// partial returns a *[mirror.PartialError] if any item was not saved, else nil. If cause is
// not nil it ended the transfers, and each file without a result is recorded.
func (s *treeSaver) partial(cause error) error {
	if cause != nil {
		for i := range s.it.tree.Files {
			if !s.settled[i] {
				s.leave(i, cause)
			}
		}
	}
	st := s.it.Status()
	if len(st.LeftOut) == 0 {
		return nil
	}
	done := "saved"
	if m := st.Mirror; m != nil && m.Delete {
		done = "saved or removed"
	}
	return &mirror.PartialError{LeftOut: st.LeftOut, Items: st.Files + len(st.LeftOut), Done: done, Cause: cause}
}

// endsTree reports whether err is a network failure or the quota. The files without
// a result are left out then; after a pause or a question they are not.
func endsTree(err error) bool {
	r := protocols.ReasonOf(err)
	return protocols.QuestionOf(err) == nil && (r.Network() || r == protocols.TooBig)
}
