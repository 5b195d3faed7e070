package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/viewer"
)

// longLines returns n lines of the maximum length. Each line repeats the parameter part.
func longLines(n int, part string) []protocols.Line {
	lines := make([]protocols.Line, n)
	for i := range lines {
		lines[i] = info(strings.Repeat(part, 64<<10/len(part)))
	}
	return lines
}

// TestSearchDrawsWhenItEnds checks that a search does not redraw the screen before it finds a match.
func TestSearchDrawsWhenItEnds(t *testing.T) {
	w := web{}
	lines := longLines(20, "\x01")
	w.addPage(item('1', "/"), protocols.LayoutMenu, "long", append(lines, info("the needle"))...)
	d := drive(t, w, Options{}, 80, 24)
	cmd := d.startFind("needle")
	d.View()
	for slices := 0; d.Model.tab.Finder.Search != nil; slices++ {
		if slices > 0 && !d.drawn {
			t.Fatal("a search without a match redraws the screen")
		}
		_, cmd = d.Update(cmd())
	}
	d.wantShown("the needle")
}

// TestFindShowsTheMatch checks that a match far inside a line is scrolled into view.
func TestFindShowsTheMatch(t *testing.T) {
	words := new(strings.Builder)
	for i := range 1000 {
		fmt.Fprintf(words, "word%d ", i)
	}
	w := web{}
	w.addText(item('0', "/"), "long", "first\n"+words.String()+"\nlast\n")
	for _, wrapped := range []bool{true, false} {
		d := drive(t, w, Options{Home: item('0', "/")}, 80, 24)
		if !wrapped {
			d.press("w")
		}
		for _, want := range []string{"word970", "word3", "last"} {
			d.press("/", "ctrl+u").typeText(want).press("enter").wantShown(want)
		}
	}
}

