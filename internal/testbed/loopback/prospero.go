package loopback

import (
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"sync"
)

// The ARDP of a ProsperoServer.
const (
	prosperoData      = 1250 // octets of an answer in a packet
	prosperoWindow    = 16   // packets that are sent before an acknowledgement
	prosperoLeast     = 4    // the smallest window, for a peer that makes no progress
	prosperoExchanges = 256  // that are remembered
)

// ProsperoServer is a Prospero server (protocol version 5 over ARDP version 0) that answers like
// the original. Like the original it ends when it is asked for CONTENTS of a name that begins
// with AFTP/. It sends missing packets of an answer only when the client asks for them. Its
// methods are safe for concurrent use.
type ProsperoServer struct {
	address
	conn    net.PacketConn
	running sync.WaitGroup

	mu          sync.Mutex
	directories map[string]string
	infos       map[string]string
	contents    map[string][]byte
	exchanges   map[string]*prosperoExchange
	recent      []string // keys of exchanges, oldest first
	crashed     bool     // it answers nothing any more
	requests    []string
}

// StartProspero serves on a free port of 127.0.0.1 until Close.
func StartProspero() (*ProsperoServer, error) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return ServeProspero(c), nil
}

// ServeProspero serves on conn until Close.
func ServeProspero(conn net.PacketConn) *ProsperoServer {
	s := &ProsperoServer{
		conn: conn, directories: map[string]string{}, infos: map[string]string{}, contents: map[string][]byte{},
		exchanges: map[string]*prosperoExchange{}, address: address{listening: conn.LocalAddr().String()},
	}
	s.running.Go(s.serve)
	return s
}

// URL returns the URL of an object of the server, whose name needs no escapes.
func (s *ProsperoServer) URL(hsoname string) string {
	return "prospero://" + s.inURLs() + "/" + hsoname
}

// Directory sets the reply to LIST for hsoname: LINK lines followed by ATTRIBUTE lines, or any
// other lines. The reply to GET-OBJECT-INFO is NOT-FOUND unless Info has set one.
func (s *ProsperoServer) Directory(hsoname, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.directories[hsoname] = reply
}

// Info has the server answer GET-OBJECT-INFO for hsoname with reply.
func (s *ProsperoServer) Info(hsoname, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infos[hsoname] = reply
}

// Contents has the server send data as the contents of hsoname.
func (s *ProsperoServer) Contents(hsoname string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents[hsoname] = data
}

// Requests returns the last 1000 requests, without their first two lines.
func (s *ProsperoServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Close returns when the server has ended.
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
			continue // an ICMP error about a client that has gone
		}
		for _, p := range s.handle(from.String(), buf[:n]) {
			_, _ = s.conn.WriteTo(p, from)
		}
	}
}

// prosperoExchange is a request and its answer.
type prosperoExchange struct {
	id       uint16
	request  [][]byte // nil where a packet is missing
	total    int      // of the packets of the request
	answered bool
	answer   string
	through  int // packets of the answer that the client has
	window   int
	later    bool // the first window has been sent
}

// handle returns the packets that answer a packet.
func (s *ProsperoServer) handle(from string, p []byte) [][]byte {
	if len(p) == 0 || p[0] == 0 || p[0] > 31 || int(p[0]) > len(p) {
		return nil
	}
	field := func(i, missing int) int {
		if int(p[0]) < i+2 {
			return missing
		}
		return int(binary.BigEndian.Uint16(p[i:]))
	}
	id, number, total, through := field(1, 0), field(3, 1), field(5, 1), field(7, 0)
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
		x = &prosperoExchange{id: uint16(id), total: total, request: make([][]byte, total), window: prosperoWindow}
		s.exchanges[key] = x
		if s.recent = append(s.recent, key); len(s.recent) > prosperoExchanges {
			delete(s.exchanges, s.recent[0])
			s.recent = s.recent[1:]
		}
	}
	if p[0] > 12 && p[12] == 1 { // it is cancelled
		delete(s.exchanges, key)
		return nil
	}
	return s.proceed(x, number, through, p[p[0]:])
}

