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
