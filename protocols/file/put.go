package file

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	part, err := c.writePart(ctx, f, path, up, old != nil || up.Mode != "")
	if err == nil {
		err = finishPart(part, old, up)
	}
	if err == nil {
		err = giveName(part, path, up.Replace)
	}
	switch {
	case err == nil:
		up.Part = nil
	case part != "" && (!up.KeepPart || up.Sent == 0):
		_ = os.Remove(part)
		up.Part = nil
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

// writePart stores the octets of up in a new file beside path, or in the part that up continues, and returns its path. A private
// part can be read by its owner only, until it gets another mode.
func (c *Client) writePart(ctx context.Context, u urlcore.File, path string, up *protocols.Upload, private bool) (part string, err error) {
	file, offset, err := c.openPart(filepath.Dir(path), up)
	if err != nil {
		return "", err
	}
	if file == nil {
		perm := fs.FileMode(0o666) // less the umask
		if private {
			perm = 0o600
		}
		part = filepath.Join(filepath.Dir(path), partPrefix+rand.Text())
		if file, err = os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL|userfile.NoFollow, perm); err != nil {
			return "", err
		}
		dir, _ := u.Up()
		up.Part, err = dir.(urlcore.File).Child(filepath.Base(part))
	}
	n := int64(0)
	if err == nil {
		n, err = io.Copy(file, &contextReader{ctx, up.Body})
	}
	if up.Sent = offset + n; err == nil && up.Size >= 0 && up.Sent != up.Size {
		err = fmt.Errorf("%d of %d octets have arrived", up.Sent, up.Size)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return file.Name(), err
}

// comparedOctets is the number of octets at the end of a part that are compared with the document.
const comparedOctets = 4 << 10

// openPart opens the part that up continues, and returns its size. The body is then read from there on. The file is nil if there
// is no such part in the directory, or if its end is not that of the document: then the file is stored from its beginning.
func (c *Client) openPart(dir string, up *protocols.Upload) (file *os.File, size int64, err error) {
	body, canSeek := up.Body.(io.ReadSeeker)
	if !up.Resume || up.Part == nil || !canSeek {
		return nil, 0, nil
	}
	_, path, err := c.findFile(up.Part)
	if err != nil || filepath.Dir(path) != dir || !strings.HasPrefix(filepath.Base(path), partPrefix) {
		return nil, 0, nil //nolint:nilerr // not a part
	}
	if file, err = userfile.Open(path, os.O_RDWR|userfile.NoFollow, 0); err != nil {
		return nil, 0, nil //nolint:nilerr // the part is gone
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && userfile.IsPrivate(info) && userfile.Links(info) == 1 && (up.Size < 0 || info.Size() <= up.Size) {
		var same bool
		if same, err = endsLike(file, body, info.Size()); same {
			_, err = file.Seek(info.Size(), io.SeekStart)
			return file, info.Size(), err
		}
	}
	_ = file.Close()
	if err == nil {
		_ = os.Remove(path)
		_, err = body.Seek(0, io.SeekStart)
	}
	return nil, 0, err
}

// endsLike reports whether the last octets of file, which has the given size, are those of body there. Body is then read up to
// this size.
func endsLike(file io.ReaderAt, body io.ReadSeeker, size int64) (bool, error) {
	n := min(size, comparedOctets)
	part, whole := make([]byte, n), make([]byte, n)
	if _, err := file.ReadAt(part, size-n); err != nil {
		return false, err
	}
	if _, err := body.Seek(size-n, io.SeekStart); err != nil {
		return false, err
	}
	if _, err := io.ReadFull(body, whole); err != nil {
		return false, err
	}
	return bytes.Equal(part, whole), nil
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
