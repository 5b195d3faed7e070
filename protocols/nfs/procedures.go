package nfs

import (
	"math"
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// The procedures of NFS version 3 (RFC 1813, section 3).
const (
	procGetattr     = 1
	procLookup      = 3
	procReadlink    = 5
	procRead        = 6
	procReaddir     = 16
	procReaddirplus = 17
	procFsinfo      = 19
)

// maxHandle is the size of the longest file handle, in octets (section 2.4).
const maxHandle = 64

// publicHandle is the public file handle (RFC 2054, section 5).
const publicHandle = ""

// attrs are attributes of a file (section 2.6).
type attrs struct {
	kind         uint32 // 0 if the attributes are unknown
	mode         uint32 // the permissions
	uid, gid     uint32
	size         uint64
	fsid, fileid uint64
	seconds      uint32 // the time of the last change, since 1970
	nanoseconds  uint32
}

// The kinds of files.
const (
	kindRegular   = 1
	kindDirectory = 2
	kindLink      = 5
)

// date returns the time of the last change in whole seconds, as other schemes have it.
func (a *attrs) date() time.Time {
	if a.kind == 0 {
		return time.Time{}
	}
	return time.Unix(int64(a.seconds), 0).UTC()
}

// length returns the size of a regular file in octets, or -1.
func (a *attrs) length() int64 {
	if a.kind != kindRegular || a.size > math.MaxInt64 {
		return -1
	}
	return int64(a.size)
}

func (d *decoder) attrs() (a attrs) {
	a.kind, a.mode = d.uint32(), d.uint32()
	d.uint32() // the number of links
	a.uid, a.gid, a.size = d.uint32(), d.uint32(), d.uint64()
	d.take(16) // the octets used and the device
	a.fsid, a.fileid = d.uint64(), d.uint64()
	d.take(8) // the time of the last access
	a.seconds, a.nanoseconds = d.uint32(), d.uint32()
	d.take(8) // the time of the last change of the attributes
	if a.kind == 0 {
		d.bad = true
	}
	if d.bad {
		return attrs{}
	}
	return a
}

// optionalAttrs decodes post_op_attr.
func (d *decoder) optionalAttrs() (a attrs) {
	if d.bool() {
		return d.attrs()
	}
	return a
}

// node is an item of a server.
type node struct {
	handle string
	attrs  attrs
}

// results returns what follows the status in the reply to c.
func (s *session) results(c *call) (*decoder, error) {
	d, err := s.waitNFS(c)
	if err != nil {
		return nil, err
	}
	return d, d.status(c.op, layerNFS)
}

// status decodes a status and returns the refusal that it is, or nil.
func (d *decoder) status(op string, l layer) error {
	code := d.uint32()
	switch {
	case d.bad:
		return malformed(op)
	case code != 0:
		return failure{layer: l, code: code}.toError(op)
	}
	return nil
}

// lookup returns the item with a name in a directory, or with a path from the public file handle on.
func (s *session) lookup(op, directory, name string) (n node, err error) {
	c, err := s.sendNFS(op, procLookup, directory, name)
	if err != nil {
		return n, err
	}
	d, err := s.results(c)
	if err != nil {
		return n, err
	}
	n.handle, n.attrs = d.string(maxHandle), d.optionalAttrs()
	d.optionalAttrs()
	if !d.end() || n.handle == publicHandle {
		s.failed = malformed(op)
		return n, s.failed
	}
	return n, s.complete(op, &n)
}

// complete asks for the attributes of n unless they are known.
func (s *session) complete(op string, n *node) error {
	if n.attrs.kind != 0 {
		return nil
	}
	c, err := s.sendNFS(op, procGetattr, n.handle)
	if err != nil {
		return err
	}
	d, err := s.results(c)
	if err != nil {
		return err
	}
	if n.attrs = d.attrs(); !d.end() {
		s.failed = malformed(op)
	}
	return s.failed
}

// pathIn returns the path that a symbolic link has. The error for a link to a URL (RFC 2224, section 6.2) has that URL.
func (s *session) pathIn(op string, link node) (string, error) {
	text, err := s.readLink(op, link)
	if u, isURL := urlOf(text); isURL && err == nil {
		e := protocols.NewError(protocols.NotFound, op, "it is a symbolic link to a URL")
		e.Lines = []protocols.Line{{Kind: protocols.KindOf(u), Text: urlcore.Redact(u).String(), Link: u}}
		return "", e
	}
	return text, err
}

// urlOf returns the URL that the text of a link is.
func urlOf(text string) (u urlcore.URL, ok bool) {
	if !strings.Contains(text, "://") {
		return nil, false
	}
	u, err := urlcore.Parse(text)
	return u, err == nil
}

// readLink returns the text of a symbolic link.
func (s *session) readLink(op string, link node) (string, error) {
	c, err := s.sendNFS(op, procReadlink, link.handle)
	if err != nil {
		return "", err
	}
	d, err := s.results(c)
	if err != nil {
		return "", err
	}
	d.optionalAttrs()
	text := d.string(maxTarget)
	if !d.end() || text == "" {
		s.failed = malformed(op)
	}
	return text, s.failed
}
