package z3950

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gofer/protocols"
)

// The limits of an answer.
const (
	maxAPDU    = 2 << 20 // octets
	maxNesting = 32      // levels of elements
	readStep   = 64 << 10
)

// universal is added to the numbers of universal tags, which tells them from the tags of the protocol.
const universal = 1 << 24

// The universal tags.
const (
	tagBoolean     = universal + 1
	tagInteger     = universal + 2
	tagOctets      = universal + 4
	tagNull        = universal + 5
	tagOID         = universal + 6
	tagExternal    = universal + 8
	tagSequence    = universal + 16
	tagVisible     = universal + 26
	tagGeneral     = universal + 27
	noTag          = -1
	eoc            = "\x00\x00"
	indefinite     = -1
	contextOctet   = 0x80
	constructedBit = 0x20
)

// element is a BER element (ITU-T X.690). Its content shares memory with the APDU.
type element struct {
	tag         int // noTag for an element that is missing
	constructed bool
	content     []byte
}

// header is the tag and the length of an element.
type header struct {
	tag         int
	constructed bool
	length      int // of the content, or indefinite
	size        int // of the header itself
}

// cutHeader reads the header at the start of b.
func cutHeader(b []byte) (h header, ok bool) {
	if len(b) < 2 {
		return h, false
	}
	h = header{tag: int(b[0] & 0x1F), constructed: b[0]&constructedBit != 0, size: 1}
	for h.tag == 0x1F || h.size > 1 {
		if h.size == 1 {
			h.tag = 0
		}
		if h.size >= len(b) || h.size > 3 {
			return h, false
		}
		c := b[h.size]
		h.tag, h.size = h.tag<<7|int(c&0x7F), h.size+1
		if c < 0x80 {
			break
		}
	}
	if b[0]&0xC0 == 0 {
		h.tag += universal
	}
	if h.size >= len(b) {
		return h, false
	}
	first := int(b[h.size])
	h.size++
	switch n := first & 0x7F; {
	case first < 0x80:
		h.length = first
	case n == 0:
		h.length = indefinite
	case n > 4 || h.size+n > len(b):
		return h, false
	default:
		for _, c := range b[h.size : h.size+n] {
			h.length = h.length<<8 | int(c)
		}
		h.size += n
	}
	return h, true
}

// measure returns the size of the element at the start of b, or -1 if the element or one in it is damaged.
func measure(b []byte, depth int) int {
	h, ok := cutHeader(b)
	if !ok || depth > maxNesting || h.length == indefinite && !h.constructed {
		return -1
	}
	end := h.size + h.length
	if h.length == indefinite {
		end = len(b)
	}
	if end > len(b) {
		return -1
	}
	if !h.constructed {
		return end
	}
	for i := h.size; ; {
		switch {
		case h.length == indefinite && strings.HasPrefix(string(b[i:min(i+2, end)]), eoc):
			return i + len(eoc)
		case i == end && h.length != indefinite:
			return end
		}
		n := measure(b[i:end], depth+1)
		if n < 0 {
			return -1
		}
		i += n
	}
}

// parse returns the element b, which must be whole with all elements in it.
func parse(b []byte) (e element, ok bool) {
	if measure(b, 0) != len(b) {
		return element{tag: noTag}, false
	}
	for e := range (element{constructed: true, content: b}).children() {
		return e, true
	}
	return element{tag: noTag}, false
}

// children yields the elements in e, which must be whole: nothing in a primitive element was measured, and none are yielded.
func (e element) children() iter.Seq[element] {
	return func(yield func(element) bool) {
		for b := e.content; e.constructed && len(b) > 0; {
			h, ok := cutHeader(b)
			if !ok {
				return
			}
			end, size := h.size+h.length, h.size+h.length
			if h.length == indefinite {
				size = measure(b, 0)
				end = size - len(eoc)
			}
			if size < 0 || size > len(b) || !yield(element{h.tag, h.constructed, b[h.size:end:end]}) {
				return
			}
			b = b[size:]
		}
	}
}

// find returns the first element with the first tag in e, the first one with the second tag in that, and so on.
func (e element) find(tags ...int) element {
	for _, tag := range tags {
		found := element{tag: noTag}
		for child := range e.children() {
			if child.tag == tag && e.constructed {
				found = child
				break
			}
		}
		e = found
	}
	return e
}

// only returns the first element in e.
func (e element) only() element {
	for child := range e.children() {
		return child
	}
	return element{tag: noTag}
}

func (e element) exists() bool { return e.tag != noTag }

// octets returns the content of a string, which may consist of parts.
func (e element) octets() []byte {
	if !e.constructed {
		return e.content
	}
	var b []byte
	for part := range e.children() {
		if !part.constructed {
			b = append(b, part.content...)
		}
	}
	return b
}

func (e element) text() string { return string(e.octets()) }

// number returns an INTEGER or a BOOLEAN. A number that is too large becomes maxNumber.
func (e element) number() int {
	if e.constructed || len(e.content) == 0 {
		return 0
	}
	if len(e.content) > 4 {
		return maxNumber
	}
	n := int(int8(e.content[0]))
	for _, c := range e.content[1:] {
		n = n<<8 | int(c)
	}
	return n
}

const maxNumber = 1<<31 - 1

