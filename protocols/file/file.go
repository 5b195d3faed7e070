// Package file reads files and directories of this machine for file URLs without a host (RFC 1738,
// section 3.10). It opens only regular files and directories. It writes, renames and removes items, and
// makes directories, for directories that the user sees beside another page.
package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"gofer/internal/text/ansiart"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client reads file URLs. The zero value is ready and safe for concurrent use.
type Client struct {
	// Restricted refuses all URLs, because the user must not see the files of this machine.
	Restricted bool
	// Types has the media types of files that the user gave. They replace the types by the names of the files.
	Types map[urlcore.URL]string

	listings listings
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
)

var (
	errRestricted = fmt.Errorf("%w: files of this machine are not shown", protocols.ErrRestricted)
	errOtherHost  = errors.New("it is on another host, and a file URL names no protocol (RFC 1738, section 3.10)")
	errName       = errors.New("not a valid file name on this machine")
)

// Fetch opens the file or directory of u, which must be a [urlcore.File].
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, path, err := c.findFile(req.URL)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if req.Within != nil {
		file, err := c.openBelow(f, path, &req)
		switch {
		case err != nil:
			return nil, newFailureError(f, err)
		case isDirectory(f):
			return newListing(ctx, f, path, file, req.Identity), nil
		}
		return c.newDocument(ctx, f, path, file, req.Version), nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return c.openDirectory(ctx, f, path, req.Identity)
	}
	file, err := userfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, newFailureError(f, err)
	}
	return c.newDocument(ctx, f, path, file, req.Version), nil
}

// openDocument opens the regular file of f.
func (c *Client) openDocument(f urlcore.File, path string, req *protocols.Request) (*os.File, error) {
	if req.Within != nil {
		return c.openBelow(f, path, req)
	}
	return userfile.Open(path, os.O_RDONLY, 0)
}

// Resume implements [protocols.Resumer].
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	f, path, err := c.findFile(req.URL)
	if err != nil {
		return nil, err
	}
	file, err := c.openDocument(f, path, &req)
	if err != nil {
		return nil, newFailureError(f, err)
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.Seek(req.Offset, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, newFailureError(f, err)
	}
	head := protocols.Head{URL: f, Title: f.FileName(), Media: "application/octet-stream", Size: max(info.Size()-req.Offset, 0)}
	return &protocols.Resource{Head: head, Body: &reader{ctx: ctx, file: file}, Closer: file}, nil
}

// State implements [protocols.Stater].
func (c *Client) State(urlcore.URL) string {
	if c.Restricted {
		return "not opened here"
	}
	return "built in"
}

// Plan returns the path that Fetch would open.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	_, path, err := c.findFile(u)
	if err != nil {
		return nil, err
	}
	return []protocols.Step{{Peer: "this machine", Send: path, Note: "opened and read; nothing is sent"}}, nil
}

// findFile returns u without the name of this machine, and the path of the file.
func (c *Client) findFile(u urlcore.URL) (urlcore.File, string, error) {
	f, ok := u.(urlcore.File)
	if !ok {
		return f, "", &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String()}
	}
	if c.Restricted {
		return f, "", &protocols.Error{Reason: protocols.Denied, Op: "open " + f.String(), Err: errRestricted}
	}
	if f.Host != "" {
		if name, err := os.Hostname(); err != nil || !strings.EqualFold(name, f.Host) {
			return f, "", &protocols.Error{Reason: protocols.Unsupported, Op: "open " + f.String(), Err: errOtherHost}
		}
		f.Host = ""
	}
	path, ok := makeNativePath(f.Segments())
	if !ok {
		return f, "", &protocols.Error{Reason: protocols.NotFound, Op: "open " + f.String(), Err: errName}
	}
	return f, path, nil
}

