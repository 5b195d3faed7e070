package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"strings"
	"time"

	"gofer/protocols"
)

// maxReply bounds one reply of the server, all its lines together.
const maxReply = 64 << 10

// control is the control connection (RFC 959, section 2.3). What the library
// has no part in passes [control.command]; for the transfers it stands between
// the library and the network, hands out one line at a time, so that the
// library never reads ahead of the reply it is in, and normalises the replies.
// Replies are bounded, and the Telnet IAC is doubled.
type control struct {
	net.Conn
	in *bufio.Reader

	listing string // sent in place of RETR, if not empty
	rawIAC  bool   // the server takes FF as it is

	verb string // of the last command

	out     []byte // an unfinished command line
	pending []byte // of a reply, not yet read by the library
	cur     reply  // being received
	octets  int    // of cur so far
	within  bool   // in the middle of a multi-line reply
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

// SetDeadline does nothing: wire.Conn has a limit for each operation, and a
// deadline left behind by the library would end a healthy connection.
func (*control) SetDeadline(time.Time) error { return nil }

// Read returns at most the rest of one line of a reply.
func (c *control) Read(p []byte) (int, error) {
	if len(c.pending) == 0 {
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.pending)
	c.pending = c.pending[n:]
	return n, nil
}

// fill reads the next line of a reply into pending. It passes over empty lines
// between replies.
func (c *control) fill() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if c.octets += len(line); err != nil || c.octets > maxReply {
			return &protocols.Error{Reason: protocols.TooBig, Op: "read the reply to " + c.doing()}
		}
		if !c.within && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !c.within {
			if _, _, ok := codeOf(string(bytes.TrimRight(line, "\r\n"))); !ok {
				return &protocols.Error{Reason: protocols.Malformed, Op: "read the reply to " + c.doing(), Text: string(bytes.TrimSpace(line))}
			}
			c.cur = reply{}
		}
		c.pending = c.take(append(c.pending[:0], line...))
		if !c.within {
			c.octets = 0
		}
		return nil
	}
}

// take notes a line of a reply and returns it as the library wants it.
func (c *control) take(line []byte) []byte {
	text := string(bytes.TrimRight(line, "\r\n"))
	code, sep, ok := codeOf(text)
	switch {
	case !c.within:
		c.cur.code = code
		c.within = sep == '-'
	case ok && code == c.cur.code:
		c.within = sep == '-'
	default:
		c.cur.lines = append(c.cur.lines, text)
		return line
	}
	c.cur.lines = append(c.cur.lines, text[min(4, len(text)):])
	line = []byte(text)
	if len(line) == 3 {
		line = append(line, ' ')
	}
	if c.verb == "PASV" && c.cur.code == 227 {
		line = []byte(plainPASV(text))
	}
	if want := wanted(c.verb, code); want != "" {
		copy(line, want)
	}
	return append(line, '\r', '\n')
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

// wanted is the code that the library takes for the success of a command,
// where the server sent another one of the same meaning: the first digit
// tells (RFC 959, section 4.2). It is "" where the code may stay.
func wanted(verb string, code int) string {
	switch verb {
	case "RETR", "STOR", "MLSD", "LIST", "NLST":
		return map[int]string{1: "150", 2: "226"}[code/100]
	case "REST":
		return map[int]string{3: "350"}[code/100]
	}
	return ""
}

// plainPASV rewrites a 227 reply to the one form that the library reads
// safely. RFC 1123, section 4.1.2.6: look for the digits, not the parentheses.
func plainPASV(line string) string {
	for i := 4; i < len(line); i++ {
		if line[i] < '0' || line[i] > '9' {
			continue
		}
		rest := line[i:]
		end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ',' && r != ' ' })
		if end < 0 {
			end = len(rest)
		}
		nums := strings.Split(strings.ReplaceAll(rest[:end], " ", ""), ",")
		if len(nums) == 6 {
			return "227 (" + strings.Join(nums, ",") + ")"
		}
		i += end
	}
	return "227 ()"
}

// Write takes command lines from the library and sends each when it is whole.
func (c *control) Write(p []byte) (int, error) {
	c.out = append(c.out, p...)
	for {
		i := bytes.IndexByte(c.out, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := strings.TrimSuffix(string(c.out[:i]), "\r")
		c.out = append(c.out[:0], c.out[i+1:]...)
		if err := c.send(line); err != nil {
			return 0, err
		}
	}
}

func (c *control) send(line string) error {
	verb, _, _ := strings.Cut(line, " ")
	if c.listing != "" && verb == "RETR" {
		line = c.listing
		verb, _, _ = strings.Cut(line, " ")
	}
	c.verb = verb
	c.octets, c.within = 0, false
	out := onWire(line)
	if c.rawIAC {
		out = line + "\r\n"
	}
	_, err := c.Conn.Write([]byte(out))
	return err
}

// onWire is a command as it is sent: with its line end, and with the octet FF,
// which is Telnet's IAC, doubled (RFC 959, section 2.3; RFC 854).
func onWire(line string) string { return doubleIAC(line) + "\r\n" }

func doubleIAC(s string) string { return strings.ReplaceAll(s, "\xff", "\xff\xff") }

// command sends a command and returns the whole reply to it.
func (c *control) command(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	for {
		if err := c.fill(); err != nil {
			return reply{}, err
		}
		c.pending = c.pending[:0]
		if !c.within {
			return c.cur, nil
		}
	}
}

// unasked reports whether the server has said something that no command
// waits for, as far as it has been read.
func (c *control) unasked() bool { return len(c.pending) > 0 || c.in.Buffered() > 0 }

// doing names the last command for people.
func (c *control) doing() string {
	if c.verb == "" {
		return "the connection"
	}
	return c.verb
}
