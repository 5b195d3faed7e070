package nav

import (
	"math"

	"gofer/protocols"
)

// Score returns the score of line i, 0 at first.
func (l *Lines) Score(i int) int {
	c, k := l.findLine(i)
	return int(c.score(k))
}

func (c *chunk) score(k int) int32 {
	if c.scores == nil {
		return 0
	}
	return c.scores[k]
}

func (c *chunk) setScore(k int, n int32) {
	if c.scores == nil && n == 0 {
		return
	}
	for len(c.scores) < len(c.rows) {
		c.scores = append(c.scores, 0)
	}
	c.scores[k] = n
}

// Scores has the scores of lines, in chunks like the lines.
type Scores [][]int32

// Scores returns score(note) for the note of each line. It does not change the lines, so a complete
// page may be shown meanwhile.
func (l Lines) Scores(score func(protocols.Note) int) Scores {
	scores := make(Scores, len(l.chunks))
	for i, c := range l.chunks {
		for k, note := range c.notes {
			n := 0
			if note != nil {
				n = score(note)
			}
			if n != 0 && scores[i] == nil {
				scores[i] = make([]int32, len(c.rows))
			}
			if n != 0 {
				scores[i][k] = int32(min(max(n, math.MinInt32), math.MaxInt32))
			}
		}
	}
	return scores
}

// SetScores sets the scores of the lines.
func (l *Lines) SetScores(scores Scores) {
	l.scored = false
	for i, c := range l.chunks[:min(len(l.chunks), len(scores))] {
		if c.scores = scores[i]; c.scores != nil {
			l.scored = true
			c.scores = append(c.scores, make([]int32, len(c.rows)-len(c.scores))...) // for lines that have arrived since Scores was called
		}
	}
}
