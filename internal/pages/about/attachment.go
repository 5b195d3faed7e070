package about

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"gofer/internal/text/document"
	"gofer/protocols"
)

// openAttachment opens a part of an article; see [document.AttachmentURL] and [document.ContentURL].
// The part of the URL is the number and name of the part, or its Content-ID. The query is the URL of the article.
func (c *Client) openAttachment(ctx context.Context, r request) (*protocols.Resource, error) {
	number, _, _ := strings.Cut(r.part, "/")
	id, byID := strings.CutPrefix(unescape(number), "cid:")
	n, err := strconv.Atoi(number)
	if !byID && (err != nil || n < 1) {
		return nil, c.missingPage(r.URL)
	}
	res, _, err := c.openInside(ctx, &r, true)
	if err != nil {
		return nil, err
	}
	var at *document.Attachment
	if byID {
		at, err = document.OpenContentID(res.Body, id)
	} else {
		at, err = document.OpenAttachment(res.Body, n)
	}
	if err != nil {
		_ = closeResource(res)
		return nil, err
	}
	return &protocols.Resource{
		Head:   protocols.Head{URL: r.URL, Title: at.Name, Media: at.Media, Size: -1, Security: res.Security},
		Body:   at,
		Closer: partCloser{res, at},
		LateNotes: func() []string {
			if problems := at.Problems(); len(problems) > 0 {
				return []string{"the file is damaged: " + strings.Join(problems, ", ")}
			}
			return nil
		},
	}, nil
}

// verifySignature verifies a signature of an article (see [document.SignatureURL]).
func (c *Client) verifySignature(ctx context.Context, r request) (*protocols.Resource, error) {
	res, _, err := c.openInside(ctx, &r, true)
	if err != nil {
		return nil, err
	}
	number, _ := strconv.Atoi(r.part) // 0 if invalid
	signed, err := document.OpenSigned(res.Body, number)
	if err = errors.Join(err, closeResource(res)); err != nil {
		return nil, err
	}
	good, text, report, err := c.Verify(ctx, signed.Text, signed.Signature)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.LocalFailure, Op: "verify the signature", Err: err}
	}
	lines := []protocols.Line{{Kind: protocols.Heading, Text: "The signature is not verified"}}
	if good {
		lines[0].Text = "Good signature"
	}
	for _, text := range append(append(report, "", "The text is:", ""), strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")...) {
		lines = append(lines, protocols.Line{Text: text})
	}
	return r.resource(yieldLines(ctx, lines)), nil
}

func closeResource(r *protocols.Resource) error {
	if r.Closer == nil {
		return nil
	}
	return r.Close()
}

// partCloser closes the transfer of a document before the reader of a part of it. In the other order,
// Close of the reader might wait for the transfer.
type partCloser struct {
	document *protocols.Resource
	part     io.Closer
}

func (c partCloser) Close() error {
	return errors.Join(closeResource(c.document), c.part.Close())
}
