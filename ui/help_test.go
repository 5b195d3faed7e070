package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/policy/restrict"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// TestHelpHasEachActionOnce checks that the help lists each action once, with all its keys. Actions
// without a key must come last.
func TestHelpHasEachActionOnce(t *testing.T) {
	km, _ := newKeymap(false, Bindings{"page": {"peek": {}, "sort": {"Ctrl-S", "F9"}, "wrap": {"5"}}})
	for _, kind := range []string{"", "menu", "group"} {
		_, all := km.helpRows(kind)
		want, got := make(map[string]int), make(map[string]int)
		for _, k := range Keys(nil) {
			want[strings.NewReplacer("news", "page", "files", "page").Replace(k.Context)+" "+k.Name] = 1
		}
		for _, k := range all {
			got[k.Context+" "+k.Name]++
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

// TestHelpBesideDirectory checks that the rows of keys beside a directory name what the keys do there.
func TestHelpBesideDirectory(t *testing.T) {
	for _, k := range Keys(nil) {
		if k.Context == contextFiles && strings.Contains(k.Help, "bookmark") {
			t.Errorf("%s: %q, want what it does with files", k.Name, k.Help)
		}
	}
}

// TestHelpNamesThePage checks that the help begins with the actions of the page on which it was
// opened.
func TestHelpNamesThePage(t *testing.T) {
	attributes := item('0', "/sheet").(urlcore.Gopher).Attributes()
	for _, tt := range []struct {
		at           urlcore.URL
		keys, title  string
		shows, lacks string
	}{
		{item('1', "/"), "?", "This menu", "menu attributes", "zoom in"},
		{item('7', "/found"), "?", "These search results", "next new", "readme"},
		{item('0', "/about.txt"), "?", "This text", "wrap", "sort"},
		{item('I', "/sunset.jpg"), "?", "This picture", "zoom in", "outline"},
		{item('0', "/missing"), "?", "After an error", "reload", "wrap"},
		{attributes, "?", "This attribute sheet", "copy", "wrap"},
		{file("pub"), "?", "This directory", "upload", "mark"},
		{urlcore.News{Group: "*"}, "?", "This list of groups", "follow", "reply"},
		{urlcore.News{Group: "lab.threads"}, "?", "This group", "mark thread", "upload"},
		{articleURL(urlcore.News{}, 11), "?", "This article", "follow up", "upload"},
		{about.Page("bookmarks"), "?", "The bookmarks", "edit bookmarks", "forget more"},
		{about.Page("bookmarks/lab"), "?", "The bookmarks", "edit bookmarks", "forget more"},
		{about.Page("history"), "?", "The history", "forget more", "edit bookmarks"},
		{about.Page("help"), "?", "This page", "outline", "zoom in"},
	} {
		s := scene{name: "help-kind", url: tt.at, pages: func(w web) {
			w.addPage(item('7', "/found"), protocols.LayoutMenu, "Found", link(protocols.Text, "One", item('0', "/about.txt")))
			addNewsGroup(w, urlcore.News{Group: "g.one"}, 11)
			w.addPage(about.Page("bookmarks/lab"), protocols.LayoutPage, "Bookmarks", link(protocols.Text, "One", item('0', "/about.txt")))
			w.addPage(attributes, protocols.LayoutPage, "Sheet", info("Admin: Ann"))
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
			t.Errorf("%s: the second ? opens %s, want about:help", tt.title, d.url())
		}
	}
}

// TestHelpRunsActions checks that typed words find an action in the help, and that Enter runs the
// action without moving the cursor of the page.
func TestHelpRunsActions(t *testing.T) {
	for _, leave := range []string{"esc", "backspace"} {
		d := drive(t, numberedMenu(60), Options{}, 80, 24)
		d.press("pgdown", "down")
		at := d.Model.tab.Session.Page().Cursor
		d.press("?").wantShown("Basics", "Type to find, Enter runs, Esc closes").press("down", "space", "up", leave).wantURL(item('1', "/")).wantCursor(at)
		if d.tab.Prompt != nil {
			t.Errorf("%s does not leave the help", leave)
		}
		d.submit("?", "explain item").wantURL(about.ExplainURL(item('1', fmt.Sprintf("/%d", at))))
	}
	d := drive(t, numberedMenu(60), Options{}, 80, 24)
	d.press("?", "enter").wantURL(item('1', "/0")).press("backspace")
	for _, word := range []string{"jump", "kind", "/queue", "quit"} {
		d.press("?").typeText(word).wantShown("Find: " + strings.TrimPrefix(word, "/")).press("esc").wantURL(item('1', "/"))
	}
	d.press("?").typeText("quit").wantShown("Find: quit", "q                     quit: quit gofer").press("enter")
	if len(d.otherMsgs) == 0 {
		t.Error("quit does not quit")
	}
	for _, list := range []string{"?", ":"} {
		d.press(list).typeText("]").wantNotShown("nothing matches").wantShown("next tab").press("esc")
	}
	d.press("?", "f1").typeText("zzz").wantShown("nothing matches").press("enter")
	d.press("esc").submit("?", "line start").wantShown("Home works elsewhere: Editing")
	d.press("esc").submit("?", "go in a tab").wantShown("Alt-Enter works in the URL bar (press g)")
	w := web{}
	addNewsGroup(w, urlcore.News{Group: "g.one"}, 11, 12)
	d = drive(t, w, Options{Home: urlcore.News{Group: "g.one"}}, 80, 24)
	d.submit("?", "mark thread").wantURL(urlcore.News{Group: "g.one"})
	d.press("?").wantShown("m                     mark the article")
}

// TestRestrictedHelp checks that the help in restricted mode lists only allowed actions.
func TestRestrictedHelp(t *testing.T) {
	restricted := make(map[string]bool)
	for _, k := range Keys(nil) {
		restricted[k.Name] = restricted[k.Name] || k.Restricted
	}
	for line := range strings.Lines(helpTable) {
		kind, _, _ := strings.Cut(line, ":")
		for _, row := range Help(kind, &config.Config{Restrict: restrict.Rules{Enabled: true}}) {
			if restricted[row.Name] {
				t.Errorf("%s: the help has the restricted action %s", kind, row.Name)
			}
		}
	}
}

// TestHelpOverSecrets checks that characters typed while the help covers a password belong to the
// password and are never shown.
func TestHelpOverSecrets(t *testing.T) {
	for _, word := range []string{"secret", "/secret", " ?x"} {
		for _, size := range [][2]int{{80, 24}, {40, 12}} {
			d, password := drive(t, library(), Options{}, size[0], size[1]), ""
			login := &protocols.Login{Server: "h", User: "ann", With: func(_, p string) { password = p }}
			d.run(d.tab.Ask(ask.NewLogin(login, item('1', "/"), func() tea.Cmd { return nil })))
			d.typeText("pa").press("f1", "down").wantShown("Esc returns").wantNotShown("Type to find", "Find:")
			for _, r := range word {
				d.typeText(string(r)).wantNotShown("secr", "/s", "?x")
			}
			d.wantShown("Password: ***").press("f1", "esc", "enter")
			fetchtest.Equal(t, password, "pa"+word, "the password")
		}
	}
}

// TestHelpOverQuestions checks that keys pressed in the help do not answer the question under it.
func TestHelpOverQuestions(t *testing.T) {
	for _, key := range []string{"?", "f1"} {
		d := drive(t, library(), Options{}, 40, 12)
		answered := ""
		q := ask.NewQuestion("Remove it?", true, func() tea.Cmd { answered = "yes"; return nil })
		q.No = func() tea.Cmd { answered = "no"; return nil }
		d.run(d.tab.Ask(q))
		d.drawn = false
		d.press(key).wantShown("answer yes").press("y", "esc").wantShown("Remove it? (y/N)")
		fetchtest.Equal(t, answered, "", "the answer after %s", key)
		d.press("y")
		fetchtest.Equal(t, answered, "yes", "the answer")
	}
}

// TestHelpOverReplacedPrompt checks that the help stays open when a question replaces the prompt under
// the help. The question must get no key before Esc closes the help.
func TestHelpOverReplacedPrompt(t *testing.T) {
	d := openSurvey(t, &survey{}, 80, 24)
	d.press("f1").wantShown("Type to find, Esc returns")
	answered := ""
	d.run(d.tab.Ask(ask.NewQuestion("Remove it?", true, func() tea.Cmd { answered = "yes"; return nil })))
	d.drawn = false
	d.press("y").wantShown("Find: y").press("esc").wantShown("Remove it? (y/N)")
	fetchtest.Equal(t, answered, "", "the answer")
	d.press("y")
	fetchtest.Equal(t, answered, "yes", "the answer after the help")
}
