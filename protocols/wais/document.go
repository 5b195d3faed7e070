package wais

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// body reads a document in chunks.
type body struct {
	ctx     context.Context // the context of the fetch
	url     urlcore.WAIS
	id      string
	op      string
	lease   *wire.Lease
	session *session

	requestSize int64  // the number of octets in the last request
	next        int64  // the offset of the next octet
	size        int64  // the size of the document from a search, or -1 if unknown
	text        []byte // octets that were received and not yet read
	err         error  // the error that Read returns after text; io.EOF at the end
}

// nextRequest returns the request for the next chunk.
func (b *body) nextRequest(s *session) string {
	if b.requestSize == 0 {
		b.requestSize = int64(s.chunk)
	}
	return retrieveRequest(b.url.Database, b.id, b.url.Type, b.next, b.next+b.requestSize)
}

// readFirst handles the answer to the first request. If the answer is empty, the server's buffer is
// smaller than announced, and readFirst requests a smaller chunk.
func (b *body) readFirst(op string, reply []byte) error {
	b.op = op
	a := readSearch(reply)
	if a.isEmpty() && a.err == nil && b.requestSize > minChunk {
		b.requestSize = minChunk
		var err error
		if reply, err = b.session.ask(b.nextRequest(b.session)); err != nil {
			return err
		}
		a = readSearch(reply)
	}
	b.setChunk(a)
	switch {
	case len(b.text) > 0:
	case b.err != nil && b.err != io.EOF:
		return b.err
	case b.next == 0 && b.isShort():
		return b.shortError(protocols.NotFound)
	}
	return nil
}

// setChunk makes the octets in an answer the current chunk. It detects the end of the document.
func (b *body) setChunk(a answer) {
	n := int64(len(a.text))
	began := b.next == 0
	b.text = a.text
	b.next += n
	switch {
	case a.err != nil:
		b.text, b.err = nil, a.err
	case slices.ContainsFunc(a.diagnostics, func(d diagnostic) bool { return d.isEndOfFile(n > 0 || !began) }):
		b.err = io.EOF
	case len(a.diagnostics) > 0:
		b.err = a.diagnostics[0].toError(b.op)
	case n > b.requestSize && !began:
		b.text, b.err = nil, malformedError(errors.New("the server sent more of the document than requested"))
	case n == 0 || n > b.requestSize: // too many: the server sends whole documents
		b.err = io.EOF
	case n < b.requestSize && b.next >= b.size:
		b.err = io.EOF
	}
	b.release()
}

// release returns the connection to the pool if the whole document has been read. It cannot return the
// connection earlier, because b.text is in the buffer of the session.
func (b *body) release() {
	if b.err == io.EOF && len(b.text) == 0 {
		b.lease.Done()
	}
}

// expectedSize returns the size of the document from a search or else from its id, or -1 if unknown.
func (b *body) expectedSize() int64 {
	if b.size >= 0 {
		return b.size
	}
	return indexedSize(b.id)
}

// isShort reports whether the document has ended before its expected size.
func (b *body) isShort() bool { return b.err == io.EOF && b.next < b.expectedSize() }

func (b *body) shortError(reason protocols.Reason) error {
	return protocols.NewError(reason, b.op, fmt.Sprintf("the document ends after %d of %d octets: the file may have changed", b.next, b.expectedSize()))
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	for len(b.text) == 0 {
		switch {
		case b.isShort():
			return 0, b.shortError(protocols.Damaged)
		case b.err != nil:
			return 0, b.err
		}
		reply, err := b.session.ask(b.nextRequest(b.session))
		if err != nil {
			b.err = err
			return 0, err
		}
		b.setChunk(readSearch(reply))
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	b.release()
	return n, nil
}
