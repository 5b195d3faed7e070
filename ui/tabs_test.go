package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"

	"gofer/internal/policy/restrict"
	"gofer/ui/room"
)

// tabTexts returns the numbers, marks and titles of all tabs. The current tab is in brackets.
func (d *driver) tabTexts() string {
	var all []string
	for i, t := range d.tabs {
		text := strings.TrimSpace(fmt.Sprintf("%d%s%s", i+1, d.newScreen().tabMark(t), d.newScreen().tabTitle(t, 28)))
		if t == d.tab {
			text = "[" + text + "]"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestTabs(t *testing.T) {
	const menu, about, phlogs = "A hole in the ground", "About this hole", "Phlogs"
	for _, tt := range []struct{ keys, want string }{
		{"", "[1 " + menu + "]"},
		{"t", "[1 " + menu + "] 2•Phlogs"},
		{"t ]", "1 " + menu + " [2 Phlogs]"},
		{"t ] ]", "[1 " + menu + "] 2 Phlogs"},
		{"t [", "1 " + menu + " [2 Phlogs]"},
		{"t ctrl+pgdown", "1 " + menu + " [2 Phlogs]"},
		{"t ctrl+pgdown ctrl+pgup", "[1 " + menu + "] 2 Phlogs"},
		// New tabs are inserted after the tab of the link, in the order of their opening.
		{"t down t", "[1 " + menu + "] 2•Phlogs 3•" + about},
		{"t down t alt+2 t", "1 " + menu + " [2 Phlogs] 3•" + about + " 4•" + about},
		{"t down t up t", "[1 " + menu + "] 2•Phlogs 3•" + about + " 4•Phlogs"},
		{"T", "1 " + menu + " [2 " + menu + "]"},
		{"T esc", "1 " + menu + " [2 " + menu + "]"},
		{"T enter", "1 " + menu + " [2 " + menu + "]"},
		{"t T esc alt+1 down t", "[1 " + menu + "] 2•Phlogs 3•" + about + " 4 " + menu},
		{"t down t alt+3", "1 " + menu + " 2•Phlogs [3 " + about + "]"},
		{"t down t alt+9", "1 " + menu + " 2•Phlogs [3 " + about + "]"},
		{"t alt+5", "[1 " + menu + "] 2•Phlogs"},
		{"t down t } }", "1•Phlogs 2•" + about + " [3 " + menu + "]"},
		{"t down t } } } {", "1•Phlogs [2 " + menu + "] 3•" + about},
		{"t {", "[1 " + menu + "] 2•Phlogs"},
		{"t W", "[1 Phlogs]"},
		{"t ] ctrl+w", "[1 " + menu + "]"},
		{"t down t alt+2 W", "1 " + menu + " [2 " + about + "]"},
		{"t down t alt+2 W W", "[1 " + menu + "]"},
		{"t down t alt+2 W W U", "1 " + menu + " [2 " + about + "]"},
		{"t down t alt+2 W W U U", "1 " + menu + " [2 Phlogs] 3 " + about},
		{"t down t alt+2 W W U U U", "1 " + menu + " [2 Phlogs] 3 " + about},
		{"t down enter W", "[1 Phlogs]"},
		{"t down enter W U", "[1 " + about + "] 2 Phlogs"},
		{"t down enter W U backspace", "[1 " + menu + "] 2 Phlogs"},
		{"down down t", "[1 " + menu + "] 2✗Not found"},
		{"down down t ]", "1 " + menu + " [2 Not found]"},
		{"down down down t", "[1 " + menu + "] 2?…gopher.example.org/7/find"},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			w := library()
			w.addPage(item('1', "/phlogs"), protocols.LayoutMenu, phlogs, link(protocols.Text, "About", item('0', "/about.txt")))
			d := drive(t, w, Options{}, 80, 24)
			d.press(strings.Fields(tt.keys)...)
			fetchtest.Equal(t, d.tabTexts(), tt.want)
		})
	}
}

// TestTypedURLInATab checks that Alt-Enter in the URL bar opens the typed URL in a new tab.
func TestTypedURLInATab(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("T", "esc", "[", "g", "ctrl+u").typeText("gopher://gopher.example.org/0/about.txt").press("alt+enter")
	fetchtest.Equal(t, d.tabTexts(), "1 A hole in the ground [2 About this hole] 3 A hole in the ground")
	d.press("g", "ctrl+u").typeText("gopher://").press("alt+enter")
	if d.bar == nil || len(d.tabs) != 3 {
		t.Errorf("after a faulty URL: %d tabs, the bar is open: %v, want 3 tabs and an open bar", len(d.tabs), d.bar != nil)
	}
}

// TestTabKeepsItsPlace checks that a tab keeps its place in the page when another tab is shown, and when
// the tab is closed and reopened.
func TestTabKeepsItsPlace(t *testing.T) {
	d := drive(t, demoMenu(), Options{}, 80, 24)
	d.press("t", "end", "up", "up")
	want := d.page()
	d.press("]", "[")
	fetchtest.Equal(t, d.page(), want, "after another tab")
	d.press("W", "U", "esc")
	d.notice, d.drawn = "", false
	fetchtest.Equal(t, d.page(), want, "opened again")
}

// TestPromptsWaitInTheirTab checks that the prompt of a tab is shown only in that tab, and that showing
// another tab does not close the prompt.
func TestPromptsWaitInTheirTab(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.press("down", "down", "down", "t")
	if d.Model.tab.Prompt != nil {
		t.Fatal("the prompt of a background tab is shown")
	}
	d.wantShown("2?gopher://gopher.example.org/7/find")
	d.press("down", "up", "]").wantShown("Words:")
	d.typeText("cat").press("ctrl+pgup").wantNotShown("Words:")
	d.press("down", "alt+2").wantShown("Words: cat")
	d.press("ctrl+pgup", "/").typeText("phlogs").press("alt+2").wantShown("Words: cat")
	d.press("enter")
	d.wantURL(urlcore.Gopher{
		HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '7', Selector: "/find", Search: "cat",
		HasSearch: true,
	})
	fetchtest.Equal(t, d.tab.target.Title, "", "the title by the link, which does not tell the words")
	d.press("alt+1").wantShown("Find: phlogs")
}

// TestQuestionsWaitInTheirTab checks that showing another tab does not answer a question.
func TestQuestionsWaitInTheirTab(t *testing.T) {
	w := library()
	yes := 0
	w.addFailure(item('1', "/phlogs"), &protocols.Confirm{Question: "Send it", GiveConsent: func() { yes++ }})
	d := drive(t, w, Options{}, 80, 24)
	d.press("t", "down", "t", "]").wantShown("Send it? (y/N)")
	d.press("]").wantShown("2?Send")
	d.press("[").wantShown("Send it? (y/N)")
	for _, key := range []string{"x", "a", "r", "w", "7"} {
		d.press(key).wantShown("Send it? (y/N)")
	}
	d.press("n").wantNotShown("Send it? (y/N)")
	if yes > 0 {
		t.Error("the question was answered with yes by the key of another tab, or by n")
	}
}

// TestTheLastTabQuits checks that closing the last tab quits, after the same question as q.
func TestTheLastTabQuits(t *testing.T) {
	w, endless, _ := stalledWeb()
	d := drive(t, w, Options{}, 80, 24)
	d.press("W")
	if !slices.ContainsFunc(d.otherMsgs, func(msg tea.Msg) bool { _, ok := msg.(tea.QuitMsg); return ok }) {
		t.Error("the program does not quit")
	}
	d.opts.Downloads.Add(download.Request{URL: endless})
	d.press("W").wantShown("Pause the downloads and quit? (Y/n)")
}

// TestClosingEndsTheLoad checks that closing a tab cancels its load, and that reopening the tab starts
// the load again. If there are too many closed tabs, the oldest one must be dropped.
func TestClosingEndsTheLoad(t *testing.T) {
	w := library()
	w.addStall(item('1', "/phlogs"))
	d := drive(t, w, Options{}, 80, 24)
	background := func() {
		_, cmd := d.Update(keyPress("t"))
		go d.runAndDrop(cmd)
	}
	background()
	fetchtest.Equal(t, d.tabTexts(), "[1 A hole in the ground] 2○…gopher.example.org/1/phlogs")
	l := d.tabs[1].Session.Loading()
	d.press("]", "W")
	<-l.Done()
	_, cmd := d.Update(keyPress("U"))
	go d.runAndDrop(cmd)
	reopened := d.Model.tab.Session.Loading()
	if reopened == nil || reopened == l || reopened.URL != l.URL {
		t.Errorf("the tab loads %v again, want %v", reopened, l.URL)
	}
	first := d.tab
	d.press("W")
	for range maxClosedTabs {
		background()
		d.press("]", "W")
	}
	if len(d.closedTabs) != maxClosedTabs || slices.ContainsFunc(d.closedTabs, func(c closedTab) bool { return c.tab == first }) {
		t.Errorf("%d closed tabs are kept, want %d without the oldest one", len(d.closedTabs), maxClosedTabs)
	}
	d.writes.Wait()
	<-reopened.Done()
	for range maxTabs {
		background()
	}
	if len(d.tabs) != maxTabs {
		t.Errorf("%d tabs, want %d", len(d.tabs), maxTabs)
	}
	d.wantShown("there are 100 tabs: W closes this one")
}

// runAndDrop runs cmd, or the commands of its batch, and drops the messages.
func (d *driver) runAndDrop(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			d.runAndDrop(c)
		}
	}
}

