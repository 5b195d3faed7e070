package about

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxKept is the largest document that is kept, in octets.
const maxKept = 256 << 20

// keptDocument stores in an unnamed file the archive or mailbox that was listed last, so that its
// entries open without another fetch. The zero value is empty.
type keptDocument struct {
	mu  sync.Mutex
	url urlcore.URL
	doc *keptFile
}

// keptFile is the file of a keptDocument. It is closed when it has been replaced and nothing reads it
// any more.
type keptFile struct {
	*os.File
	size     int64
	security protocols.Security
	users    int // number of open readers, plus 1 if the keptDocument has the file; keptDocument.mu guards it
}

// keptReader reads a kept file.
type keptReader struct {
	*io.SectionReader
	file *keptFile
}

// Stat describes the file.
func (r *keptReader) Stat() (fs.FileInfo, error) { return r.file.Stat() }

// open returns the kept document of u, if there is one.
func (k *keptDocument) open(u urlcore.URL) (*protocols.Resource, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.doc == nil || k.url != u {
		return nil, false
	}
	doc := k.doc
	doc.users++
	head := protocols.Head{URL: u, Size: doc.size, Security: doc.security}
	return &protocols.Resource{Head: head, Body: &keptReader{io.NewSectionReader(doc, 0, doc.size), doc}, Closer: closer(sync.OnceFunc(func() { k.release(doc) }))}, true
}

func (k *keptDocument) release(doc *keptFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if doc.users--; doc.users == 0 {
		_ = doc.Close()
	}
}

// replace replaces the kept document by doc, which has the URL u.
func (k *keptDocument) replace(u urlcore.URL, doc *keptFile) {
	k.mu.Lock()
	before := k.doc
	k.url, k.doc, doc.users = u, doc, 1
	k.mu.Unlock()
	if before != nil {
		k.release(before)
	}
}

// closer is a function as an [io.Closer]. It cannot fail.
type closer func()

func (c closer) Close() error {
	c()
	return nil
}

// recordCopy makes k store a copy of res, which was fetched from u, when res has been read to its
// end. It stores only a document that starts with the text in the parameter beginning.
func (k *keptDocument) recordCopy(u urlcore.URL, res *protocols.Resource, beginning string) {
	r := &recorder{Reader: res.Body, kept: k, url: u, beginning: beginning, security: res.Security}
	transfer := *res
	res.Body, res.Closer = r, partCloser{&transfer, r}
}

// createUnnamedFile returns an empty file without a name, or nil if the system cannot make one.
func createUnnamedFile() *os.File {
	f, err := os.CreateTemp("", "gofer-archive-*")
	if err != nil {
		return nil
	}
	if os.Remove(f.Name()) != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil
	}
	return f
}

// KeepMailbox copies a mailbox while it is read, so that opening a message in it needs no other fetch. A later mailbox
// takes its place.
func (c *Client) KeepMailbox(res *protocols.Resource) {
	if res.Body != nil {
		c.lastArchive.recordCopy(res.URL, res, document.FromLine)
	}
}

// recorder copies a resource to a file while the resource is read.
type recorder struct {
	io.Reader
	kept      *keptDocument
	url       urlcore.URL
	beginning string
	security  protocols.Security

	mu    sync.Mutex
	begun bool
	doc   *keptFile // nil if there is no copy or the copy is complete
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun && n > 0 && strings.HasPrefix(string(p[:n]), r.beginning) {
		if f := createUnnamedFile(); f != nil {
			r.doc = &keptFile{File: f, security: r.security}
		}
	}
	r.begun = r.begun || n > 0
	if r.doc == nil {
		return n, err
	}
	r.doc.size += int64(n)
	if _, failed := r.doc.Write(p[:n]); failed != nil || r.doc.size > maxKept {
		r.drop()
	} else if errors.Is(err, io.EOF) {
		r.kept.replace(r.url, r.doc)
		r.doc = nil
	}
	return n, err
}

// Close closes the resource. An incomplete copy is discarded.
func (r *recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop()
	return nil
}

func (r *recorder) drop() {
	if r.doc != nil {
		_ = r.doc.Close()
		r.doc = nil
	}
}
