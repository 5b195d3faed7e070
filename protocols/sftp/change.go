package sftp

import (
	"context"
	"strconv"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Change implements [protocols.Changer].
func (c *Client) Change(ctx context.Context, change *protocols.Change) (urlcore.URL, error) {
	f, r, err := newRequest(protocols.Request{URL: change.URL})
	if err != nil {
		return nil, err
	}
	e, err := newEdit(r, change)
	if err != nil {
		return nil, err
	}
	sent := false
	err = c.withSession(ctx, f, r, func(s *session, l *lease) error {
		if err := e.checkNewName(ctx, s); err != nil {
			return err
		}
		sent = true // a request that may have taken effect is not repeated
		if err := e.apply(ctx, s); err != nil {
			return err
		}
		return l.Close()
	}, func() bool { return !sent })
	return e.url, err
}

// edit is a change with the paths of its requests.
type edit struct {
	*protocols.Change
	r       *request
	op      string
	newPath string // for Rename, MakeDirectory and MakeLink
	url     urlcore.URL
}

func newEdit(r *request, change *protocols.Change) (*edit, error) {
	badChange := func(cause string) error { return protocols.NewError(protocols.BadURL, change.Kind.String(), cause) }
	names := r.names()
	e := &edit{Change: change, r: r}
	isNew := change.Kind == protocols.MakeDirectory || change.Kind == protocols.MakeLink
	if !isNew && (len(names) == 0 || len(names) == 1 && names[0] == "~") {
		return nil, badChange("the URL names the root or the login directory")
	}
	dir, name, typ := names, change.Name, byte(0)
	if r.dir && !isNew || change.Kind == protocols.MakeDirectory {
		typ = 'd'
	}
	old := ""
	if !isNew {
		dir, old = names[:len(names)-1], names[len(names)-1]
	}
	switch change.Kind {
	case protocols.Rename, protocols.MakeDirectory, protocols.MakeLink:
		if change.Dir != nil && change.Kind == protocols.Rename {
			target, err := e.targetOf()
			if err != nil {
				return nil, err
			}
			if dir = target; name == "" {
				name = old
			}
		}
		if name == "" {
			return nil, badChange("the name is empty")
		}
		if !protocols.IsFileName(name) {
			return nil, badChange(clean.Name(name) + " is a path, not a name")
		}
	default:
		name = old
	}
	if _, err := strconv.ParseUint(change.Mode, 8, 12); err != nil && change.Kind == protocols.Chmod {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: change.Kind.String(), Err: protocols.ErrMode}
	}
	u, err := r.url.With(dir, name, typ)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: change.Kind.String(), Err: err}
	}
	e.url, e.newPath = u, joinPath(append(append([]string{}, dir...), name))
	shown := r.path
	if isNew {
		shown = name
	}
	e.op = change.Kind.String() + " " + clean.Name(shown)
	return e, nil
}

// targetOf returns the names in the path of the directory to move the item to.
func (e *edit) targetOf() ([]string, error) {
	_, target, err := newRequest(protocols.Request{URL: e.Dir})
	if err != nil {
		return nil, err
	}
	if target.url.Server != e.r.url.Server {
		return nil, protocols.NewError(protocols.BadURL, e.Kind.String(), "the target directory belongs to another server or user")
	}
	return target.names(), nil
}

// checkNewName returns an error if another item has the new name, because some servers replace it silently. If the item may
// be replaced, the error is a *[protocols.Confirm].
func (e *edit) checkNewName(ctx context.Context, s *session) error {
	if e.Kind != protocols.Rename || e.Replace {
		return nil
	}
	a, err := s.stat(ctx, e.op, fxpLstat, e.newPath)
	switch {
	case statusOf(err) == statusNoFile:
		return nil
	case err != nil:
		return err
	case a.isDir():
		return protocols.NewError(protocols.Denied, e.op, clean.Name(e.newPath)+" already exists and is a directory")
	}
	return confirmReplace(e.r, e.newPath, a.knownSize(), func() { e.Replace = true })
}

