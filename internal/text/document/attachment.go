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

// AttachmentURL returns the URL of attachment n of the article u: "about:attachment/2/name.png?"
// and the escaped text of u. The first attachment is 1. The result is nil if there is no such URL.
func AttachmentURL(u urlcore.URL, n int, name string) urlcore.URL {
	return insideURL("attachment/"+strconv.Itoa(n)+"/"+urlcore.EscapeQuery(name), u)
}

// JoinURL returns the URL of a file whose parts are in several articles: "about:join/name.png?" and
// the escaped text of u, the URL of one of the articles. The result is nil if there is no such URL.
func JoinURL(u urlcore.URL, name string) urlcore.URL {
	return insideURL("join/"+urlcore.EscapeQuery(name), u)
}

// ContentURL returns the URL of the part with the Content-ID id (RFC 2392) in the article u. The
// result is nil if there is no such URL.
func ContentURL(u urlcore.URL, id string) urlcore.URL {
	if id == "" {
		return nil
	}
	return insideURL("attachment/cid%3A"+urlcore.EscapeQuery(id), u)
}

// Attachment reads the exact octets of a part of an article.
type Attachment struct {
	Media string // media type
	Name  string // file name, "" if unknown
	// If the attachment is a part of a larger file, Offset is its position in the file. Size is the
	// size of the whole file according to the sender. Unknown values are -1.
	Offset, Size int64

	file  *encodedFile // or nil
	ended bool         // the attachment was read to its end
	pipe  *io.PipeReader
	done  chan struct{}
}

func (a *Attachment) Read(p []byte) (int, error) {
	n, err := a.pipe.Read(p)
	a.ended = a.ended || errors.Is(err, io.EOF)
	return n, err
}

// Problems describes the faults of a file that is encoded in a text, in a few words each. Call it
// after the attachment has been read to its end.
func (a *Attachment) Problems() []string {
	if a.file == nil || !a.ended {
		return nil
	}
	<-a.done
	return a.file.problems()
}

// CRC32 returns the CRC32 that the sender gives for the whole file. Call it after the attachment has
// been read to its end.
func (a *Attachment) CRC32() (sum uint32, known bool) {
	if a.file != nil && a.ended {
		<-a.done
		if y, ok := a.file.decoder.(*yEnc); ok {
			return y.declaredSum("crc32")
		}
	}
	return 0, false
}

// Close stops reading the article, and waits for a read that has begun. If that read may block, the
// caller must first close the reader of the article.
func (a *Attachment) Close() error {
	_ = a.pipe.Close()
	<-a.done
	return nil
}

// OpenAttachment finds attachment n in the article r and reads its header. The first attachment is
// 1. If there is no such attachment, the error is a *[protocols.Error] with reason NotFound.
func OpenAttachment(r io.Reader, n int) (*Attachment, error) {
	return openPart(r, n, "", fmt.Errorf("the article has no attachment %d", n))
}

// OpenContentID is like OpenAttachment, but opens the part with the Content-ID id (RFC 2392). The
// ID has no "<" and ">".
func OpenContentID(r io.Reader, id string) (*Attachment, error) {
	return openPart(r, -1, id, errors.New("no part of the article has this Content-ID"))
}

// OpenEncoded is like OpenAttachment, but opens the first file that is encoded in a text. If the
// article is a message/partial, OpenEncoded opens its content.
func OpenEncoded(r io.Reader) (*Attachment, error) {
	return openPart(r, -1, "", errors.New("the article contains no file in uuencode or yEnc"))
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
		a.showMessage(&entity{article: a}, 0)
		_ = out.CloseWithError(a.err) // nil becomes io.EOF
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
	return nil, &protocols.Error{Reason: protocols.NotFound, Op: "find the attachment", Err: missing}
}

// copyTo copies body to w. If asIs is set, it omits the last line end, which belongs to the
// boundary.
func (a *articleReader) copyTo(w io.Writer, body io.Reader, asIs bool) {
	if asIs {
		t := &lineEndHolder{w: w}
		defer t.end()
		w = t
	}
	if _, err := io.CopyBuffer(w, body, a.buf[:]); err != nil {
		a.stopped = true // the attachment was closed
	}
}

// lineEndHolder is a writer that drops the last line end of its input.
type lineEndHolder struct {
	w    io.Writer
	held []byte
}

// Write holds back a line end at the end of p, or a CR that may begin a line end. It first writes
// the octets that the previous call held back.
func (h *lineEndHolder) Write(p []byte) (int, error) {
	all := slices.Concat(h.held, p)
	keep := len(bytes.TrimSuffix(bytes.TrimSuffix(all, []byte("\n")), []byte("\r")))
	if _, err := h.w.Write(all[:keep]); err != nil {
		return 0, err
	}
	h.held = append([]byte(nil), all[keep:]...)
	return len(p), nil
}

// end is called at the end of the input. It writes a single CR that Write held back.
func (h *lineEndHolder) end() {
	if string(h.held) == "\r" {
		_, _ = h.w.Write(h.held)
	}
}

// Signed is a part of an article with an OpenPGP signature.
type Signed struct {
	Text      []byte // the signed octets; lines end in CR LF
	Signature []byte // nil if Text contains the signature
}

// maxSigned is the largest size of a signed text, and of a signature, in octets.
const maxSigned = 4 << 20

// SignatureURL returns the URL that verifies signature n of the article u: "about:signature/2?" and
// the escaped text of u. The first signature is 1. The result is nil if there is no such URL.
func SignatureURL(u urlcore.URL, n int) urlcore.URL {
	return insideURL("signature/"+strconv.Itoa(n), u)
}

// OpenSigned returns the part of an article with signature n. The first signature is 1. The error is
// a *[protocols.Error] with reason NotFound if there is no such signature or its text is too large.
func OpenSigned(r io.Reader, n int) (*Signed, error) {
	s := new(Signed)
	a := &articleReader{in: bufio.NewReaderSize(r, maxLine), yield: func(protocols.Line, error) bool { return true }}
	a.wantedSignature, a.takeSigned = n, func(found *Signed) { s, a.stopped = found, true }
	a.showMessage(&entity{article: a}, 0)
	if a.err != nil && !errors.Is(a.err, io.EOF) {
		return nil, a.err
	}
	if len(s.Text) == 0 || len(s.Text) > maxSigned || len(s.Signature) > maxSigned {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "find the signature", Err: fmt.Errorf("the article has no signature %d, or its text is longer than %d MiB", n, maxSigned>>20)}
	}
	s.Text = bytes.ReplaceAll(bytes.ReplaceAll(s.Text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	return s, nil
}

// takeParts passes the two parts of a multipart/signed to a.takeSigned: the signed octets and the
// signature (RFC 3156, section 5).
func (a *articleReader) takeParts(e *entity, boundary string) {
	part := func() *entity { return &entity{article: a, parent: e, bound: "--" + boundary, ended: e.ended} }
	for preamble := part(); preamble.piece() != nil; {
	}
	text, _ := io.ReadAll(io.LimitReader(&pieces{next: part().piece}, maxSigned+3)) // includes the last line end; an error is in a.err
	second := part()
	signature, _ := io.ReadAll(io.LimitReader(newLeaf(second, second.readPartHeader(), "", nil).body, maxSigned+1))
	a.takeSigned(&Signed{bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")), signature})
}

// showSignature yields a line that says that a text is signed. The line links to verify, the URL
// that verifies the signature.
func (a *articleReader) showSignature(kind string, verify urlcore.URL) {
	a.yieldLine(protocols.Line{Kind: protocols.Text, Text: "[Signed with " + kind + ", not verified]", Link: verify})
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
