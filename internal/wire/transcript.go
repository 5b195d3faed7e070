package wire

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"gofer/protocols"
)

const maxRun = 100 // the maximal number of consecutive received lines that are kept

// recorder records the data of one connection in a Transcript.
type recorder struct {
	peer       string
	mu         sync.Mutex
	transcript *protocols.Transcript // may be nil
	secrets    secrets
	octets     received // what Receive gets
	held       []byte   // received octets that may begin a password
	sent       partialLine
	received   partialLine
	runLength  int  // lines received since the last write
	commands   bool // what is being sent are commands
	skipping   bool // the line being received is not kept
}

// received says what received octets are.
type received uint8

const (
	linesAndOctets received = iota
	onlyLines               // of a dialogue about the answer, whose octets are not recorded
	onlyOctets              // of a document or listing, whose lines are not recorded
)

// partialLine is a line without its end.
type partialLine struct {
	text []byte
	long bool // the field text lacks the end of a long line
}

func (r *recorder) begin(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receive(nil, true)
	r.transcript = protocols.TranscriptFrom(ctx)
	r.sent, r.received = partialLine{}, partialLine{}
	r.runLength, r.skipping = 0, false
}

func (r *recorder) hide(password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = r.secrets.add(password)
}

// markCommands records whether what is sent next are commands.
func (r *recorder) markCommands(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = yes
}

// record records octets sent or received. If end is set, an unfinished line counts as complete.
func (r *recorder) record(p []byte, sent, end bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.transcript == nil {
		return
	}
	u := &r.received
	if !sent && r.octets != onlyLines {
		r.receive(p, end)
	}
	if r.octets == onlyOctets {
		return
	}
	if sent {
		u = &r.sent
		r.runLength = 0
	} else if p = r.skip(p); r.skipping {
		return
	}
	with := false
	for len(p) > 0 {
		if !sent && r.runLength >= maxRun {
			r.skip(p)
			return
		}
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		room := min(len(part), MaxLine-len(u.text))
		u.text = append(u.text, part[:room]...)
		u.long = u.long || room < len(part)
		if whole {
			r.addLine(u, sent, with)
			with = sent && (r.commands || r.octets == onlyLines)
		}
		p = rest
	}
	if end && len(u.text) > 0 {
		r.addLine(u, sent, with)
	}
}

// receive records received octets in r.transcript, with masked passwords. It holds an unfinished line back, because the
// line may end within a password. If end is set, it records all octets.
func (r *recorder) receive(p []byte, end bool) {
	if len(r.secrets) == 0 {
		r.transcript.Receive(p)
		return
	}
	r.held = append(r.held, p...)
	whole := bytes.LastIndexByte(r.held, '\n') + 1
	if end {
		whole = len(r.held)
	} else if whole == 0 && len(r.held) > MaxLine {
		r.held = []byte(r.secrets.mask(string(r.held)))
		whole = max(0, len(r.held)-len(r.secrets[0])) // secrets[0] is the longest
	}
	r.transcript.Receive([]byte(r.secrets.mask(string(r.held[:whole]))))
	r.held = append([]byte(nil), r.held[whole:]...)
}

// skip returns the received octets p without the lines that are not kept, and counts these lines.
func (r *recorder) skip(p []byte) []byte {
	switch {
	case len(p) == 0:
	case r.runLength >= maxRun:
		r.transcript.Skip(bytes.Count(p, []byte("\n")))
		r.received = partialLine{}
		r.skipping = p[len(p)-1] != '\n'
		return nil
	case r.skipping:
		_, rest, whole := bytes.Cut(p, []byte("\n"))
		if whole {
			r.transcript.Skip(1)
			r.skipping = false
		}
		return rest
	}
	return p
}

// addLine adds the line u. The parameter with says whether it was sent with the line before.
func (r *recorder) addLine(u *partialLine, sent, with bool) {
	text := r.secrets.mask(string(bytes.TrimSuffix(u.text, []byte("\r"))))
	if u.long && len(r.secrets) > 0 { // text may end with the beginning of a password
		text = text[:max(0, len(text)-len(r.secrets[0]))]
	}
	text = strings.Clone(text[:min(len(text), protocols.MaxTranscriptLine)]) // a copy, so that the rest of a long line can be freed
	r.transcript.Add(protocols.TranscriptLine{At: time.Now(), Peer: r.peer, Sent: sent, With: with, Text: text})
	if !sent {
		r.runLength++
	}
	u.text, u.long = u.text[:0], false
}