// driveManyTabs returns a driver with n tabs, whose titles have different lengths.
func driveManyTabs(t *testing.T, n int) *driver {
	w := web{}
	for i := range n {
		title := strings.Repeat("Ein schöner Ort, 世界 ", i%4) + fmt.Sprint("page ", i)
		if i%5 == 4 {
			title = ""
		}
		w.addPage(item('1', fmt.Sprint("/", i)), protocols.LayoutMenu, title, link(protocols.Menu, "next", item('1', fmt.Sprint("/", i+1))))
	}
	d := drive(t, w, Options{Home: item('1', "/0")}, 80, 24)
	for range n - 1 {
		d.press("t", "]")
	}
	return d
}

// TestTabRow checks that the row of tabs is as wide as the screen at all widths, and that it contains the
// current tab from 20 columns on. A click on a tab must show this tab.
func TestTabRow(t *testing.T) {
	for _, n := range []int{2, 3, 7, 30} {
		d := driveManyTabs(t, n)
		for width := 1; width <= 220; width++ {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24}).press([]string{"]", "[", "]"}[width%3])
			row := strings.Split(d.View().Content, "\n")[1]
			if got := d.Model.tab.Pager.Cells.Width(ansi.Strip(row)); got != width {
				t.Fatalf("%d tabs, %d cells: the row takes %d: %q", n, width, got, row)
			}
			if width < 20 {
				continue
			}
			labels, _ := d.newScreen().layOutTabs(width)
			i := slices.IndexFunc(labels, func(l tabLabel) bool { return l.tab == d.tab })
			if i < 0 || !strings.Contains(row, fmt.Sprint("m ", d.tabIndex()+1, " ")) {
				t.Fatalf("%d tabs, %d cells: tab %d is not in the row %q", n, width, d.tabIndex()+1, row)
			}
			if last := labels[len(labels)-1]; last.col+last.cells+2 > width-1 {
				t.Fatalf("%d tabs, %d cells: the last tab ends at %d: %q", n, width, last.col+last.cells+2, row)
			}
			if width%20 != n%20 {
				continue
			}
			for x := range width {
				labels, _ = d.newScreen().layOutTabs(width)
				var want *tab
				for _, l := range labels {
					if x >= l.col && x < l.col+l.cells+2 {
						want = l.tab
					}
				}
				d.send(tea.MouseClickMsg{X: x, Y: 1, Button: tea.MouseLeft})
				if want != nil && d.tab != want {
					t.Fatalf("%d tabs, %d cells: a click on column %d shows tab %d", n, width, x, d.tabIndex()+1)
				}
			}
		}
	}
}

