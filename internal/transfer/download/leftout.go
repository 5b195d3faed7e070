package download

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// Reasons for leaving out items without an error of the server.
var (
	errNoName      = errors.New("its name cannot be requested")
	errIncomplete  = errors.New("the listing is incomplete")
	errOtherServer = errors.New("it is on another server")
	errTooDeep     = errors.New("it is deeper than the limit of levels")
	errMayLoop     = errors.New("it may be a link to a parent directory: the listings are equal")
	errDirLink     = errors.New("it is a link to a directory, which is not followed")
	errDeadLink    = errors.New("it is a dangling link")
	errUnlistedDir = errors.New("it is a directory or a link to one, but the listing does not say so")

	errLinkHere    = errors.New("it is a symbolic link; name its target instead")
	errFileHere    = errors.New("it is a file or link here; mirror --delete replaces it")
	errDirLinkHere = errors.New("it is a link to another directory here, which mirror does not follow or replace")
	errFileKept    = errors.New("it is a file or link here, which a pattern excludes")
	errDirHere     = errors.New("it is a directory here; mirror --delete replaces it")
	errDirKept     = errors.New("it is a directory here, with items to keep")
	errDirUnclear  = errors.New("it is a directory here, and may be a directory on the server")
	errMovedAside  = errors.New("an interrupted mirror moved it here; move it back, or remove it")
	errNameTaken   = errors.New("an item here has the same name, or one that differs only in case")
	errSpecialHere = errors.New("it is neither a file nor a directory here")
)

// isSkippable reports whether err affects only one item, so that the download of the tree continues.
func isSkippable(err error) bool {
	r := protocols.ReasonOf(err)
	confirm, _ := protocols.QuestionOf(err).(*protocols.Confirm)
	return r.IsServerFailure() || r == protocols.LocalFailure && errors.Is(err, fs.ErrPermission) || r == protocols.BadURL || r == protocols.Unsupported ||
		errors.Is(err, errFileHere) || errors.Is(err, errDirLinkHere) || errors.Is(err, errNameTaken) || errors.Is(err, errNoDirectory) || errors.Is(err, errFileKept) || errors.Is(err, protocols.ErrNoOctets) || errors.Is(err, protocols.ErrSession) || errors.Is(err, syscall.ENAMETOOLONG) ||
		confirm != nil && confirm.Consent.LeavesOutItem()
}

// correctDenial changes the reason of err to Denied if err has the reply that vsftpd sends both for missing and
// for unreadable files. The file is listed, so it is not missing but unreadable.
func correctDenial(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Reason == protocols.NotFound && strings.HasPrefix(e.Text, "Failed to open file") {
		denied := *e
		denied.Reason, err = protocols.Denied, &denied
	}
	return err
}

// isTolerableLoss reports whether err is a lost connection and, with this one, fewer than maxBreaks connections
// were lost in a row. If err is a lost connection, it increments *lost, the number of connections lost in a row.
func isTolerableLoss(err error, lost *int) bool {
	if !mirror.IsLostConnection(err) {
		return false
	}
	*lost++
	return *lost < maxBreaks
}

// leaveOut records that an item is left out.
func (w *walker) leaveOut(u urlcore.URL, path string, err error) {
	w.tree.leftOut = append(w.tree.leftOut, mirror.LeftOut{URL: u, Path: path, Err: err})
}

// leaveOutFile records that file i is left out.
func (s *treeSaver) leaveOutFile(i int, err error) {
	s.mu.Lock()
	s.hasResult[i] = true
	s.mu.Unlock()
	s.leaveOut(&s.item.tree.Files[i], err)
}

// leaveOut records that a file or directory is left out.
func (s *treeSaver) leaveOut(f *TreeFile, err error) {
	s.item.m.mu.Lock()
	defer s.item.m.mu.Unlock()
	s.item.status.LeftOut = append(s.item.status.LeftOut, mirror.LeftOut{URL: f.URL, Path: f.Path, Err: err})
}

// partialError returns a *[mirror.PartialError] if items were left out, else nil. If cause is not nil, this
// error ended the transfers early. It is then the reason for leaving out each file that has no result.
func (s *treeSaver) partialError(cause error) error {
	if cause != nil {
		for i := range s.item.tree.Files {
			if !s.hasResult[i] {
				s.leaveOutFile(i, cause)
			}
		}
	}
	st := s.item.Status()
	if len(st.LeftOut) == 0 {
		return nil
	}
	verb := "saved"
	if m := st.Mirror; m != nil && m.Delete {
		verb = "saved or removed"
	}
	return &mirror.PartialError{LeftOut: st.LeftOut, Total: st.Files + len(st.LeftOut), Verb: verb, Cause: cause}
}

// endsTree reports whether err is an error of the network or the quota. The remaining files are then left
// out. After other errors, such as a pause or a [protocols.Question], the download can be resumed.
func endsTree(err error) bool {
	r := protocols.ReasonOf(err)
	return protocols.QuestionOf(err) == nil && (r.IsNetworkFailure() || r == protocols.TooBig)
}
