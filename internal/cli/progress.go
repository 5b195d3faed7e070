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

	stderr io.Writer
	waited bool  // showFiles has printed a wait
	came   int64 // the octets received at that time
}

// progressBar returns a bar that has not begun; without a terminal it draws nothing.
func (p *Program) progressBar(name string) *progressBar {
	b := &progressBar{w: io.Discard, stderr: p.Err, name: name, begun: time.Now()}
	if isTerminal(p.Err) {
		b.w = p.Err
	}
	return b
}

const (
	barWidth = 24 // the length of a full bar in columns
	barPause = 100 * time.Millisecond
)

// show draws the bar, ten times a second at most.
func (b *progressBar) show(done, size int64) {
	now := time.Now()
	if now.Sub(b.drawn) < barPause && done != size {
		return
	}
	rate := float64(done) / max(now.Sub(b.begun).Seconds(), 0.001)
	bar, figures := progressText(done, size, rate)
	b.draw(bar, figures)
}

// showFiles draws the bar, or wait instead, followed by more. Without a terminal it prints wait once
// until further octets arrive.
func (b *progressBar) showFiles(done, size int64, rate float64, wait, more string) {
	bar, figures := progressText(done, size, rate)
	if wait != "" {
		bar, figures = "", "  "+wait
	}
	if b.w != io.Discard {
		b.draw(bar, figures+more)
	} else if wait != "" && (!b.waited || done > b.came) {
		b.waited, b.came = true, done
		fmt.Fprintf(b.stderr, "%s: %s\n", b.name, wait)
	}
}

// fileCount returns the number of files that are done, and of all.
func fileCount(done, all int) string {
	return fmt.Sprintf("  (%d of %s)", done, english.Plural(all, "file", ""))
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
	w.wg.Go(func() {
		for tick := time.NewTicker(barPause); ; {
			select {
			case <-tick.C:
				w.draw(m)
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
	more := ""
	if s.Tree {
		more = fileCount(s.Files, s.Last)
	}
	if n > 1 {
		more += fmt.Sprintf("  and %d more", n-1)
	}
	w.bar.showFiles(s.Done, s.Size, float64(s.Rate), s.Wait.String(), more)
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
