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

// drivePane returns a driver in which the pane follows the cursor without a delay.
func drivePane(t *testing.T, w web, o Options, width, height int) *driver {
	t.Helper()
	d := drive(t, w, o, width, height)
	d.removePaneDelay()
	return d
}

func (d *driver) removePaneDelay() {
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(peekMsg); !ok {
			return nil
		}
		return func() tea.Msg { return msg }
	}
}

// countFetches counts the fetches of each URL of w.
func countFetches(w web) map[urlcore.URL]int {
	n := make(map[urlcore.URL]int)
	for u, fetch := range w {
		w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			n[u]++
			return fetch(ctx, req)
		}
	}
	return n
}

func peekLibrary(t *testing.T) web {
	w := library()
	w.addPage(item('1', "/phlogs"), protocols.LayoutMenu, "Phlogs",
		info("Who writes here"), link(protocols.Menu, "Ann", item('1', "/ann")), link(protocols.Text, "Bob", item('0', "/bob")))
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 60, 40))
	return w
}

// TestPaneFetches checks that the pane fetches only the item under the cursor, only once, and records
// no visit. The keys must still act on the page.
func TestPaneFetches(t *testing.T) {
	w := peekLibrary(t)
	n := countFetches(w)
	var visits []urlcore.URL
	d := drivePane(t, w, Options{Visit: func(_ context.Context, _, u urlcore.URL, _ string) error {
		visits = append(visits, u)
		return nil
	}}, 132, 43)
	d.press("down", "down", "up", "up")
	if len(n) != 1 {
		t.Errorf("without a pane: fetched %v, want only the menu", n)
	}
	d.press("p").wantShown("Who writes here")
	d.press("down").wantShown("This text has a line").wantNotShown("Who writes here")
	d.press("x", "n", "w", "y", ">") // these keys fetch nothing
	d.press("down", "down", "down").wantShown("telnet: opened by another program")
	want := map[urlcore.URL]int{item('1', "/"): 1, item('1', "/phlogs"): 1, item('0', "/about.txt"): 1, item('I', "/sunset.jpg"): 1}
	if fmt.Sprint(n) != fmt.Sprint(want) {
		t.Errorf("fetched %v, want %v", n, want)
	}
	d.wantURL(item('1', "/"))
	d.press("up", "up", "up").wantShown("This text has a line") // still in memory
	if fmt.Sprint(n) != fmt.Sprint(want) {
		t.Errorf("on the way back: fetched %v, want %v", n, want)
	}
	d.press("esc").wantNotShown("This text has a line")
	d.press("up")
	if n[item('1', "/phlogs")] != 1 {
		t.Error("an item was fetched after the pane was closed")
	}
	if len(visits) != 1 || visits[0] != item('1', "/") {
		t.Errorf("recorded the visits %v, want only the menu", visits)
	}
	d.press("p", "p").wantNotShown("Who writes here")
	d.press("enter").wantURL(item('1', "/phlogs"))
}

// TestPaneLogins checks that the pane uses a login only at the server of the page, because the page has chosen the item.
func TestPaneLogins(t *testing.T) {
	w := peekLibrary(t)
	home, same, other := item('1', "/"), item('0', "/bob"), fetchtest.Parse(t, "gopher://other.example/0/bob")
	w.addPage(home, protocols.LayoutMenu, "Menu", link(protocols.Text, "Here", same), link(protocols.Text, "There", other))
	may := make(map[urlcore.URL]bool)
	for _, u := range []urlcore.URL{same, other} {
		w[u] = func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
			server, _ := urlcore.Addr(u)
			may[u] = protocols.MayLogIn(ctx, u.Scheme(), server)
			return nil, protocols.NewError(protocols.NotFound, "open", "no")
		}
	}
	d := drivePane(t, w, Options{Start: home.String()}, 132, 43)
	d.press("p", "down")
	fetchtest.Equal(t, fmt.Sprint(may), fmt.Sprint(map[urlcore.URL]bool{same: true, other: false}))
	d.press("enter")
	fetchtest.Equal(t, may[other], true, "opened with a key")
}

