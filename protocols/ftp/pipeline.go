package ftp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"gofer/protocols"
)

// maxAhead bounds the octets of the commands in one write: more than the server's buffer
// would wait for a server that waits for its replies to be read.
const maxAhead = 4 << 10

// pipelining records whether a server takes several commands in one write. Sessions with
// the same server share it.
type pipelining struct{ atomic.Int32 }

// recognize knows by their greetings the servers that lftp sends one command at a time.
func (p *pipelining) recognize(greeting string) {
	for _, name := range []string{"icrosoft FTP Service", "MadGoat", "MikroTik"} {
		if strings.Contains(greeting, name) {
			p.Store(fails)
		}
	}
}

const (
	untested int32 = iota
	works
	fails
)

// errStep reports that replies do not belong to the commands that were sent together.
// [Client.do] then tries another connection.
var errStep = errors.New("commands that were sent together were not answered one by one")

// pipeline sends commands in one write and returns the replies in order. An error ends
// the session; the replies before it are returned.
func (c *control) pipeline(lines ...string) ([]reply, error) {
	if err := c.sendAhead(lines...); err != nil {
		return nil, err
	}
	replies := make([]reply, 0, len(lines))
	for _, line := range lines {
		r, err := c.command(line)
		if err != nil {
			return replies, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// sendAhead sends commands in one write, before their turn: [control.send] sends none of
// them again. At a server that does not take them together it sends nothing.
func (c *control) sendAhead(lines ...string) error {
	if err := c.discard(); err != nil || c.pipelining.Load() == fails {
		return err
	}
	var out strings.Builder
	n := 0
	for ; n < len(lines); n++ {
		if strings.Contains(lines[n], "\xff") && !c.rawIAC || out.Len()+len(lines[n]) > maxAhead {
			break // see [session.try]
		}
		out.WriteString(lines[n])
		out.WriteString("\r\n")
	}
	if n < 2 {
		return nil
	}
	c.ahead, c.first = slices.Clone(lines[:n]), true
	_, err := io.WriteString(c, out.String())
	return err
}

// wasAhead reports whether a command was sent before its turn, which comes now.
func (c *control) wasAhead(line string) bool {
	c.piped = len(c.ahead) > 0 && c.ahead[0] == line
	if c.follows = c.piped && !c.first; c.piped {
		c.ahead, c.first = c.ahead[1:], false
	}
	return c.piped
}

// discard reads the replies to the commands ahead whose turn does not come. A transfer and
// a change of the directory or of the type cannot be taken back.
func (c *control) discard() error {
	for len(c.ahead) > 0 {
		switch verb, _, _ := strings.Cut(c.ahead[0], " "); verb {
		case "SIZE", "MDTM", "EPSV", "PASV", "PRET", "MLST", "PWD":
			c.ahead = c.ahead[1:]
		default:
			return c.outOfStep()
		}
		if _, err := c.read(); err != nil {
			return err
		}
	}
	return nil
}

func (c *control) outOfStep() error {
	return &protocols.Error{Reason: protocols.Broken, Op: c.reading(), Err: errStep}
}

// judge learns from the reply to a command that was sent together with others, or from
// the error in its place, whether the server takes commands together.
func (c *control) judge(r reply, err error) error {
	expected := map[string]int{"FEAT": 211, "TYPE": 200, "SIZE": 213, "MDTM": 213, "EPSV": 229, "PASV": 227, "MLST": 250, "PWD": 257}[c.verb]
	switch {
	case err != nil && (!c.alive || c.pipelining.Load() == works || !breaks(err)):
		return err
	case err != nil,
		expected != 0 && r.code < 400 && r.code != expected,
		r.code == 425 && expected == 0, // it does not wait for the data connection
		r.code == 503:
		c.pipelining.Store(fails)
		return c.outOfStep()
	case c.follows && len(c.ahead) == 0 && !unknownCommand(r.code):
		c.pipelining.CompareAndSwap(untested, works)
	}
	return nil
}

// breaks reports whether err may come of a server that does not take commands together.
func breaks(err error) bool {
	r := protocols.ReasonOf(err)
	return r == protocols.Broken || r == protocols.Malformed || errors.Is(err, io.EOF)
}

func unknownCommand(code int) bool { return code >= 500 && code <= 504 }

// confirm repeats a command alone if its refusal may come of the commands before it.
func (c *control) confirm(line string, r reply) (reply, error) {
	if !c.follows || !unknownCommand(r.code) || c.pipelining.Load() != untested {
		return r, nil
	}
	if err := c.discard(); err != nil {
		c.pipelining.Store(fails)
		return r, err
	}
	if err := c.send(line); err != nil {
		return r, err
	}
	alone, err := c.reply()
	if err == nil && alone.code != r.code {
		c.pipelining.Store(fails)
	} else if err == nil {
		c.pipelining.CompareAndSwap(untested, works)
	}
	return alone, err
}
