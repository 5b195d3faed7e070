package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// maxReply is the maximal size of a reply with all its lines, in octets.
const maxReply = 64 << 10

// control is the control connection (RFC 959, section 2.3). It sends a command as one line,
// with the octet FF (Telnet's IAC) doubled, and reads replies of bounded size.
type control struct {
	net.Conn
	in     *bufio.Reader
	rawIAC bool   // the octet FF is not doubled
	verb   string // verb of the last command

	server        *server       // what is known of the server
	inFlight      []sentCommand // commands that sendAhead has written and for which send was not called yet
	awaited       sentCommand   // the last command if sendAhead has written it and its reply is not read yet, else zero
	evidence      evidence      // what this session has shown about pipelining
	state         atomic.Uint32 // what has happened since the connection was last idle
	next          passivePort   // the port of the next transfer; zero if it is not known
	portRequested time.Time     // when the last request of a port was sent
	owed          []owedReply   // they precede all other replies
}

// The states of a control connection.
const (
	unanswered uint32 = iota
	answered          // the server has replied
	givenUp           // another session is used instead
)

func (c *control) hasReplied() bool { return c.state.Load() == answered }

// giveUp returns false if the server has replied. Else another session may be used instead.
func (c *control) giveUp() bool { return c.state.CompareAndSwap(unanswered, givenUp) }

// owedReply is a reply that nobody waits for. It is read when the next reply is needed.
type owedReply struct {
	line string // the command
	take func(line string, answer reply)
}

// errDied reports that the server has ended the session because of an error of its own.
var errDied = errors.New("the server has ended the session")

// reply is a reply of the server: its code, and its lines without the code. The lines must
// pass [session.mask] before they are shown.
type reply struct {
	code  int
	lines []string
}

func newControl(conn net.Conn) *control {
	return &control{Conn: conn, in: bufio.NewReaderSize(conn, maxReply), server: new(server)}
}

// nextReply reads the next reply to the last command. It passes the first reply to a
// pipelined command to [control.judgePipelining].
func (c *control) nextReply() (reply, error) {
	sent := c.awaited
	if sent.line == "" {
		r, err := c.readReply()
		c.doubtExtensions(r)
		return r, err
	}
	if conn, ok := c.Conn.(*wire.Conn); ok && c.in.Buffered() == 0 {
		conn.AckAtOnce() // without delay, because no command follows that would carry the acknowledgment
		if sent.mayBeDropped && c.evidence < answersAll {
			conn.RequireQuickReply()
		}
	}
	r, err := c.readReply()
	c.doubtExtensions(r)
	c.awaited = sentCommand{}
	return r, c.judgePipelining(sent, r, err)
}

// doubtExtensions makes the next session send FEAT if r refuses a command that the server is believed to know.
func (c *control) doubtExtensions(r reply) {
	if isUnknownCommand(r.code) && c.server.current().Extensions.has(c.verb) {
		c.server.forgetExtensions()
	}
}

// readOp returns the Op of an error that occurs while the next reply is read.
func (c *control) readOp() string {
	if c.verb == "" {
		return "read the greeting"
	}
	return "read the reply to " + c.verb
}

// readReply reads a reply that is not owed.
func (c *control) readReply() (reply, error) {
	if err := c.readOwed(); err != nil {
		return reply{}, err
	}
	return c.receiveReply(maxReply)
}

// readOwed reads the owed replies. If one of them is missing or no reply, the error is errOutOfStep: the next command, which
// has nothing to do with it, can be sent over another connection.
func (c *control) readOwed() error {
	for len(c.owed) > 0 {
		next := c.owed[0]
		answer, err := c.receiveReply(maxReply)
		c.server.learnSilence(next.line, err)
		switch r := protocols.ReasonOf(err); {
		case r == protocols.Malformed, r == protocols.TooBig, isSilence(err):
			return c.outOfStepError()
		case err != nil:
			return err
		}
		c.owed = c.owed[1:]
		next.take(next.line, answer)
	}
	return nil
}

