package ui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/urlcore"
)

// hypertexts returns two linked pages with anchors.
func hypertexts() (w web, first, second urlcore.URL) {
	w = library()
	site := urlcore.HTTP{HostPort: urlcore.HostPort{Host: "www.example.org"}, Path: "/"}
	first, site.Path = site, "/second.html"
	second = site
	var filler strings.Builder
	for i := range 60 {
		fmt.Fprintf(&filler, "<p>Paragraph %d.", i)
	}
	for u, body := range map[urlcore.URL]string{
		first: `<title>First</title><h1>Top</h1><p><a href="#foot">down</a> <a href="second.html#there">there</a> <a href="#none">nowhere</a>
			<ul><li>An item that is long enough to be wrapped, and whose rows begin below its <a href="second.html">first</a> word</ul>` +
			filler.String() + `<h2 id=foot>Foot</h2><a href="#">up</a>`,
		second: `<title>Second</title>` + filler.String() + `<h2 id=there>There</h2>` + filler.String(),
	} {
		w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
			head := protocols.Head{URL: u, Media: "text/html", Size: int64(len(body))}
			return &protocols.Resource{Head: head, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
		}
	}
	return w, first, second
}

func TestFragments(t *testing.T) {
	w, first, second := hypertexts()
	d := drive(t, w, Options{Home: first}, 60, 16)
	d.wantShown("below its first word")
	d.press("tab", "enter").wantURL(first).wantShown("Foot").wantNotShown("Top")
	d.press("tab", "enter") // "#" is the top of the page
	d.wantShown("Top")
	d.press("backspace").wantShown("Foot")
	d.press("backspace").wantShown("Top").wantNotShown("Foot")
	d.press("tab", "enter").wantURL(second).wantShown("There")
	d.press("backspace").wantURL(first)
	d.press("tab", "enter").wantURL(first).wantShown("no place #none")
}

// TestFragmentsInTabs checks that links opened in tabs lead to the places of their URLs, also tagged links.
func TestFragmentsInTabs(t *testing.T) {
	w, first, second := hypertexts()
	d := drive(t, w, Options{Home: first}, 60, 16)
	d.press("tab", "tab", "t", "alt+2").wantURL(second).wantShown("There")

	place := func(name string) protocols.Line {
		l := link(protocols.HTML, name, second)
		l.Note = &protocols.ItemNote{Line: &protocols.MenuLine{Type: 'h', Selector: "URL:" + second.String() + "#" + name}}
		return l
	}
	w.addPage(item('1', "/places"), protocols.LayoutMenu, "Places", place("there"), link(protocols.HTML, "top", second))
	d = drive(t, w, Options{Home: item('1', "/places")}, 60, 16)
	d.press("#", "#", "t", "alt+2").wantURL(second).wantShown("There")
}

// TestTypedFragments checks that a fragment is found wherever a URL is read, and that the bar shows it.
func TestTypedFragments(t *testing.T) {
	w, first, second := hypertexts()
	text := item('0', "/text")
	w.addBody(text, "text/plain", "see <URL:"+second.String()+"#there>\n")
	open := func() *driver { return drive(t, w, Options{Home: first}, 80, 16) }
	for _, format := range []string{"%s#there", "URL:%s#there", "<%s#there>", "<URL:%s#there>"} {
		typed := fmt.Sprintf(format, second)
		open().submit("g", typed).wantURL(second).wantShown("There").wantShown("second.html#there")
		open().send(tea.PasteMsg{Content: "see\n" + typed + "\n\nfor more"}).press("enter").wantURL(second).wantShown("There")
		drive(t, w, Options{Start: typed}, 80, 16).wantURL(second).wantShown("There")
	}
	d := open().submit("g", text.String()).press("tab", "enter").wantURL(second).wantShown("There").wantShown("second.html#there")
	d.press("backspace", "g").wantTyped(text.String())
}

// TestFragmentsOfRedirects checks that the fragment of a redirect names the place and is shown, and that the fragment of the
// link stays if the redirect has none (RFC 9110, section 10.2.2).
func TestFragmentsOfRedirects(t *testing.T) {
	for _, tt := range []struct{ typed, redirect, want string }{
		{"", "there", "There"}, {"#top", "there", "There"}, {"#there", "", "There"}, {"#there", "top", "Paragraph 0"},
	} {
		w, first, second := hypertexts()
		moved, target := urlcore.HTTP{HostPort: urlcore.HostPort{Host: "www.example.org"}, Path: "/moved"}, w[second]
		w[moved] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
			res, err := target(ctx, req)
			res.Fragment = tt.redirect
			return res, err
		}
		d := drive(t, w, Options{Home: first}, 80, 16).submit("g", moved.String()+tt.typed)
		d.wantURL(second).wantShown(tt.want, "second.html#"+cmp.Or(tt.redirect, strings.TrimPrefix(tt.typed, "#")))
		d.press("home", "r").wantShown("Paragraph 0.")
	}
}

