package document

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

// MediaMailbox is the media type of a file of messages (RFC 4155).
const MediaMailbox = "application/mbox"

// FromLine is the beginning of the From line, which precedes each message.
const FromLine = "From "

// Mailbox reads the messages of a file in the format mbox (RFC 4155). It skips text before the
// first message.
type Mailbox struct {
	in     *bufio.Reader
	blank  bool   // the previous line was empty, or there is none
	begins bool   // the next line begins a message
	inLine bool   // the next octets continue a line
	rest   []byte // the rest of the current line
	err    error
}

// NewMailbox reads a file of messages from r.
func NewMailbox(r io.Reader) *Mailbox {
	return &Mailbox{in: bufio.NewReaderSize(r, maxLine), blank: true}
}

// isMailbox reports whether a file that begins with block is a mailbox.
func isMailbox(block []byte) bool {
	return mayBeMailbox(block) && NewMailbox(bytes.NewReader(block)).isAtMessage()
}

// isOneMessage reads at most maxOneMessage octets. It waits for blocks until maxMailboxWait has passed
// since its start. Later it waits mailboxPause for each block, but not beyond maxMailboxTime.
const (
	maxOneMessage  = 64 << 10
	maxMailboxWait = 2 * time.Second
	maxMailboxTime = 10 * time.Second
	mailboxPause   = 50 * time.Millisecond
)

// isOneMessage reports whether a file of messages has a single message, like the items of a mail
// folder on a Gopher server. It reads until a second message begins. It returns true if the time
// ends first, and false if the first message is too long.
func (d *Document) isOneMessage() bool {
	begun, buf := time.Now(), make([]byte, firstBlockSize)
	for next := 0; ; {
		if len(d.first) >= next || d.err != nil {
			if d.hasTwoMessages() || len(d.first) >= maxOneMessage {
				return false
			}
			next = 2 * len(d.first) // the first octets are not searched again after each read
		}
		if d.err != nil {
			return errors.Is(d.err, io.EOF)
		}
		b := startReading(d.body)
		select {
		case <-b.done:
			n, _ := b.Read(buf)
			d.first, d.err = append(d.first, buf[:n]...), b.err
		case <-time.After(max(maxMailboxWait-time.Since(begun), min(mailboxPause, maxMailboxTime-time.Since(begun)))):
			d.body, d.pending = io.MultiReader(b, d.body), b
			return !d.hasTwoMessages()
		}
	}
}

func (d *Document) hasTwoMessages() bool {
	m := NewMailbox(bytes.NewReader(d.first))
	_ = m.Next()
	return m.Next() == nil
}

// Wait calls cancel and waits for the end of the read, if a read is running in the background.
func (d *Document) Wait(cancel func()) {
	if d.pending != nil {
		cancel()
		<-d.pending.done
	}
}

// readAhead is a background read and its result.
type readAhead struct {
	done     chan struct{} // closed after the read
	octets   []byte
	err      error
	panicked any
}

func startReading(r io.Reader) *readAhead {
	b := &readAhead{done: make(chan struct{}), octets: make([]byte, firstBlockSize)}
	go func() {
		defer func() { b.panicked = recover(); close(b.done) }()
		n, err := r.Read(b.octets)
		b.octets, b.err = b.octets[:n], err
	}()
	return b
}

// Read implements [io.Reader].
func (b *readAhead) Read(p []byte) (int, error) {
	if <-b.done; b.panicked != nil {
		panic(b.panicked)
	}
	if len(b.octets) == 0 {
		return 0, cmp.Or(b.err, io.EOF)
	}
	n := copy(p, b.octets)
	b.octets = b.octets[n:]
	return n, nil
}

// mayBeMailbox reports whether b may be the beginning of a mailbox.
func mayBeMailbox(b []byte) bool {
	n := min(len(b), len(FromLine))
	return n > 0 && string(b[:n]) == FromLine[:n]
}

// Next moves to the next message. The message can then be read from m, up to io.EOF. After the last
// message, Next returns io.EOF.
func (m *Mailbox) Next() error {
	for !m.begins {
		if m.readLine(); m.err != nil && !m.begins {
			return m.err
		}
	}
	m.begins, m.blank = false, false
	_, err := m.in.ReadSlice('\n') // the From line, which isAtMessage found complete in the buffer
	return err
}

// Read implements [io.Reader] for the current message.
func (m *Mailbox) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if m.begins {
			return 0, io.EOF
		}
		if m.err != nil {
			return 0, m.err
		}
		m.readLine()
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// readLine reads the next line, or a piece of a long line, into rest. If the line begins a message,
// readLine sets begins instead.
func (m *Mailbox) readLine() {
	m.rest = nil
	if m.err != nil {
		return
	}
	if !m.inLine && m.isAtMessage() {
		m.begins = true
		return
	}
	line, err := m.in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		m.err = err
	}
	if !m.inLine {
		m.blank = len(bytes.TrimRight(line, "\r\n")) == 0
		if quoted := bytes.TrimLeft(line, ">"); len(quoted) < len(line) && bytes.HasPrefix(quoted, []byte(FromLine)) {
			line = line[1:]
		}
	}
	m.inLine = err != nil
	m.rest = line
}

// maxFromLine is the largest length of a From line, in octets.
const maxFromLine = 1 << 10

// isAtMessage reports whether the next lines are a From line and a header. Some software writes no empty
// line before it. The From line must then have a date.
func (m *Mailbox) isAtMessage() bool {
	if b, _ := m.in.Peek(len(FromLine)); string(b) != FromLine {
		return false
	}
	for n := 256; ; n *= 2 {
		b, err := m.in.Peek(n)
		_, after, ok := bytes.Cut(b, []byte("\n"))
		name, _, colon := strings.Cut(string(after), ":")
		switch {
		case ok && colon:
			return isFieldName(name) && (m.blank || hasFromDate(b[:len(b)-len(after)]))
		case ok && bytes.ContainsAny(after, "\n "), n >= 2*maxFromLine, err != nil:
			return false
		}
	}
}

// hasFromDate reports whether a From line ends like "Mon Jan  2 15:04:05 2006", perhaps with a time zone (RFC
// 4155, appendix A).
func hasFromDate(line []byte) bool {
	words := strings.Fields(string(line))
	for i := max(4, len(words)-4); i+1 < len(words); i++ {
		if word := words[i]; !strings.Contains(word, ":") || strings.Trim(word, "0123456789:") != "" {
			continue
		}
		if _, err := time.Parse("Mon Jan 2", strings.Join(words[i-3:i], " ")); err == nil {
			return true
		}
	}
	return false
}

// mailboxLines returns a line for each message of a file.
func mailboxLines(r io.Reader, page urlcore.URL) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		m := NewMailbox(r)
		for n := 1; ; n++ {
			if err := m.Next(); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(protocols.Line{}, err)
				}
				return
			}
			h := readHeader(m)
			note := &protocols.ArticleNote{Number: uint64(n), Subject: h.raw("Subject"), From: h.raw("From"), Bytes: -1, Lines: -1}
			note.Date, note.DateText = mimeheader.Date(h.raw("Date"))
			note.Date = note.Date.UTC()
			if note.Subject == "" {
				note.Subject = fmt.Sprintf("(message %d, no subject)", n)
			}
			line := protocols.Line{Kind: protocols.Article, Text: note.Subject, Note: note, Link: MessageURL(page, n)}
			if !yield(line, nil) {
				return
			}
		}
	}
}