// receiveReply reads a reply with all its lines (RFC 959, section 4.2), of at most limit octets. It skips empty lines before
// the reply.
func (c *control) receiveReply(limit int) (reply, error) {
	var r reply
	op := c.readOp()
	for octets, multiline := 0, false; ; {
		line, err := c.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return r, err
		}
		if octets += len(line); err != nil || octets > limit {
			return r, &protocols.Error{Reason: protocols.TooBig, Op: op}
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		code, sep, ok := parseCode(text)
		switch {
		case !multiline && strings.TrimSpace(text) == "":
			continue
		case !multiline && !ok:
			return r, &protocols.Error{Reason: protocols.Malformed, Op: op, Text: strings.TrimSpace(text)}
		case !multiline, ok && code == r.code:
			r.code = code
			r.lines = append(r.lines, text[min(4, len(text)):])
			multiline = sep == '-'
		default:
			r.lines = append(r.lines, text)
		}
		if !multiline {
			if !c.state.CompareAndSwap(unanswered, answered) && c.state.Load() == givenUp {
				return r, newUnansweredError()
			}
			if r.code == 500 && strings.HasPrefix(r.lines[0], "OOPS:") { // the last words of vsftpd
				return r, &protocols.Error{Reason: protocols.ServerFailed, Op: op, Code: r.code, Text: replyText(r), Err: errDied}
			}
			return r, nil
		}
	}
}

// parseCode returns the code of a line of a reply, and the separator after the code (RFC 959,
// section 4.2). The separator is a space if the line ends after the code.
func parseCode(s string) (code int, sep byte, ok bool) {
	if len(s) < 3 {
		return 0, 0, false
	}
	code, sep = parseNumber(s[:3]), ' '
	if len(s) > 3 {
		sep = s[3]
	}
	return code, sep, code >= 100 && (sep == ' ' || sep == '-')
}

// send writes a command, unless sendAhead has written it already.
func (c *control) send(line string) error {
	c.verb, _, _ = strings.Cut(line, " ")
	if c.takeInFlight(line) {
		return nil
	}
	if err := c.discardReplies(); err != nil {
		return err
	}
	if err := c.checkQuiet(); err != nil {
		return err
	}
	c.givePortUp(line)
	out := encodeCommand(line)
	if c.rawIAC {
		out = line + "\r\n"
	}
	_, err := c.Write([]byte(out))
	return err
}

// checkQuiet returns errOutOfStep if a reply has arrived although none is missing: it would be taken for the reply to the next
// command. Then nothing is sent together any more. The server may announce that it ends the session (421).
func (c *control) checkQuiet() error {
	if len(c.inFlight) > 0 || len(c.owed) > 0 {
		return nil
	}
	b, _ := c.in.Peek(c.in.Buffered())
	if b = bytes.TrimSpace(b); len(b) == 0 || bytes.HasPrefix(b, []byte("421")) || bytes.HasPrefix(b, []byte("500 OOPS:")) {
		return nil
	}
	return c.failPipelining()
}

// sendOwed writes commands whose replies the function take gets when the next reply is read. It must not be called with
// commands in flight.
func (c *control) sendOwed(lines []string, take func(line string, answer reply)) error {
	if len(lines) == 0 {
		return nil
	}
	if err := c.checkQuiet(); err != nil {
		return err
	}
	for _, line := range lines {
		c.owed = append(c.owed, owedReply{line, take})
	}
	_, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// encodeCommand returns the octets that are sent for a command. It doubles the octet FF, which is Telnet's
// IAC (RFC 959, section 2.3; RFC 854), and adds a line end.
func encodeCommand(line string) string { return strings.ReplaceAll(line, "\xff", "\xff\xff") + "\r\n" }

// roundTrip sends a command and reads its reply.
func (c *control) roundTrip(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	sent := c.awaited
	r, err := c.nextReply()
	if err != nil {
		return r, err
	}
	return c.repeatAlone(sent, r)
}
