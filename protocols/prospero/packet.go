package prospero

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Lengths of packets (ARDP version 0).
const (
	maxData    = 1250 // octets of the request in a packet
	fullHeader = 13   // octets, up to the option
	ackHeader  = 9    // octets, up to received-through
)

// The flags of a header.
const (
	flagAddress   = 0x01 // an additional address follows
	flagPriority  = 0x02
	flagProtocol  = 0x04
	flagWindow    = 0x08
	flagSequenced = 0x40 // the packet has a number, but no data for the application
	flagAck       = 0x80 // an acknowledgement is requested
)

// The options of a header.
const (
	optionRefused        = 1 // from a server: the connection is refused; from a client: the request is canceled
	optionReset          = 2 // received-through may have decreased
	optionRedirect       = 4
	optionRedirectNotify = 5
)

// packet is an ARDP packet. Its slices are parts of the datagram.
type packet struct {
	id      uint16 // the id of the connection
	number  int    // the number from 1; 0 for a control packet without a number
	total   int    // the number of packets, 0 if unknown
	through int    // all packets up to this number were received
	wait    time.Duration
	flags   byte
	option  byte
	args    []byte // the arguments of the option
	data    []byte // the data; nil for a packet without data for the application
}

// parsePacket parses a datagram. A header may end after any field; an incomplete field is ignored.
func parsePacket(p []byte) (packet, bool) {
	if len(p) == 0 || p[0] > 31 || p[0] == 0 || int(p[0]) > len(p) {
		return packet{}, false // another version, the version without headers, or damaged
	}
	h := p[1:p[0]]
	k := packet{number: 1, total: 1, data: p[p[0]:]}
	k.id = uint16(field(&h))
	if len(h) >= 2 {
		k.number, k.total = field(&h), field(&h)
	}
	k.through = field(&h)
	k.wait = time.Duration(field(&h)) * time.Second
	if len(h) > 0 {
		k.flags, h = h[0], h[1:]
	}
	if len(h) > 0 {
		k.option, h = h[0], h[1:]
	}
	for _, f := range [...]struct {
		flag byte
		size int
	}{{flagAddress, 6}, {flagPriority, 2}, {flagProtocol, 2}, {flagWindow, 2}} {
		if k.flags&f.flag != 0 {
			h = h[min(f.size, len(h)):]
		}
	}
	k.args = h
	if k.number == 0 || k.flags&flagSequenced != 0 {
		k.data = nil
	}
	return k, true
}

// field returns the next two octets of a header and removes them, or 0 at the end.
func field(h *[]byte) int {
	if len(*h) < 2 {
		*h = nil
		return 0
	}
	v := binary.BigEndian.Uint16(*h)
	*h = (*h)[2:]
	return int(v)
}

// address returns the target of a redirect.
func (k packet) address() (netip.AddrPort, bool) {
	if len(k.args) < 6 {
		return netip.AddrPort{}, false
	}
	a := netip.AddrPortFrom(netip.AddrFrom4([4]byte(k.args)), binary.BigEndian.Uint16(k.args[4:]))
	return a, a.Port() != 0 && !a.Addr().IsUnspecified() && !a.Addr().IsMulticast()
}

// header appends a header with all fields up to received-through.
func header(id uint16, number, total, through int) []byte {
	b := append(make([]byte, 0, ackHeader+maxData), ackHeader)
	for _, v := range [...]int{int(id), number, total, through} {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func requestPackets(id uint16, text string) [][]byte {
	total := (len(text) + maxData - 1) / maxData
	var list [][]byte
	for i := range total {
		list = append(list, append(header(id, i+1, total, 0), text[i*maxData:min((i+1)*maxData, len(text))]...))
	}
	return list
}

// cancelPacket returns the packet that cancels a request.
func cancelPacket(id uint16, through int) []byte {
	b := append(header(id, 0, 0, through), 0, 0, 0, optionRefused)
	b[0] = fullHeader
	return b
}
