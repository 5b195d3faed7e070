package nav

import (
	"context"
	"io"

	"gofer/internal/text/document"
	"gofer/protocols"
)

// Content is the content of a page without lines, such as a picture.
type Content interface {
	// Memory estimates the size in octets.
	Memory() int64
}

// Decoder decodes a document that is not a text into the content of its page. It runs in the
// goroutine of the load. If it does not know the media type of head, it returns nil and reads
// nothing. The text of its error is the end of a sentence, such as "it is too large". Errors of body and
// ctx may be returned unchanged.
type Decoder func(ctx context.Context, head protocols.Head, body io.Reader) (Content, error)

// Decode makes d decode the documents that are not texts. If d fails, the lines of the page give the
// reason. Save does not use d.
func Decode(d Decoder) Option { return func(l *Load) { l.decode = d } }

// Content returns the content of a page without lines, or nil. It may be called when Next has
// returned io.EOF.
func (l *Load) Content() Content {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content
}

// readDocument reads a document as content or lines.
func (l *Load) readDocument(doc *document.Document) error {
	if l.show.Article && document.IsHTML(doc.Media) {
		return l.pumpArticle(doc)
	}
	if l.decode == nil || doc.Problem != "" || doc.Layout != protocols.LayoutBinary {
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

// pumpArticle passes the lines of the article of a hypertext on to Next.
func (l *Load) pumpArticle(doc *document.Document) error {
	lines, err := doc.Article()
	if err != nil {
		return &protocols.Error{Reason: protocols.Unsupported, Op: "show the article", Err: err}
	}
	for _, line := range lines {
		if err := l.push(line); err != nil {
			return err
		}
	}
	return io.EOF
}

// bodyReader records the error that ended the body.
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
