package nav

import (
	"context"
	"io"

	"gofer/internal/text/document"
	"gofer/protocols"
)

// Content is the content of a page without lines: a picture, a form.
type Content interface {
	// Memory is about how much it takes, in octets.
	Memory() int64
}

// Decoder makes a document that is not a text into what its page holds, in the
// load's goroutine. It returns nil, and has read nothing, where the head names
// a media type that it does not know. Its error is why the document cannot be
// shown, to continue a sentence about "it"; errors of body and ctx may be
// returned unchanged.
type Decoder func(ctx context.Context, head protocols.Head, body io.Reader) (Content, error)

// Decode has d look at documents that are not texts. Where it cannot decode one,
// the page says why in lines. Save is not concerned.
func Decode(d Decoder) Option { return func(l *Load) { l.decode = d } }

// Content returns what Next has in place of lines when it has returned io.EOF,
// or nil.
func (l *Load) Content() Content {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content
}

// read makes a document into content or lines.
func (l *Load) read(doc *document.Document) error {
	if l.decode == nil || doc.Layout != protocols.LayoutBinary {
		return l.pump(doc.Lines())
	}
	body := &bodyReader{r: doc}
	c, err := l.decode(l.ctx, doc.Head, body)
	switch {
	case body.err != nil:
		return body.err
	case l.ctx.Err() != nil:
		return context.Cause(l.ctx)
	case err != nil:
		doc.Problem = err.Error()
	case c != nil:
		l.mu.Lock()
		l.content = c
		l.mu.Unlock()
		return io.EOF
	}
	return l.pump(doc.Lines())
}

// bodyReader remembers why there is no more to read.
type bodyReader struct {
	r   io.Reader
	err error // not io.EOF
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
