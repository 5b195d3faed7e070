package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestBadges checks that the URL bar of a page received over TLS ends with "TLS", unless the host needs
// the room.
func TestBadges(t *testing.T) {
	tls := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '1', Selector: "/", Secure: true}
	for _, tt := range []struct {
		url   urlcore.URL
		width int
		want  string
	}{
		{tls, 80, " gophers://gopher.example.org/1/                                   A title  TLS"},
		{tls, 40, " gophers://gopher.example.org/1/    TLS"},
		{tls, 26, " …gopher.example.org  TLS"},
		{tls, 16, "…her.example.org"},
		{item('1', "/"), 80, " gopher://gopher.example.org/1/                                         A title"},
		{about.Page("help"), 80, " about:help                                                             A title"},
	} {
		w := web{}
		w.addPage(tt.url, protocols.LayoutMenu, "A title", info("A page."))
		answer := w[tt.url]
		w[tt.url] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			r, err := answer(ctx, req)
			if tt.url == tls {
				r.Security = protocols.Security{Protocol: "TLS 1.3", Trust: protocols.Verified}
			}
			return r, err
		}
		d := drive(t, w, Options{Home: tt.url}, tt.width, 24)
		if got, _, _ := strings.Cut(d.screen(), "\n"); got != tt.want {
			t.Errorf("%s in %d cells: got\n%q, want\n%q", tt.url, tt.width, got, tt.want)
		}
	}
}

// TestPastedURLs pastes texts while a page is shown, and checks that no URL opens before Enter.
func TestPastedURLs(t *testing.T) {
	about := "gopher://gopher.example.org/0/about.txt"
	for _, tt := range []struct{ text, typed, shown string }{
		{about, about, "pasted: Enter opens it"},
		{"see <URL:" + about + ">, which\nquits: q\n", about, "pasted: Enter opens it"},
		{"\x1b[31m" + about + "\r", about, "pasted: Enter opens it"},
		{"gopher.example.org/0/about.txt\n", "gopher.example.org/0/about.txt", "pasted: Enter opens it"},
		{"try gemini://gemini.example/", "gemini://gemini.example/", "pasted: Enter opens it"},
		{"q\nq\nWq", "", "the pasted text has no URL"},
		{strings.Repeat("q ", 64<<10) + about, "", "the pasted text has no URL"},
		{"", "", "the pasted text has no URL"},
		{about + "\nftp://ftp.example.org/\n", "", "ftp://ftp.example.org/"},
	} {
		d := drive(t, library(), Options{}, 80, 24)
		d.send(tea.PasteMsg{Content: tt.text}).wantShown(tt.shown).wantURL(item('1', "/"))
		if d.bar == nil != (tt.typed == "") {
			t.Errorf("%.40q: the URL bar is open: %v, want %v", tt.text, d.bar != nil, tt.typed != "")
		} else if tt.typed != "" {
			d.wantTyped(tt.typed)
		}
	}
	d := drive(t, library(), Options{}, 80, 24)
	d.send(tea.PasteMsg{Content: "ftp://ftp.example.org/ " + about}).press("down", "enter").wantTyped(about)
	d.press("enter").wantURL(item('0', "/about.txt"))
}

// TestMouseButtonsBackAndForward checks that mouse buttons go back and forward. In prompts they do not, but close lists and the
// help.
func TestMouseButtonsBackAndForward(t *testing.T) {
	for _, back := range []tea.MouseButton{tea.MouseRight, tea.MouseBackward} {
		d := drive(t, library(), Options{Config: config.Config{Mouse: true}}, 80, 24)
		d.press("down", "enter").wantURL(item('0', "/about.txt"))
		click := func(b tea.MouseButton) *driver { return d.send(tea.MouseClickMsg{X: 70, Y: 10, Button: b}) }
		for _, open := range []string{"g", "/"} {
			d.press(open)
			click(back).press("esc").wantURL(item('0', "/about.txt"))
		}
		for _, open := range []string{":", "?"} {
			d.press(open)
			fetchtest.Equal(t, click(back).openPrompt(), nil, "the prompt of %q", open)
			d.wantURL(item('0', "/about.txt"))
		}
		d.press("W")
		click(back).wantURL(item('1', "/"))
		click(tea.MouseForward).wantURL(item('0', "/about.txt"))
	}
}

// TestMouseInList checks that the wheel moves in a list and in the help, and that a click runs the choice under the pointer.
func TestMouseInList(t *testing.T) {
	d := drive(t, library(), Options{Config: config.Config{Mouse: true}}, 80, 24)
	wheel := func() *driver { return d.send(tea.MouseWheelMsg{X: 9, Y: 9, Button: tea.MouseWheelDown}) }
	d.press("?")
	wheel().press("enter").wantShown("no links above") // the fourth action
	d.press(":").typeText("page info")
	before := d.screen()
	y := slices.IndexFunc(strings.Split(before, "\n"), func(row string) bool { return strings.Contains(row, "page information") })
	d.send(tea.MouseClickMsg{X: 9, Y: 2, Button: tea.MouseLeft})
	fetchtest.Equal(t, d.screen(), before, "after a click beside the choices")
	d.send(tea.MouseClickMsg{X: 9, Y: y, Button: tea.MouseLeft}).wantShown("Media type")
}