// TestFragmentsOfErrors checks that an error page and a question keep the fragment for the next try.
func TestFragmentsOfErrors(t *testing.T) {
	w, first, second := hypertexts()
	answer, failure := w[second], error(&protocols.Error{Reason: protocols.NotFound, Op: "fetch"})
	w[second] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if failure != nil {
			return nil, failure
		}
		return answer(ctx, req)
	}
	d := drive(t, w, Options{Home: first}, 80, 24).submit("g", second.String()+"#there")
	d.wantShown("Not found", "second.html#there").press("y").wantShown("copied " + second.String() + "#there")
	d.press("r").wantShown("Not found", "second.html#there")
	failure = nil
	d.press("r").wantURL(second).wantShown("There", "second.html#there")

	for _, question := range []error{
		&protocols.Confirm{URL: second, Question: "Open it", GiveConsent: func() { failure = nil }},
		&protocols.Login{Server: "www.example.org", With: func(string, string) { failure = nil }},
	} {
		failure = question
		d = drive(t, w, Options{Home: first}, 80, 24).submit("g", second.String()+"#there")
		if _, ok := question.(*protocols.Confirm); ok {
			d.press("y")
		} else {
			d.typeText("ann").press("enter").typeText("secret").press("enter")
		}
		d.wantURL(second).wantShown("There", "second.html#there")
	}
}

// TestOtherReadings checks that the other readings of a URL that was broken after a hyphen are offered
// for a paste and a link, and on the error page.
func TestOtherReadings(t *testing.T) {
	w, text := library(), item('0', "/text")
	broken := "gopher://gopher.example.org/1/lib-\n   rary"
	hyphen, plain := item('1', "/lib-rary"), item('1', "/library")
	w[hyphen] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch"}
	}
	w.addPage(plain, protocols.LayoutMenu, "Library", link(protocols.Text, "A book", text))
	w.addBody(text, "text/plain", "see <"+broken+">\n")
	open := func() *driver { return drive(t, w, Options{}, 80, 24) }
	for name, d := range map[string]*driver{
		"pasted on a page":     open().send(tea.PasteMsg{Content: "see <" + broken + "> for more"}).wantShown("or: .../library"),
		"pasted into the bar":  open().press("g").send(tea.PasteMsg{Content: broken}),
		"a link in a text":     open().submit("g", text.String()).press("tab").wantShown("or: .../library"),
		"typed with a bracket": open().press("g", "ctrl+u").typeText("<gopher://gopher.example.org/1/lib-rary>"),
	} {
		d.press("enter").wantURL(hyphen).wantShown("Not found")
		if name == "typed with a bracket" {
			d.wantNotShown("Or: ")
			continue
		}
		d.wantShown("Or: " + plain.String()).press("r").wantShown("Or: " + plain.String())
		d.press("down", "enter").wantURL(plain)
	}
}

func TestHypertextScreen(t *testing.T) {
	w, first, _ := hypertexts()
	d := drive(t, w, Options{Home: first}, 60, 16)
	d.press("tab", "tab", "tab", "tab")
	checkGolden(t, "hypertext.txt", markLinks(d))
	d.press("O")
	checkGolden(t, "hypertext-outline.txt", d.screen())
}

// TestTablesFitTheScreen checks that the width of a table follows the width of the screen.
func TestTablesFitTheScreen(t *testing.T) {
	u := urlcore.HTTP{HostPort: urlcore.HostPort{Host: "www.example.org"}, Path: "/table"}
	table := "<table><tr><th>Name<th>What" + strings.Repeat("<tr><td>name<td>"+strings.Repeat("word ", 30), 3) + "</table>"
	for _, width := range []int{40, 80, 132} {
		w := library()
		w.addBody(u, "text/html", table)
		d := drive(t, w, Options{Home: u}, width, 24)
		widest := 0
		for _, l := range d.Model.tab.Session.Page().Lines.All(0) {
			widest = max(widest, d.Model.tab.Pager.Cells.Width(l.Text))
		}
		if widest > width || widest < min(width, 122)-12 {
			t.Errorf("on a screen of %d columns the table takes %d", width, widest)
		}
	}
}
