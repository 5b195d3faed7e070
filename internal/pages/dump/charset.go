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
	if _, invalid := r.evidence.Counts(); r.evidence.Differs() || r.declared != charset.Auto {
		authors := lines.HaveAuthors(r.head, 0) || r.head.Layout == protocols.LayoutMenu && r.evidence.Disagree()
		c := r.evidence.Choose(r.declared, authors)
		r.Reading, r.settled = clean.Reading{Charset: c.EightBit(), Items: c.Items}, invalid > 0
	}
}
