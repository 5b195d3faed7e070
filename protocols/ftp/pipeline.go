package ftp

import (
	"errors"
	"io"
	"slices"
	"strings"

	"gofer/protocols"
)

// maxPipelined is the maximal size of the commands in one write, in octets. More than the server can buffer
// would cause a deadlock: each side would wait until the other side reads.
const maxPipelined = 4 << 10

// pipelining says whether a server supports pipelining.
type pipelining uint8

const (
	pipelineUntested pipelining = iota
	pipelineWorks
	pipelineFails
)

// sentCommand is a command that was written before it was needed.
type sentCommand struct {
	line string
	// mayBeDropped is set if the command was written before the server had replied to all that precedes it. A server
	// without pipelining may drop such a command.
	mayBeDropped bool
}

// evidence says what the replies in a session have shown about pipelining. What an earlier session has shown may be out
// of date.
type evidence uint8

const (
	noEvidence  evidence = iota
	answersSome          // the server has answered a command of a write after the first
	answersAll           // the server has answered all commands of a write
)

// refusesPipelining reports whether a greeting names one of certain programs that do not support pipelining.
// The list of these programs is taken from lftp.
func refusesPipelining(greeting string) bool {
	return slices.ContainsFunc([]string{"icrosoft FTP Service", "MadGoat", "MikroTik"},
		func(name string) bool { return strings.Contains(greeting, name) })
}

// errOutOfStep reports that the replies do not match the commands.
// [Client.withSession] then tries another connection.
var errOutOfStep = errors.New("the replies do not match the commands")

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
// pipelining. Therefore send writes a command only if sendAhead has not written it. If the commands in flight
// begin like lines, sendAhead writes only those that follow, or none if the commands in flight go on otherwise.
func (c *control) sendAhead(lines ...string) error {
	n := min(len(c.inFlight), len(lines))
	switch {
	case n == 0:
	case !c.isNext(lines[0]):
		if err := c.discardReplies(); err != nil {
			return err
		}
		n = 0
	case !slices.EqualFunc(c.inFlight[:n], lines[:n], func(sent sentCommand, line string) bool { return sent.line == line }):
		return nil
	}
	if c.server.current().Pipelining == pipelineFails {
		return nil
	}
	octets := 0
	for _, sent := range c.inFlight {
		octets += len(sent.line)
	}
	end := n
	for ; end < len(lines); end++ {
		octets += len(lines[end])
		if strings.Contains(lines[end], "\xff") && !c.rawIAC || octets > maxPipelined {
			break // retryRawIAC may have to send this command twice
		}
	}
	if len(c.inFlight) == 0 && end < 2 {
		return nil
	}
	return c.writeAhead(lines[n:end])
}

// sendNow is like sendAhead, but also writes a single command.
func (c *control) sendNow(lines ...string) error {
	if err := c.discardReplies(); err != nil {
		return err
	}
	return c.writeAhead(lines)
}

// sendEarly writes a command before the greeting was read.
func (c *control) sendEarly(line string) error { return c.writeAhead([]string{line}) }

