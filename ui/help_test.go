package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// TestHelpHasEachActionOnce: after the essentials and the actions of a kind, the help has
// each action once, with all of its keys; those without a key are the last.
func TestHelpHasEachActionOnce(t *testing.T) {
	km, _ := newKeymap(false, Bindings{"page": {"peek": {}, "sort": {"Ctrl-S", "F9"}, "wrap": {"5"}}})
	for _, kind := range []string{"", "menu", "group"} {
		_, all := km.help(kind)
		want, got := make(map[string]int), make(map[string]int)
		for _, k := range Keys(nil) {
			want[strings.Replace(k.In, "news", "page", 1)+" "+k.Name] = 1
		}
		for _, k := range all {
			got[k.In+" "+k.Name]++
		}
		fetchtest.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "actions on %q", kind)
		last := all[len(all)-1]
		fetchtest.Equal(t, last.Section+": "+last.Name, "Not bound to a key: peek", "the last row")
		i := slices.IndexFunc(all, func(k KeyHelp) bool { return k.Name == "sort" })
		fetchtest.EqualSlices(t, all[i].Keys, []string{"Ctrl-S", "F9"}, "keys of sort")
		i = slices.IndexFunc(all, func(k KeyHelp) bool { return k.Name == "wrap" })
		fetchtest.EqualSlices(t, all[i].Keys, []string{"5"}, "keys of wrap")
	}
}

// TestHelpOfKinds checks that each action of a kind exists, once and not among the first ones.
func TestHelpOfKinds(t *testing.T) {
	begin, _, _ := strings.Cut(helpTable, "\n")
	for line := range strings.Lines(helpTable) {
		row := strings.Split(strings.TrimSpace(line), ": ")
		want := strings.Split(strings.TrimPrefix(begin, "every page: Keys to begin with: "), ", ")
		if row[0] != "every page" {
			want = append(want, strings.Split(row[2], ", ")...)
		}
		km, _ := newKeymap(false)
		first, _ := km.help(row[0])
		var names []string
		for _, k := range first {
			names = append(names, k.Name)
		}
		fetchtest.EqualSlices(t, names, want, row[1])
	}
}

// TestHelpNamesThePage: the help has the actions of the page on which it was opened.
func TestHelpNamesThePage(t *testing.T) {
	attributes := item('0', "/sheet").(urlcore.Gopher).Attributes()
	for _, tt := range []struct {
		at           urlcore.URL
		keys, title  string
		shows, lacks string
	}{
		{item('1', "/"), "?", "On a menu", "menu attributes", "zoom in"},
		{item('7', "/found"), "?", "On the results of a search", "next new", "readme"},
		{item('0', "/about.txt"), "?", "In a text", "wrap", "sort"},
		{item('I', "/sunset.jpg"), "?", "On a picture", "zoom in", "outline"},
		{item('0', "/missing"), "?", "After an error", "reload", "wrap"},
		{attributes, "?", "On an attribute sheet", "copy", "wrap"},
		{file("pub"), "?", "In a directory", "upload", "mark"},
		{urlcore.News{Group: "*"}, "?", "In a list of groups", "subscribe", "reply"},
		{urlcore.News{Group: "lab.threads"}, "?", "In a group", "mark thread", "upload"},
		{articleURL(urlcore.News{}, 11), "?", "In an article", "follow up", "upload"},
		{about.Page("bookmarks"), "?", "In the bookmarks", "edit bookmarks", "forget more"},
		{about.Page("history"), "?", "In the history", "forget more", "edit bookmarks"},
		{about.Page("help"), "?", "On a page of gofer", "outline", "zoom in"},
	} {
		s := scene{name: "help-kind", at: tt.at, pages: func(w web) {
			w.page(item('7', "/found"), protocols.LayoutMenu, "Found", link(protocols.Text, "One", item('0', "/about.txt")))
			newsGroup(w, urlcore.News{Group: "g.one"}, 11)
			w.page(attributes, protocols.LayoutPage, "Sheet", info("Admin: Ann"))
		}}
		d := s.open(t, Options{}, 80, 24)
		d.press(tt.keys)
		h, ok := d.tab.Prompt.(*ask.Help)
		if !ok {
			t.Errorf("%s: no help:\n%s", tt.title, d.screen())
			continue
		}
		got := make(map[string]bool)
		for _, c := range h.List.Choices {
			if c.Under == tt.title {
				got[c.Text] = true
			}
		}
		if !got[tt.shows] || got[tt.lacks] {
			t.Errorf("%s: actions %v, want %s and not %s", tt.title, got, tt.shows, tt.lacks)
		}
		d.press("?")
		if !strings.HasPrefix(d.url(), "about:help?") {
			t.Errorf("%s: the second ? opens %s", tt.title, d.url())
		}
	}
}

// TestHelpRunsActions: typed words find an action, and Enter runs it on the page, whose place
// is kept.
func TestHelpRunsActions(t *testing.T) {
	for _, leave := range []string{"esc", "backspace"} {
		d := drive(t, numbered(60), Options{}, 80, 24)
		d.press("pgdown", "down")
		at := d.Model.tab.Session.Page().Cursor
		d.press("?").wantShown("Keys to begin with", "Help: type to filter, Enter runs, Esc closes").press("down", "space", "up", leave).wantURL(item('1', "/")).wantCursor(at)
		if d.tab.Prompt != nil {
			t.Errorf("%s does not leave the help", leave)
		}
		d.submit("?", "explain item").wantURL(about.ExplainURL(item('1', fmt.Sprintf("/%d", at))))
	}
	d := drive(t, numbered(60), Options{}, 80, 24)
	d.press("?", "enter").wantURL(item('1', "/0")).press("backspace")
	for _, word := range []string{"jump", "kind", "/queue", "quit"} {
		d.press("?").enter(word).wantShown("Find: " + strings.TrimPrefix(word, "/")).press("esc").wantURL(item('1', "/"))
	}
	d.press("?").enter("quit").wantShown("Find: quit", "q                     quit: quit").press("enter")
	if len(d.said) == 0 {
		t.Error("quit does not quit")
	}
	d.press("?", "f1").enter("zzz").wantShown("none").press("enter")
	d.press("esc").submit("?", "line start").wantShown("Home works elsewhere: Editing")
	d.press("esc").submit("?", "go in a tab").wantShown("Alt-Enter works in the URL bar (press g)")
	w := web{}
	newsGroup(w, urlcore.News{Group: "g.one"}, 11, 12)
	d = drive(t, w, Options{Home: urlcore.News{Group: "g.one"}}, 80, 24)
	d.submit("?", "mark thread").wantURL(urlcore.News{Group: "g.one"})
	d.press("?").wantShown("m                     mark the article")
}

// TestRestrictedHelp: the help for a public terminal has no action that is not allowed.
func TestRestrictedHelp(t *testing.T) {
	restricted := make(map[string]bool)
	for _, k := range Keys(nil) {
		restricted[k.Name] = restricted[k.Name] || k.Restricted
	}
	for line := range strings.Lines(helpTable) {
		kind, _, _ := strings.Cut(line, ":")
		for _, row := range Help(kind, true) {
			if restricted[row.Name] {
				t.Errorf("%s: the help has %s", kind, row.Name)
			}
		}
	}
}
