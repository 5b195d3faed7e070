package ber

import (
	"strconv"
	"strings"
)

func encode(tag int, constructed bool, content string) string {
	first := [...]byte{0x80, 0, 0x40}[tag/Universal]
	if constructed {
		first |= constructedBit
	}
	var b []byte
	switch tag %= Universal; {
	case tag < longTag:
		b = append(b, first|byte(tag))
	case tag < 0x80:
		b = append(b, first|longTag, byte(tag))
	default:
		b = append(b, first|longTag, byte(tag>>7)|0x80, byte(tag)&0x7F)
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

// Group encodes an element that consists of elements.
func Group(tag int, parts ...string) string { return encode(tag, true, strings.Join(parts, "")) }

// Leaf encodes an element with a value.
func Leaf(tag int, content string) string { return encode(tag, false, content) }

// Number encodes a number from 0 to MaxNumber.
func Number(tag, n int) string {
	b := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	for len(b) > 1 && b[0] == 0 && b[1] < 0x80 {
		b = b[1:]
	}
	return Leaf(tag, string(b))
}

// OID encodes an object identifier, which is written with dots. From any other text it makes one that [Element.OID] does not return.
func OID(tag int, dotted string) string {
	var b []byte
	first := 0
	for i, part := range strings.Split(dotted, ".") {
		n, _ := strconv.Atoi(part)
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
	return Leaf(tag, string(b))
}
