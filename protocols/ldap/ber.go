package ldap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"gofer/protocols"
)

// The tags of the elements of messages (RFC 4511, appendix B). Each is one octet.
const (
	tagBoolean          = 0x01
	tagInteger          = 0x02
	tagOctets           = 0x04
	tagEnumerated       = 0x0a
	tagSequence         = 0x30
	tagSet              = 0x31
	tagUnbind           = 0x42
	tagBind             = 0x60
	tagBindReply        = 0x61
	tagSearch           = 0x63
	tagEntry            = 0x64
	tagDone             = 0x65
	tagReference        = 0x73
	tagExtended         = 0x77
	tagExtendedReply    = 0x78
	tagIntermediate     = 0x79
	tagSimple           = 0x80 // the password of a bind
	tagExtendedName     = 0x80 // the name of an extended request
	tagExtendedReplyOID = 0x8a // the name of an extended reply
	tagControls         = 0xa0
	tagReferrals        = 0xa3
)

// maxMessage is the largest message that is read, in octets: an entry with all its values.
const maxMessage = 8 << 20

// The errors for messages that are not LDAP.
var (
	errNoLDAP  = errors.New("it is not an LDAP message")
	errDamaged = errors.New("a message is damaged")
)

func malformed(err error) *protocols.Error {
	return &protocols.Error{Reason: protocols.Malformed, Op: "read the answer of the directory server", Err: err}
}

// element encodes a BER element with the parts as its content (X.690, section 8.1).
func element(tag byte, parts ...string) string {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	head := []byte{tag, byte(length)}
	if length >= 0x80 {
		head = []byte{tag, 0x84, byte(length >> 24), byte(length >> 16), byte(length >> 8), byte(length)}
	}
	var b bytes.Buffer
	b.Write(head)
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.String()
}

// number encodes a number from 0 to 2^31-1.
func number(tag byte, n int) string {
	b := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
		b = b[1:]
	}
	return element(tag, string(b))
}

// cut splits b after its first element. The content shares memory with b. RFC 4511, section 5.1, allows only definite lengths.
func cut(b []byte) (tag byte, content, rest []byte, ok bool) {
	if len(b) < 2 || b[0]&0x1f == 0x1f {
		return 0, nil, nil, false
	}
	length, size, ok := parseLength(b[1:])
	if start := 1 + size; ok && length <= len(b)-start {
		return b[0], b[start : start+length], b[start+length:], true
	}
	return 0, nil, nil, false
}

// maxLength is the largest length that parseLength returns, also for a greater one.
const maxLength = 1<<31 - 1

// parseLength reads the length at the start of b, and returns how many octets it has.
func parseLength(b []byte) (length, size int, ok bool) {
	if len(b) == 0 {
		return 0, 0, false
	}
	n := int(b[0] & 0x7f)
	switch {
	case b[0] < 0x80:
		return n, 1, true
	case n == 0 || n > 8 || len(b) < 1+n:
		return 0, 0, false
	}
	length = 0
	for _, c := range b[1 : 1+n] {
		if length > maxLength>>8 {
			return maxLength, 1 + n, true
		}
		length = length<<8 | int(c)
	}
	return length, 1 + n, true
}

// cutTag is like cut for an element that must have the tag.
func cutTag(b []byte, want byte) (content, rest []byte, ok bool) {
	tag, content, rest, ok := cut(b)
	return content, rest, ok && tag == want
}

// parseNumber reads a number that is not negative. It returns -1 for another one.
func parseNumber(content []byte) int {
	if len(content) == 0 || len(content) > 4 || content[0] >= 0x80 {
		return -1
	}
	n := 0
	for _, c := range content {
		n = n<<8 | int(c)
	}
	return n
}

// readMessage reads a message (RFC 4511, section 4.1.1) and returns its content. It takes memory only for octets that have arrived.
func readMessage(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(2)
	switch {
	case len(head) > 0 && head[0] != tagSequence:
		return nil, malformed(errNoLDAP)
	case err != nil:
		return nil, brokenError(err)
	}
	size := 1
	if head[1] >= 0x80 {
		size += int(head[1] & 0x7f)
	}
	if head, err = r.Peek(1 + size); err != nil {
		return nil, brokenError(err)
	}
	length, _, ok := parseLength(head[1:])
	switch {
	case !ok:
		return nil, malformed(errDamaged)
	case length > maxMessage:
		return nil, &protocols.Error{
			Reason: protocols.TooBig, Op: "read the answer of the directory server",
			Err: fmt.Errorf("a message has %d octets, more than the limit of %d", length, maxMessage),
		}
	}
	_, _ = r.Discard(1 + size) // they are in the buffer
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(length)); err != nil {
		return nil, brokenError(err)
	}
	return b.Bytes(), nil
}

// brokenError returns the error for a connection that ended before the end of an answer.
func brokenError(err error) error {
	if errors.Is(err, io.EOF) {
		return protocols.NewError(protocols.Broken, "read the answer of the directory server", "the server closed the connection before the end of its answer")
	}
	return err
}