// writeAhead writes commands in one write.
func (c *control) writeAhead(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	if err := c.checkQuiet(); err != nil {
		return err
	}
	beforeGreeting := c.verb == "" && !c.hasReplied()
	for _, line := range lines {
		c.inFlight = append(c.inFlight, sentCommand{line, beforeGreeting || len(c.inFlight) > 0})
		c.givePortUp(line)
	}
	_, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// nextInFlight returns the next command in flight, or "" if there is none.
func (c *control) nextInFlight() string {
	if len(c.inFlight) == 0 {
		return ""
	}
	return c.inFlight[0].line
}

// isNext reports whether line is the next command in flight.
func (c *control) isNext(line string) bool { return c.nextInFlight() == line }

// skipReply reads the reply to line if sendAhead has written this command, which turned out to be needless. A
// server may refuse it.
func (c *control) skipReply(line string) error {
	if !c.isNext(line) {
		return nil
	}
	if err := c.send(line); err != nil {
		return err
	}
	_, err := c.nextReply()
	return err
}

// takeInFlight reports whether line is the next command in flight. If so, takeInFlight removes the command
// from c.inFlight.
func (c *control) takeInFlight(line string) bool {
	c.awaited = sentCommand{}
	if !c.isNext(line) {
		return false
	}
	c.awaited, c.inFlight = c.inFlight[0], c.inFlight[1:]
	return true
}

// takeReply reads the reply to line, which sendAhead has written, without judging the reply.
func (c *control) takeReply(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	c.awaited = sentCommand{}
	return c.readReply()
}

// discardReplies reads the replies to the commands in flight, which are no longer needed. It keeps a port in them for the
// next transfer. It returns errOutOfStep if one of these commands may begin a transfer, or change the directory or type.
func (c *control) discardReplies() error {
	for len(c.inFlight) > 0 {
		verb, _, _ := strings.Cut(c.nextInFlight(), " ")
		switch verb {
		case "SIZE", "MDTM", "EPSV", "PASV", "PRET", "MLST", "PWD", turnsProbe:
			c.inFlight = c.inFlight[1:]
		default:
			return c.outOfStepError()
		}
		r, err := c.readReply()
		if err != nil {
			return err
		}
		if verb == "EPSV" || verb == "PASV" {
			c.keepPort(r)
		}
	}
	return nil
}

func (c *control) outOfStepError() error {
	return &protocols.Error{Reason: protocols.Broken, Op: c.readOp(), Err: errOutOfStep}
}

// judgeGreeting returns err, the error in place of the greeting. If something was sent before the greeting, the
// error is errOutOfStep, and nothing is sent so early again.
func (c *control) judgeGreeting(err error) error {
	if len(c.inFlight) == 0 || !isPipelineFailure(err) {
		return err
	}
	return c.awaitGreetings()
}

func (c *control) awaitGreetings() error {
	c.server.learn(func(h *habits) { h.AwaitsGreeting = true })
	return c.outOfStepError()
}

// failPipelining records that the server does not support pipelining, and returns errOutOfStep.
func (c *control) failPipelining() error {
	c.server.learn(func(h *habits) { h.Pipelining = pipelineFails })
	return c.outOfStepError()
}

// doubtPipelining is like failPipelining, but after a failure that may have another cause: a server that once
// supported pipelining gets another chance.
func (c *control) doubtPipelining() error {
	c.server.learn(func(h *habits) {
		if h.Pipelining == pipelineWorks {
			h.Pipelining = pipelineUntested
		} else {
			h.Pipelining = pipelineFails
		}
	})
	return c.outOfStepError()
}

// judgePipelining learns from the reply to a pipelined command, or from the error in place
// of the reply, whether the server supports pipelining.
func (c *control) judgePipelining(sent sentCommand, r reply, err error) error {
	switch {
	case err != nil && (!c.hasReplied() || c.evidence == answersAll || !isPipelineFailure(err)):
		return err
	case c.verb == "AUTH" && err != nil: // it was sent before the greeting, and alone
		return c.awaitGreetings()
	case c.verb == "AUTH":
		return nil
	case err != nil:
		return c.doubtPipelining()
	case r.code == 425 && isTransfer(c.verb) && !c.server.current().DialsFirst: // the server does not wait for the connection
		c.server.learn(func(h *habits) { h.DialsFirst = true })
		return c.outOfStepError()
	case !canAnswer(r.code, c.verb),
		r.code == 503 && c.verb != "PASS": // PASS is superfluous after a reply 230 to USER
		return c.failPipelining()
	}
	if !sent.mayBeDropped {
		return nil
	}
	if !isUnknownCommand(r.code) {
		c.evidence = max(c.evidence, answersSome)
	}
	if len(c.inFlight) == 0 && c.evidence > noEvidence {
		c.provePipelining()
	}
	return nil
}

// provePipelining records that the server has answered all commands of a write.
func (c *control) provePipelining() {
	c.evidence = answersAll
	c.server.learn(func(h *habits) {
		if h.Pipelining == pipelineUntested {
			h.Pipelining = pipelineWorks
		}
	})
}

// canAnswer reports whether a reply with this code can answer a command.
func canAnswer(code int, verb string) bool {
	switch want := map[string]int{"FEAT": 211, "TYPE": 200, "SIZE": 213, "MDTM": 213, "EPSV": 229, "PASV": 227, "MLST": 250, "PWD": 257}[verb]; {
	case code >= 400:
		return true
	case isTransfer(verb):
		return code < 200 // 2xx may be one reply too many to an earlier command
	case verb == "USER":
		return code >= 200
	case verb == "PASS":
		return code/100 == 2 || code == 332
	default:
		return want == 0 || code == want
	}
}

// isPipelineFailure reports whether the cause of err may be a server without pipelining.
func isPipelineFailure(err error) bool {
	r := protocols.ReasonOf(err)
	return r == protocols.Broken || r == protocols.Malformed || errors.Is(err, io.EOF)
}

func isUnknownCommand(code int) bool { return code >= 500 && code <= 504 }

// repeatAlone sends a pipelined command again by itself if r, its reply, may be a refusal of
// pipelining. It returns the last reply to the command.
func (c *control) repeatAlone(sent sentCommand, r reply) (reply, error) {
	if !sent.mayBeDropped || !isUnknownCommand(r.code) || c.evidence > noEvidence || c.verb == "AUTH" {
		return r, nil
	}
	if err := c.discardReplies(); err != nil {
		_ = c.failPipelining()
		return r, err
	}
	if err := c.send(sent.line); err != nil {
		return r, err
	}
	alone, err := c.nextReply()
	if err == nil && alone.code != r.code {
		_ = c.failPipelining()
	} else if err == nil {
		c.provePipelining()
	}
	return alone, err
}
