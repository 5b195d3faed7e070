package nntp

import (
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"gofer/protocols"
)

// pipeline are the commands of a session that were written before they were needed.
type pipeline struct {
	queued     []string // commands to be sent in one write, when runCommand is called for the first of them
	unanswered []string // sent commands whose answers have not been read
	isNew      bool     // no earlier fetch has used the connection
	tested     []*ability
	answered   bool // the greeting, or an answer to the commands in the last write, was read
	commands   int  // number of commands in the last write that were answered
	hasRefusal bool // one of these answers was 500
}

// ability records whether a server has an ability. It is unknown at first.
type ability struct{ atomic.Int32 }

const (
	abilityWorks int32 = 1 + iota
	abilityFails
)

func (a *ability) isUnknown() bool { return a.Load() == 0 }
func (a *ability) fails() bool     { return a.Load() == abilityFails }

// errTogether reports that a server cannot take commands that are sent together, or before its greeting.
// [Client.openSession] then tries another connection, and sends the commands one by one.
var errTogether = errors.New("the server does not answer commands that are sent together; try again")

// queue makes the next runCommand send all the commands in one write (RFC 3977, section 3.5), unless they
// are sent already. The caller must then call runCommand for each command, in the given order.
func (s *session) queue(commands ...string) {
	if !slices.Equal(s.unanswered, commands) {
		s.queued = commands
	}
}

// sendEarly sends the first commands of a fetch before the greeting is read. If another command must come
// before them, sendEarly sends only that one. It sends no name or password without TLS.
//
// Early commands save a round trip unless the system of the server holds a small answer back until the one
// before it is acknowledged (RFC 896): the first answer then waits for the acknowledgment of the greeting, and
// only the others come earlier. If a server turns out to need MODE READER, early commands cost a round trip.
// Therefore a single command waits for the first greeting of a server, except with TLS.
func (s *session) sendEarly(commands []string) error {
	_, hasLogin := s.server.login()
	switch {
	case s.server.takesEarly.fails():
		return nil
	case s.server.needsModeReader.Load():
		commands = []string{modeReader}
	case hasLogin && checkLogin(s.login) != nil: // logIn reports the error
		return nil
	case hasLogin && s.hasTLS():
		commands = s.withLogin(commands)
	case hasLogin && s.server.tlsFailure() == nil:
		commands = []string{startTLS}
	case hasLogin:
		return nil
	}
	if s.server.takesBatches.fails() {
		commands = commands[:min(1, len(commands))]
	}
	isWorthwhile := len(commands) > 1 || len(commands) == 1 && (s.hasTLS() || s.server.hasGreeted.Load())
	if !isWorthwhile || slices.Contains(commands, post) {
		return nil
	}
	return s.write(commands, &s.server.takesEarly)
}

// write sends commands in one write. Their answers show whether the server has the given ability.
func (s *session) write(commands []string, tested ...*ability) error {
	if len(commands) > 1 {
		tested = append(tested, &s.server.takesBatches)
	}
	s.tested = slices.DeleteFunc(tested, func(a *ability) bool { return !a.isUnknown() })
	s.queued, s.unanswered, s.answered, s.commands, s.hasRefusal = nil, commands, false, 0, false
	return s.send(strings.Join(commands, "\r\n") + "\r\n")
}

// exchange sends a command together with the commands queued after it. It sends nothing if the command
// was already sent. It then reads the first line of the answer to the command.
func (s *session) exchange(command string) (r reply, err error) {
	if len(s.unanswered) == 0 || s.unanswered[0] != command {
		if err := s.skipAnswers(); err != nil {
			return r, err
		}
		commands := []string{command}
		if len(s.queued) > 0 && s.queued[0] == command && !s.server.takesBatches.fails() {
			commands = s.queued
		}
		if s.compressed && command != post {
			commands = append(slices.Clip(commands), flushCommand)
		}
		if err := s.write(commands); err != nil {
			return r, err
		}
	}
	if r, err = s.readAnswer(); err == nil && r.opensGroup(command) {
		s.group = strings.TrimPrefix(command, groupCommand(""))
	}
	if err == nil && !r.mayBringArticle(command) {
		err = s.otherArticleError()
	}
	return r, err
}

