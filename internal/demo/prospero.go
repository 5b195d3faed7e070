package demo

import (
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"sync"
)

// Constants of the ARDP implementation.
const (
	prosperoPacketData   = 1250 // octets of an answer in one packet
	prosperoWindow       = 16   // packets sent before an acknowledgement
	prosperoMinWindow    = 4    // smallest window, for peers that make no progress
	prosperoMaxExchanges = 256  // number of exchanges that the server remembers
)

// ProsperoServer is a Prospero server (protocol version 5 over ARDP version 0) that answers like
// dirsrv, the original server. As dirsrv does, it crashes when it is asked for the CONTENTS of a
// name that begins with AFTP/. It sends missing packets of an answer only when the client asks
// for them. Its methods are safe for concurrent use.
type ProsperoServer struct {
	address
	conn    net.PacketConn
	running sync.WaitGroup

	mu          sync.Mutex
	directories map[string]string
	infos       map[string]string
	contents    map[string][]byte
	exchanges   map[string]*prosperoExchange
	recentKeys  []string // keys of exchanges, oldest first
	crashed     bool     // the server answers no more requests
	requests    []string
}

// StartProspero starts a server on a free port of 127.0.0.1; Close stops it.
func StartProspero() (*ProsperoServer, error) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return ServeProspero(c), nil
}

// ServeProspero starts a server on conn; Close stops it.
func ServeProspero(conn net.PacketConn) *ProsperoServer {
	s := &ProsperoServer{
		conn: conn, directories: map[string]string{}, infos: map[string]string{}, contents: map[string][]byte{},
		exchanges: map[string]*prosperoExchange{}, address: address{listening: conn.LocalAddr().String()},
	}
	s.running.Go(s.serve)
	return s
}

// URL returns the URL of an object of the server. hsoname must not contain characters that need
// escapes.
func (s *ProsperoServer) URL(hsoname string) string {
	return "prospero://" + s.hostInURLs() + "/" + hsoname
}

// SetDirectory sets the reply to LIST for hsoname: LINK lines followed by ATTRIBUTE lines, or any
// other lines. It does not change the reply to GET-OBJECT-INFO, which is NOT-FOUND until SetInfo
// or SetContents is called.
func (s *ProsperoServer) SetDirectory(hsoname, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.directories[hsoname] = reply
}

// SetInfo sets the reply to GET-OBJECT-INFO for hsoname.
func (s *ProsperoServer) SetInfo(hsoname, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infos[hsoname] = reply
}

// SetContents sets the contents of the object hsoname.
func (s *ProsperoServer) SetContents(hsoname string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents[hsoname] = data
}

// Requests returns the last 1000 lines of requests, without VERSION and AUTHENTICATE lines.
func (s *ProsperoServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Close stops the server and waits for its goroutine.
func (s *ProsperoServer) Close() error {
	err := s.conn.Close()
	s.running.Wait()
	return err
}

func (s *ProsperoServer) serve() {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an ICMP error about a client that has disconnected
		}
		for _, p := range s.handlePacket(from.String(), buf[:n]) {
			_, _ = s.conn.WriteTo(p, from)
		}
	}
}

// prosperoExchange is a request and its answer.
type prosperoExchange struct {
	id             uint16
	request        [][]byte // packets of the request; a packet that has not been received is nil
	requestPackets int      // number of packets of the request
	answered       bool
	answer         string
	acknowledged   int // number of packets of the answer that the client has acknowledged
	window         int
	windowSent     bool // the client has acknowledged packets of the first window
}

// handlePacket handles a packet of a client and returns the packets to send.
func (s *ProsperoServer) handlePacket(from string, p []byte) [][]byte {
	if len(p) == 0 || p[0] == 0 || p[0] > 31 || int(p[0]) > len(p) {
		return nil
	}
	field := func(i, missing int) int {
		if int(p[0]) < i+2 {
			return missing
		}
		return int(binary.BigEndian.Uint16(p[i:]))
	}
	id, number, total, acknowledged := field(1, 0), field(3, 1), field(5, 1), field(7, 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return nil
	}
	key := from + " " + string(p[1:min(3, len(p))])
	x := s.exchanges[key]
	if x == nil {
		if number == 0 || total == 0 || number > total {
			return nil
		}
		x = &prosperoExchange{id: uint16(id), requestPackets: total, request: make([][]byte, total), window: prosperoWindow}
		s.exchanges[key] = x
		if s.recentKeys = append(s.recentKeys, key); len(s.recentKeys) > prosperoMaxExchanges {
			delete(s.exchanges, s.recentKeys[0])
			s.recentKeys = s.recentKeys[1:]
		}
	}
	if p[0] > 12 && p[12] == 1 { // the client cancels the request
		delete(s.exchanges, key)
		return nil
	}
	return s.receivePacket(x, number, acknowledged, p[p[0]:])
}

func (s *ProsperoServer) receivePacket(x *prosperoExchange, number, acknowledged int, data []byte) [][]byte {
	if x.answered {
		switch {
		case acknowledged > x.acknowledged:
			x.acknowledged, x.windowSent = acknowledged, true
		case x.window > prosperoMinWindow:
			x.window /= 2
		}
		return x.nextPackets()
	}
	if number == 0 || number > x.requestPackets {
		return nil
	}
	x.request[number-1] = append([]byte{}, data...)
	var request strings.Builder
	for _, part := range x.request {
		if part == nil {
			return nil
		}
		request.Write(part)
	}
	x.answer, x.answered = s.answer(request.String()), true
	if s.crashed {
		return nil
	}
	return x.nextPackets()
}

