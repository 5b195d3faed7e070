package ftp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"gofer/protocols"
)

// maxPipelined is the maximal size of the commands in one write, in octets. More than the server can buffer
// would cause a deadlock: each side would wait until the other side reads.
const maxPipelined = 4 << 10

// pipelining records whether a server supports pipelining. All sessions with a server share one pipelining.
type pipelining struct{ atomic.Int32 }

// recognize records that the server does not support pipelining if the greeting names one of certain
// programs. The list of these programs is taken from lftp.
func (p *pipelining) recognize(greeting string) {
	for _, name := range []string{"icrosoft FTP Service", "MadGoat", "MikroTik"} {
		if strings.Contains(greeting, name) {
			p.Store(pipelineFails)
		}
	}
}

const (
	pipelineUntested int32 = iota
	pipelineWorks
	pipelineFails
)

// errOutOfStep reports that the replies do not match the pipelined commands.
// [Client.withSession] then tries another connection.
var errOutOfStep = errors.New("the replies do not match the pipelined commands")

// pipeline sends commands and returns their replies in the same order. It sends the commands in one write
// if the server supports pipelining. If it returns an error, it also returns the replies received before
// the error, and the session cannot be used any more.
func (c *control) pipeline(lines ...string) ([]reply, error) {
	if err := c.sendAhead(lines...); err != nil {
		return nil, err
	}
	replies := make([]reply, 0, len(lines))
	for _, line := range lines {
		r, err := c.roundTrip(line)
		if err != nil {
			return replies, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// sendAhead writes commands early. The caller must then call [control.send] with each of them, in this
// order. sendAhead may write only the first commands, or none, for example if the server does not support
// pipelining. Therefore send writes a command only if sendAhead has not written it.
func (c *control) sendAhead(lines ...string) error {
	if err := c.discardReplies(); err != nil || c.pipelining.Load() == pipelineFails {
		return err
	}
	var out strings.Builder
	n := 0
	for ; n < len(lines); n++ {
		if strings.Contains(lines[n], "\xff") && !c.rawIAC || out.Len()+len(lines[n]) > maxPipelined {
			break // retryRawIAC may have to send this command twice
		}
		out.WriteString(lines[n])
		out.WriteString("\r\n")
	}
	if n < 2 {
		return nil
	}
	c.inFlight, c.firstInFlight = slices.Clone(lines[:n]), true
	_, err := io.WriteString(c, out.String())
	return err
}

// takeInFlight reports whether line is the next command in flight. If so, takeInFlight removes the command
// from c.inFlight.
func (c *control) takeInFlight(line string) bool {
	c.wasPipelined = len(c.inFlight) > 0 && c.inFlight[0] == line
	if c.notFirst = c.wasPipelined && !c.firstInFlight; c.wasPipelined {
		c.inFlight, c.firstInFlight = c.inFlight[1:], false
	}
	return c.wasPipelined
}

// discardReplies reads the replies to the commands in flight, which are no longer needed. It
// returns errOutOfStep if one of these commands may begin a transfer, or change the directory or type.
func (c *control) discardReplies() error {
	for len(c.inFlight) > 0 {
		switch verb, _, _ := strings.Cut(c.inFlight[0], " "); verb {
		case "SIZE", "MDTM", "EPSV", "PASV", "PRET", "MLST", "PWD":
			c.inFlight = c.inFlight[1:]
		default:
			return c.outOfStepError()
		}
		if _, err := c.readReply(); err != nil {
			return err
		}
	}
	return nil
}

func (c *control) outOfStepError() error {
	return &protocols.Error{Reason: protocols.Broken, Op: c.readOp(), Err: errOutOfStep}
}

// judgePipelining learns from the reply to a pipelined command, or from the error in place
// of the reply, whether the server supports pipelining.
func (c *control) judgePipelining(r reply, err error) error {
	expected := map[string]int{"FEAT": 211, "TYPE": 200, "SIZE": 213, "MDTM": 213, "EPSV": 229, "PASV": 227, "MLST": 250, "PWD": 257}[c.verb]
	switch {
	case err != nil && (!c.hasReplied || c.pipelining.Load() == pipelineWorks || !isPipelineFailure(err)):
		return err
	case err != nil,
		expected != 0 && r.code < 400 && r.code != expected,
		r.code == 425 && expected == 0, // the server does not wait for the data connection
		r.code == 503:
		c.pipelining.Store(pipelineFails)
		return c.outOfStepError()
	case c.notFirst && len(c.inFlight) == 0 && !isUnknownCommand(r.code):
		c.pipelining.CompareAndSwap(pipelineUntested, pipelineWorks)
	}
	return nil
}

// isPipelineFailure reports whether the cause of err may be a server without pipelining.
func isPipelineFailure(err error) bool {
	r := protocols.ReasonOf(err)
	return r == protocols.Broken || r == protocols.Malformed || errors.Is(err, io.EOF)
}

func isUnknownCommand(code int) bool { return code >= 500 && code <= 504 }

// repeatAlone sends a pipelined command again by itself if r, its reply, may be a refusal of
// pipelining. It returns the last reply to the command.
func (c *control) repeatAlone(line string, r reply) (reply, error) {
	if !c.notFirst || !isUnknownCommand(r.code) || c.pipelining.Load() != pipelineUntested {
		return r, nil
	}
	if err := c.discardReplies(); err != nil {
		c.pipelining.Store(pipelineFails)
		return r, err
	}
	if err := c.send(line); err != nil {
		return r, err
	}
	alone, err := c.nextReply()
	if err == nil && alone.code != r.code {
		c.pipelining.Store(pipelineFails)
	} else if err == nil {
		c.pipelining.CompareAndSwap(pipelineUntested, pipelineWorks)
	}
	return alone, err
}