// makeNativePath returns the path with the segments. The result ok is false if a system call would
// refuse the path or open another path.
func makeNativePath(segments []string) (path string, ok bool) {
	path = "/" + strings.Join(segments, "/")
	for _, s := range segments {
		if strings.ContainsAny(s, "/\x00") || runtime.GOOS == "windows" && strings.ContainsAny(s, `\`) {
			return "", false
		}
	}
	if runtime.GOOS == "windows" && len(segments[0]) == 2 && segments[0][1] == ':' {
		return filepath.FromSlash(path[1:]), true
	}
	return path, true
}

// newDocument returns the content of a regular file, unless the file still has the given version.
func (c *Client) newDocument(ctx context.Context, f urlcore.File, path string, file *os.File, version string) *protocols.Resource {
	head := protocols.Head{URL: f, Title: f.FileName(), Size: -1}
	head.Media, _ = protocols.BySuffix(f.FileName())
	if info, err := file.Stat(); err == nil && info.Size() > 0 { // a file in /proc has size 0
		head.Size, head.Modified = info.Size(), info.ModTime()
		head.Version = protocols.FileVersion(head.Size, info.ModTime())
	}
	if head.Unchanged = head.Version != "" && head.Version == version; head.Unchanged {
		return &protocols.Resource{Head: head, Body: strings.NewReader(""), Closer: file}
	}
	head.Drawing = endsInDrawingRecord(file, head.Size)
	body := io.Reader(&reader{ctx: ctx, file: file})
	if head.Size > 0 {
		body = &seekable{reader{ctx: ctx, file: file}, file, head.Size, file.Stat}
	}
	res := &protocols.Resource{Head: head, Body: body, Closer: file}
	if media, given := c.Types[f]; given {
		res.Media = media
	}
	if base, _, _ := strings.Cut(res.Media, ";"); strings.EqualFold(strings.TrimSpace(base), protocols.MediaMenu) {
		res.Item = newMenuTree(path).item
	}
	return res
}

// endsInDrawingRecord reports whether a file ends in a record that describes it as a drawing for terminals. The size -1
// is unknown.
func endsInDrawingRecord(file io.ReaderAt, size int64) bool {
	record := make([]byte, ansiart.RecordSize)
	if size < int64(len(record)) {
		return false
	}
	if _, err := file.ReadAt(record, size-int64(len(record))); err != nil {
		return false
	}
	_, sauce := ansiart.Cut(record)
	return sauce != nil && sauce.IsANSI
}

// reader reads a file, but stops waiting for the system when the context ends. A read may never return if
// the file is on a file server that is down.
type reader struct {
	ctx  context.Context
	file io.Reader
	buf  []byte      // the buffer of the current read
	done chan result // the result of the current read
}

// seekable is a reader that can also be read at any offset, as archives are.
type seekable struct {
	reader
	io.ReaderAt
	size int64
	stat func() (fs.FileInfo, error)
}

// Stat describes the open file.
func (s *seekable) Stat() (fs.FileInfo, error) { return s.stat() }

// Size returns the size of the file in octets, when it was opened.
func (s *seekable) Size() int64 { return s.size }

type result struct {
	n   int
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if len(r.buf) < len(p) {
		r.buf = make([]byte, len(p))
	}
	if r.done == nil {
		r.done = make(chan result, 1)
	}
	go func(b []byte) {
		n, err := r.file.Read(b)
		r.done <- result{n, err}
	}(r.buf[:len(p)])
	select {
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	case got := <-r.done:
		protocols.TranscriptFrom(r.ctx).Receive(r.buf[:got.n])
		return copy(p, r.buf[:got.n]), got.err
	}
}

func newFailureError(f urlcore.File, err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); ok {
		return e
	}
	e := &protocols.Error{Reason: protocols.LocalFailure, Op: "open " + f.String(), Err: err}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		e.Err = path.Err
	}
	var refused syscall.Errno
	switch {
	case errors.Is(err, errReplaced), errors.Is(err, errKind), errors.Is(err, errOutside):
	case !errors.As(err, &refused): // not a regular file
		e.Reason = protocols.Unsupported
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		e.Reason = protocols.NotFound
	case errors.Is(err, fs.ErrPermission):
		e.Err = fmt.Errorf("no permission to read it: %w", e.Err)
	}
	return e
}