// nextPackets returns the packets of the next window. The headers are like dirsrv's: they are as
// short as possible in the first window, and the last packet of each full window requests an
// acknowledgement.
func (x *prosperoExchange) nextPackets() [][]byte {
	total := max(1, (len(x.answer)+prosperoPacketData-1)/prosperoPacketData)
	if total == 1 {
		return [][]byte{append([]byte{3, byte(x.id >> 8), byte(x.id)}, x.answer...)}
	}
	id := x.id
	if x.windowSent {
		id = id<<8 | id>>8 // as dirsrv does on little-endian hosts
	}
	var list [][]byte
	for n := x.acknowledged + 1; n <= min(x.acknowledged+x.window, total); n++ {
		totalField := 0
		if x.windowSent || n == total {
			totalField = total
		}
		p := []byte{7}
		for _, v := range [...]uint16{id, uint16(n), uint16(totalField)} {
			p = binary.BigEndian.AppendUint16(p, v)
		}
		switch {
		case n == x.acknowledged+x.window:
			p = append(p, 0, 1, 0, 0, 0x80)
			p[0] = 12
		case x.windowSent:
			p = append(p, 0, 1)
			p[0] = 9
		}
		list = append(list, append(p, x.answer[(n-1)*prosperoPacketData:min(n*prosperoPacketData, len(x.answer))]...))
	}
	return list
}

// answer returns the reply to a request.
func (s *ProsperoServer) answer(request string) string {
	lines := splitProspero(request)
	var rest []string
	directory := ""
	for i, t := range lines {
		switch {
		case i == 0 && (t[0] != "VERSION" || len(t) < 2):
			return "ERROR no version\n"
		case i == 0 && t[1] != "5":
			return "VERSION-NOT-SUPPORTED TRY 1-5\n"
		case t[0] == "VERSION", t[0] == "AUTHENTICATE":
			continue
		}
		rest = append(rest, strings.Join(t, " "))
		if len(s.requests) >= 1000 {
			s.requests = append(s.requests[:0], s.requests[1:]...)
		}
		s.requests = append(s.requests, rest[len(rest)-1])
		switch {
		case t[0] == "DIRECTORY" && len(t) >= 3:
			directory = t[2]
		case t[0] == "LIST" && len(t) >= 3:
			return s.listReply(directory, t[3:])
		case t[0] == "GET-OBJECT-INFO" && len(t) >= 4:
			return s.infoReply(t[1], t[3])
		default:
			return "ERROR unknown command " + t[0] + "\n"
		}
	}
	return "ERROR nothing asked\n"
}

// listReply returns the reply to LIST. If names is empty the reply is the whole directory.
// Otherwise it contains only the union links and the links called names[0].
func (s *ProsperoServer) listReply(hsoname string, names []string) string {
	reply, ok := s.directories[hsoname]
	if !ok {
		return "FAILURE NOT-A-DIRECTORY\n"
	}
	if len(names) == 0 {
		if reply == "" {
			return "NONE-FOUND\n"
		}
		return reply
	}
	var found strings.Builder
	keep := false
	for line := range strings.Lines(reply) {
		if t := splitProspero(line); len(t) > 0 && len(t[0]) > 3 && t[0][0] == "LINK" {
			keep = t[0][3] == names[0] || t[0][1] == "U"
		}
		if keep {
			found.WriteString(line)
		}
	}
	if found.Len() == 0 {
		return "NONE-FOUND\n"
	}
	return found.String()
}

func (s *ProsperoServer) infoReply(names, hsoname string) string {
	if strings.HasPrefix(hsoname, "AFTP/") && strings.Contains(names, "CONTENTS") {
		s.crashed = true // as dirsrv does
	}
	reply, ok := s.infos[hsoname]
	data, hasContents := s.contents[hsoname]
	if !ok && !hasContents {
		return "FAILURE NOT-FOUND\n"
	}
	var b strings.Builder
	if strings.Contains(names, "ACCESS-METHOD") {
		b.WriteString(reply)
	}
	if hasContents && strings.Contains(names, "CONTENTS") {
		b.WriteString("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA " + quoteProspero(string(data)) + "\n")
	}
	if b.Len() == 0 {
		return "NONE-FOUND\n"
	}
	return b.String()
}

func quoteProspero(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// splitProspero returns the tokens of each line. Lines without tokens are left out.
func splitProspero(text string) [][]string {
	var lines [][]string
	var line []string
	var token []byte
	inToken, quoted := false, false // inside a token; inside quotes
	end := func() {
		if inToken {
			line = append(line, string(token))
		}
		token, inToken = nil, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && quoted && i+1 < len(text) && text[i+1] == c:
			token = append(token, c)
			i++
		case c == '\'':
			quoted, inToken = !quoted, true
		case quoted:
			token = append(token, c)
		case c == ' ' || c == '\t' || c == '\n':
			if end(); c == '\n' && line != nil {
				lines, line = append(lines, line), nil
			}
		default:
			token, inToken = append(token, c), true
		}
	}
	if end(); line != nil {
		lines = append(lines, line)
	}
	return lines
}
