package urlcore

import (
	"net/url"
	"strings"
)

// Each set of octets is a bit in the entries of the table octets. A set with the prefix "in"
// contains the octets that need no escape in a component of a URL. If its comment begins with
// "plus", the set also contains the octets of inText. A set with the prefix "legal" contains the
// octets that need no escape in a dialect.
const (
	inText         uint32 = 1 << iota // unreserved (RFC 1738, section 5)
	inUser                            // plus ; & = in a user or password
	inSegment                         // plus : @ & = in an fsegment
	inSelector                        // plus / : ; @ & = in a Gopher selector, Gopher+ string or mail address
	inSearch                          // plus : ; @ & = in a Gopher search
	inMessageID                       // plus ; / : & = in the left part of a Message-ID
	inWords                           // plus ; : @ & = but not + in a WAIS search
	inObject                          // plus / : @ & = in a Prospero hsoname
	inField                           // plus : @ & in a Prospero field
	inDatabase                        // but not + in the name of a Z39.50 database or record syntax
	legal1738                         // unreserved and reserved
	legal199307                       // safe, extra without space, and / + ?
	legal199310                       // the octets of legal199307, and space
	legal199403                       // safe, extra, and = ; / ? :
	inGroup                           // newsgroup name: letters, digits, - . + _
	inScheme                          // scheme: letters, digits, + - .
	percentSet                        // %
	inAtom                            // atom (RFC 822, section 3.3)
	unreserved3986                    // unreserved (RFC 3986, section 2.3)
	legal3986                         // pchar without escapes, and / ? (RFC 3986, sections 3.3 and 3.4)
)

// A mark is a bit for a kind of octet. A text has the marks of all its octets.
const (
	markControl uint8 = 1 << iota // 00-1F, 7F
	markPercent
	markUnsafe // space " < > { } | \ ^ [ ] ` ~ and 80-FF (RFC 1738, section 2.2)
	markHash
	markSemicolon
	markQuestion
	markEight // 80-FF
	markAt
)

// markOdd consists of the marks of octets that may need encoding or decoding.
const markOdd = markControl | markPercent | markUnsafe | markHash

// scan returns the marks of s.
func scan(s string) (m uint8) {
	if len(s) < 8 {
		for i := range len(s) {
			m |= marks[s[i]]
		}
		return m
	}
	for t := s; len(t) > 8; t = t[8:] {
		m |= scan8(t)
	}
	return m | scan8(s[len(s)-8:])
}

// scan8 returns the marks of the first eight octets of s.
func scan8(s string) uint8 {
	_ = s[7]
	return marks[s[0]] | marks[s[1]] | marks[s[2]] | marks[s[3]] |
		marks[s[4]] | marks[s[5]] | marks[s[6]] | marks[s[7]]
}

// hasOnly reports whether every octet of s is in the set.
func hasOnly(s string, set uint32) bool {
	sets := set
	if len(s) < 8 {
		for i := range len(s) {
			sets &= octets[s[i]]
		}
		return sets != 0
	}
	for t := s; len(t) > 8; t = t[8:] {
		if sets &= setsOf8(t); sets == 0 {
			return false
		}
	}
	return sets&setsOf8(s[len(s)-8:]) != 0
}

// setsOf8 returns the sets that contain all of the first eight octets of s.
func setsOf8(s string) uint32 {
	_ = s[7]
	return octets[s[0]] & octets[s[1]] & octets[s[2]] & octets[s[3]] &
		octets[s[4]] & octets[s[5]] & octets[s[6]] & octets[s[7]]
}

// prefixLength returns the number of octets at the start of s that are in the set.
func prefixLength(s string, set uint32) int {
	i := 0
	for i < len(s) && octets[s[i]]&set != 0 {
		i++
	}
	return i
}

// hexValue returns the value of a hexadecimal digit, or 255 for any other octet.
func hexValue(c byte) byte { return unhexes[c] - 1 }

// badEscapeIndex returns the offset of the first "%" without two hexadecimal digits, or -1.
func badEscapeIndex(s string) int {
	for i := 0; ; i += 3 {
		next := strings.IndexByte(s[i:], '%')
		if next < 0 {
			return -1
		}
		if i += next; i+2 >= len(s) || hexValue(s[i+1])|hexValue(s[i+2]) > 15 {
			return i
		}
	}
}

// escapeIndex returns the offset of the first escape in s that decodes to an octet of wanted, or 0.
func escapeIndex(s, wanted string) int {
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if strings.IndexByte(wanted, hexValue(s[i+1])<<4|hexValue(s[i+2])) >= 0 {
			return i
		}
		i += 2
	}
	return 0
}

// unescape decodes every escape once (RFC 1738, section 2.2). All escapes must be valid.
func unescape(s string) string {
	if i := strings.IndexByte(s, '%'); i >= 0 {
		return unescapeFrom(s, i)
	}
	return s
}

// bufSize is the size of the buffers for building texts. Most URLs fit in one buffer. The buffers
// are on the stack, so building a text takes a single allocation.
const bufSize = 128

// join returns head and tail as one string. The slice head must have a capacity of at least
// bufSize.
func join(head []byte, tail string) string {
	if len(head)+len(tail) <= cap(head) {
		return string(append(head, tail...))
	}
	return string(head) + tail
}

// unescapeFrom is like unescape. The parameter i is the index of the first escape in s.
func unescapeFrom(s string, i int) string {
	var buf [bufSize]byte
	b := buf[:0]
	for ; i >= 0 && i+2 < len(s); i = strings.IndexByte(s, '%') {
		b = append(append(b, s[:i]...), hexValue(s[i+1])<<4|hexValue(s[i+2]))
		s = s[i+3:]
	}
	return string(append(b, s...))
}

