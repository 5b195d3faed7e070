package web

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"gofer/protocols"
)

// Bounds of coded bodies. A single coding gives about 1000 times its octets at most.
const (
	maxCodings      = 2        // content codings that are decoded
	maxNamedCodings = 4        // content codings in a note
	maxIdle         = 4 << 20  // coded octets in a row that give none
	maxGrown        = 64 << 20 // octets of a body that may be more than maxGrowth times as many as those received
	maxGrowth       = 2000
)

// codingsOf returns the content codings of an answer in the order in which they were applied, in small letters
// (RFC 9110, section 8.4).
func codingsOf(h http.Header) (codings []string) {
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return codings
}

// isGzipFile reports whether an answer is a compressed file that its server also declares as coded. Decoding it would
// change the file.
func isGzipFile(media, name string) bool {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	switch media = strings.TrimSpace(media); media {
	case "application/gzip", "application/x-gzip", "application/x-gunzip", "application/x-gtar", "application/x-tgz", "application/x-compressed-tar":
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".gz", ".tgz":
		return !strings.HasPrefix(media, "text/")
	}
	return false
}

// decodeBody decodes the codings of the body of an answer. If it cannot, it describes this in the head.
func decodeBody(a *exchange, h *protocols.Head) io.Reader {
	codings := codingsOf(a.Header)
	if len(codings) == 0 || len(codings) == 1 && isGzip(codings[0]) && isGzipFile(h.Media, a.request.url.FileName()) {
		return a.Body
	}
	received := &codedReader{ctx: a.conn.Context(), r: a.Body}
	from := received
	for i := len(codings) - 1; i >= 0; i-- {
		var body io.Reader
		switch coding := codings[i]; {
		case isGzip(coding) && i < maxCodings:
			body = &decoder{from: from, in: bufio.NewReader(from), open: new(gzipOpener).open, several: true}
		case coding == "deflate" && i < maxCodings:
			body = &decoder{from: from, in: bufio.NewReader(from), open: openDeflate}
		default:
			h.Problem = "it has the content coding " + shorten(coding) + ", which gofer cannot decode"
			if i >= maxCodings {
				h.Problem = "it has " + strconv.Itoa(len(codings)) + " content codings, too many to decode"
			}
			h.Notes = append(h.Notes, describeCodings(codings))
			return a.Body
		}
		from = &codedReader{ctx: received.ctx, r: body}
	}
	a.decoded, h.Size = true, -1
	return &growthReader{decoded: from, received: received}
}

// codedReader reads coded octets until ctx ends, or until too many in a row give no decoded ones.
type codedReader struct {
	ctx   context.Context
	r     io.Reader
	count int64 // octets that were read
	idle  int   // octets since the last decoded one
}

func (c *codedReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	if c.idle > maxIdle {
		return 0, errIdle
	}
	n, err := c.r.Read(p)
	c.count, c.idle = c.count+int64(n), c.idle+n
	return n, err
}

// growthReader reads a decoded body until it has grown too much.
type growthReader struct{ decoded, received *codedReader }

func (g *growthReader) Read(p []byte) (int, error) {
	if n := g.decoded.count; n > maxGrown && n/maxGrowth > g.received.count {
		return 0, errGrown
	}
	g.decoded.idle = 0
	return g.decoded.Read(p)
}

// describeCodings returns the note about a body with all of its codings.
func describeCodings(codings []string) string {
	if len(codings) == 1 {
		return "The octets have the content coding " + shorten(codings[0]) + ": a saved file needs a program that decodes it."
	}
	count, last := "", make([]string, 0, maxNamedCodings)
	if n := len(codings); n > maxNamedCodings {
		count, codings = strconv.Itoa(n)+" ", codings[n-maxNamedCodings:]
		last = append(last, "…")
	}
	for _, coding := range codings {
		last = append(last, shorten(coding))
	}
	return "The octets have the " + count + "content codings " + strings.Join(last, ", ") + ": a saved file needs programs that decode them, the last one first."
}

// shorten returns the name of a coding for the user.
func shorten(coding string) string {
	const maxName = 40
	if len(coding) > maxName {
		return coding[:maxName] + "…"
	}
	return coding
}

func isGzip(coding string) bool { return coding == "gzip" || coding == "x-gzip" }

// decoder decodes a body. An empty body is complete.
type decoder struct {
	from    *codedReader // which in reads
	in      *bufio.Reader
	open    func(*bufio.Reader) (io.Reader, error)
	several bool // the body may have several members (RFC 1952, section 2.2)

	member io.Reader // nil between members
	begun  bool
	err    error
}