// numberedMenu returns a menu of n items; every tenth text contains "Gold".
func numberedMenu(n int) web {
	w := web{}
	var lines []protocols.Line
	for i := range n {
		text := fmt.Sprintf("item %d", i)
		if i%10 == 5 {
			text += " Gold"
		}
		lines = append(lines, link(protocols.Menu, text, item('1', fmt.Sprintf("/%d", i))))
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Numbers", lines...)
	w.addPage(item('1', "/25"), protocols.LayoutMenu, "Twenty-five", info("here it is"))
	return w
}

// TestFindWhileTyping checks that typing moves the cursor forward to the first match, and that Esc
// moves the cursor back.
func TestFindWhileTyping(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("pgdown", "down")
	before, at := d.screen(), d.Model.tab.Session.Page().Cursor
	d.press("/")
	for _, tt := range []struct {
		key    string
		cursor int
		state  string
	}{
		{"g", 25, "match 3 of 6"},
		{"o", 25, "match 3 of 6"},
		{"x", at, "not found"},
		{"backspace", 25, "match 3 of 6"},
		{"ctrl+u", at, "Find:"},
		{"1", at + 1, "match 12 of 15"},
		{"9", 19, "match 1 of 1, wrapped to the top"},
	} {
		d.press(tt.key).wantCursor(tt.cursor).wantShown(tt.state)
	}
	d.press("esc")
	fetchtest.Equal(t, d.screen(), before, "after Esc")
}

func TestNextMatch(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("n").wantShown("nothing to find yet: press /")
	d.submit("/", "gold")
	for _, tt := range []struct {
		key    string
		cursor int
		shown  string
	}{
		{"n", 15, "match 2 of 6  16/60"},
		{"n", 25, "match 3 of 6"},
		{"N", 15, "match 2 of 6"},
		{"N", 5, "match 1 of 6"},
		{"N", 55, "wrapped to the end"},
		{"n", 5, "wrapped to the top"},
		{"down", 6, "6 matches  7/60"},
		{"n", 15, "match 2 of 6"},
	} {
		d.press(tt.key).wantCursor(tt.cursor).wantShown(tt.shown)
	}
	d.press("esc").wantNotShown("match")
	d.press("n").wantShown("match 2 of 6")
	d.press("/", "enter").wantShown("match 3 of 6")
}

func TestRecalledSearches(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	for _, typed := range []string{"gold", "item 2", "gold", "item 3"} {
		d.submit("/", typed)
	}
	d.press("/", "x")
	for _, tt := range []struct{ key, want string }{
		{"up", "item 3"}, {"up", "gold"}, {"up", "item 2"}, {"up", "item 2"}, {"down", "gold"}, {"down", "item 3"}, {"down", "x"}, {"down", "x"}, {"up", "item 3"},
	} {
		d.press(tt.key)
		fetchtest.Equal(t, d.typedInPrompt(), tt.want, "%s", tt.key)
	}
	if got := d.Model.tab.Session.Page().Cursor; got != 3 && got != 30 {
		t.Errorf("the recalled search moved the cursor to line %d, want 3 or 30", got)
	}
}

func TestInvalidRegexp(t *testing.T) {
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	for _, key := range []string{"/", "&"} {
		d.press(key).typeText(`\v(gold`).wantShown("missing closing ): (gold")
		d.press("enter").wantShown("missing closing ): (gold")
		d.typeText(`|7)$`).wantNotShown("missing")
		d.press("enter")
		if d.Model.tab.Prompt != nil || !strings.Contains(d.screen(), "item 5 Gold") {
			t.Errorf("%s: the prompt is still open, or nothing is found:\n%s", key, d.screen())
		}
	}
}

// TestCountWhileCounting checks that an unfinished count of matches is shown with a plus sign.
func TestCountWhileCounting(t *testing.T) {
	d := drive(t, numberedMenu(50_000), Options{}, 80, 24)
	cmd := d.startFind("gold")
	for range 3 {
		_, cmd = d.Update(cmd())
	}
	d.drawn = false
	d.wantShown("match 1 of 819+")
	d.run(cmd).wantShown("match 1 of 5000  6/50000")
}

// TestCountGrowsWithThePage checks that matches in lines that arrive later are counted.
func TestCountGrowsWithThePage(t *testing.T) {
	for _, filter := range []bool{false, true} {
		more, w := make(chan struct{}), web{}
		w.addStream(item('1', "/"), protocols.LayoutMenu, "slow", func(yield func(protocols.Line, error) bool) {
			for i := range 300 {
				if i%100 == 50 && !yield(link(protocols.Menu, fmt.Sprintf("gold %d", i), item('1', "/x")), nil) {
					return
				}
				if !yield(info("sand"), nil) {
					return
				}
				if i == 200 {
					<-more
				}
			}
		})
		d := drive(t, web{}, Options{}, 80, 24)
		l := nav.Open(t.Context(), w, protocols.Request{URL: item('1', "/")})
		d.Model.tab.Session.Begin(l)
		head, err := l.Wait()
		d.Update(answerMsg{d.tab, l, head, err})
		d.drawn = false
		for d.Model.tab.Session.Page().Lines.Len() < 100 {
			lines, err := l.Next()
			d.Update(linesMsg{tab: d.tab, load: l, lines: lines, err: err})
		}
		if filter {
			d.run(d.startFilter("gold")).wantShown("gold 50", "+")
		} else {
			d.run(d.startFind("gold")).wantShown("match 1 of ")
		}
		close(more)
		for d.Model.tab.Session.Loading() != nil {
			lines, err := l.Next()
			d.Update(linesMsg{tab: d.tab, load: l, lines: lines, err: err})
			d.send(viewer.ScanMsg{Viewer: &d.tab.Viewer})
		}
		if filter {
			d.wantShown("1/3 of 303 ")
		} else {
			d.wantShown("match 1 of 3 ")
		}
	}
}

// TestMatchesAreMarked checks that matches are marked in the selected row and in the columns beside
// the text. The sign ^ must match at the beginning of a line, but not of a wrapped row. Matches in the
// current line are in reverse video. A bar precedes that line, even if it is not a link.
func TestMatchesAreMarked(t *testing.T) {
	w := web{}
	w.addPage(item('1', "/"), protocols.LayoutGroups, "groups",
		protocols.Line{Kind: protocols.Group, Text: "lab.one", Link: item('1', "/1"), Note: &protocols.GroupNote{Description: "The One"}},
		protocols.Line{Kind: protocols.Group, Text: "lab.two", Link: item('1', "/2"), Note: &protocols.GroupNote{Description: "another one"}},
	)
	w.addText(item('0', "/"), "text", strings.Repeat("the word ", 30)+"\nthe end\n")
	w.addPage(item('0', "/links"), protocols.LayoutText, "links", link(protocols.Menu, "the link", item('1', "/1")))
	w.addPage(item('1', "/notes"), protocols.LayoutMenu, "notes", info("no item"), info("an item"), link(protocols.Menu, "some item", item('1', "/1")))
	for _, tt := range []struct {
		home, typed, keys, bar string
		want, current          []string
	}{
		{"1/", "one", "", "█▸ lab.one", []string{"one", "One", "one"}, []string{"one", "One"}},
		{"0/", `\v^the`, "", "█the word", []string{"the", "the"}, []string{"the"}},
		{"0/", `\v^the`, "n", "█the end", []string{"the", "the"}, []string{"the"}},
		{"0/", `end`, "", "█the end", []string{"end"}, []string{"end"}},
		{"0/links", "link", "", "█the link", []string{"link"}, []string{"link"}},
		{"1/notes", "item", "n", "█  no item", []string{"item", "item", "item"}, []string{"item"}},
		{"1/notes", "item", "n n", "█  an item", []string{"item", "item", "item"}, []string{"item"}},
	} {
		d := drive(t, w, Options{Home: item(tt.home[0], tt.home[1:])}, 80, 24)
		d.submit("/", tt.typed)
		d.press(strings.Fields(tt.keys)...).wantShown(tt.bar)
		found, reverse := string(d.styles.Found), string(d.styles.Selected)
		content := strings.ReplaceAll(d.View().Content, found+string(d.styles.OnTint.Selected), found+reverse)
		var got, current []string
		for i, part := range strings.Split(content, found) {
			part, isCurrent := strings.CutPrefix(part, reverse)
			text, _, _ := strings.Cut(part, "\x1b")
			if i > 0 {
				got = append(got, text)
			}
			if isCurrent {
				current = append(current, text)
			}
		}
		fetchtest.EqualSlices(t, got, tt.want, "%s: matches of %q", tt.home, tt.typed)
		fetchtest.EqualSlices(t, current, tt.current, "%s: matches of %q in the current line", tt.home, tt.typed)
	}
}

// TestMatchesOfOnePage checks that matches are marked in another page only after the search is
// repeated there.
func TestMatchesOfOnePage(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	wantMarked := func(want bool) {
		t.Helper()
		fetchtest.Equal(t, strings.Contains(d.View().Content, string(d.styles.Found)), want, "%s: marked", d.url())
		fetchtest.Equal(t, strings.Contains(d.screen(), "match"), want, "%s: matches are counted", d.url())
	}
	d.submit("/", "about")
	wantMarked(true)
	d.press("enter").wantURL(item('0', "/about.txt"))
	wantMarked(false)
	d.press("backspace")
	wantMarked(true)
	d.press("r")
	wantMarked(true)
	d.press("f", "n")
	wantMarked(true)
	d.press("esc")
	wantMarked(false)
}

// TestFindBackwards checks that Alt-/ searches backwards from the cursor, and that n then goes to the
// previous match.
func TestFindBackwards(t *testing.T) {
	d := drive(t, numberedMenu(9), Options{}, 80, 24)
	d.press("end").submit("alt+/", "item").wantCursor(8)
	d.press("n").wantCursor(7).press("n").wantCursor(6).press("N").wantCursor(7)
	d.submit("/", "item").press("n").wantCursor(8)
	d.press("alt+/", "enter").wantCursor(7).press("n").wantCursor(6)
}

// startFind searches the page for the typed text and closes the prompt. It returns the command that
// continues the search.
func (d *driver) startFind(typed string) tea.Cmd {
	d.tab.AskFind(1)
	return d.typeInPrompt(typed)
}

// startFilter filters the page by the typed text and closes the prompt. It returns the command that
// continues filtering.
func (d *driver) startFilter(typed string) tea.Cmd {
	d.tab.AskFilter()
	return d.typeInPrompt(typed)
}

// typeInPrompt types text into the prompt and closes the prompt.
func (d *driver) typeInPrompt(typed string) tea.Cmd {
	cmd := d.tab.Prompt.Insert(typed, d.askScreen())
	d.tab.Prompt = nil
	return cmd
}
