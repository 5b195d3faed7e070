package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// telnetIdle is the limit for silence in a session.
const telnetIdle = 30 * time.Minute

// Commands of RFC 854 and options that the server uses.
const (
	telnetIAC, telnetDONT, telnetDO, telnetWONT, telnetWILL = 255, 254, 253, 252, 251
	telnetSB, telnetSE                                      = 250, 240
	telnetEcho, telnetSGA, telnetType, telnetSize           = 1, 3, 24, 31
)

// telnetCommands maps commands to the names that the server prints.
var telnetCommands = map[byte]string{243: "break", 244: "interrupt process", 245: "abort output", 246: "are you there", 237: "suspend"}

// TelnetServer is a telnet server (RFC 854) on a free port of 127.0.0.1. It echoes, asks for the
// type and size of the terminal, greets the user, and repeats each line except the commands help,
// size, colors, mess and bye. Its methods are safe for concurrent use.
type TelnetServer struct {
	server

	// Guarded by mu:
	received []byte
}

// StartTelnet starts a server that runs until Close.
func StartTelnet() (*TelnetServer, error) {
	s := new(TelnetServer)
	return s, s.start(s.serve)
}

// Received returns the last 64 KiB received in all sessions.
func (s *TelnetServer) Received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.received)
}

func (s *TelnetServer) serve(c net.Conn) {
	t := &telnetSession{server: s, conn: c, r: bufio.NewReader(c)}
	t.send("\xff\xfb\x01\xff\xfb\x03\xff\xfd\x18\xff\xfd\x1f" +
		"\r\nWelcome to the telnet session of the demonstration world.\r\n" +
		"Each line that you type is repeated. \x1b[1mhelp\x1b[m lists the commands, \x1b[1mbye\x1b[m ends the session.\r\n\r\n> ")
	for t.err == nil {
		t.handleOctet()
	}
	// Closing with unread data would reset the connection, and the client could lose the end of
	// the session.
	if tcp, ok := c.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(telnetIdle))
		_, _ = io.Copy(io.Discard, c)
	}
}

// telnetSession is a session with a client.
type telnetSession struct {
	server       *TelnetServer
	conn         net.Conn
	r            *bufio.Reader
	err          error // reason for the end of the session
	line         []byte
	terminalType string
	terminalSize string
}

func (t *telnetSession) send(text string) {
	if t.err == nil {
		_ = t.conn.SetWriteDeadline(time.Now().Add(telnetIdle))
		_, t.err = io.WriteString(t.conn, text)
	}
}

func (t *telnetSession) readOctet() byte {
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

// handleOctet reads and handles the next octet or command.
func (t *telnetSession) handleOctet() {
	switch c := t.readOctet(); {
	case t.err != nil:
	case c == telnetIAC:
		t.handleCommand(t.readOctet())
	case c == '\r':
		t.readOctet() // skips the NUL or LF after CR
		t.send("\r\n")
		t.answerLine(string(t.line))
		t.line = nil
	case c == '\b' || c == 0x7f:
		if n := len(t.line); n > 0 {
			t.line = t.line[:n-1]
			t.send("\b \b")
		}
	case c == 0x04:
		t.answerLine("bye")
	case c < ' ':
		t.send(fmt.Sprintf("^%c", c|0x40))
	case len(t.line) < 1000:
		t.line = append(t.line, c)
		t.send(string([]byte{c}))
	}
}

func (t *telnetSession) handleCommand(c byte) {
	switch c {
	case telnetWILL, telnetWONT, telnetDO, telnetDONT:
		if opt := t.readOctet(); c == telnetWILL && opt == telnetType {
			t.send("\xff\xfa\x18\x01\xff\xf0")
		}
	case telnetSB:
		t.setTerminal(t.readSubnegotiation())
	default:
		if name := telnetCommands[c]; name != "" {
			t.send("\r\n[" + name + "]\r\n> " + string(t.line))
		}
	}
}

// readSubnegotiation returns the data of a subnegotiation, without IAC SE.
func (t *telnetSession) readSubnegotiation() (data []byte) {
	for t.err == nil && len(data) < 100 {
		c := t.readOctet()
		if c == telnetIAC {
			if c = t.readOctet(); c == telnetSE {
				break
			}
		}
		data = append(data, c)
	}
	return data
}

// setTerminal stores the type or size of the terminal from the data of a subnegotiation.
func (t *telnetSession) setTerminal(data []byte) {
	switch {
	case len(data) > 2 && data[0] == telnetType:
		t.terminalType = string(data[2:])
	case len(data) == 5 && data[0] == telnetSize:
		size := fmt.Sprintf("%d by %d", int(data[1])<<8|int(data[2]), int(data[3])<<8|int(data[4]))
		if t.terminalSize != "" {
			t.send("\r\n[the terminal is " + size + " now]\r\n> " + string(t.line))
		}
		t.terminalSize = size
	}
}

var errBye = errors.New("bye")

// answerLine answers a line of the user.
func (t *telnetSession) answerLine(line string) {
	switch strings.TrimSpace(line) {
	case "":
	case "help":
		t.send("size     type and size of your terminal\r\ncolors   a few colors\r\n" +
			"mess     change modes of the terminal: gofer restores them afterwards\r\nbye      end the session\r\n")
	case "size":
		t.send("Your terminal is " + t.terminalType + ", " + t.terminalSize + ".\r\n")
	case "colors":
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
