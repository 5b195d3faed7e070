package ftp

import (
	"iter"
	"time"

	"gofer/protocols"
)

// maxPreview is the maximal number of lines of a preview.
const maxPreview = maxNames

// preview shows a listing as it arrives, before MDTM has shown whether the years of its dates are right. Then lines yields
// the lines again, with the right years.
type preview struct {
	l        *lister
	next     func() (protocols.Line, error, bool)
	stop     func()
	received []protocols.Line
	err      error // the error at the end
	ended    bool
}

// show implements Preview of [protocols.Resource].
func (p *preview) show(yield func(protocols.Line) bool) {
	p.l.undated.holding, p.l.undated.previewed = false, true
	p.next, p.stop = iter.Pull2(p.l.lines)
	for len(p.received) < maxPreview {
		line, err, more := p.next()
		if p.ended = !more || err != nil; p.ended {
			p.err = err
			return
		}
		p.received = append(p.received, line)
		if !yield(line) {
			p.stop()
			return
		}
	}
}

// lines implements Lines of [protocols.Resource].
func (p *preview) lines(yield func(protocols.Line, error) bool) {
	if p.next == nil {
		p.l.lines(yield)
		return
	}
	defer p.stop()
	for _, line := range p.received {
		if !yield(p.l.undated.withYear(line), nil) {
			return
		}
	}
	if p.err != nil {
		yield(protocols.Line{}, p.err)
	}
	for !p.ended {
		line, err, more := p.next()
		if !more || !yield(line, err) {
			return
		}
	}
}

// withYear returns a line of a preview with the year by the clock of the server.
func (u *undatedLines) withYear(line protocols.Line) protocols.Line {
	note, ok := line.Note.(*protocols.FileNote)
	if !ok || u.serverNow.IsZero() || !u.guessed[note] {
		return line
	}
	dated := *note // the preview still has the other note
	dated.Modified = guessYear(note.Modified, u.serverNow)
	line.Note = &dated
	return line
}

// correctYears gives the notes with a guessed year the year by the clock of the server.
func (u *undatedLines) correctYears(now time.Time) {
	if u.previewed {
		u.serverNow, u.guessed = now, make(map[*protocols.FileNote]bool, len(u.notes))
	}
	for _, n := range u.notes {
		if u.previewed {
			u.guessed[n] = true
		} else {
			n.Modified = guessYear(n.Modified, now)
		}
	}
}
