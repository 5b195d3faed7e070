package dump

import (
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
)

// reader chooses the charset of a page by the first lines that are not UTF-8. Later lines do not
// change the choice, because earlier lines have been printed.
type reader struct {
	clean.Reading
	given    clean.Reading   // used if it has a charset; otherwise the lines determine it
	declared charset.Charset // charset that the head of the page names, or Auto
	head     *protocols.Head
	evidence charset.Evidence
	settled  bool
}

// learn updates the charset from lines that will be printed.
func (r *reader) learn(lines *nav.Lines) {
	defer func() {
		r.Reading = nav.ReadingFor(r.head, r.Reading)
		r.Joiners = clean.AllJoiners
	}()
	if r.given.Charset != charset.Auto {
		r.Reading, r.settled = r.given, true
	}
	if r.settled {
		return
	}
	if r.head.Converted != "" {
		return
	}
	lines.AddEvidence(&r.evidence, 0)
	if _, invalid := r.evidence.Counts(); r.evidence.HasNonASCII() || r.declared != charset.Auto {
		authors := lines.MayHaveSeveralAuthors(r.head, 0) || r.head.Layout == protocols.LayoutMenu && r.evidence.Disagree()
		c := r.evidence.Choose(r.declared, authors)
		r.Reading, r.settled = clean.Reading{Charset: c.EightBit(), Items: c.Items}, invalid > 0
	}
}