// TestTypedURLs checks which loads count as typed by the user: URLs of the bar and bookmarks, and reloads
// of their pages. Links from servers, the history, arguments of the program and pasted URLs do not count,
// even if they lead to the same URLs.
func TestTypedURLs(t *testing.T) {
	w, about, phlogs := library(), item('0', "/about.txt"), item('1', "/phlogs")
	for _, page := range []string{"bookmarks", "bookmarks/folder", "history"} {
		w.addPage(urlcore.Generic{Name: "about", Rest: page}, protocols.LayoutPage, page, link(protocols.Menu, page, phlogs))
	}
	w.addPage(about, protocols.LayoutMenu, "Hostile", link(protocols.Menu, "Phlogs", phlogs))
	w.addPage(phlogs, protocols.LayoutMenu, "Phlogs", link(protocols.Text, "About", about))
	var loads []string
	for u, answer := range w {
		w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			loads = append(loads, map[bool]string{true: "typed "}[req.Typed]+u.String())
			return answer(ctx, req)
		}
	}
	d := drive(t, w, Options{Start: "gopher://gopher.example.org/1/phlogs"}, 80, 24)
	link, typed := []string{phlogs.String()}, []string{"typed " + phlogs.String()}
	want := func(what string, want []string) {
		t.Helper()
		if len(loads) > len(want) {
			loads = loads[len(loads)-len(want):]
		}
		fetchtest.EqualSlices(t, loads, want, what)
		loads = nil
	}
	want("at the start", link)
	d.submit("g", phlogs.String())
	want("the bar", typed)
	d.press("r")
	want("reloaded", typed)
	d.press("enter")
	want("a link of its page", []string{about.String()})
	d.press("enter").wantURL(phlogs)
	want("a link to what was typed", link)
	d.press("r")
	want("the link reloaded", link)
	d.press("backspace", "backspace").wantURL(phlogs).press("r")
	want("the typed page after back", typed)
	d.tab.Session.Page().Dropped = true
	d.press("enter", "backspace")
	want("the typed page, dropped", typed)
	d.press("B", "enter").wantURL(phlogs)
	want("a bookmark", typed)
	d.run(d.visit(urlcore.Generic{Name: "about", Rest: "history"})).press("enter").wantURL(phlogs)
	want("of the history", link)
	d.run(d.visit(urlcore.Generic{Name: "about", Rest: "bookmarks/folder"})).press("enter")
	want("of a folder", typed)
	d.press("g").send(tea.PasteMsg{Content: phlogs.String()}).press("enter")
	want("pasted into the bar", link)
	d.press("g").send(tea.PasteMsg{Content: phlogs.String()}).typeText("x").press("backspace", "enter")
	want("pasted into the bar and edited", link)
	d.send(tea.PasteMsg{Content: "look at <URL:" + phlogs.String() + "> it is nice"}).press("enter")
	want("pasted on a page", link)
	d.press("g", "enter")
	want("the URL of the page", link)
	d.press("g", "ctrl+u").send(tea.PasteMsg{Content: "x"}).press("ctrl+u").typeText(phlogs.String()).press("enter")
	want("typed after a paste was erased", typed)
	d.press("g").typeText(phlogs.String()).press("alt+enter")
	want("the bar, in a tab", typed)
	d.submit("g", about.String()).press("w")
	want("in another tab", []string{"typed " + about.String()})
}

// TestTypedQuestion checks that the load after a question about a typed URL counts as typed too.
func TestTypedQuestion(t *testing.T) {
	w, u, agreed := library(), item('0', "/flush"), false
	w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if fetchtest.Equal(t, req.Typed, true, "typed"); agreed {
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch"}
		}
		return nil, &protocols.Confirm{URL: u, Question: "Trust it", GiveConsent: func() { agreed = true }}
	}
	drive(t, w, Options{}, 80, 24).submit("g", u.String()).press("y").wantShown("Not found").press("r").wantShown("Not found")
	fetchtest.Equal(t, agreed, true, "agreed")
}

// TestGuessedURL checks that an error page offers a newsgroup for a typed name, also after another attempt, but not for a
// URL that names its scheme.
func TestGuessedURL(t *testing.T) {
	u := fetchtest.Parse(t, "gopher://lab.general/")
	w := library()
	w.addFailure(u, &protocols.Error{Reason: protocols.NameNotFound, Op: "connect to lab.general:70"})
	d := drive(t, w, Options{Guess: urlcore.Guess}, 80, 24)
	d.submit("g", "lab.general").wantShown("The newsgroup lab.general").press("r").wantShown("The newsgroup lab.general")
	d.submit("g", "gopher://lab.general/").wantURL(u).wantNotShown("newsgroup")
	d.submit("g", "lab.general").press("ctrl+l").press("end", "enter").wantNotShown("newsgroup")
}
