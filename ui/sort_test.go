package ui

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
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
		return protocols.Line{
			Kind: k, Text: name, Link: file("d/" + name),
			Note: &protocols.FileNote{Size: size, Modified: day.AddDate(0, month, 0)},
		}
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

// TestKeepOrder checks that the next run uses the orders that the user has chosen, unless they were chosen in private
// mode, or the user has changed the order in the settings since then. A damaged entry is the same as none.
func TestKeepOrder(t *testing.T) {
	w := sortableDirectory()
	group := urlcore.News{Group: "lab.threads"}
	kept := map[string]string{"menu": "\x1b[31m,-,", "directory:": "-", "groups": "nothing"}
	var conf config.Config
	run := func(o Options, u urlcore.URL) *driver {
		o.Home, o.Config, o.Orders = u, conf, maps.Clone(kept)
		o.KeepOrder = func(kind, order string) error {
			kept[kind] = order
			return nil
		}
		return drive(t, w, o, 100, 30)
	}
	run(Options{}, file("d")).submit("s", "size").submit("s", "")
	run(Options{Private: true}, file("d")).submit("s", "modified")
	fetchtest.Equal(t, run(Options{}, file("d/z")).names(), "m n", "the order by size, the smallest first")

	order := func() nav.Order { return run(Options{}, group).Model.tab.Session.Page().CurrentOrder() }
	conf.SortArticles = "-age"
	run(Options{}, group).submit("s", "author").submit("s", "flat")
	fetchtest.Equal(t, order(), nav.Order{By: nav.ByAuthor, Flat: true}, "the kept order of articles")
	conf.SortArticles = "subject"
	fetchtest.Equal(t, order(), nav.Order{By: nav.ByName}, "the order of articles after the setting has changed")
	d := run(Options{}, group)
	d.Model.opts.KeepOrder = func(string, string) error { return errors.New("the disk is full") }
	d.submit("s", "author").wantShown("order not kept: the disk is full")
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
