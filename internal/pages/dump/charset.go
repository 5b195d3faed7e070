package dump

import (
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
)

// reader chooses the charset of a page. The first lines that are not UTF-8 settle it,
// because printed lines cannot change.
type reader struct {
	clean.Reading
	charset  charset.Charset // that all lines have; Auto: what they tell
	declared charset.Charset
	head     *protocols.Head
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
	_, invalid := r.evidence.Counts()
	switch {
	case r.declared == charset.Auto && invalid > 0 && lines.HaveAuthors(r.head, 0):
		common := r.evidence.ChooseForItems(charset.Auto).EightBit()
		r.Reading, r.settled = clean.Reading{Charset: common, Items: r.evidence.Items()}, true
	case r.evidence.Differs() || r.declared != charset.Auto:
		r.Reading, r.settled = clean.Reading{Charset: r.evidence.Choose(r.declared).EightBit()}, invalid > 0
	}
}
