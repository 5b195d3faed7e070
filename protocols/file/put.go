package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Putter = (*Client)(nil)

// errNotRegular reports that a stored file would take the place of something else.
var errNotRegular = errors.New("a directory, link or special file has this name")

// Put stores a file. It implements [protocols.Putter]. The content goes to a new file beside it, which gets the name when it
// is complete, so that a part of a file never has the name. The new file keeps the mode of a file that it replaces.
func (c *Client) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	f, path, err := c.findFile(u)
	if err != nil {
		return err
	}
	op := "store " + clean.Name(f.FileName())
	if f.FileName() == "" {
		return protocols.NewError(protocols.BadURL, "store a file", "the URL names a directory, not a file")
	}
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return protocols.LocalError(op, err)
	case !old.Mode().IsRegular():
		return protocols.LocalError(op, errNotRegular)
	case !up.Replace:
		up.ExistingSize = old.Size()
		return confirmReplace(f, old.Size(), func() { up.Replace = true })
	}
	part, err := writePart(ctx, path, up, old != nil || up.Mode != "")
	if err == nil {
		err = finishPart(part, old, up)
	}
	if err == nil {
		err = giveName(part, path, up.Replace)
	}
	if err != nil && part != "" {
		_ = os.Remove(part)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, fs.ErrExist):
		return confirmReplace(f, -1, func() { up.Replace = true })
	}
	var failed *protocols.Error
	if errors.As(err, &failed) || protocols.QuestionOf(err) != nil { // of the source
		return err
	}
	return protocols.LocalError(op, err)
}

func confirmReplace(f urlcore.File, size int64, giveConsent func()) error {
	confirm := &protocols.Confirm{
		URL: f, Question: "Replace " + clean.Name(f.FileName()), Reason: "It already exists.",
		Consent: protocols.ConsentReplace, GiveConsent: giveConsent,
	}
	if size >= 0 {
		confirm.Details = []string{strconv.FormatInt(size, 10) + " octets"}
	}
	return confirm
}

// partPrefix begins the names of files that are not complete yet. They do not begin with the name of the file, which may be
// as long as the file system allows.
const partPrefix = ".gofer-part-"

// writePart stores the octets of up in a new file beside path and returns its path. A private part can be read by its owner
// only, until it gets another mode.
func writePart(ctx context.Context, path string, up *protocols.Upload, private bool) (part string, err error) {
	perm := fs.FileMode(0o666) // less the umask
	if private {
		perm = 0o600
	}
	part = filepath.Join(filepath.Dir(path), partPrefix+rand.Text())
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL|userfile.NoFollow, perm)
	if err != nil {
		return "", err
	}
	sent, err := io.Copy(file, &contextReader{ctx, up.Body})
	if err == nil && up.Size >= 0 && sent != up.Size {
		err = fmt.Errorf("%d of %d octets have arrived", sent, up.Size)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return part, err
}

// contextReader reads until the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// finishPart gives a part the mode and the date of up. Without a mode, it gets the mode of the file old, which may be nil.
func finishPart(part string, old fs.FileInfo, up *protocols.Upload) (err error) {
	if n, bad := strconv.ParseUint(up.Mode, 8, 12); bad == nil {
		err = os.Chmod(part, fs.FileMode(n)&fs.ModePerm) // no setuid: the file belongs to the user now
		up.ModeKept = err == nil
	} else if old != nil {
		err = os.Chmod(part, old.Mode().Perm())
	}
	if !up.Modified.IsZero() {
		up.DateKept = os.Chtimes(part, time.Time{}, up.Modified) == nil
	}
	return err
}

// giveName gives a part its name. If replace is not set, the error is [fs.ErrExist] if there is such a file by now.
func giveName(part, path string, replace bool) error {
	if replace {
		return os.Rename(part, path)
	}
	if err := os.Link(part, path); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(part))
	}
	if _, err := os.Lstat(path); err == nil { // a file system without hard links
		return fs.ErrExist
	}
	return os.Rename(part, path)
}
