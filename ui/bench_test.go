package ui

import (
	"fmt"
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/nav"
	"gofer/protocols"
)

// driveHugePage returns a driver that shows a page of at least n lines.
func driveHugePage(b *testing.B, n int) *driver {
	b.Helper()
	w := web{}
	lines := make([]protocols.Line, 4096)
	for i := range lines {
		lines[i] = link(protocols.Text, fmt.Sprintf("line %d of a page that is very long indeed", i), item('0', "/x"))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "huge", lines...)
	d := drive(b, w, Options{}, 120, 50)
	for d.Model.tab.Session.Page().Lines.Len() < n {
		d.Model.tab.Session.Page().Lines.Append(lines...)
	}
	return d
}

func BenchmarkViewOfAMillionLines(b *testing.B) {
	d := driveHugePage(b, 1_000_000)
	d.press("end")
	for b.Loop() {
		d.drawn = false
		d.View()
	}
}

func BenchmarkKeyToViewInAMillionLines(b *testing.B) {
	keys := []tea.KeyPressMsg{keyPress("up"), keyPress("pgup"), keyPress("down"), keyPress("pgdown")}
	for _, name := range []string{"untagged", "tagged"} {
		b.Run(name, func(b *testing.B) {
			d := driveHugePage(b, 1_000_000)
			if d.press("end"); name == "tagged" {
				d.press("alt+a")
			}
			i := 0
			for b.Loop() {
				d.Update(keys[i%len(keys)])
				d.View()
				i++
			}
		})
	}
}

func BenchmarkUpdateOfABatch(b *testing.B) {
	d := drive(b, web{}, Options{}, 120, 50)
	l := d.opts.Open(b.Context(), protocols.Request{URL: item('1', "/")}, nav.Show{})
	l.Cancel()
	batch := make([]protocols.Line, 4096)
	for i := range batch {
		batch[i] = link(protocols.Text, fmt.Sprintf("line %d of a page that is very long indeed", i), item('0', "/x"))
	}
	fresh := func() {
		d.Model.tab.Session.Begin(l)
		d.Model.tab.Session.Answer(l, protocols.Head{URL: item('1', "/"), Layout: protocols.LayoutMenu})
		d.Model.tab.Show()
	}
	fresh()
	n := 0
	for b.Loop() {
		d.Update(linesMsg{d.tab, l, linesOf(batch...), nil, nil, nil})
		d.View()
		if n++; n%250 == 0 {
			d.Model.tab.Session.Append(l, nav.Lines{}, io.EOF)
			fresh()
		}
	}
}

func BenchmarkViewOfALongLine(b *testing.B) {
	w := web{}
	long := make([]byte, 64<<10)
	for i := range long {
		long[i] = "abc defgh\xc3\xa9"[i%11]
	}
	w.addPage(item('0', "/"), protocols.LayoutText, "long", info(string(long)), info(string(long)))
	d := drive(b, w, Options{Home: item('0', "/")}, 120, 50)
	i := 0
	for b.Loop() {
		d.press([]string{"pgdown", "pgdown", "pgdown", "home"}[i%4])
		i++
	}
}

// BenchmarkOneMessageOfASearch measures the longest time that a key waits during a search of long
// lines.
func BenchmarkOneMessageOfASearch(b *testing.B) {
	for _, bm := range []struct{ name, s string }{
		{"ascii", "abc defg "}, {"invalid", "\xff\xfe\x80\x81"}, {"controls", "\x01"}, {"emoji", "👍"}, {"tabs", "\t"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			w := web{}
			w.addPage(item('0', "/"), protocols.LayoutText, "long", longLines(100, bm.s)...)
			d := drive(b, w, Options{Home: item('0', "/")}, 120, 50)
			for b.Loop() {
				d.Model.tab.ResetSearch()
				d.startFind("nowhere")
				d.tab.SearchPortion(true)
			}
		})
	}
}

// BenchmarkFindInAMillionLines searches a menu for a text that does not occur in it.
func BenchmarkFindInAMillionLines(b *testing.B) {
	d := driveHugePage(b, 1_000_000)
	for b.Loop() {
		d.run(d.startFind("nowhere"))
	}
}

// BenchmarkKeyOfAFilter measures the work for each letter typed into the filter of a page of
// 100,000 lines.
func BenchmarkKeyOfAFilter(b *testing.B) {
	u := item('1', "/")
	note := &protocols.ArticleNote{Subject: "Re: A question about gophers", From: "Ann Author <ann@example.org>"}
	for _, bm := range []struct {
		name string
		line protocols.Line
	}{
		{"menu", link(protocols.Text, "line of a page that is very long indeed", item('0', "/x"))},
		{"articles", protocols.Line{Kind: protocols.Article, Text: note.Subject, Link: item('0', "/x"), Note: note}},
	} {
		for _, typed := range []string{"q", "quest", "ann quest", "xyz", `\vqu.st`} {
			b.Run(bm.name+"/"+typed, func(b *testing.B) {
				w := web{}
				w.addPage(u, protocols.LayoutArticles, "huge", bm.line)
				d := drive(b, w, Options{}, 120, 50)
				for d.Model.tab.Session.Page().Lines.Len() < 100_000 {
					d.Model.tab.Session.Page().Lines.Append(bm.line)
				}
				var screen time.Duration // time until the screen shows the typed letter
				for b.Loop() {
					d.tab.ClearFilter()
					for i := range typed {
						begun := time.Now()
						cmd := d.startFilter(typed[:i+1])
						d.drawn = false
						d.View()
						screen += time.Since(begun)
						d.run(cmd)
					}
				}
				keys := float64(b.N * len(typed))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/keys, "ns/key")
				b.ReportMetric(float64(screen.Nanoseconds())/keys, "ns/screen")
			})
		}
	}
}