// errOtherArticle reports that the answers of a server do not match the commands any more.
var errOtherArticle = errors.New("the server sent another article than the requested one; try again")

func (s *session) otherArticleError() error {
	return &protocols.Error{Reason: protocols.Broken, Op: "read from " + s.server.Addr, Err: errOtherArticle}
}

// mayBringArticle reports whether r, an answer to the command, does not name another article than the command (RFC 3977,
// section 6.2.1.1). A server may leave the number and the Message-ID out.
func (r reply) mayBringArticle(command string) bool {
	want, ok := strings.CutPrefix(command, "ARTICLE ")
	if !ok || r.code != 220 {
		return true
	}
	if strings.HasPrefix(want, "<") {
		id := target{}.replyID(r)
		return id == "" || strings.EqualFold("<"+id+">", want)
	}
	number, _, _ := strings.Cut(strings.TrimSpace(r.raw), " ")
	n, err := strconv.ParseUint(number, 10, 64)
	return err != nil || n == 0 || strconv.FormatUint(n, 10) == want
}

// readAnswer reads the first line of the answer to the next unanswered command.
func (s *session) readAnswer() (reply, error) {
	command := s.unanswered[0]
	if len(s.tested) > 0 && s.answered && s.in.Buffered() == 0 {
		s.conn.RequireQuickReply() // a server that has discarded the command never answers
	}
	r, err := s.readReply()
	s.unanswered = s.unanswered[1:]
	return r, s.judge(command, r, err)
}

// judge learns from the answer to a command, or to "" for the greeting, whether the server has the tested
// abilities. It returns err, or errTogether if the server does not have them.
func (s *session) judge(command string, r reply, err error) error {
	reason := protocols.ReasonOf(err)
	switch {
	case len(s.tested) == 0, errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe): // closed by this program
		return err
	case err != nil && !s.isNew && !s.answered: // the server has closed an idle connection
		return err
	case reason == protocols.FirstByteTimeout:
		s.record(abilityFails)
		return err
	case reason == protocols.Broken, reason == protocols.Malformed && command != "",
		err == nil && command != "" && (!r.answers(command) || r.code == 500 && s.commands > 0 && !s.hasRefusal && isBasic(command)):
		s.record(abilityFails)
		return &protocols.Error{Reason: protocols.Broken, Op: "read from " + s.server.Addr, Err: errTogether}
	case err == nil && len(s.unanswered) == 0:
		s.record(abilityWorks)
	}
	s.answered, s.hasRefusal = true, s.hasRefusal || r.code == 500
	if command != "" {
		s.commands++
	}
	return err
}

// record records the result of a test.
func (s *session) record(result int32) {
	for _, a := range s.tested {
		a.Store(result)
	}
	s.tested = nil
}

// skipAnswers reads and discards the unread answers. For example, the answers to queued commands are not
// needed if an earlier command was refused.
func (s *session) skipAnswers() error {
	for len(s.unanswered) > 0 {
		r, err := s.readAnswer()
		for end := err == nil && !r.hasText(); err == nil && !end; {
			var line []byte
			line, _, end, err = s.readTextLine()
			if s.skippedOctets += len(line) + 1; err == nil && s.skippedOctets > maxDropped {
				err = s.tooBigError()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answers reports whether r may be an answer to the command. The code tells it for the commands that are
// sent together with others.
func (r reply) answers(command string) bool {
	verb, _, _ := strings.Cut(command, " ")
	switch {
	case r.code >= 400:
		return true
	case verb == "GROUP":
		return r.opensGroup(command)
	}
	codes, ok := map[string][]int{
		"ARTICLE": {220}, "LIST": {215}, "OVER": {224}, "XOVER": {224}, "DATE": {111}, "MODE": {200, 201},
		"STARTTLS": {382}, "AUTHINFO": {250, 281, 283, 381, 383},
	}[verb]
	return !ok || slices.Contains(codes, r.code)
}

// opensGroup reports whether r is the answer to a GROUP command that opens the group of the command. Some servers leave
// the name of the group out (but RFC 3977, section 6.1.1).
func (r reply) opensGroup(command string) bool {
	group, ok := strings.CutPrefix(command, groupCommand(""))
	fields := strings.Fields(r.raw)
	return ok && r.code == 211 && (len(fields) <= 3 || strings.EqualFold(fields[3], group))
}
