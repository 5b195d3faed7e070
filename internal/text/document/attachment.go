package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// AttachmentURL is the URL of attachment n, from 1, of the article u: a page of
// gofer's own, "about:attachment/2/name.png?" and u, escaped; nil if there is no
// such URL.
func AttachmentURL(u urlcore.URL, n int, name string) urlcore.URL {
	return inside("attachment/"+strconv.Itoa(n)+"/"+urlcore.EscapeQuery(name), u)
}

// JoinURL is the URL of a file of which the article u is one of several parts:
// "about:join/name.png?" and u, escaped; nil if there is no such URL.
func JoinURL(u urlcore.URL, name string) urlcore.URL {
	return inside("join/"+urlcore.EscapeQuery(name), u)
}

// ContentURL is the URL of the part of the article at u that has this Content-ID
// (RFC 2392), nil if there is none.
func ContentURL(u urlcore.URL, id string) urlcore.URL {
	if id == "" {
		return nil
	}
	return inside("attachment/cid%3A"+urlcore.EscapeQuery(id), u)
}

// Attachment is a part of an article that is not shown in it, in its exact
// octets.
type Attachment struct {
	Media string // its type
	Name  string // of the file that it was, "" if nobody says
	// Offset is where it begins in the whole file of which it is a part, and Size the
	// size of that file, which may be wrong; both are -1 if unknown.
	Offset, Size int64

	file  *encodedFile // or nil
	ended bool         // it was read to its end
	pipe  *io.PipeReader
	done  chan struct{}
}

func (a *Attachment) Read(p []byte) (int, error) {
	n, err := a.pipe.Read(p)
	a.ended = a.ended || errors.Is(err, io.EOF)
	return n, err
}

// Problems are what was found wrong with a file that was encoded in a text, in a
// few words each, when it has been read to its end.
func (a *Attachment) Problems() []string {
	if a.file == nil || !a.ended {
		return nil
	}
	<-a.done
	return a.file.problems()
}

// Close ends the reading of the article, whose own reader is to be closed before.
func (a *Attachment) Close() error {
	_ = a.pipe.Close()
	<-a.done
	return nil
}

// OpenAttachment finds attachment n, from 1, in an article. It returns when its
// header has been read; an article without it is an *[protocols.Error] of reason
// NotThere.
func OpenAttachment(r io.Reader, n int) (*Attachment, error) {
	return openPart(r, n, "", fmt.Errorf("the article has no attachment %d", n))
}

// OpenContentID finds the part of an article that has this Content-ID, without "<"
// and ">" (RFC 2392), as OpenAttachment does.
func OpenContentID(r io.Reader, id string) (*Attachment, error) {
	return openPart(r, -1, id, errors.New("no part of the article has this Content-ID"))
}

// OpenEncoded finds the first file that is encoded in a text of an article, as
// OpenAttachment does.
func OpenEncoded(r io.Reader) (*Attachment, error) {
	return openPart(r, -1, "", errors.New("there is no uuencoded file and none in yEnc in the article"))
}

func openPart(r io.Reader, n int, id string, missing error) (*Attachment, error) {
	in, out := io.Pipe()
	at := &Attachment{pipe: in, done: make(chan struct{})}
	found := make(chan bool, 1)
	go func() {
		defer close(at.done)
		a := &articleReader{in: bufio.NewReaderSize(r, maxLine), yield: func(protocols.Line, error) bool { return true }}
		a.wanted, a.wantedID, a.wantsFile = n, id, n < 0 && id == ""
		a.take = func(l *leaf) {
			at.Media, at.Name, at.Offset, at.Size = l.media, l.name, -1, -1
			if at.file = l.file; at.file != nil {
				at.Offset, at.Size = at.file.offset, at.file.size
			}
			found <- true
			a.copyTo(out, l.body, l.asIs)
		}
		a.message(&entity{article: a}, 0)
		_ = out.CloseWithError(a.err) // nil is io.EOF
		close(found)
	}()
	if <-found {
		return at, nil
	}
	_, err := in.Read(nil)
	_ = at.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return nil, &protocols.Error{Reason: protocols.NotThere, Op: "find the attachment", Err: missing}
}

// copyTo writes a body to w. With asIs the line end before the boundary is the
// boundary's.
func (a *articleReader) copyTo(w io.Writer, body io.Reader, asIs bool) {
	if asIs {
		t := &lineEndHolder{w: w}
		defer t.end()
		w = t
	}
	if _, err := io.CopyBuffer(w, body, a.buf[:]); err != nil {
		a.stopped = true // nobody reads any more
	}
}

// lineEndHolder writes what it is given but for a line end that is last.
type lineEndHolder struct {
	w    io.Writer
	held []byte
}

// Write keeps back a line end, or what may be the beginning of one.
func (h *lineEndHolder) Write(p []byte) (int, error) {
	all := slices.Concat(h.held, p)
	keep := len(bytes.TrimSuffix(bytes.TrimSuffix(all, []byte("\n")), []byte("\r")))
	if _, err := h.w.Write(all[:keep]); err != nil {
		return 0, err
	}
	h.held = append([]byte(nil), all[keep:]...)
	return len(p), nil
}

// end writes what was kept back and is no line end.
func (h *lineEndHolder) end() {
	if string(h.held) == "\r" {
		_, _ = h.w.Write(h.held)
	}
}

func attachmentKind(media, name string) protocols.Kind {
	switch top, _, _ := strings.Cut(media, "/"); {
	case media == "text/html":
		return protocols.HTML
	case top == "image":
		return protocols.Image
	case top == "audio":
		return protocols.Sound
	case top == "video":
		return protocols.Movie
	}
	if _, k := protocols.BySuffix(name); k != protocols.Other {
		return k
	}
	if strings.HasPrefix(media, "text/") || strings.HasPrefix(media, "message/") {
		return protocols.Text
	}
	return protocols.Binary
}
