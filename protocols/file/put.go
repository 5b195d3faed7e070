package file

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Putter = (*Client)(nil)

// errNotRegular reports that a stored file would take the place of something else.
var errNotRegular = errors.New("a directory, link or special file has this name")

// errOwner reports that a replaced file would belong to somebody else.
var errOwner = errors.New("the new file would have another owner or group than the old one: remove the old one first")

// Put stores a file. It implements [protocols.Putter]. The content goes to a new file beside it, which only the user may read and
// which gets the name when it is complete, so that a part of a file never has the name. The new file keeps the mode, the owner and
// the group of a file that it replaces. Another one has the mode of up, without setuid and less the umask.
func (c *Client) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	f, _, err := c.findFile(u)
	if err != nil {
		return err
	}
	op := "store " + clean.Name(f.FileName())
	if isDirectory(f) {
		return protocols.NewError(protocols.BadURL, "store a file", "the URL names a directory, not a file")
	}
	dir, name, err := c.openParent(f, up.Within)
	if err != nil {
		return asLocal(op, err)
	}
	defer dir.Close()
	old, err := dir.Lstat(name)
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
	err = store(ctx, f, dir, name, old, up)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, fs.ErrExist):
		return confirmReplace(f, -1, func() { up.Replace = true })
	}
	if protocols.QuestionOf(err) != nil { // of the source
		return err
	}
	return asLocal(op, err)
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

// part is a file of dir that is not complete yet.
type part struct {
	dir  *os.Root
	name string
	file *os.File
	mode fs.FileMode // that it gets when it is complete
}

// store stores the content of up as the file of f, whose name in dir is name. The file old is the one that it replaces, or nil.
func store(ctx context.Context, f urlcore.File, dir *os.Root, name string, old fs.FileInfo, up *protocols.Upload) error {
	p, err := newPart(dir, old, up)
	if p == nil {
		return err
	}
	offset := int64(0)
	if err == nil {
		offset, err = p.resume(f, old, up)
	}
	if err == nil {
		parent, _ := f.Up()
		up.Part, err = parent.(urlcore.File).Child(p.name)
	}
	if err == nil {
		err = p.write(ctx, offset, up)
	}
	if err == nil {
		err = p.finish(up)
	}
	info, statErr := p.file.Stat()
	err = errors.Join(err, statErr, p.file.Close())
	if there, lstatErr := dir.Lstat(p.name); lstatErr != nil || statErr != nil || !os.SameFile(info, there) {
		up.Part = nil
		return cmp.Or(err, errPartGone)
	}
	if err == nil {
		err = p.giveName(name, up.Replace)
	}
	if err == nil || !up.KeepPart || up.Sent == 0 {
		up.Part = nil
	}
	if err != nil && up.Part == nil {
		_ = dir.Remove(p.name)
	}
	return err
}

// errPartGone reports that another program has removed or replaced a part.
var errPartGone = errors.New("another program has removed the new file before it was complete")

// newPart makes an empty part that only the user may read. The part must be removed also after an error, unless it is nil.
func newPart(dir *os.Root, old fs.FileInfo, up *protocols.Upload) (*part, error) {
	mode := fs.FileMode(0o666)
	if n, bad := strconv.ParseUint(up.Mode, 8, 12); bad == nil {
		mode = fs.FileMode(n) & fs.ModePerm // no setuid: the file belongs to the user now
	}
	if old != nil {
		mode = 0o600
	}
	p := &part{dir: dir, name: partPrefix + rand.Text()}
	var err error
	if p.file, err = dir.OpenFile(p.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|userfile.NoFollow, mode); err != nil {
		return nil, err
	}
	if old != nil {
		p.mode = old.Mode().Perm()
		return p, keepOwner(p.file, old)
	}
	info, err := p.file.Stat() // the system has applied the umask
	if err != nil {
		return p, err
	}
	p.mode = info.Mode().Perm()
	return p, p.file.Chmod(0o600)
}

// comparedOctets is the number of octets at the end of a part that are compared with the document.
const comparedOctets = 4 << 10

// resume makes p the part that up continues, and returns its size. The body is then read from there on. If there is no such part
// in the directory of f, or if its end is not that of the document, p stays empty.
func (p *part) resume(f urlcore.File, old fs.FileInfo, up *protocols.Upload) (size int64, err error) {
	body, canSeek := up.Body.(io.ReadSeeker)
	known, ok := up.Part.(urlcore.File)
	if !ok || !up.Resume || !canSeek {
		return 0, nil
	}
	name := known.FileName()
	dir, _ := f.Up()
	if knownDir, _ := known.Up(); knownDir != dir || !strings.HasPrefix(name, partPrefix) {
		return 0, nil
	}
	file, err := openRegular(p.dir, name, os.O_RDWR)
	if err != nil {
		return 0, nil //nolint:nilerr // the part is gone
	}
	info, err := file.Stat()
	if err == nil && userfile.IsPrivate(info) && userfile.Links(info) == 1 && (up.Size < 0 || info.Size() <= up.Size) {
		var same bool
		if same, err = endsLike(file, body, info.Size()); same {
			return info.Size(), p.use(file, name, info.Size(), old)
		}
	}
	_ = file.Close()
	if err == nil {
		_ = p.dir.Remove(name)
		_, err = body.Seek(0, io.SeekStart)
	}
	return 0, err
}

// use makes file the file of p, in place of the empty one, to write behind its size.
func (p *part) use(file *os.File, name string, size int64, old fs.FileInfo) error {
	_ = p.file.Close()
	_ = p.dir.Remove(p.name)
	p.file, p.name = file, name
	if old != nil {
		if err := keepOwner(file, old); err != nil {
			return err
		}
	}
	_, err := file.Seek(size, io.SeekStart)
	return err
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

// write writes the octets of up behind the offset.
func (p *part) write(ctx context.Context, offset int64, up *protocols.Upload) error {
	n, err := io.Copy(p.file, &contextReader{ctx, up.Body})
	if up.Sent = offset + n; err == nil && up.Size >= 0 && up.Sent != up.Size {
		err = fmt.Errorf("%d of %d octets have arrived", up.Sent, up.Size)
	}
	return err
}

// finish gives a complete part its mode and the date of up.
func (p *part) finish(up *protocols.Upload) error {
	if !up.Modified.IsZero() {
		up.DateKept = setDate(p.file, up.Modified) == nil
	}
	err := p.file.Chmod(p.mode)
	up.ModeKept = err == nil && up.Mode != ""
	return err
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

// giveName gives a complete part its name. If replace is not set, the error is [fs.ErrExist] if there is such a file by now.
func (p *part) giveName(name string, replace bool) error {
	if replace {
		return p.dir.Rename(p.name, name)
	}
	if err := p.dir.Link(p.name, name); err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, p.dir.Remove(p.name))
	}
	if _, err := p.dir.Lstat(name); err == nil { // a file system without hard links
		return fs.ErrExist
	}
	return p.dir.Rename(p.name, name)
}
