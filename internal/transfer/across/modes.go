package across

import (
	"context"
	"fmt"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// permissions returns the permissions that a listing shows, without those to run as somebody else. They are not known of a link.
func permissions(l *protocols.Line) (bits uint32, known bool) {
	n, ok := l.Note.(*protocols.FileNote)
	if !ok || isLink(l) {
		return 0, false
	}
	bits, known = protocols.ParsePermissions(n.Mode)
	return bits & 0o777, known
}

// modeOf returns the octal permissions for the file of e, or "" if they are not known: no more than those of the source, nor than
// those of a file that is replaced.
func modeOf(e *entry) string {
	bits, known := permissions(&e.line)
	if isLink(&e.line) { // the list shows the permissions of the link itself
		if bits, known = 0o600, true; e.leads != nil {
			bits, known = permissions(&e.leads.line)
		}
	}
	if e.there != nil {
		if old, ok := permissions(e.there); ok && known {
			bits &= old
		}
	}
	if !known {
		return ""
	}
	return fmt.Sprintf("%03o", bits)
}

// isPrivate reports whether a file of a mode may not be read by everybody. The mode "" is not known.
func isPrivate(mode string) bool { return mode != "" && mode[len(mode)-1] < '4' }

// directoryMode returns the octal permissions for the new directory of e while items are stored in it, or "" if they are not known.
func directoryMode(e *entry) string {
	bits, known := permissions(&e.line)
	if !known {
		return ""
	}
	return fmt.Sprintf("%03o", bits|0o700)
}

// usualMode has the permissions of a new directory on most servers.
const usualMode = 0o755

// protect takes the permissions from a new directory that that of the source does not give, before anything is stored in it.
func (c *Copy) protect(ctx context.Context, e *entry) error {
	bits, known := permissions(&e.line)
	if _, isLocal := c.To.(urlcore.File); !known || bits&usualMode == usualMode || isLocal { // a local one is made so
		return nil
	}
	return c.changeNew(ctx, e, &protocols.Change{Kind: protocols.Chmod, Mode: directoryMode(e)})
}

// finishDirectories gives the new directories their dates, the deepest first, and takes from their owners the permissions that those
// of the source do not give.
func (c *Copy) finishDirectories(ctx context.Context) error {
	for _, e := range slices.Backward(c.entries) {
		if e.line.Kind != protocols.Directory || e.made == nil || e.failed || e.finished {
			continue
		}
		n, _ := e.line.Note.(*protocols.FileNote)
		if n != nil && !n.Modified.IsZero() && !n.DateOnly && !n.Local {
			if err := c.changeNew(ctx, e, &protocols.Change{Kind: protocols.SetDate, Modified: n.Modified}); err != nil {
				return err
			}
		}
		if bits, known := permissions(&e.line); known && bits&0o700 != 0o700 {
			if err := c.changeNew(ctx, e, &protocols.Change{Kind: protocols.Chmod, Mode: fmt.Sprintf("%03o", bits)}); err != nil {
				return err
			}
		}
		e.finished = true
	}
	return nil
}

// changeNew changes the new item of e. The error is one that ends the copy: not every server can do it.
func (c *Copy) changeNew(ctx context.Context, e *entry, change *protocols.Change) error {
	change.URL = e.made
	err := c.retry(ctx, func() (bool, error) {
		_, err := c.Server.Change(ctx, change)
		return false, err
	})
	if err != nil && isFatal(ctx, err) {
		return err
	}
	return nil
}
