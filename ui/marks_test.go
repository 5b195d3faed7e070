package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// fakeHistory is a history in memory.
type fakeHistory struct {
	visited map[string]bool
	fresh   []uint64 // result of NewLinks
	err     error

	lookups  []string // arguments of Visited
	compared []string // pages passed to NewLinks, each with its number of links
	recorded []string
}

func (k *fakeHistory) Visited(_ context.Context, urls []string) ([]bool, error) {
	k.lookups = append(k.lookups, urls...)
	is := make([]bool, len(urls))
	for i, u := range urls {
		is[i] = k.visited[u]
	}
	return is, k.err
}

func (k *fakeHistory) NewLinks(_ context.Context, u urlcore.URL, links []uint64) ([]uint64, error) {
	k.compared = append(k.compared, fmt.Sprint(u, " ", len(links)))
	return k.fresh, k.err
}

func (k *fakeHistory) options() Options {
	return Options{Marks: k, Visit: func(_ context.Context, _, u urlcore.URL, _ string) error {
		k.recorded = append(k.recorded, u.String())
		return nil
	}}
}

// textsInState returns the texts of the lines that have the state.
func (d *driver) textsInState(state nav.State) string {
	var list []string
	p := d.Model.tab.Session.Page()
	for i, l := range p.Lines.All(0) {
		if p.Lines.State(i)&state != 0 {
			list = append(list, l.Text)
		}
	}
	return strings.Join(list, ", ")
}

func (d *driver) wantState(state nav.State, want string) *driver {
	d.t.Helper()
	if got := d.textsInState(state); got != want {
		d.t.Errorf("lines with the state %b: got %q, want %q", state, got, want)
	}
	return d
}

func TestVisitedMarks(t *testing.T) {
	k := &fakeHistory{visited: map[string]bool{item('0', "/about.txt").String(): true}}
	d := drive(t, library(), k.options(), 80, 24)
	d.wantState(nav.Visited, "About this hole")
	if want := string(d.styles.Dim) + "About this hole"; !strings.Contains(d.View().Content, want) {
		t.Errorf("the visited link is not dim:\n%q", d.View().Content)
	}
	// An opened link is marked at once, even if the history does not have it.
	d.press("down", "enter", "backspace", "tab", "enter", "backspace").wantState(nav.Visited, "About this hole")
	d.press("home", "end", "enter")
	k.visited = map[string]bool{item('1', "/phlogs").String(): true}
	d.press("backspace").wantState(nav.Visited, "Phlogs, About this hole")
	// The visit is forgotten.
	k.visited = nil
	d.send(resultFunc(func() tea.Cmd { return d.updateHistory("forgot") })).wantState(nav.Visited, "")
	if slices.ContainsFunc(k.lookups, func(u string) bool { return strings.HasPrefix(u, "about:") }) {
		t.Errorf("a page of gofer's own was looked up: %q", k.lookups)
	}
}

// TestLookupIsBounded checks that only links near the screen are looked up in a long menu.
func TestLookupIsBounded(t *testing.T) {
	w, k := web{}, &fakeHistory{}
	lines := make([]protocols.Line, 100_000)
	for i := range lines {
		lines[i] = link(protocols.Text, fmt.Sprint("line ", i), item('0', fmt.Sprint("/", i)))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "long", lines...)
	d := drive(t, w, k.options(), 80, 24)
	rows := d.Model.tab.Pager.Height
	if n := len(k.lookups); n != 2*rows {
		t.Errorf("%d links were looked up, want two screens of %d", n, rows)
	}
	k.lookups = nil
	d.press("down", "up", "down")
	if len(k.lookups) != 0 {
		t.Errorf("a move of the cursor looked up %q", k.lookups)
	}
	d.press("pgdown")
	if n := len(k.lookups); n > rows {
		t.Errorf("a screen further down %d links were looked up, want at most %d", n, rows)
	}
	k.lookups = nil
	d.press("end")
	if n := len(k.lookups); n == 0 || n > 2*rows {
		t.Errorf("at the end %d links were looked up, want at most %d", n, 2*rows)
	}
	if len(k.compared) != 0 {
		t.Errorf("a page of too many links was compared: %q", k.compared)
	}
	k.lookups = nil
	d.press("&").typeText("999") // shows lines far apart
	if n := len(k.lookups); n == 0 || n > 3*3*rows {
		t.Errorf("with a filter %d links were looked up, want at most %d", n, 3*3*rows)
	}
	if i := slices.IndexFunc(k.lookups, func(u string) bool { return !strings.Contains(u, "9") }); i >= 0 {
		t.Errorf("%s was looked up, but the filter hides it", k.lookups[i])
	}
}

func TestNewMarks(t *testing.T) {
	w, k := library(), &fakeHistory{visited: map[string]bool{item('0', "/about.txt").String(): true}}
	lines := linesOf(link(0, "", item('0', "/about.txt")), link(0, "", item('I', "/sunset.jpg")), link(0, "", item('1', "/welt")))
	k.fresh = []uint64{lines.LinkID(0), lines.LinkID(1), lines.LinkID(2), 12345}
	d := drive(t, w, k.options(), 80, 24)
	d.wantState(nav.New, "Sunset, June, Ein schöner Ort, 世界").wantShown("2 new since the last visit: press .", "N◙ Sunset, June")
	fetchtest.EqualSlices(t, k.compared, []string{item('1', "/").String() + " 6"}, "compared")
	for _, want := range []string{"Sunset, June", "Ein schöner Ort, 世界", "Sunset, June"} {
		d.press(".").wantCurrent(want)
	}
	d.wantShown("wrapped to the top")
	d.press(",").wantCurrent("Ein schöner Ort, 世界")
	w.addPage(item('1', "/welt"), protocols.LayoutMenu, "Welt", info("nothing"))
	d.press("enter", "backspace").wantState(nav.New, "Sunset, June")
	k.fresh = nil
	d.press("r", ".").wantShown("nothing new here since the last visit")
}

// TestPrivate checks that nothing is looked up, recorded or marked in private mode.
func TestPrivate(t *testing.T) {
	k := &fakeHistory{visited: map[string]bool{item('0', "/about.txt").String(): true}}
	lines := linesOf(link(0, "", item('I', "/sunset.jpg")))
	k.fresh = []uint64{lines.LinkID(0)}
	w := library()
	w.addPage(item('1', "/phlogs"), protocols.LayoutMenu, "Phlogs", link(protocols.Menu, "one", item('1', "/one")))
	o := k.options()
	o.Private = true
	d := drive(t, w, o, 80, 24)
	find := item('7', "/find")
	d.press("enter", "backspace", "tab", "enter", "backspace").wantShown(" private")
	d.press("tab", "tab").submit("enter", "secret words")
	if len(k.lookups)+len(k.compared)+len(k.recorded)+len(d.lastAnswers)+len(d.openedURLs) != 0 {
		t.Errorf(
			"private mode: looked up %q, compared %q, recorded %q, typed %v, opened %v", k.lookups, k.compared,
			k.recorded, d.lastAnswers[find], d.openedURLs,
		)
	}
	d.press("~").wantState(nav.Visited|nav.New, "")
	d.press("P").wantShown("no longer private").wantNotShown(" private ")
	d.press("~").wantState(nav.Visited|nav.New, "About this hole, Sunset, June").wantShown("N◙ Sunset, June")
	d.press("P").wantNotShown("N◙ Sunset, June")
	fetchtest.EqualSlices(t, k.recorded, []string{item('1', "/").String()}, "recorded")
}
