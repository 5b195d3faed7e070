package ftp

import (
	"bufio"
	"bytes"
	"cmp"
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

// reply is a server's answer: its code and its lines without the code. They must pass
// [session.mask] before they are shown.
type reply struct {
	code  int
	lines []string
}

func newControl(conn net.Conn) *control {
	return &control{Conn: conn, in: bufio.NewReaderSize(conn, maxReply)}
}

// reply reads a whole reply (RFC 959, section 4.2). It skips empty lines before it.
func (c *control) reply() (reply, error) {
	var r reply
	op := "read the reply to " + cmp.Or(c.verb, "the connection")
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

// codeOf returns the code and the separator of a line of a reply (RFC 959, section 4.2).
// The separator of a code alone is a space.
func codeOf(s string) (code int, sep byte, ok bool) {
	if len(s) < 3 {
		return 0, 0, false
	}
	code, sep = number(s[:3]), ' '
	if len(s) > 3 {
		sep = s[3]
	}
	return code, sep, code >= 100 && (sep == ' ' || sep == '-')
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

// onWire returns a command as it is sent: with its line end, and with the octet FF,
// Telnet's IAC, doubled (RFC 959, section 2.3; RFC 854).
func onWire(line string) string { return strings.ReplaceAll(line, "\xff", "\xff\xff") + "\r\n" }

func (c *control) command(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	return c.reply()
}

// unasked reports whether something was read that no command waits for.
func (c *control) unasked() bool { return c.in.Buffered() > 0 }
