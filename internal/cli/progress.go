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

	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/protocols"
)

// progressBar draws the progress of a transfer on one line of the terminal.
type progressBar struct {
	out       io.Writer
	name      string
	start     time.Time
	lastDrawn time.Time

	stderr      io.Writer
	waitPrinted bool  // showFiles has printed its parameter waitText
	doneAtWait  int64 // octets received when waitText was printed
}

// progressBar returns a bar that is not yet drawn. Without a terminal it draws nothing.
func (p *Program) progressBar(name string) *progressBar {
	b := &progressBar{out: io.Discard, stderr: p.Err, name: name, start: time.Now()}
	if isTerminal(p.Err) {
		b.out = p.Err
	}
	return b
}

const (
	barWidth     = 24 // columns of a full bar
	drawInterval = 100 * time.Millisecond
)

// show draws the bar at most ten times a second, and always at the end of the transfer.
func (b *progressBar) show(done, size int64) {
	now := time.Now()
	if now.Sub(b.lastDrawn) < drawInterval && done != size {
		return
	}
	rate := float64(done) / max(now.Sub(b.start).Seconds(), 0.001)
	bar, figures := progressText(done, size, rate)
	b.draw(bar, figures)
}

// showFiles draws the bar, or waitText if it is not empty, followed by suffix. Without a terminal it prints only
// waitText, and prints it again only after more octets have been received.
func (b *progressBar) showFiles(done, size int64, rate float64, waitText, suffix string) {
	bar, figures := progressText(done, size, rate)
	if waitText != "" {
		bar, figures = "", "  "+waitText
	}
	if b.out != io.Discard {
		b.draw(bar, figures+suffix)
	} else if waitText != "" && (!b.waitPrinted || done > b.doneAtWait) {
		b.waitPrinted, b.doneAtWait = true, done
		fmt.Fprintf(b.stderr, "%s: %s\n", b.name, waitText)
	}
}

// fileCount returns a text with the number of finished files and the number of all files.
func fileCount(done, all int) string {
	return fmt.Sprintf("  (%d of %s)", done, english.Plural(all, "file", ""))
}

func (b *progressBar) draw(bar, figures string) {
	b.lastDrawn = time.Now()
	columns, _ := screenSize(b.out)
	fmt.Fprintf(b.out, "\r\x1b[K%s", progressLine(b.name, bar, figures, columns))
}

const minProgressName = 8 // columns of a shortened name in a narrow terminal

// progressLine returns a line that fits the terminal, because a line that wraps cannot be overwritten. To
// fit, it omits the bar, then shortens the name. If columns is 0, there is no limit.
func progressLine(name, bar, figures string, columns int) string {
	line := name + bar + figures
	if columns <= 0 || ansi.StringWidth(line) < columns {
		return line
	}
	room := columns - 1 - ansi.StringWidth(figures)
	return ansi.Truncate(ansi.Truncate(name, max(room, minProgressName), "...")+figures, columns-1, "")
}

// progressText returns the bar, or "" if the size is unknown, and the figures after it.
func progressText(done, size int64, rate float64) (bar, figures string) {
	rateText := protocols.Octets(rate).PerSecond()
	if size <= 0 || done > size {
		return "", fmt.Sprintf("  %s  %s", humanize.Bytes(uint64(done)), rateText)
	}
	full := int(done * barWidth / size)
	left := ""
	if rate > 0 {
		left = "  " + time.Duration(float64(size-done)/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	bar = fmt.Sprintf("  [%s%s]", strings.Repeat("#", full), strings.Repeat(".", barWidth-full))
	return bar, fmt.Sprintf("  %d%%  %s of %s  %s%s", done*100/size,
		humanize.Bytes(uint64(done)), humanize.Bytes(uint64(size)), rateText, left)
}

// drawText draws a text, unless the bar was drawn a short time ago.
func (b *progressBar) drawText(text string) {
	if time.Since(b.lastDrawn) > drawInterval {
		b.draw("", text)
	}
}

func (b *progressBar) clear() {
	if !b.lastDrawn.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

type progressWatcher struct {
	mu   sync.Mutex
	bar  *progressBar
	stop chan struct{}
	wg   sync.WaitGroup
}

func (p *Program) watchDownloads(m *download.Manager, quiet bool) *progressWatcher {
	w := &progressWatcher{bar: p.progressBar(""), stop: make(chan struct{})}
	if quiet {
		w.bar.out = io.Discard
	}
	w.wg.Go(func() {
		for tick := time.NewTicker(drawInterval); ; {
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

func (w *progressWatcher) draw(m *download.Manager) {
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
		more = fileCount(s.Files, s.TotalFiles)
	}
	if n > 1 {
		more += fmt.Sprintf("  and %d more", n-1)
	}
	w.bar.showFiles(s.Received, s.Size, float64(s.Rate), s.Wait.String(), more)
}

// pause clears the bar and then calls the function write, which may write to the same terminal.
func (w *progressWatcher) pause(write func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar.clear()
	write()
}

func (w *progressWatcher) close() {
	close(w.stop)
	w.wg.Wait()
	w.bar.clear()
}