const upperHex = "0123456789ABCDEF"

// EscapeQuery escapes a text for use in a query or in another part of a URL. It escapes all octets
// except letters, digits, "-", "_", "." and "~".
func EscapeQuery(words string) string {
	return strings.ReplaceAll(url.QueryEscape(words), "+", "%20")
}

func appendEscape(b []byte, c byte) []byte {
	return append(b, '%', upperHex[c>>4], upperHex[c&15])
}

// appendEscaped appends s to b, with escapes for the octets outside set.
func appendEscaped(b []byte, s string, set uint32) []byte {
	if hasOnly(s, set) {
		return append(b, s...)
	}
	for i := range len(s) {
		if c := s[i]; octets[c]&set != 0 {
			b = append(b, c)
		} else {
			b = appendEscape(b, c)
		}
	}
	return b
}

// escape returns s with escapes for the octets outside set.
func escape(s string, set uint32) string {
	if hasOnly(s, set) {
		return s
	}
	var buf [bufSize]byte
	return string(appendEscaped(buf[:0], s, set))
}

// recodePath returns the canonical text of the path s. It decodes each segment and encodes it again
// with the set inSegment.
func recodePath(s string) string { return recode(s, inObject, inSegment, 0) }

// recodeText returns the canonical form of a component that is stored as text, such as HTTP.Path
// or a fragment. It decodes escapes of unreserved octets, except escapes of the octet keep (0 for
// none), and writes other escapes in upper case. It does not change reserved octets. It escapes
// octets that are neither reserved nor unreserved.
func recodeText(s string, keep byte) string { return recode(s, legal1738, inText, keep) }

// recode3986 is like recodeText, but with the rules of RFC 3986, section 6.2.2.2.
func recode3986(s string) string { return recode(s, legal3986, unreserved3986, 0) }

// recode escapes the octets of s outside the set raw. It decodes escapes of octets in the set
// decode, except escapes of the octet keep.
func recode(s string, raw, decode uint32, keep byte) string {
	if i := canonicalPrefix(s, 0, raw, decode, keep); i < len(s) {
		return recodeFrom(s, i, raw, decode, keep)
	}
	return s
}

// canonicalPrefix returns the index in s of the first octet from i on that recode changes, or
// len(s).
func canonicalPrefix(s string, i int, raw, decode uint32, keep byte) int {
	for i < len(s) {
		if octets[s[i]]&raw != 0 {
			i++
			continue
		}
		if s[i] != '%' || i+2 >= len(s) || s[i+1] >= 'a' || s[i+2] >= 'a' {
			return i
		}
		if c := hexValue(s[i+1])<<4 | hexValue(s[i+2]); octets[c]&decode != 0 && c != keep {
			return i
		}
		i += 3
	}
	return i
}

func recodeFrom(s string, i int, raw, decode uint32, keep byte) string {
	var buf [bufSize]byte
	b := buf[:0]
	done := 0
	for i < len(s) {
		b = append(b, s[done:i]...)
		c := s[i]
		escaped := c == '%' && i+2 < len(s)
		if escaped {
			c = hexValue(s[i+1])<<4 | hexValue(s[i+2])
			i += 2
		}
		if escaped && octets[c]&decode != 0 && c != keep {
			b = append(b, c)
		} else {
			b = appendEscape(b, c)
		}
		i++
		done = i
		i = canonicalPrefix(s, i, raw, decode, keep)
	}
	return string(append(b, s[done:]...))
}

const (
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	unreserved   = alphanumeric + "$-_.+!*'(),"
	drafts1993   = alphanumeric + "$-_@.&!*\"'():;,/+?"
)

// octets contains, for each octet, the sets that contain this octet.
var octets = func() (table [256]uint32) {
	for set, members := range map[uint32]string{
		inText:      unreserved,
		inUser:      unreserved + ";&=",
		inSegment:   unreserved + ":@&=",
		inSelector:  unreserved + "/:;@&=",
		inSearch:    unreserved + ":;@&=",
		inMessageID: unreserved + ";/:&=",
		inWords:     alphanumeric + "$-_.!*'(),;:@&=",
		inObject:    unreserved + "/:@&=",
		inField:     unreserved + ":@&",
		inDatabase:  alphanumeric + "$-_.!*'(),",
		legal1738:   unreserved + ";/?:@&=",
		legal199307: drafts1993,
		legal199310: drafts1993 + " ",
		legal199403: alphanumeric + "$-_@.&+!*\"'(),=;/?:",
		inGroup:     alphanumeric + "-.+_",
		inScheme:    alphanumeric + "+-.",
		percentSet:  "%",
		inAtom:      alphanumeric + "!#$%&'*+-/=?^_`{|}~",

		unreserved3986: alphanumeric + "-._~",
		legal3986:      alphanumeric + "-._~!$&'()*+,;=:@/?",
	} {
		for i := range len(members) {
			table[members[i]] |= set
		}
	}
	return table
}()

// marks contains the marks of each octet.
var marks = func() (table [256]uint8) {
	for c := range 256 {
		switch {
		case c < ' ' || c == 0x7F:
			table[c] = markControl
		case c >= 0x80:
			table[c] = markUnsafe | markEight
		}
	}
	for _, c := range []byte(" \"<>{}|\\^[]`~") {
		table[c] = markUnsafe
	}
	table['%'], table['#'], table[';'], table['?'], table['@'] = markPercent, markHash, markSemicolon, markQuestion, markAt
	return table
}()

// unhexes contains the value of each hexadecimal digit plus one, and 0 for all other octets.
var unhexes = [256]uint8{
	'0': 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	'A': 11, 12, 13, 14, 15, 16,
	'a': 11, 12, 13, 14, 15, 16,
}