// TestTabLabels checks that the labels use the width of the row, that the tab on the screen has the longest label, and that
// the labels leave the heads of columns their place if there is room for both.
func TestTabLabels(t *testing.T) {
	titles := []string{"News", "A hole in the ground with a long title", "Phlogs of the people in the hole", "The library of Gopher and FTP", "Another page"}
	for _, tt := range []struct {
		tabs, width, back int // back: how often the tab to the left is shown
		want              string
	}{
		{2, 80, 0, "─ 1 News ─ 2 next ────────────────────────────────────── size  modified ────────"},
		{2, 40, 0, "─ 1 News ─ 2 next ──────────────── size "},
		{3, 80, 0, "─ 1 News ─ 2 A hole in the ground with a lon… ─ 3 next ─ size  modified ────────"},
		{3, 80, 1, "─ 1 News ─ 2 A hole in the ground with a long title ─ 3 next ───────────────────"},
		{4, 80, 1, "─ 1 News ─ 2 A hole in the grou… ─ 3 Phlogs of the people in the hole ─ 4 next ─"},
		{5, 80, 0, "─ 1 News ─ 2 A hole in the g… ─ 3 Phlogs of the … ─ 4 The library of… ─ 5 next ─"},
		{5, 80, 1, "─ 1 News ─ 2 A hole in … ─ 3 Phlogs of … ─ 4 The library of Gopher a… ─ 5 next ─"},
		{5, 80, 3, "─ 1 News ─ 2 A hole in the ground wi… ─ 3 Phlogs of … ─ 4 The librar… ─ 5 next ─"},
		{5, 40, 2, "‹ 2 A hole … ─ 3 Phlogs … ─ 4 The lib… ›"},
	} {
		w := library()
		for i, title := range titles {
			next := item('1', fmt.Sprint("/", i+1))
			if i == tt.tabs-2 {
				next = file("pub")
			}
			w.addPage(item('1', fmt.Sprint("/", i)), protocols.LayoutMenu, title, link(protocols.Menu, "next", next))
		}
		d := drive(t, w, Options{Home: item('1', "/0")}, tt.width, 24)
		for range tt.tabs - 1 {
			d.press("t", "]")
		}
		for range tt.back {
			d.press("[")
		}
		row := ansi.Strip(strings.Split(d.View().Content, "\n")[1])
		fetchtest.Equal(t, row, tt.want, "%d tabs in %d cells, %d back", tt.tabs, tt.width, tt.back)
	}
}

