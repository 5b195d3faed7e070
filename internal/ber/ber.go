// Package ber reads and writes the elements of the Basic Encoding Rules (ITU-T X.690), of which the messages of LDAP and Z39.50 consist.
//
// A message is read whole, within bounds, and in memory only for octets that have arrived. It is checked once. Then its elements are found
// in place: a tree of them would take a hundred times the memory of a message of empty elements.
package ber

import (
	"fmt"
	"iter"
	"strings"
)

// maxNesting limits the levels of elements.
const maxNesting = 32

// The classes of tags. A tag is the sum of its class and its number. The class of tags that depend on the context is 0.
const (
	Universal   = 1 << 24
	Application = 2 << 24
	private     = 3 << 24
)

// The universal tags, and the tag of an element that is missing.
const (
	Boolean    = Universal + 1
	Integer    = Universal + 2
	Octets     = Universal + 4
	ObjectID   = Universal + 6
	External   = Universal + 8
	Enumerated = Universal + 10
	Sequence   = Universal + 16
	Set        = Universal + 17
	Visible    = Universal + 26 // VisibleString
	General    = Universal + 27 // GeneralString
	Missing    = -1
)

const (
	eoc            = "\x00\x00"
	indefinite     = -1
	constructedBit = 0x20
	longTag        = 0x1F
)

// Element is an element. Its content shares memory with the message.
type Element struct {
	Tag         int
	Constructed bool
	Content     []byte
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
	if h.tag == longTag {
		h.tag = 0
		for more := true; more; h.size++ {
			if h.size > 3 || h.size == len(b) {
				return h, false
			}
			h.tag, more = h.tag<<7|int(b[h.size]&0x7F), b[h.size] >= 0x80
		}
	}
	h.tag += [...]int{Universal, Application, 0, private}[b[0]>>6]
	length, size, ok := cutLength(b[h.size:])
	h.length, h.size = length, h.size+size
	return h, ok
}

// cutLength reads the length at the start of b, and returns how many octets it has. A length of more than MaxNumber becomes MaxNumber.
func cutLength(b []byte) (length, size int, ok bool) {
	if len(b) == 0 {
		return 0, 0, false
	}
	n := int(b[0] & 0x7F)
	switch {
	case b[0] < 0x80:
		return n, 1, true
	case n == 0:
		return indefinite, 1, true
	case n > 8 || len(b) < 1+n:
		return 0, 0, false
	}
	for _, c := range b[1 : 1+n] {
		if length > MaxNumber>>8 {
			return MaxNumber, 1 + n, true
		}
		length = length<<8 | int(c)
	}
	return length, 1 + n, true
}

// measure returns the size of the element at the start of b, or -1 if the element or one in it is damaged.
func measure(b []byte, depth int) int {
	h, ok := cutHeader(b)
	if !ok || depth > maxNesting || h.length == indefinite && !h.constructed {
		return -1
	}
	end := len(b)
	switch {
	case h.length > len(b)-h.size:
		return -1
	case h.length != indefinite:
		end = h.size + h.length
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

// Parse returns the element b, which must be whole with all elements in it.
func Parse(b []byte) (e Element, ok bool) {
	if measure(b, 1) != len(b) {
		return Element{Tag: Missing}, false
	}
	return Element{Constructed: true, Content: b}.First(), true
}

// Children yields the elements in e, which is from Parse: nothing in a primitive element was measured, and none are yielded.
func (e Element) Children() iter.Seq[Element] {
	return func(yield func(Element) bool) {
		for b := e.Content; e.Constructed && len(b) > 0; {
			h, _ := cutHeader(b)
			end, size := h.size+h.length, h.size+h.length
			if h.length == indefinite {
				size = measure(b, 0)
				end = size - len(eoc)
			}
			if !yield(Element{h.tag, h.constructed, b[h.size:end:end]}) {
				return
			}
			b = b[size:]
		}
	}
}

// Find returns the first element with the first tag in e, the first one with the second tag in that, and so on. The tag of the element is
// Missing if there is none.
func (e Element) Find(tags ...int) Element {
	for _, tag := range tags {
		children := e.Children()
		e = Element{Tag: Missing}
		for child := range children {
			if child.Tag == tag {
				e = child
				break
			}
		}
	}
	return e
}

// First returns the first element in e. Its tag is Missing if there is none.
func (e Element) First() Element {
	for child := range e.Children() {
		return child
	}
	return Element{Tag: Missing}
}

// Exists reports whether e was found.
func (e Element) Exists() bool { return e.Tag != Missing }

// Octets returns the content of a string, which may consist of parts.
func (e Element) Octets() []byte {
	if !e.Constructed {
		return e.Content
	}
	var b []byte
	for part := range e.Children() {
		if !part.Constructed {
			b = append(b, part.Content...)
		}
	}
	return b
}

// Text is like Octets.
func (e Element) Text() string { return string(e.Octets()) }

// MaxNumber is the largest number.
const MaxNumber = 1<<31 - 1

// Number returns an INTEGER, an ENUMERATED or a BOOLEAN. A number of more than four octets becomes MaxNumber.
func (e Element) Number() int {
	if e.Constructed || len(e.Content) == 0 {
		return 0
	}
	if len(e.Content) > 4 {
		return MaxNumber
	}
	n := int(int8(e.Content[0]))
	for _, c := range e.Content[1:] {
		n = n<<8 | int(c)
	}
	return n
}

// OID returns an OBJECT IDENTIFIER with dots.
func (e Element) OID() string {
	var b strings.Builder
	n, first := 0, true
	for _, c := range e.Content[:min(len(e.Content), 64)] {
		if n = n<<7 | int(c&0x7F); c >= 0x80 {
			n &= MaxNumber >> 8
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
