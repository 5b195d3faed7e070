package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// progressBar draws how far a download is, over and over on one line.
type progressBar struct {
	w     io.Writer
	name  string
	begun time.Time
	drawn time.Time
}

// progressBar returns a bar that has not begun; it draws nothing where there is
// no terminal.
func (p *Program) progressBar(name string) *progressBar {
	b := &progressBar{w: io.Discard, name: name, begun: time.Now()}
	if isTerminal(p.Err) {
		b.w = p.Err
	}
	return b
}

// barWidth is the length of a full bar in columns.
const barWidth = 24

// show draws the bar, ten times a second at most.
func (b *progressBar) show(done, size int64) {
	now := time.Now()
	if now.Sub(b.drawn) < 100*time.Millisecond && done != size {
		return
	}
	b.drawn = now
	rate := float64(done) / max(now.Sub(b.begun).Seconds(), 0.001)
	fmt.Fprintf(b.w, "\r\x1b[K%s", b.text(done, size, rate))
}

func (b *progressBar) text(done, size int64, rate float64) string {
	per := humanize.Bytes(uint64(rate)) + "/s"
	if size <= 0 || done > size {
		return fmt.Sprintf("%s  %s  %s", b.name, humanize.Bytes(uint64(done)), per)
	}
	full := int(done * barWidth / size)
	left := ""
	if rate > 0 {
		left = "  " + time.Duration(float64(size-done)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return fmt.Sprintf("%s  [%s%s] %d%%  %s of %s  %s%s", b.name,
		strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done*100/size,
		humanize.Bytes(uint64(done)), humanize.Bytes(uint64(size)), per, left)
}

// end removes the bar.
func (b *progressBar) end() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