var (
	errCutShort = errors.New("the compressed octets end too early")
	errCorrupt  = errors.New("the compressed octets are damaged")
	errIdle     = errors.New("more than " + strconv.Itoa(maxIdle>>20) + " MiB of compressed octets are empty")
	errGrown    = errors.New("the compressed octets decode to more than " + strconv.Itoa(maxGrowth) + " times their size")
)

func (d *decoder) Read(p []byte) (n int, err error) {
	for n == 0 && d.err == nil {
		if d.member == nil {
			d.err = d.next()
			continue
		}
		n, err = d.member.Read(p)
		switch {
		case err == io.EOF:
			d.member = nil
		case err != nil:
			d.err = decodingError(err)
		}
	}
	if n > 0 {
		d.from.idle = 0
		return n, nil
	}
	return 0, d.err
}

// next begins the next member. Octets after the last member are ignored, as gzip ignores them.
func (d *decoder) next() error {
	start, err := d.in.Peek(1)
	switch {
	case len(start) == 0:
		return err
	case d.begun && !d.several:
		return io.EOF
	case d.begun:
		if magic, err := d.in.Peek(2); string(magic) != "\x1f\x8b" {
			if err != io.EOF && err != nil {
				return err
			}
			return io.EOF
		}
	}
	d.begun = true
	if d.member, err = d.open(d.in); err != nil {
		return decodingError(err)
	}
	return nil
}

// decodingError returns an error of a decoder without the words of its package. It returns an error of the connection
// unchanged.
func decodingError(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case corrupt, errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrDictionary):
		return errCorrupt
	case err == io.ErrUnexpectedEOF || err == io.EOF: // from the decoder; the connection wraps its errors
		return errCutShort
	}
	return err
}

// maxGzipHeader is the largest size of the name, and of the comment, in the header of a gzip member.
const maxGzipHeader = 1 << 20

// gzipStart is a header without a name and comment, and without a time.
const gzipStart = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// gzipOpener opens the members of a body. It keeps one reader: a new one for each member takes much longer.
type gzipOpener struct{ z *gzip.Reader }

// open returns a reader of a gzip member (RFC 1952). Package gzip accepts names and comments of at most 511 octets
// only, so it gets a short header.
func (g *gzipOpener) open(in *bufio.Reader) (io.Reader, error) {
	var start [len(gzipStart)]byte
	if _, err := io.ReadFull(in, start[:]); err != nil {
		return nil, err
	}
	if string(start[:3]) != gzipStart[:3] {
		return nil, gzip.ErrHeader
	}
	const hasCRC, hasExtra, hasName, hasComment = 2, 4, 8, 16
	flags := start[3]
	if flags&hasExtra != 0 {
		var size [2]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return nil, err
		}
		if _, err := in.Discard(int(size[0]) | int(size[1])<<8); err != nil {
			return nil, err
		}
	}
	for _, flag := range [...]byte{hasName, hasComment} {
		if flags&flag != 0 {
			if err := skipString(in); err != nil {
				return nil, err
			}
		}
	}
	if flags&hasCRC != 0 {
		if _, err := in.Discard(2); err != nil {
			return nil, err
		}
	}
	member := &memberReader{start: []byte(gzipStart), Reader: in}
	if g.z == nil {
		z, err := gzip.NewReader(member)
		if err != nil {
			return nil, err
		}
		g.z = z
	} else if err := g.z.Reset(member); err != nil {
		return nil, err
	}
	g.z.Multistream(false)
	return g.z, nil
}

// skipString reads a string up to its NUL.
func skipString(in *bufio.Reader) error {
	for range maxGzipHeader {
		if c, err := in.ReadByte(); err != nil || c == 0 {
			return err
		}
	}
	return gzip.ErrHeader
}

// memberReader reads start and then from Reader. As an [io.ByteReader], it is not read beyond the member.
type memberReader struct {
	start []byte
	*bufio.Reader
}

func (m *memberReader) Read(p []byte) (int, error) {
	if len(m.start) > 0 {
		n := copy(p, m.start)
		m.start = m.start[n:]
		return n, nil
	}
	return m.Reader.Read(p)
}

func (m *memberReader) ReadByte() (byte, error) {
	if len(m.start) > 0 {
		c := m.start[0]
		m.start = m.start[1:]
		return c, nil
	}
	return m.Reader.ReadByte()
}

// openDeflate returns a reader of zlib data, or of raw deflate data, which some servers send (RFC 9110, section
// 8.4.1.2).
func openDeflate(in *bufio.Reader) (io.Reader, error) {
	start, _ := in.Peek(2)
	if len(start) == 2 && start[0]&0xf == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// peekBody reports whether a body has octets, and returns a reader of all of them.
func peekBody(r io.Reader) (io.Reader, bool) {
	var first [1]byte
	if n, _ := io.ReadFull(r, first[:]); n == 0 {
		return r, false
	}
	return io.MultiReader(bytes.NewReader(first[:]), r), true
}