// TestPaneIgnoresPassedItems checks that the pane does not fetch an item if the cursor moves on at
// once. If the cursor moves on later, the load must be canceled.
func TestPaneIgnoresPassedItems(t *testing.T) {
	w := peekLibrary(t)
	w.addStall(item('1', "/phlogs"))
	n := countFetches(w)
	d := drive(t, w, Options{}, 80, 24)
	var rested []tea.Msg
	d.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		rested = append(rested, msg)
		return nil
	}
	d.Update(keyPress("p"))
	l := d.peek.tab.Session.Loading()
	if l == nil || l.URL != item('1', "/phlogs") {
		t.Fatalf("the pane loads %v, want /phlogs", l)
	}
	d.wantShown("loading gopher://gopher.example.org/1/phlogs")
	d.press("down", "down", "up")
	<-l.Done()
	if d.peek.tab.Session.Loading() != nil || len(rested) != 3 {
		t.Errorf("the pane waits after %d moves, want 3, and loads %v, want nothing", len(rested), d.peek.tab.Session.Loading())
	}
	for _, msg := range rested {
		d.send(msg)
	}
	d.wantShown("This text has a line")
	if n[item('0', "/about.txt")] != 1 || n[item('I', "/sunset.jpg")] != 0 {
		t.Errorf("fetched %v, want /about.txt once and no picture", n)
	}
}

// TestPaneReadsBeginning checks that the pane reads only the beginning of a long item, and does not
// read a large picture at all.
func TestPaneReadsBeginning(t *testing.T) {
	w := web{}
	yielded := 0
	w.addStream(item('1', "/endless"), protocols.LayoutMenu, "", func(yield func(protocols.Line, error) bool) {
		for yield(protocols.Line{Text: fmt.Sprintf("line %d", yielded)}, nil) {
			yielded++
		}
	})
	w.addText(item('0', "/long"), "", strings.Repeat("A rather long line of text. ", 100_000))
	big := w.addPicture(item('I', "/big"), append(pngFile(t, 60, 40), make([]byte, peekPicture)...))
	w.addPage(item('1', "/"), protocols.LayoutMenu, "",
		link(protocols.Menu, "Endless", item('1', "/endless")), link(protocols.Text, "Long", item('0', "/long")),
		link(protocols.Image, "Big", item('I', "/big")))
	d := drivePane(t, w, Options{}, 132, 43)
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
		t.Errorf("the large picture was fetched %d times, want once", *big)
	}
}

// TestPaneOfNewPage checks that the pane shows the item under the cursor of a page that replaces the list, and of the list again.
func TestPaneOfNewPage(t *testing.T) {
	for _, width := range []int{40, 80, 160} {
		w := peekLibrary(t)
		w.addPage(item('1', "/ann"), protocols.LayoutMenu, "Ann", info("Ann has been here"))
		d := drivePane(t, w, Options{}, width, 30)
		d.press("p").wantShown("Who writes here")
		d.press("enter").wantURL(item('1', "/phlogs")).wantShown("Ann has been here")
		d.press("backspace").wantURL(item('1', "/")).wantShown("Who writes here").wantNotShown("Ann has been here")
	}
}

// TestDocumentHidesPane checks that a document or a picture has the whole screen, whether the pane was beside the list or
// below it. The list that it came from must have the pane again, with the same item.
func TestDocumentHidesPane(t *testing.T) {
	for _, width := range []int{40, 80, 132, 160} {
		for _, down := range []int{1, 2} { // a text and a picture
			d := drivePane(t, peekLibrary(t), Options{}, width, 30)
			d.press("p")
			for range down {
				d.press("down")
			}
			before := d.screen()
			d.press("enter")
			got := [...]int{d.tab.Pager.Width, d.tab.Pager.Height, d.tab.PictureView.Width, d.tab.PictureView.Height}
			fetchtest.Equal(t, got, [...]int{width, d.regions().rows, width, d.regions().rows}, "at %d columns: the size of document %d", width, down)
			d.press("down", "backspace")
			fetchtest.Equal(t, d.screen(), before, "at %d columns: the list after document %d", width, down)
		}
	}
}

// TestPaneOfText checks that a pane for the links of a text stays there, and does not cover another document.
func TestPaneOfText(t *testing.T) {
	w := peekLibrary(t)
	w.addText(item('0', "/links"), "", "see gopher://gopher.example.org/0/bob\n")
	w.addText(item('0', "/bob"), "", "I am Bob\n")
	d := drivePane(t, w, Options{Home: item('0', "/links")}, 80, 30)
	d.press("tab", "p").wantShown("see gopher:", "I am Bob")
	d.press("enter").wantURL(item('0', "/bob"))
	fetchtest.Equal(t, d.tab.Pager.Height, d.regions().rows)
	d.press("backspace").wantShown("see gopher:", "I am Bob")
	d.press("r").wantShown("see gopher:", "I am Bob")
}
