package ui

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// names returns the texts of the lines of the page.
func (d *driver) names() string {
	var names []string
	for _, l := range d.Model.tab.Session.Page().Lines.All(0) {
		names = append(names, l.Text)
	}
	return strings.Join(names, " ")
}

func sortableDirectory() web {
	w := library()
	dir := func(u urlcore.URL, lines ...protocols.Line) { w.addPage(u, protocols.LayoutDirectory, "d", lines...) }
	entry := func(k protocols.Kind, name string, size int64, month int) protocols.Line {
		return protocols.Line{Kind: k, Text: name, Link: file("d/" + name), Note: &protocols.FileNote{Size: size, Modified: day.AddDate(0, month, 0)}}
	}
	dir(file("d"), info("Welcome"),
		entry(protocols.Text, "b", 30, 2), entry(protocols.Image, "A", 100, 1), entry(protocols.Directory, "z", 4096, 0),
		entry(protocols.Text, "c", -1, 4), entry(protocols.Directory, "y", 0, 3))
	dir(file("d/z"), entry(protocols.Text, "m", 1, 0), entry(protocols.Text, "n", 2, 0))
	return w
}

// TestSort checks that a list is sorted by the chosen column, and that choosing the column again
// reverses the order. The tab must remember the order for each kind of list.
func TestSort(t *testing.T) {
	d := drive(t, sortableDirectory(), Options{Home: file("d")}, 80, 24)
	sorts := func(by, want string) {
		t.Helper()
		d.submit("s", by)
		fetchtest.Equal(t, d.names(), want, "by %q", by)
	}
	fetchtest.Equal(t, d.names(), "Welcome y z A b c", "at first")
	sorts("", "Welcome z y c b A")
	d.wantShown("sorted by name, Z to A")
	sorts("", "Welcome y z A b c")
	sorts("size", "Welcome y z A b c")
	d.wantShown("sorted by size, largest first", "size↓")
	sorts("", "Welcome y z b A c")
	d.wantShown("size↑")
	sorts("modified", "Welcome y z c b A")
	sorts("kind", "Welcome y z A b c")
	sorts("sent", "Welcome b A z c y")
	sorts("", "Welcome y c z A b")
	sorts("size", "Welcome y z A b c")

	d.press("down", "enter").wantURL(file("d/z"))
	fetchtest.Equal(t, d.names(), "n m", "the next directory")
	d.press("backspace")
	fetchtest.Equal(t, d.names(), "Welcome y z A b c", "back")
	d.press("s")
	checkGolden(t, "sort-80x24.txt", d.screen())
}

// TestSortKeepsCursor checks that sorting keeps the filter, and keeps the cursor on its item. A page
// without columns cannot be sorted.
func TestSortKeepsCursor(t *testing.T) {
	d := drive(t, sortableDirectory(), Options{Home: file("d")}, 80, 24)
	d.press("down", "down", "down") // on item b
	d.submit("s", "name")
	d.wantCurrent("b")
	d.press("s", "enter").submit("&", "y").press("s", "enter").wantShown("▸ y").wantNotShown("▸ z")

	d.run(d.visit(item('1', "/"))).press("s").wantShown("this page has no columns to sort by")
}

// TestSortArticles checks that articles have no branches when they are not sorted by thread.
func TestSortArticles(t *testing.T) {
	d := drive(t, library(), Options{Home: urlcore.News{Group: "lab.threads"}}, 132, 43)
	d.wantShown("├ ")
	d.submit("s", "author").wantShown("├ ")
	d.submit("s", "flat").wantNotShown("├ ")
	var authors []string
	for line := range strings.Lines(d.screen()) {
		for _, a := range []string{"Ann", "Bob", "Carol", "dave", "Eve", "Jürgen"} {
			if strings.Contains(line, " "+a) {
				authors = append(authors, a)
			}
		}
	}
	fetchtest.Equal(t, strings.Join(authors, " "), "Ann Bob Carol dave Eve Jürgen")
	for _, step := range []struct {
		choice string
		want   nav.Order
	}{
		{"threads", nav.Order{By: nav.ByAuthor}},
		{"age", nav.Order{By: nav.ArrivalOrder}},
		{"flat", nav.Order{By: nav.ByNumber, Reversed: true, Flat: true}},
		{"threads", nav.Order{By: nav.ArrivalOrder}},
		{"age", nav.Order{By: nav.ArrivalOrder, Reversed: true}},
		{"flat", nav.Order{By: nav.ByNumber, Flat: true}},
		{"threads", nav.Order{By: nav.ArrivalOrder, Reversed: true}},
		{"activity", nav.Order{By: nav.ByActivity}},
	} {
		d.submit("s", step.choice)
		fetchtest.Equal(t, d.Model.tab.Session.Page().CurrentOrder(), step.want, "the order after %q", step.choice)
	}
	d.wantShown("├ ")
}

// TestSortFillsScreen checks that sorting a short page does not scroll it if the cursor is on the last
// item.
func TestSortFillsScreen(t *testing.T) {
	w := library()
	folder := func(path string) urlcore.URL {
		u := file(path)
		u.Type = 'd'
		return u
	}
	var lines []protocols.Line
	for _, name := range []string{"b", "z", "a", "c", "d"} {
		lines = append(lines, protocols.Line{Kind: protocols.Directory, Text: name, Link: folder("d/" + name), Note: &protocols.FileNote{Size: 1}})
	}
	w.addPage(folder("d"), protocols.LayoutDirectory, "d", lines...)
	w.addPage(folder("d/z"), protocols.LayoutDirectory, "z")
	d := drive(t, w, Options{Home: folder("d/z")}, 80, 24)
	d.press("u")
	if got, want := d.names(), "a b c d z"; got != want || d.Model.tab.Session.Page().Top != 0 {
		t.Errorf("got the names %q with line %d at the top, want %q with line 0", got, d.Model.tab.Session.Page().Top, want)
	}
	d.wantCurrent("z")
}
