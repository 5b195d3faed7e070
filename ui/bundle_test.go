package ui

import (
	"context"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestReadOnInBundle reads the pages of a bundle with one key, from its start page and from the page of a group in it.
func TestReadOnInBundle(t *testing.T) {
	file := urlcore.File{Path: "/n.zip"}
	in := func(u urlcore.URL) urlcore.URL { return fetchtest.Must(urlcore.Bundled(file, u))(t) }
	start := fetchtest.Must(urlcore.Bundled(file, nil))(t)
	group, one, two, outside := urlcore.News{Group: "g"}, urlcore.News{MessageID: "1@x"}, urlcore.News{MessageID: "2@x"}, item('0', "/other")
	w := web{}
	w.addPage(start, protocols.LayoutPage, "n.zip", info("Saved pages"), link(protocols.Group, "g", in(group)), link(protocols.Article, "One", in(one)), link(protocols.Article, "Two", in(two)))
	w[in(group)] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		origin := &protocols.Origin{URL: group, Bundle: "n.zip", IsList: true, Lead: func(u urlcore.URL) urlcore.URL { return u }}
		return protocols.NewPage(protocols.Head{URL: in(group), Layout: protocols.LayoutText, Origin: origin},
			link(protocols.Article, "One", in(one)), info("no link"), link(protocols.Text, "Outside", outside), link(protocols.Article, "Two", in(two))), nil
	}
	for _, u := range []urlcore.URL{one, two} {
		w.addBody(in(u), protocols.MediaArticle, "From: a@x\r\nSubject: x\r\n\r\nWords\r\n")
	}
	d := drive(t, w, Options{Home: start}, 80, 24)
	d.press("down").press(".").wantURL(in(one)).press(".").wantURL(in(two))
	d.press(".").wantShown("this is the last page of the list").press("(").wantURL(in(one)).press("u").wantURL(start)
	d.press("home").press("enter").wantURL(in(group)).press("tab", "enter").wantURL(in(one))
	d.press("space").wantURL(in(two)).press("(").wantURL(in(one)).press("(").wantShown("this is the first page of the list")
	d.press(")").wantURL(in(two)).press("u").wantURL(in(group))
}
