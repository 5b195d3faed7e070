package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/download"
	"gofer/internal/text/clean"
)

// progressBar draws how far a download is, over and over on one line.
type progressBar struct {
	w     io.Writer
	name  string
	begun time.Time
	drawn time.Time
}

// progressBar returns a bar that has not begun; without a terminal it draws nothing.
func (p *Program) progressBar(name string) *progressBar {
	b := &progressBar{w: io.Discard, name: name, begun: time.Now()}
	if isTerminal(p.Err) {
		b.w = p.Err
	}
	return b
}

const barWidth = 24 // the length of a full bar in columns

// show draws the bar, ten times a second at most.
func (b *progressBar) show(done, size int64) {
	now := time.Now()
	if now.Sub(b.drawn) < 100*time.Millisecond && done != size {
		return
	}
	rate := float64(done) / max(now.Sub(b.begun).Seconds(), 0.001)
	bar, figures := progressText(done, size, rate)
	b.draw(bar, figures)
}

func (b *progressBar) draw(bar, figures string) {
	b.drawn = time.Now()
	columns, _ := screenSize(b.w)
	fmt.Fprintf(b.w, "\r\x1b[K%s", progressLine(b.name, bar, figures, columns))
}

const minProgressName = 8 // the number of columns that a name keeps in a narrow terminal

// progressLine returns a line shorter than the terminal, since one that wraps cannot be
// drawn over. The bar is left out first, then the name is cut. 0 columns: no limit.
func progressLine(name, bar, figures string, columns int) string {
	line := name + bar + figures
	if columns <= 0 || ansi.StringWidth(line) < columns {
		return line
	}
	room := columns - 1 - ansi.StringWidth(figures)
	return ansi.Truncate(ansi.Truncate(name, max(room, minProgressName), "...")+figures, columns-1, "")
}

// progressText returns a bar, if the size is known, and the figures behind it.
func progressText(done, size int64, rate float64) (bar, figures string) {
	per := humanize.Bytes(uint64(rate)) + "/s"
	if size <= 0 || done > size {
		return "", fmt.Sprintf("  %s  %s", humanize.Bytes(uint64(done)), per)
	}
	full := int(done * barWidth / size)
	left := ""
	if rate > 0 {
		left = "  " + time.Duration(float64(size-done)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	bar = fmt.Sprintf("  [%s%s]", strings.Repeat("#", full), strings.Repeat(".", barWidth-full))
	return bar, fmt.Sprintf("  %d%%  %s of %s  %s%s", done*100/size,
		humanize.Bytes(uint64(done)), humanize.Bytes(uint64(size)), per, left)
}

func (b *progressBar) end() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

type watcher struct {
	mu   sync.Mutex
	bar  *progressBar
	stop chan struct{}
	wg   sync.WaitGroup
}

func (p *Program) watch(m *download.Manager, quiet bool) *watcher {
	w := &watcher{bar: p.progressBar(""), stop: make(chan struct{})}
	if quiet {
		w.bar.w = io.Discard
	}
	draw := w.draw
	if w.bar.w == io.Discard {
		var said outage
		draw = func(m *download.Manager) {
			if item, n := m.Active(); n > 0 {
				s := item.Status()
				said.say(p.Err, clean.Text(s.Name()), s.Wait.String(), s.Done)
			}
		}
	}
	w.wg.Go(func() {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-tick.C:
				draw(m)
			case <-w.stop:
				tick.Stop()
				return
			}
		}
	})
	return w
}

func (w *watcher) draw(m *download.Manager) {
	item, n := m.Active()
	if n == 0 {
		return
	}
	s := item.Status()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar.name = clean.Text(s.Name())
	bar, figures := progressText(s.Done, s.Size, float64(s.Rate))
	if wait := s.Wait.String(); wait != "" {
		bar, figures = "", "  "+wait
	}
	if s.Tree {
		figures += fmt.Sprintf("  (%d of %s)", s.Files, english.Plural(s.Last, "file", ""))
	}
	if n > 1 {
		figures += fmt.Sprintf("  and %d more", n-1)
	}
	w.bar.draw(bar, figures)
}

// pause does what writes on the same terminal.
func (w *watcher) pause(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar.end()
	do()
}

func (w *watcher) end() {
	close(w.stop)
	w.wg.Wait()
	w.bar.end()
}

// outage writes a line when a transfer begins to wait for the network, for standard error that
// is no terminal.
type outage struct {
	said bool
	done int64 // octets that had come then
}

// say writes what is waited for, unless wait is "", or nothing has come since it was written last.
func (o *outage) say(w io.Writer, name, wait string, done int64) {
	if wait == "" || o.said && done <= o.done {
		return
	}
	o.said, o.done = true, done
	fmt.Fprintf(w, "%s: %s\n", name, wait)
}
