package loopback

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// telnetIdle is how long a session may be silent.
const telnetIdle = 30 * time.Minute

// The octets of RFC 854 that the server uses, and its options.
const (
	telnetIAC, telnetDONT, telnetDO, telnetWONT, telnetWILL = 255, 254, 253, 252, 251
	telnetSB, telnetSE                                      = 250, 240
	telnetEcho, telnetSGA, telnetType, telnetSize           = 1, 3, 24, 31
)

// telnetCommands are the commands whose names the server prints.
var telnetCommands = map[byte]string{243: "break", 244: "interrupt process", 245: "abort output", 246: "are you there", 237: "suspend"}

// TelnetServer is a telnet server (RFC 854) on a free port of 127.0.0.1. It
// echoes, asks for the terminal's type and size, greets and repeats each line, except
// for its commands help, size, colours, mess and bye. All its
// methods may be called at the same time.
type TelnetServer struct {
	server

	// Under mu:
	received []byte
}

// StartTelnet serves until Close.
func StartTelnet() (*TelnetServer, error) {
	s := new(TelnetServer)
	return s, s.start(s.serve)
}

// Received returns the last octets that came, of all sessions, up to 64 KiB.
func (s *TelnetServer) Received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.received)
}

func (s *TelnetServer) serve(c net.Conn) {
	t := &telnetTalk{server: s, conn: c, r: bufio.NewReader(c)}
	t.send("\xff\xfb\x01\xff\xfb\x03\xff\xfd\x18\xff\xfd\x1f" +
		"\r\nWelcome to the telnet session of the demonstration world.\r\n" +
		"What you type comes back. \x1b[1mhelp\x1b[m tells what else there is, \x1b[1mbye\x1b[m ends the session.\r\n\r\n> ")
	for t.err == nil {
		t.octet()
	}
	// What still comes is read, or the client would get a reset in place of the
	// end, and perhaps of the last words.
	if tcp, ok := c.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(telnetIdle))
		_, _ = io.Copy(io.Discard, c)
	}
}

// telnetTalk is one session.
type telnetTalk struct {
	server *TelnetServer
	conn   net.Conn
	r      *bufio.Reader
	err    error // why it has ended
	line   []byte
	kind   string // of the terminal
	size   string
}

func (t *telnetTalk) send(text string) {
	if t.err == nil {
		_ = t.conn.SetWriteDeadline(time.Now().Add(telnetIdle))
		_, t.err = io.WriteString(t.conn, text)
	}
}

func (t *telnetTalk) next() byte {
	if t.err != nil {
		return 0
	}
	_ = t.conn.SetReadDeadline(time.Now().Add(telnetIdle))
	var c byte
	if c, t.err = t.r.ReadByte(); t.err == nil {
		t.server.mu.Lock()
		if t.server.received = append(t.server.received, c); len(t.server.received) > 64<<10 {
			t.server.received = t.server.received[1:]
		}
		t.server.mu.Unlock()
	}
	return c
}

// octet takes the next octet, or command.
func (t *telnetTalk) octet() {
	switch c := t.next(); {
	case t.err != nil:
	case c == telnetIAC:
		t.command(t.next())
	case c == '\r':
		t.next() // NUL or LF
		t.send("\r\n")
		t.answer(string(t.line))
		t.line = nil
	case c == '\b' || c == 0x7f:
		if n := len(t.line); n > 0 {
			t.line = t.line[:n-1]
			t.send("\b \b")
		}
	case c == 0x04:
		t.answer("bye")
	case c < ' ':
		t.send(fmt.Sprintf("^%c", c|0x40))
	case len(t.line) < 1000:
		t.line = append(t.line, c)
		t.send(string([]byte{c}))
	}
}

func (t *telnetTalk) command(c byte) {
	switch c {
	case telnetWILL, telnetWONT, telnetDO, telnetDONT:
		if opt := t.next(); c == telnetWILL && opt == telnetType {
			t.send("\xff\xfa\x18\x01\xff\xf0")
		}
	case telnetSB:
		t.told(t.sub())
	default:
		if name := telnetCommands[c]; name != "" {
			t.send("\r\n[" + name + "]\r\n> " + string(t.line))
		}
	}
}

// sub returns a subnegotiation, without its end.
func (t *telnetTalk) sub() (data []byte) {
	for t.err == nil && len(data) < 100 {
		c := t.next()
		if c == telnetIAC {
			if c = t.next(); c == telnetSE {
				break
			}
		}
		data = append(data, c)
	}
	return data
}

// told stores the terminal's type or size.
func (t *telnetTalk) told(data []byte) {
	switch {
	case len(data) > 2 && data[0] == telnetType:
		t.kind = string(data[2:])
	case len(data) == 5 && data[0] == telnetSize:
		size := fmt.Sprintf("%d by %d", int(data[1])<<8|int(data[2]), int(data[3])<<8|int(data[4]))
		if t.size != "" {
			t.send("\r\n[the terminal is " + size + " now]\r\n> " + string(t.line))
		}
		t.size = size
	}
}

var errBye = errors.New("bye")

// answer says something to a line.
func (t *telnetTalk) answer(line string) {
	switch strings.TrimSpace(line) {
	case "":
	case "help":
		t.send("size     type and size of your terminal\r\ncolours  a few colours\r\n" +
			"mess     spoil the terminal: gofer puts it in order after the session\r\nbye      end the session\r\n")
	case "size":
		t.send("Your terminal is " + t.kind + ", " + t.size + ".\r\n")
	case "colours":
		for i := range 8 {
			t.send(fmt.Sprintf("\x1b[4%dm    ", i))
		}
		t.send("\x1b[m\r\n")
	case "mess":
		t.send("\x1b]2;not gofer\x1b\\\x1b[?1049h\x1b[?1h\x1b=\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?7l\x1b[5;7r\x1b(0\x1b[31;44m\x1b[7;1Hmess\r\n")
	case "bye":
		t.send("Goodbye.\r\n")
		if t.err == nil {
			t.err = errBye
		}
		return
	default:
		t.send("You said: " + line + "\r\n")
	}
	t.send("> ")
}