// TestChooseClosedTab checks that a tab closed while the list of tabs is open cannot be chosen.
func TestChooseClosedTab(t *testing.T) {
	d := drive(t, library(), Options{Config: config.Config{Mouse: true}}, 80, 24)
	d.press("t", "down", "t")
	d.run(d.chooseTab())
	labels, _ := d.newScreen().layOutTabs(d.width)
	d.send(tea.MouseClickMsg{X: labels[2].col + 1, Y: 1, Button: tea.MouseMiddle}).press("down", "down", "enter")
	d.wantShown("this tab is closed")
	fetchtest.Equal(t, d.tabTexts(), "[1 A hole in the ground] 2✗Not found")
}

// TestForgetInAllTabs checks that forgotten visits disappear in all tabs.
func TestForgetInAllTabs(t *testing.T) {
	w := library()
	d := drive(t, w, addHistory(w, []urlcore.URL{item('1', "/a"), item('1', "/b")}), 80, 24)
	d.press("H", "T", "esc", "H", "/")
	d.send(resultFunc(func() tea.Cmd { return d.updateHistory("before") }))
	if d.Model.tab.Prompt == nil {
		t.Error("the prompt was closed")
	}
	d.press("esc", "X", "ctrl+u").typeText("gopher.example.org").press("enter")
	for range d.tabs {
		d.wantShown("Search the history").wantNotShown("visit to")
		d.press("]")
	}
}

// TestHandoffInATab checks that a handoff in a background tab does not change the page on the
// screen.
func TestHandoffInATab(t *testing.T) {
	w := library()
	w.addFailure(item('8', "/mud"), &protocols.Handoff{URL: item('8', "/mud"), Argv: []string{"telnet"}, Always: true})
	d := drive(t, w, Options{Config: config.Config{Restrict: restrict.Rules{Enabled: true}}}, 80, 24)
	d.run(d.visit(item('0', "/nonesuch"))).wantURL(item('0', "/nonesuch"))
	_, load := d.openTab(1, room.Target{URL: item('8', "/mud")}, room.How{}, nil)
	d.run(load)
	d.wantURL(item('0', "/nonesuch"))
}