func (s *ProsperoServer) proceed(x *prosperoExchange, number, through int, data []byte) [][]byte {
	if x.answered {
		switch {
		case through > x.through:
			x.through, x.later = through, true
		case x.window > prosperoLeast:
			x.window /= 2
		}
		return x.packets()
	}
	if number == 0 || number > x.total {
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
	return x.packets()
}

// packets are the next ones that the client may receive, with the headers of
// the original: as short as they can be in the first window, the last of a
// window with the wish for an acknowledgement.
func (x *prosperoExchange) packets() [][]byte {
	total := max(1, (len(x.answer)+prosperoData-1)/prosperoData)
	if total == 1 {
		return [][]byte{append([]byte{3, byte(x.id >> 8), byte(x.id)}, x.answer...)}
	}
	id := x.id
	if x.later {
		id = id<<8 | id>>8 // as the original on little-endian hosts
	}
	var list [][]byte
	for n := x.through + 1; n <= min(x.through+x.window, total); n++ {
		told := 0
		if x.later || n == total {
			told = total
		}
		p := []byte{7}
		for _, v := range [...]uint16{id, uint16(n), uint16(told)} {
			p = binary.BigEndian.AppendUint16(p, v)
		}
		switch {
		case n == x.through+x.window:
			p = append(p, 0, 1, 0, 0, 0x80)
			p[0] = 12
		case x.later:
			p = append(p, 0, 1)
			p[0] = 9
		}
		list = append(list, append(p, x.answer[(n-1)*prosperoData:min(n*prosperoData, len(x.answer))]...))
	}
	return list
}

// answer returns the reply to a request.
func (s *ProsperoServer) answer(request string) string {
	lines := prosperoTokens(request)
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
			return s.list(directory, t[3:])
		case t[0] == "GET-OBJECT-INFO" && len(t) >= 4:
			return s.info(t[1], t[3])
		default:
			return "ERROR unknown command " + t[0] + "\n"
		}
	}
	return "ERROR nothing asked\n"
}

// list is the directory, or its links of that name and its union links.
func (s *ProsperoServer) list(hsoname string, names []string) string {
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
		if t := prosperoTokens(line); len(t) > 0 && len(t[0]) > 3 && t[0][0] == "LINK" {
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

func (s *ProsperoServer) info(names, hsoname string) string {
	if strings.HasPrefix(hsoname, "AFTP/") && strings.Contains(names, "CONTENTS") {
		s.crashed = true // as dirsrv of ISI
	}
	reply, ok := s.infos[hsoname]
	data, has := s.contents[hsoname]
	if !ok && !has {
		return "FAILURE NOT-FOUND\n"
	}
	var b strings.Builder
	if strings.Contains(names, "ACCESS-METHOD") {
		b.WriteString(reply)
	}
	if has && strings.Contains(names, "CONTENTS") {
		b.WriteString("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA " + prosperoQuoted(string(data)) + "\n")
	}
	if b.Len() == 0 {
		return "NONE-FOUND\n"
	}
	return b.String()
}

func prosperoQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// prosperoTokens are the tokens of each line that has any.
func prosperoTokens(text string) [][]string {
	var lines [][]string
	var line []string
	var token []byte
	in, quoted := false, false // a token; quotes in it
	end := func() {
		if in {
			line = append(line, string(token))
		}
		token, in = nil, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && quoted && i+1 < len(text) && text[i+1] == c:
			token = append(token, c)
			i++
		case c == '\'':
			quoted, in = !quoted, true
		case quoted:
			token = append(token, c)
		case c == ' ' || c == '\t' || c == '\n':
			if end(); c == '\n' && line != nil {
				lines, line = append(lines, line), nil
			}
		default:
			token, in = append(token, c), true
		}
	}
	if end(); line != nil {
		lines = append(lines, line)
	}
	return lines
}
