package nfs

import (
	"encoding/binary"
)

// appendXDR appends values in the encoding of RFC 4506. A string is opaque data of variable length.
func appendXDR(b []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case uint32:
			b = binary.BigEndian.AppendUint32(b, v)
		case uint64:
			b = binary.BigEndian.AppendUint64(b, v)
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
			b = append(b, "\x00\x00\x00"[:padding(len(v))]...)
		}
	}
	return b
}

// padding returns the number of octets after n octets of opaque data.
func padding(n int) int { return -n & 3 }

// decoder reads the values of a reply. After the first malformed value, bad is set and all values are zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bool() bool {
	n := d.uint32()
	d.bad = d.bad || n > 1
	return n == 1 && !d.bad
}

// octets returns opaque data of at most longest octets. The result is valid as long as the reply.
func (d *decoder) octets(longest int) []byte {
	n := d.uint32()
	if uint64(n) > uint64(longest) {
		d.bad = true
	}
	data := d.take(int(n & (1<<31 - 1)))
	d.take(padding(len(data)))
	if d.bad {
		return nil
	}
	return data
}

// string returns a copy of opaque data of at most longest octets.
func (d *decoder) string(longest int) string { return string(d.octets(longest)) }

// end reports whether all values were well-formed and none follows them.
func (d *decoder) end() bool { return !d.bad && len(d.b) == 0 }
