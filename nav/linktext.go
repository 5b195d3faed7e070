package nav

import (
	"hash/fnv"
	"io"
	"strings"

	"gofer/urlcore"
)

// LinkText returns the canonical text of the link of line i without its password, or "".
func (l *Lines) LinkText(i int) string {
	c, k := l.findLine(i)
	if c.rows[k].state&linked == 0 {
		return ""
	}
	s := c.link(k)
	if strings.Contains(s, "@") {
		s = urlcore.Redact(c.url(k)).String()
	}
	return s
}

// LinkID returns a hash of [Lines.LinkText], or 0 if line i has no link. The hash is even, and the
// same in every run of the program.
func (l *Lines) LinkID(i int) uint64 {
	s := l.LinkText(i)
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return max(h.Sum64()&^1, 2)
}
