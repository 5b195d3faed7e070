package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"strings"

	"gofer/protocols"
)

// maxReply bounds one reply of the server, all its lines together.
const maxReply = 64 << 10

// control is the control connection (RFC 959, section 2.3): one line of command
// out, one reply in. Replies are bounded, and the Telnet IAC is doubled.
type control struct {
	net.Conn
	in     *bufio.Reader
	rawIAC bool   // the server takes FF as it is
	verb   string // of the last command
}

// reply is a server's answer: its code and its lines without the code, as they
// came: what is shown of them passes [session.mask].
type reply struct {
	code  int
	lines []string
}

func newControl(conn net.Conn) *control {
	return &control{Conn: conn, in: bufio.NewReaderSize(conn, maxReply)}
}

// reply reads a whole reply (RFC 959, section 4.2). It passes over empty lines
// before it.
func (c *control) reply() (reply, error) {
	var r reply
	op := "read the reply to " + c.doing()
	for octets, within := 0, false; ; {
		line, err := c.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return r, err
		}
		if octets += len(line); err != nil || octets > maxReply {
			return r, &protocols.Error{Reason: protocols.TooBig, Op: op}
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		code, sep, ok := codeOf(text)
		switch {
		case !within && strings.TrimSpace(text) == "":
			continue
		case !within && !ok:
			return r, &protocols.Error{Reason: protocols.Malformed, Op: op, Text: strings.TrimSpace(text)}
		case !within, ok && code == r.code:
			r.code = code
			r.lines = append(r.lines, text[min(4, len(text)):])
			within = sep == '-'
		default:
			r.lines = append(r.lines, text)
		}
		if !within {
			return r, nil
		}
	}
}

// codeOf splits the code and what follows it off a line of a reply (RFC 959,
// section 4.2). A code that stands alone counts as followed by a space.
func codeOf(s string) (code int, sep byte, ok bool) {
	if len(s) < 3 {
		return 0, 0, false
	}
	for i := range 3 {
		if s[i] < '0' || s[i] > '9' {
			return 0, 0, false
		}
		code = code*10 + int(s[i]-'0')
	}
	if len(s) == 3 {
		return code, ' ', code >= 100
	}
	return code, s[3], code >= 100 && (s[3] == ' ' || s[3] == '-')
}

func (c *control) send(line string) error {
	c.verb, _, _ = strings.Cut(line, " ")
	out := onWire(line)
	if c.rawIAC {
		out = line + "\r\n"
	}
	_, err := c.Write([]byte(out))
	return err
}

// onWire is a command as it is sent: with its line end, and with the octet FF,
// which is Telnet's IAC, doubled (RFC 959, section 2.3; RFC 854).
func onWire(line string) string { return doubleIAC(line) + "\r\n" }

func doubleIAC(s string) string { return strings.ReplaceAll(s, "\xff", "\xff\xff") }

func (c *control) command(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	return c.reply()
}

// unasked reports whether the server has said something that no command
// waits for, as far as it has been read.
func (c *control) unasked() bool { return c.in.Buffered() > 0 }

// doing names the last command for people.
func (c *control) doing() string {
	if c.verb == "" {
		return "the connection"
	}
	return c.verb
}