func confirmReplace(r *request, path string, size int64, giveConsent func()) *protocols.Confirm {
	_, name := parentOf(path)
	confirm := &protocols.Confirm{
		URL:         r.url,
		Question:    "Replace " + clean.Name(name) + " at " + r.addr,
		Reason:      "It already exists.",
		Consent:     protocols.ConsentReplace,
		GiveConsent: giveConsent,
	}
	if size >= 0 {
		confirm.Details = []string{strconv.FormatInt(size, 10) + " octets"}
	}
	return confirm
}

// apply makes the change.
func (e *edit) apply(ctx context.Context, s *session) error {
	switch e.Kind {
	case protocols.MakeDirectory:
		err := s.change(ctx, e.op, "MKDIR", fxpMkdir, e.newPath, attrs{})
		if isRefusal(err) {
			if _, statErr := s.stat(ctx, "", fxpLstat, e.newPath); statErr == nil {
				return because(err, protocols.ServerFailed, "it already exists")
			}
		}
		return err
	case protocols.MakeLink: // OpenSSH, and servers after its example, have the paths in the other order than section 6.10
		return s.change(ctx, e.op, "SYMLINK", fxpSymlink, e.Target, e.newPath)
	case protocols.Rename:
		return e.rename(ctx, s)
	case protocols.Chmod:
		mode, _ := strconv.ParseUint(e.Mode, 8, 12)
		return s.change(ctx, e.op, "SETSTAT", fxpSetstat, e.r.path, attrs{flags: hasMode, mode: uint32(mode)})
	case protocols.SetDate:
		return s.change(ctx, e.op, "SETSTAT", fxpSetstat, e.r.path, dateAttrs(e.Modified.Unix()))
	}
	return e.remove(ctx, s)
}

// rename renames or moves the item.
func (e *edit) rename(ctx context.Context, s *session) error {
	var err error
	if e.Replace {
		err = s.replace(ctx, e.op, e.r.path, e.newPath, []string{randomPath(e.newPath, backupKind)})
	} else {
		err = s.change(ctx, e.op, "RENAME", fxpRename, e.r.path, e.newPath)
	}
	if dir, _ := parentOf(e.newPath); statusOf(err) == statusNoFile && e.Dir != nil {
		if a, statErr := s.stat(ctx, "", fxpStat, dir); statErr != nil || !a.isDir() {
			return &protocols.Error{Reason: protocols.NotFound, Op: "move " + clean.Name(e.r.path), Err: protocols.ErrNoTarget}
		}
	}
	return err
}

// remove removes a file, a link or an empty directory.
func (e *edit) remove(ctx context.Context, s *session) error {
	if !e.r.dir {
		err := s.change(ctx, e.op, "REMOVE", fxpRemove, e.r.path)
		if statusOf(err) != statusFailure && statusOf(err) != statusDenied {
			return err
		}
		if a, statErr := s.stat(ctx, "", fxpLstat, e.r.path); statErr != nil || !a.isDir() {
			return err
		}
	}
	err := s.change(ctx, e.op, "RMDIR", fxpRmdir, e.r.path)
	if isRefusal(err) { // links to directories are listed with the URLs of directories
		if a, statErr := s.stat(ctx, "", fxpLstat, e.r.path); statErr == nil && a.kind() == typeLink {
			return s.change(ctx, e.op, "REMOVE", fxpRemove, e.r.path)
		}
	}
	if statusOf(err) == statusFailure {
		return because(err, protocols.ServerFailed, "the directory may not be empty, or the server does not allow its removal")
	}
	return err
}

// dateAttrs returns the attributes that set the date of an item. The protocol has dates from 1970 to 2106.
func dateAttrs(seconds int64) attrs {
	return attrs{flags: hasTimes, modified: uint32(min(max(seconds, 0), 1<<32-1))}
}
