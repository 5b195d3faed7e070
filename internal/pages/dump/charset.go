package dump

import (
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
)

// reader tells how the octets of a page are read. What has been printed stands:
// with the first lines that are not UTF-8 it is settled.
type reader struct {
	clean.Reading
	charset  charset.Charset // that all lines have; Auto: what they tell
	declared charset.Charset
	evidence charset.Evidence
	settled  bool
}

// learn looks at the lines that are to be printed.
func (r *reader) learn(lines *nav.Lines) {
	if r.charset != charset.Auto {
		r.Reading, r.settled = clean.Reading{Charset: r.charset, All: true}, true
	}
	if r.settled {
		return
	}
	lines.Tell(&r.evidence, 0)
	if _, invalid := r.evidence.Counts(); r.evidence.Differs() || r.declared != charset.Auto {
		r.Reading, r.settled = clean.Reading{Charset: r.evidence.Choose(r.declared).EightBit()}, invalid > 0
	}
}
