package nav

import (
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// CollectText collects the beginning of the text of the page for [Load.Text], up to a limit in octets.
func CollectText(limit int) Option { return func(l *Load) { l.text = &collectedText{room: limit} } }

// Text returns the clean text of a complete page, one line for each of its lines, or its beginning up to the limit of
// [CollectText]. The parameter r decodes the lines. Text may be called when Next has returned io.EOF.
func (l *Load) Text(r clean.Reading) string {
	if l.text == nil {
		return ""
	}
	l.mu.Lock()
	lines := l.text.lines
	l.mu.Unlock()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(r.Line(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// collectedText is the beginning of the text of a page, undecoded.
type collectedText struct {
	lines []string
	room  int // octets that may still be added
}

// add adds the texts of a line. A nil collectedText ignores the line, and lines that run an action have no text of the page.
func (c *collectedText) add(line *protocols.Line) {
	if c == nil || c.room <= 0 {
		return
	}
	if _, ok := line.Note.(protocols.Action); ok {
		return
	}
	var b strings.Builder
	for _, text := range line.Texts() {
		if text != "" {
			b.WriteString(text[:min(len(text), c.room)])
			b.WriteByte(' ')
		}
	}
	c.lines = append(c.lines, strings.TrimSuffix(b.String(), " "))
	c.room -= max(b.Len(), 1)
}

// restart drops the lines of a preview.
func (c *collectedText) restart() {
	if c == nil {
		return
	}
	for _, line := range c.lines {
		c.room += max(len(line)+1, 1)
	}
	c.lines = nil
}
