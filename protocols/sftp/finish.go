package sftp

import (
	"context"
	"errors"
	"fmt"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// finish closes the file, sets its date and mode, checks its size and gives it its name. All but the name is sent at once. A
// server may set a date while it still writes, but it closes a file only after all writes; therefore the date is set by the path.
func (p *put) finish(unacknowledged []*call) error {
	var owned, moded, dated, sized *call
	var err error
	if p.replaces && p.old.flags&hasOwner != 0 { // before the mode; only root can give files away
		if owned, err = p.s.send(p.ctx, p.op, fxpFsetstat, 0, p.handle, attrs{flags: hasOwner, uid: p.old.uid, gid: p.old.gid}); err != nil {
			return err
		}
	}
	if mode, ok := p.modeOf(); ok {
		if moded, err = p.s.send(p.ctx, p.op, fxpFsetstat, 0, p.handle, attrs{flags: hasMode, mode: mode}); err != nil {
			return err
		}
	}
	closed, err := p.s.send(p.ctx, p.op, fxpClose, 0, p.handle)
	p.handle = ""
	if err != nil {
		return err
	}
	if !p.Modified.IsZero() {
		if dated, err = p.askDate(); err != nil {
			return err
		}
	}
	if !p.Unchecked || p.replaces {
		if sized, err = p.s.ask(p.ctx, p.op, "STAT", fxpStat, p.path); err != nil {
			return err
		}
	}
	for _, w := range append(unacknowledged, closed) {
		if err := p.s.done(p.ctx, w, p.op); err != nil {
			return err
		}
	}
	for _, set := range []struct {
		call *call
		done *bool
	}{{owned, new(bool)}, {moded, &p.ModeKept}, {dated, &p.DateKept}} {
		if set.call != nil {
			err := p.s.done(p.ctx, set.call, p.op)
			if *set.done = err == nil; err != nil && !isRefusal(err) {
				return err
			}
		}
	}
	if err := p.checkSize(sized); err != nil {
		return err
	}
	return p.takeName()
}

// askDate requests that the file gets its date. A new file is no link; if its name has become one since, the target of the
// link keeps its date.
func (p *put) askDate() (*call, error) {
	date := dateAttrs(p.Modified.Unix())
	if p.s.lsetstat && p.made {
		return p.s.ask(p.ctx, p.op, "LSETSTAT", fxpExtended, p.path, date)
	}
	return p.s.ask(p.ctx, p.op, "SETSTAT", fxpSetstat, p.path, date)
}

// checkSize compares the size in the answer sized with that of the sent file. The parameter sized may be nil.
func (p *put) checkSize(sized *call) error {
	if sized == nil {
		return nil
	}
	a, err := p.s.attrsOf(p.ctx, sized, p.op)
	if err != nil {
		return err
	}
	if n := a.knownSize(); n >= 0 && n != p.Sent {
		return protocols.NewError(protocols.Broken, p.op, fmt.Sprintf("the server has %d of %d octets", n, p.Sent))
	}
	return nil
}

// statedError is an error whose text says what the server has.
type statedError struct{ error }

func (e *statedError) Unwrap() error { return e.error }

func stated(format string, args ...any) error { return &statedError{fmt.Errorf(format, args...)} }

// takeName gives a file with a temporary name the name of the file that it replaces, and removes what earlier uploads have left.
func (p *put) takeName() error {
	left := []string{p.unused}
	if p.replaces {
		backups := []string{randomPath(p.r.path, backupKind)}
		if p.isResumable() {
			backups = []string{p.temporaryPath(backupKind), backups[0]}
		}
		err := p.s.replace(p.ctx, p.op, p.path, p.r.path, backups)
		if _, isStated := errors.AsType[*statedError](err); err != nil && !isRefusal(err) && !isStated {
			return stated("%w; the server has the whole old file, or the whole new one", err)
		} else if err != nil {
			return err
		}
	}
	if p.Resume && p.isResumable() && !p.s.posix {
		left = append(left, p.temporaryPath(backupKind))
	}
	for _, path := range left {
		if path == "" {
			continue
		}
		if err := p.s.change(p.ctx, p.op, "REMOVE", fxpRemove, path); err != nil && !isRefusal(err) {
			return stated("the file is stored, but %s may still be there: %w", clean.Name(path), err)
		}
	}
	return nil
}

// restore gives the replaced file its name again, which an interrupted upload of the same file has taken at a server without
// posix-rename. It reports whether there was such a file.
func (p *put) restore() (bool, error) {
	if p.restored || !p.Resume || !p.isResumable() || p.s.posix {
		return false, nil
	}
	p.restored = true
	err := p.s.change(p.ctx, p.op, "RENAME", fxpRename, p.temporaryPath(backupKind), p.r.path)
	if isRefusal(err) {
		return false, nil
	}
	return err == nil, err
}

// replace renames the item at from, so that it replaces the item at to. The replaced item is there until the other one has its
// name: without posix-rename, it gets the first path of backups that is free, and its own name again if the other one cannot take it.
func (s *session) replace(ctx context.Context, op, from, to string, backups []string) error {
	if s.posix {
		err := s.change(ctx, op, "posix-rename", fxpExtended, from, to)
		if statusOf(err) != statusUnsupported {
			return err
		}
	}
	err := s.change(ctx, op, "RENAME", fxpRename, from, to)
	if !isRefusal(err) || statusOf(err) == statusNoFile {
		return err
	}
	if a, statErr := s.stat(ctx, op, fxpLstat, to); statErr != nil && !isRefusal(statErr) {
		return statErr
	} else if statErr != nil || a.isDir() {
		return err // the target is not the reason
	}
	var backup string
	for _, backup = range backups {
		if err = s.change(ctx, op, "RENAME", fxpRename, to, backup); !isRefusal(err) {
			break
		}
	}
	if isRefusal(err) {
		return err
	} else if err != nil {
		return stated("%w; the old file may now be called %s", err, clean.Name(backup))
	}
	if err := s.change(ctx, op, "RENAME", fxpRename, from, to); err != nil {
		ctx := context.WithoutCancel(ctx)
		if s.change(ctx, op, "RENAME", fxpRename, backup, to) != nil {
			return stated("%w; the old file is now called %s", err, clean.Name(backup))
		}
		return err
	}
	if err := s.change(ctx, op, "REMOVE", fxpRemove, backup); err != nil {
		return stated("the new file has its name, but the old one is still there as %s: %w", clean.Name(backup), err)
	}
	return nil
}
