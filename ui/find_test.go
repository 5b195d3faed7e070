package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
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
	w.addPage(
		item('1', "/notes"), protocols.LayoutMenu, "notes", info("no item"), info("an item"),
		link(protocols.Menu, "some item", item('1', "/1")),
	)
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

// TestOpenFoundPage opens results of a search in what was read: the cursor goes to the words, which are marked and found again.
func TestOpenFoundPage(t *testing.T) {
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	lines[20], lines[40], lines[50] = "only a fox", "a BROWN F\u00f6x", "brown foxes"
	for _, tt := range []struct {
		words  string
		open   []string
		cursor int
		next   int
		state  string
	}{
		{"brown%20fox", []string{"enter"}, 40, 50, "match 1 of 2"},
		{"%22brown%20fox%22%20-cat", []string{"enter"}, 40, 40, "match 1 of 1"},
		{"only%20brown", []string{"enter"}, 20, 40, "match 1 of 3"}, // no line has all
		{"brown%20fox", []string{"t", "]"}, 40, 50, "match 1 of 2"},
		{"brown%20fox", []string{"#", "t", "]"}, 40, 50, "match 1 of 2"},
		{"gone", []string{"enter"}, 0, 0, "not found: gone"},
	} {
		w := library()
		w.addText(item('0', "/text"), "Text", strings.Join(lines, "\n"))
		w.addPage(about.Page("search?"+tt.words), protocols.LayoutPage, "Search", link(protocols.Text, "found", item('0', "/text")))
		d := drive(t, w, Options{}, 80, 24)
		d.run(d.visit(about.Page("search?" + tt.words)))
		d.press(tt.open...)
		fetchtest.Equal(t, d.Model.tab.Session.Page().Cursor, tt.cursor, "%s: the line of the cursor", tt.words)
		fetchtest.Contains(t, d.screen(), tt.state, "%s", tt.words)
		d.press("n")
		fetchtest.Equal(t, d.Model.tab.Session.Page().Cursor, tt.next, "%s: the line after n", tt.words)
	}
}
