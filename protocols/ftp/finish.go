package ftp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// finish is what remains to be done when the server has stored a file: to check the size, and to set the date and the mode.
type finish struct {
	name       string // argument of the commands
	upload     *protocols.Upload
	date, mode string // the commands that set them, without the name; "" for none

	mu                 sync.Mutex
	key                wire.Key // of the session whose replies are missing
	missing            int      // number of replies
	dateKept, modeKept bool
}

// completeUpload does what remains to be done when the server has stored a file, and keeps the session.
func (s *session) completeUpload(c *Client, f *finish) error {
	if err := s.fixDoubledName(f.name); err != nil {
		return err
	}
	if err := s.finishUpload(f, f.upload.Unchecked); err != nil {
		return err
	}
	c.keepSession(s)
	return nil
}

// finishUpload sends the commands of f in one write. If mayOwe is true, it does not wait for the replies if the next
// fetch can read them.
func (s *session) finishUpload(f *finish, mayOwe bool) error {
	op := "store " + clean.Name(f.name)
	if err := s.receiveNextPort(); err != nil {
		return err
	}
	lines := f.commands(s)
	if mayOwe && s.canOwe(lines) {
		f.key, f.missing = s.key, len(lines)
		return s.convertError(op, s.ctrl.sendOwed(lines, func(line string, answer reply) { f.record(s, line, answer) }))
	}
	answers, err := s.ctrl.pipeline(lines...)
	if err != nil {
		s.server.learnSilence(lines[len(answers)], err)
		return s.convertError(op, err)
	}
	for i, answer := range answers {
		if answer.code == 421 {
			return s.newRefusalError(op, answer)
		}
		if err := f.checkSize(s, op, lines[i], answer); err != nil {
			return err
		}
		f.record(s, lines[i], answer)
	}
	f.report()
	return nil
}

// commands returns the commands that finish the upload.
func (f *finish) commands(s *session) (lines []string) {
	if !f.upload.Unchecked {
		lines = append(lines, "SIZE "+f.name)
	}
	h := s.server.current()
	if f.date = s.dateCommand(f.upload.Modified); h.NoDates {
		f.date = ""
	}
	if f.date != "" {
		lines = append(lines, f.date+" "+f.name)
	}
	if f.mode = ""; f.upload.Mode != "" && !s.cannotSetModes && !h.NoModes {
		f.mode = s.chmodCommand(f.upload.Mode)
		lines = append(lines, f.mode+" "+f.name)
	}
	return lines
}

// checkSize returns an error if answer, the reply to line, shows that the stored file has another size than the sent file.
func (f *finish) checkSize(s *session, op, line string, answer reply) error {
	switch {
	case !strings.HasPrefix(line, "SIZE "):
	case answer.code/100 == 2:
		if n := parseSize(strings.TrimSpace(replyText(answer))); n >= 0 && n != f.upload.Sent {
			return &protocols.Error{Reason: protocols.Broken, Op: op, Err: &sizeError{n, f.upload.Sent}}
		}
	case answer.code == 550 && strings.Trim(f.name, " ") != f.name: // pure-ftpd cannot find such names
		e := s.newRefusalError(op, answer)
		e.Reason, e.Err = protocols.Rejected, errors.New("no file has this name after the upload: the server may have replaced leading or trailing blanks")
		return e
	}
	return nil
}

// record records answer, the reply to line, which s has received.
func (f *finish) record(s *session, line string, answer reply) {
	if answer.code == 421 { // the server ends the session instead
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.missing--
	done := answer.code/100 == 2
	switch strings.TrimSuffix(line, " "+f.name) {
	case f.date:
		f.dateKept = done
		s.cannotSetDates = s.cannotSetDates || !done && !s.MFMT
	case f.mode:
		f.modeKept = done && answer.code != 202
		s.cannotSetModes = s.cannotSetModes || answer.code == 500 || answer.code == 502 || answer.code == 504
	}
}

// report tells the caller of Put what the server has kept.
func (f *finish) report() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.upload.DateKept, f.upload.ModeKept = f.dateKept, f.modeKept
}

func (f *finish) isAnswered() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missing <= 0
}

// awaitFinish waits for the replies to the commands of fin, and reports what the server has kept. If the session was
// lost before it received them, another one sends the commands again. An error is not reported, because the server has
// stored the file.
func (c *Client) awaitFinish(ctx context.Context, f urlcore.FTP, r *request, fin *finish) {
	if !fin.isAnswered() {
		c.readOwed(ctx, fin.key)
	}
	if fin.isAnswered() {
		fin.report()
		return
	}
	again := &finish{name: fin.name, upload: fin.upload}
	_ = c.withSession(ctx, f, r, func(s *session) error {
		if err := s.chdir(r.cwds); err != nil {
			return err
		}
		if err := s.finishUpload(again, false); err != nil {
			return err
		}
		c.keepSession(s)
		return nil
	}, func() bool { return true })
}

// readOwed reads the replies that the idle sessions of key have left.
func (c *Client) readOwed(ctx context.Context, key wire.Key) {
	for _, s := range c.idle.TakeAll(ctx, key) {
		if s.ctrl.readOwed() != nil {
			s.Drop()
		} else {
			c.keepSession(s)
		}
	}
}

// canOwe reports whether the next fetch can read the replies to the commands in lines.
func (s *session) canOwe(lines []string) bool {
	return s.server.current().Pipelining == pipelineWorks && (s.ctrl.rawIAC || !strings.Contains(strings.Join(lines, ""), "\xff"))
}