// oid returns an OBJECT IDENTIFIER with dots.
func (e element) oid() string {
	var b strings.Builder
	n, first := 0, true
	for _, c := range e.content[:min(len(e.content), 64)] {
		if n = n<<7 | int(c&0x7F); c >= 0x80 {
			n &= maxNumber >> 8
			continue
		}
		if first {
			high := min(n/40, 2)
			fmt.Fprintf(&b, "%d.%d", high, n-40*high)
		} else {
			fmt.Fprintf(&b, ".%d", n)
		}
		n, first = 0, false
	}
	return b.String()
}

// encode returns an element.
func encode(tag int, constructed bool, content string) string {
	class := byte(contextOctet)
	if tag >= universal {
		class, tag = 0, tag-universal
	}
	if constructed {
		class |= constructedBit
	}
	var b []byte
	switch {
	case tag < 0x1F:
		b = append(b, class|byte(tag))
	case tag < 0x80:
		b = append(b, class|0x1F, byte(tag))
	default:
		b = append(b, class|0x1F, byte(tag>>7)|0x80, byte(tag)&0x7F)
	}
	switch n := len(content); {
	case n < 0x80:
		b = append(b, byte(n))
	case n < 1<<8:
		b = append(b, 0x81, byte(n))
	case n < 1<<16:
		b = append(b, 0x82, byte(n>>8), byte(n))
	default:
		b = append(b, 0x83, byte(n>>16), byte(n>>8), byte(n))
	}
	return string(b) + content
}

func group(tag int, parts ...string) string { return encode(tag, true, strings.Join(parts, "")) }
func leaf(tag int, content string) string   { return encode(tag, false, content) }

func number(tag, n int) string {
	b := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
		b = b[1:]
	}
	return leaf(tag, string(b))
}

func oid(tag int, dotted string) string {
	var b []byte
	first := 0
	for i, part := range strings.Split(dotted, ".") {
		n, _ := strconv.Atoi(part) // the identifiers are constants
		switch i {
		case 0:
			first = n
			continue
		case 1:
			n += 40 * first
		}
		shift := 0
		for n>>shift >= 0x80 {
			shift += 7
		}
		for ; shift > 0; shift -= 7 {
			b = append(b, byte(n>>shift)|0x80)
		}
		b = append(b, byte(n)&0x7F)
	}
	return leaf(tag, string(b))
}

// The errors of answers that are not APDUs.
var (
	errNotZ3950 = errors.New("this is no Z39.50 server: the answer is not an APDU")
	errDamaged  = errors.New("an element of the answer is damaged")
	errNesting  = fmt.Errorf("the answer has elements in more than %d levels", maxNesting)
)

func malformed(err error) error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read the answer", Err: err}
}

// readAPDU reads an APDU. It uses buf if buf is large enough.
func readAPDU(r *bufio.Reader, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for depth := 0; ; {
		start := len(buf)
		h, err := readHeader(r, &buf)
		switch {
		case err != nil:
			return buf, err
		case start == 0 && (buf[0]&0xE0 != contextOctet|constructedBit):
			return buf, malformed(errNotZ3950)
		case h.length == indefinite && !h.constructed:
			return buf, malformed(errDamaged)
		case len(buf)+max(h.length, 0) > maxAPDU:
			return buf, &protocols.Error{Reason: protocols.TooBig, Op: "read the answer", Err: fmt.Errorf("it has more than %d octets", maxAPDU)}
		case h.length == indefinite:
			if depth++; depth > maxNesting {
				return buf, malformed(errNesting)
			}
			continue
		case string(buf[start:]) == eoc:
			depth--
		}
		if buf, err = readContent(r, buf, h.length); err != nil {
			return buf, err
		}
		if depth <= 0 {
			return buf, nil
		}
	}
}

// readHeader reads the header of an element and appends it to buf.
func readHeader(r *bufio.Reader, buf *[]byte) (header, error) {
	start := len(*buf)
	for {
		c, err := r.ReadByte()
		if err != nil {
			return header{}, endError(err, start > 0 || len(*buf) > start)
		}
		*buf = append(*buf, c)
		if h, ok := cutHeader((*buf)[start:]); ok {
			return h, nil
		}
		if n := len(*buf) - start; n == 1 && start == 0 && c&0xE0 != contextOctet|constructedBit {
			return header{}, malformed(errNotZ3950)
		} else if n >= 9 {
			return header{}, malformed(errDamaged)
		}
	}
}

// readContent appends n octets to buf, without room for octets that do not come.
func readContent(r io.Reader, buf []byte, n int) ([]byte, error) {
	for n > 0 {
		step := min(n, readStep)
		buf = slices.Grow(buf, step)
		if _, err := io.ReadFull(r, buf[len(buf):len(buf)+step]); err != nil {
			return buf, endError(err, true)
		}
		buf, n = buf[:len(buf)+step], n-step
	}
	return buf, nil
}

// endError returns the error of a connection that ended before or within an answer.
func endError(err error, begun bool) error {
	switch {
	case err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case begun:
		err = errors.New("the server closed the connection in the middle of an answer")
	default:
		err = errors.New("the server closed the connection without an answer: it may have failed, or it is not a Z39.50 server")
	}
	return &protocols.Error{Reason: protocols.Broken, Op: "read the answer", Err: err}
}
