package about

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"gofer/internal/text/archive"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// openInside opens the article, archive or mailbox in the query of r. It uses the copy in
// c.lastArchive, if any, unless reload is set. It also returns the parsed target.
func (c *Client) openInside(ctx context.Context, r *request, reload bool) (*protocols.Resource, urlcore.URL, error) {
	targetURL, err := urlcore.Parse(unescape(r.query))
	if err != nil {
		return nil, nil, err
	}
	if g, ok := targetURL.(urlcore.Generic); ok && g.Name == "about" && g.Kind() != "file" && OwnPageOf(g).Name != "bundle" {
		return nil, nil, c.missingPage(r.URL)
	}
	if !reload {
		if res, ok := c.lastArchive.open(targetURL); ok {
			return res, targetURL, nil
		}
	}
	res, err := c.Open(ctx, r.At(targetURL))
	if err != nil {
		return nil, nil, err
	}
	if res.Body == nil {
		err = &protocols.Error{Reason: protocols.NotFound, Op: "look into the document", Err: errors.New("it is not a document")}
		return nil, nil, errors.Join(err, closeResource(res))
	}
	return res, targetURL, nil
}

// openArchive lists the entries of an archive, see [document.ArchiveURL].
func (c *Client) openArchive(ctx context.Context, r request) (*protocols.Resource, error) {
	ctx = archive.WithSizeLimit(ctx)
	res, targetURL, err := c.openInside(ctx, &r, true)
	if err != nil {
		return nil, err
	}
	c.lastArchive.recordCopy(targetURL, res, "")
	return &protocols.Resource{
		Head:   protocols.Head{URL: r.URL, Title: document.FileName(targetURL), Layout: protocols.LayoutDirectory, Size: -1, Security: res.Security},
		Lines:  entryLines(ctx, res.Body, targetURL),
		Closer: res,
	}, nil
}

// entryLines yields the lines of an archive.
func entryLines(ctx context.Context, r io.Reader, archiveURL urlcore.URL) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		n := 0
		for e, err := range archive.Entries(ctx, r) {
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
			n++
			e.Name = cmp.Or(e.Name, document.TrimCompression(document.FileName(archiveURL)))
			line := protocols.Line{Text: e.Name, Note: &protocols.FileNote{Size: e.Size, Modified: e.Modified, Target: e.Target}}
			switch {
			case e.Dir:
				line.Kind = protocols.Info
			case e.IsFile():
				if _, line.Kind = protocols.BySuffix(lastElement(e.Name)); line.Kind == protocols.Other {
					line.Kind = protocols.Binary
				}
				line.Link = document.EntryURL(archiveURL, n, lastElement(e.Name))
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// lastElement returns the last element of a path.
func lastElement(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// openEntry opens a file of an archive or a message of a mailbox; see [document.EntryURL] and
// [document.MessageURL]. The part of the URL is the number and name of the file or message.
func (c *Client) openEntry(ctx context.Context, r request, message bool) (*protocols.Resource, error) {
	number, name, _ := strings.Cut(r.part, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return nil, c.missingPage(r.URL)
	}
	ctx = archive.WithSizeLimit(ctx)
	res, _, err := c.openInside(ctx, &r, false)
	if err != nil {
		return nil, err
	}
	out := &protocols.Resource{
		Head:   protocols.Head{URL: r.URL, Title: unescape(name), Size: -1, Security: res.Security},
		Closer: res,
	}
	if message {
		m := document.NewMailbox(res.Body)
		for range n {
			if err = m.Next(); err != nil {
				break
			}
		}
		if errors.Is(err, io.EOF) {
			err = &protocols.Error{Reason: protocols.NotFound, Op: "find message " + number, Err: errors.New("there is no such message")}
		}
		out.Media, out.Body = protocols.MediaArticle, m
	} else {
		var member *archive.Member
		if member, err = archive.Open(ctx, res.Body, n); err == nil {
			out.Media, _ = protocols.BySuffix(out.Title)
			out.Size, out.Body, out.Closer = member.Size, member, partCloser{res, member}
		}
	}
	if err != nil {
		_ = closeResource(res)
		return nil, err
	}
	return out, nil
}
