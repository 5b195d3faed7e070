package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestKeepText checks the text of which pages is kept, after their visits are recorded.
func TestKeepText(t *testing.T) {
	w := library()
	page := func(selector, title string) urlcore.URL {
		u := item('1', selector)
		w.addPage(u, protocols.LayoutMenu, title, info(selector))
		return u
	}
	menu, untitled, redirected, found := page("/menu", "Menu"), page("/untitled", ""), page("/redirected", "Menu"), urlcore.Gopher{
		HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: '7', Selector: "/find", Search: "words", HasSearch: true,
	}
	w[item('1', "/asked")] = w[redirected]
	w.addPage(found, protocols.LayoutMenu, "Results", info("result"))
	w.addPage(item('1', "/made"), protocols.LayoutPage, "Redirect", info("made by gofer"))
	w.addPage(about.Page("history"), protocols.LayoutPage, "History", info("own page"))
	w.addText(item('0', "/text"), "Text", "two\nlines\n")
	w.addStream(item('1', "/cut"), protocols.LayoutMenu, "Cut", func(yield func(protocols.Line, error) bool) {
		_ = yield(info("half a page"), nil) && yield(protocols.Line{}, errors.New("broken"))
	})
	var log []string
	o := Options{
		Visit: func(_ context.Context, asked, u urlcore.URL, _ string) error {
			if log = append(log, "visit "+u.String()); asked != u {
				log[0] = "redirected: " + log[0]
			}
			return nil
		},
		KeepText: func(_ context.Context, asked urlcore.URL, head *protocols.Head, text string) error {
			if asked != head.URL {
				text = "redirected: " + text
			}
			log = append(log, "keep "+head.URL.String()+" "+text)
			return nil
		},
	}
	d := drive(t, w, o, 80, 24)
	for u, want := range map[urlcore.URL]string{
		menu: "/menu\n", untitled: "/untitled\n", item('0', "/text"): "two\nlines\n", item('1', "/asked"): "redirected: /redirected\n",
		item('1', "/made"): "", about.Page("history"): "", item('1', "/cut"): "", item('1', "/missing"): "",
	} {
		log = nil
		d.run(d.visit(u))
		kept := ""
		if n := len(log); n > 0 && strings.HasPrefix(log[n-1], "keep ") {
			_, kept, _ = strings.Cut(strings.TrimPrefix(log[n-1], "keep "), " ")
			if n != 2 || strings.HasPrefix(log[0], "redirected: ") != strings.HasPrefix(kept, "redirected: ") {
				t.Errorf("%s: got %q, want the visit with the same URLs before the text", u, log)
			}
		}
		fetchtest.Equal(t, kept, want, "%s", u)
	}
	d.run(d.visit(item('1', "/")))
	log = nil
	d.press("tab", "tab", "tab").submit("enter", "words")
	fetchtest.EqualSlices(t, log, []string{"visit " + found.String()}, "after a search")
	log = nil
	d.press("P").run(d.visit(menu))
	fetchtest.EqualSlices(t, log, nil, "in private mode")
}

// TestAskToRemember asks at the first search whether the text of pages is to be remembered.
func TestAskToRemember(t *testing.T) {
	for key, want := range map[string]string{"y": "true", "n": "false", "enter": "false"} {
		w := library()
		w.addPage(about.Page("search?fox"), protocols.LayoutPage, "Search", info("none"))
		var saved []string
		o := Options{SetSetting: func(e config.Edit) (Options, error) {
			saved = append(saved, e.Key+" = "+e.Text)
			return Options{}, errors.New("disk full")
		}}
		d := drive(t, w, o, 80, 24)
		d.run(d.visit(about.Page("search?fox"))).wantShown("Remember the text of the pages that you read?")
		d.press(key)
		fetchtest.EqualSlices(t, saved, []string{"remember_text = " + want}, key)
	}
}
