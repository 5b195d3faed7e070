package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// peeking is a driver in which a cursor that moves has rested at once.
func peeking(t *testing.T, w web, o Options, width, height int) *driver {
	t.Helper()
	d := drive(t, w, o, width, height)
	d.restAtOnce()
	return d
}

func (d *driver) restAtOnce() {
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(peekMsg); !ok {
			return nil
		}
		return func() tea.Msg { return msg }
	}
}

// counted counts how often each URL is fetched.
func counted(w web) map[urlcore.URL]int {
	n := make(map[urlcore.URL]int)
	for u, fetch := range w {
		w[u] = func(ctx context.Context) (*protocols.Resource, error) {
			n[u]++
			return fetch(ctx)
		}
	}
	return n
}

func peekLibrary(t *testing.T) web {
	w := library()
	w.page(item('1', "/phlogs"), protocols.LayoutMenu, "Phlogs",
		info("Who writes here"), link(protocols.Menu, "Ann", item('1', "/ann")), link(protocols.Text, "Bob", item('0', "/bob")))
	w.picture(item('I', "/sunset.jpg"), pngFile(t, 60, 40))
	return w
}

// TestBackUnderThePane: a page that was left without the pane has its cursor in
// sight under it, and its place when the pane is closed.
func TestBackUnderThePane(t *testing.T) {
	w := peekLibrary(t)
	w.page(item('1', "/tall"), protocols.LayoutMenu, "tall",
		append(longLines(15, "above"), link(protocols.Menu, "Phlogs", item('1', "/phlogs")))...)
	d := peeking(t, w, Options{Home: item('1', "/tall")}, 80, 24)
	before := d.screen()
	d.press("enter", "p", "backspace").wantShown("Who writes here") // in the pane
	d.press("p")
	fetchtest.Equal(t, d.screen(), before)
}

// TestPeekDirectories: the pane, in which there is no cursor, goes from one directory
// to the next.
func TestPeekDirectories(t *testing.T) {
	w := web{}
	a, b := file("a/"), file("b/")
	w.page(file(""), protocols.LayoutDirectory, "", link(protocols.Directory, "a", a), link(protocols.Directory, "b", b))
	w.page(a, protocols.LayoutDirectory, "", link(protocols.Text, "in a", file("a/x.txt")))
	w.page(b, protocols.LayoutDirectory, "", link(protocols.Text, "in b", file("b/y.txt")))
	d := peeking(t, w, Options{Home: file("")}, 80, 24)
	d.press("p").wantShown("in a")
	d.press("down").wantShown("in b")
	d.press("up").wantShown("in a")
}

// TestPeekFetches: what the cursor rests on is fetched, once and nothing else,
// and is no visit; the page and its keys stay as they are.
func TestPeekFetches(t *testing.T) {
	w := peekLibrary(t)
	n := counted(w)
	var visits []urlcore.URL
	d := peeking(t, w, Options{Visit: func(_ context.Context, u urlcore.URL, _ string) error {
		visits = append(visits, u)
		return nil
	}}, 132, 43)
	d.press("down", "down", "up", "up")
	if len(n) != 1 {
		t.Errorf("without a pane: fetched %v", n)
	}
	d.press("p").wantShown("Who writes here")
	d.press("down").wantShown("This text has a line").wantNotShown("Who writes here")
	d.press("x", "n", "w", "y", ">") // nothing to fetch
	d.press("down", "down", "down").wantShown("telnet: opened by another program")
	want := map[urlcore.URL]int{item('1', "/"): 1, item('1', "/phlogs"): 1, item('0', "/about.txt"): 1, item('I', "/sunset.jpg"): 1}
	if fmt.Sprint(n) != fmt.Sprint(want) {
		t.Errorf("fetched %v, want %v", n, want)
	}
	d.wantURL(item('1', "/"))
	d.press("up", "up", "up").wantShown("This text has a line") // as it was
	if fmt.Sprint(n) != fmt.Sprint(want) {
		t.Errorf("on the way back: fetched %v, want %v", n, want)
	}
	d.press("esc").wantNotShown("This text has a line")
	d.press("up")
	if n[item('1', "/phlogs")] != 1 {
		t.Error("fetched after the pane was closed")
	}
	if len(visits) != 1 || visits[0] != item('1', "/") {
		t.Errorf("visits: %v", visits)
	}
	d.press("p", "p").wantNotShown("Who writes here")
	d.press("enter").wantURL(item('1', "/phlogs"))
}

// TestPeekRests: a cursor that only passes by fetches nothing, and one that
// moves on ends the load.
func TestPeekRests(t *testing.T) {
	w := peekLibrary(t)
	w.stall(item('1', "/phlogs"))
	n := counted(w)
	d := drive(t, w, Options{}, 80, 24)
	var rested []tea.Msg
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		rested = append(rested, msg)
		return nil
	}
	d.Update(keyPress("p"))
	l := d.peek.tab.Session.Loading()
	if l == nil || l.URL != item('1', "/phlogs") {
		t.Fatalf("loading %v", l)
	}
	d.wantShown("loading gopher://gopher.example.org/1/phlogs")
	d.press("down", "down", "up")
	<-l.Done()
	if d.peek.tab.Session.Loading() != nil || len(rested) != 3 {
		t.Errorf("%d moves, loading %v", len(rested), d.peek.tab.Session.Loading())
	}
	for _, msg := range rested {
		d.send(msg)
	}
	d.wantShown("This text has a line")
	if n[item('0', "/about.txt")] != 1 || n[item('I', "/sunset.jpg")] != 0 {
		t.Errorf("fetched %v", n)
	}
}

// TestPeekBound: of a long item the beginning is read, of a large picture
// nothing.
func TestPeekBound(t *testing.T) {
	w := web{}
	yielded := 0
	w.stream(item('1', "/endless"), protocols.LayoutMenu, "", func(yield func(protocols.Line, error) bool) {
		for yield(protocols.Line{Text: fmt.Sprintf("line %d", yielded)}, nil) {
			yielded++
		}
	})
	w.text(item('0', "/long"), "", strings.Repeat("A rather long line of text. ", 100_000))
	big := w.picture(item('I', "/big"), append(pngFile(t, 60, 40), make([]byte, peekPicture)...))
	w.page(item('1', "/"), protocols.LayoutMenu, "",
		link(protocols.Menu, "Endless", item('1', "/endless")), link(protocols.Text, "Long", item('0', "/long")),
		link(protocols.Image, "Big", item('I', "/big")))
	d := peeking(t, w, Options{}, 132, 43)
	d.press("p").wantShown("line 37")
	if l := d.peek.tab.Session.Loading(); l != nil {
		t.Errorf("%v is still being loaded", l.URL)
	}
	d.press("down").wantShown("A rather long line")
	if l := d.peek.tab.Session.Loading(); l != nil {
		t.Errorf("%v is still being loaded", l.URL)
	}
	d.press("down").wantShown("picture of more than 4.2 MB: press Enter")
	if *big != 1 {
		t.Errorf("fetched %d times", *big)
	}
}

// On a page without items there is no pane.
func TestPeekWithoutItems(t *testing.T) {
	w := web{}
	w.page(item('1', "/"), protocols.LayoutMenu, "", protocols.Line{Text: "nothing to follow"})
	d := drive(t, w, Options{}, 80, 24)
	d.press("p").wantShown("there is no item on this page to peek at")
	if d.peek.open {
		t.Error("the pane is open")
	}
}
