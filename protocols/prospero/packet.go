package prospero

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Lengths of packets (ARDP version 0).
const (
	maxData    = 1250 // octets of a request in one packet
	fullHeader = 13   // octets of a header with all fields up to the option
	ackHeader  = 9    // octets of a header with all fields up to received-through
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
	optionRefused        = 1 // a server refuses the connection, or a client cancels the request
	optionReset          = 2 // received-through may have decreased
	optionRedirect       = 4
	optionRedirectNotify = 5
)

// packet is an ARDP packet. Its slices share memory with the datagram.
type packet struct {
	id              uint16 // the id of the connection
	number          int    // 1 for the first packet; 0 for a control packet without a number
	total           int    // the number of packets, or 0 if unknown
	receivedThrough int    // the number of the last packet before the first missing one
	wait            time.Duration
	flags           byte
	option          byte
	args            []byte // the arguments of the option
	data            []byte // nil if the packet has no data for the application
}

// parsePacket parses a datagram. A header may end after any field, and an incomplete field is
// ignored.
func parsePacket(p []byte) (packet, bool) {
	if len(p) == 0 || p[0] > 31 || p[0] == 0 || int(p[0]) > len(p) {
		return packet{}, false // another version, a version without headers, or damaged
	}
	h := p[1:p[0]]
	k := packet{number: 1, total: 1, data: p[p[0]:]}
	k.id = uint16(cutField(&h))
	if len(h) >= 2 {
		k.number, k.total = cutField(&h), cutField(&h)
	}
	k.receivedThrough = cutField(&h)
	k.wait = time.Duration(cutField(&h)) * time.Second
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

// cutField removes the next two octets of a header and returns them as a number. At the end of the
// header it returns 0.
func cutField(h *[]byte) int {
	if len(*h) < 2 {
		*h = nil
		return 0
	}
	v := binary.BigEndian.Uint16(*h)
	*h = (*h)[2:]
	return int(v)
}

// redirectTarget returns the address that a redirect names.
func (k packet) redirectTarget() (netip.AddrPort, bool) {
	if len(k.args) < 6 {
		return netip.AddrPort{}, false
	}
	a := netip.AddrPortFrom(netip.AddrFrom4([4]byte(k.args)), binary.BigEndian.Uint16(k.args[4:]))
	return a, a.Port() != 0 && !a.Addr().IsUnspecified() && !a.Addr().IsMulticast()
}

// newHeader returns a header with all fields up to received-through.
func newHeader(id uint16, number, total, through int) []byte {
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
		list = append(list, append(newHeader(id, i+1, total, 0), text[i*maxData:min((i+1)*maxData, len(text))]...))
	}
	return list
}

// cancelPacket returns the packet that cancels a request.
func cancelPacket(id uint16, through int) []byte {
	b := append(newHeader(id, 0, 0, through), 0, 0, 0, optionRefused)
	b[0] = fullHeader
	return b
}
