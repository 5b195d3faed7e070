package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/protocols"
)

// longLines are so many lines as long as a server may send them.
func longLines(n int, of string) []protocols.Line {
	lines := make([]protocols.Line, n)
	for i := range lines {
		lines[i] = info(strings.Repeat(of, 64<<10/len(of)))
	}
	return lines
}

func TestOneMessageSearchesLittle(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []protocols.Line
	}{
		{"invalid octets", longLines(50, "\xff\xfe\x80\x81")},
		{"controls", longLines(50, "\x01")},
		{"subjects", []protocols.Line{
			{Note: &protocols.ArticleNote{Subject: strings.Repeat("x", 1<<20)}},
			{Note: &protocols.ArticleNote{Subject: strings.Repeat("x", 1<<20)}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := web{}
			w.page(item('1', "/"), protocols.LayoutMenu, "long", tt.lines...)
			d := drive(t, w, Options{}, 80, 24)
			cmd := d.findWords("nowhere")
			searched, octets := len(tt.lines)-d.finder.running.left, 0
			for i := range searched {
				text, raw := d.pager.text(i)
				octets += max(len(text), raw)
			}
			text, raw := d.pager.text(0)
			if longest := max(len(text), raw); searched == 0 || octets >= findOctets+longest {
				t.Errorf("one message searched %d lines of %d octets together", searched, octets)
			}
			d.run(cmd)
			d.wantShown("not found: nowhere")
		})
	}
}

// TestSearchDrawsWhenItEnds: a slice that finds nothing changes nothing on the
// screen.
func TestSearchDrawsWhenItEnds(t *testing.T) {
	w := web{}
	lines := longLines(20, "\x01")
	w.page(item('1', "/"), protocols.LayoutMenu, "long", append(lines, info("the needle"))...)
	d := drive(t, w, Options{}, 80, 24)
	cmd := d.findWords("needle")
	d.View()
	for slices := 0; d.finder.running != nil; slices++ {
		if slices > 0 && !d.drawn {
			t.Fatal("a slice that found nothing draws the screen again")
		}
		_, cmd = d.Update(cmd())
	}
	d.wantShown("the needle")
}

// TestFindShowsTheMatch: a match far inside a line comes onto the screen.
func TestFindShowsTheMatch(t *testing.T) {
	words := new(strings.Builder)
	for i := range 1000 {
		fmt.Fprintf(words, "word%d ", i)
	}
	w := web{}
	w.text(item('0', "/"), "long", "first\n"+words.String()+"\nlast\n")
	for _, wrapped := range []bool{true, false} {
		d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
		if !wrapped {
			d.press("w")
		}
		for _, want := range []string{"word970", "word3", "last"} {
			d.press("/", "ctrl+u")
			d.enter(want)
			d.press("enter")
			d.wantShown(want)
		}
	}
}
