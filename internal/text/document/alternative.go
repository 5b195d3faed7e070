package document

import (
	"strings"

	"gofer/protocols"
)

// heldLines contains the lines of an alternative that are not shown yet, because a better
// alternative may follow.
type heldLines struct {
	outer    *heldLines
	lines    []protocols.Line
	octets   int
	best     bool // no better alternative can follow: the lines are shown as soon as one has text
	text     bool // some line has text
	released bool // the lines are shown
}

// maxHeld is the largest size of the lines in a heldLines, in octets.
const maxHeld = 1 << 20

func (a *articleReader) hold(l protocols.Line) bool {
	h := a.held
	h.lines = append(h.lines, l)
	h.octets += len(l.Text) + 64
	h.text = h.text || strings.TrimSpace(l.Text) != ""
	if h.best && h.text || h.octets > maxHeld {
		return a.release(h)
	}
	return !a.stopped
}

func (a *articleReader) release(h *heldLines) bool {
	a.held, h.released = h.outer, true
	for _, l := range h.lines {
		if !a.yieldLine(l) {
			return false
		}
	}
	return true
}

// The ranks of alternatives. The least useful is first.
const (
	notShown = iota
	otherText
	secondBest
	bestAlternative
)

// rank returns the rank of an alternative from its header.
func (a *articleReader) rank(h articleHeader) int {
	media, _ := parseContentType(h.raw("Content-Type"), false)
	top, _, _ := strings.Cut(media, "/")
	html := media == "text/html" || top == "multipart" // a multipart contains HTML and its pictures
	switch {
	case media == "text/plain", html:
		if html == a.preferHTML {
			return bestAlternative
		}
		return secondBest
	case top == "text", top == "message":
		return otherText
	}
	return notShown
}

// showAlternative shows the best part of e (RFC 2046, section 5.1.4): text or hypertext, as the
// user prefers. It lists the other parts below that part. It ignores a text without words, which
// some programs send together with HTML.
func (a *articleReader) showAlternative(e *entity, boundary string, depth int) {
	var best *heldLines
	bestRank := notShown
	var bestLeaf *leaf
	var others []protocols.Line
	a.alternatives++
	a.readParts(e, boundary, func(p *entity, h articleHeader, _ int) {
		rank := a.rank(h)
		if rank <= bestRank {
			others = append(others, a.skip(p, h, depth+1)...)
			return
		}
		held := &heldLines{outer: a.held, best: rank == bestAlternative}
		a.held, a.leaf = held, nil
		a.showPart(p, h, depth+1, false)
		leaf := a.leaf
		if !held.released {
			a.held = held.outer
			if !held.text && best != nil { // the part has no text
				return
			}
		}
		if best != nil && best.text && bestLeaf != nil {
			others = append(others, a.describeAttachment(bestLeaf, alsoAs)...)
		}
		best, bestLeaf = held, leaf
		switch {
		case held.released:
			bestRank = bestAlternative
		case held.text:
			bestRank = rank
		}
	})
	a.alternatives--
	if best != nil && !best.released {
		a.release(best)
	}
	if len(others) > 0 && a.shown {
		a.yieldText("")
	}
	for _, l := range others {
		a.yieldLine(l)
	}
}

const alsoAs = "also as "

// skip reads an alternative that is not shown and returns the lines of its attachments.
func (a *articleReader) skip(e *entity, h articleHeader, depth int) (lines []protocols.Line) {
	media, params := parseContentType(h.raw("Content-Type"), false)
	if strings.HasPrefix(media, "multipart/") && params["boundary"] != "" && depth < maxDepth {
		a.readParts(e, params["boundary"], func(p *entity, h articleHeader, _ int) {
			lines = append(lines, a.skip(p, h, depth+1)...)
		})
		return lines
	}
	l := newLeaf(e, h, media, params)
	if a.assignNumber(l) {
		return nil
	}
	a.readPast(l)
	what := "attachment "
	if strings.HasPrefix(media, "text/") && !l.attached {
		what = alsoAs
	}
	return a.describeAttachment(l, what)
}
