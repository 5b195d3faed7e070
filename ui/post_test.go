package ui

import (
	"os"
	"strings"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/policy/restrict"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestWriteArticles checks that the keys that begin a message use the article or group that is the page or
// is under the cursor.
func TestWriteArticles(t *testing.T) {
	group := urlcore.NNTP{HostPort: urlcore.HostPort{Host: "h"}, Group: "g.one"}
	w := web{}
	addNewsGroup(w, group, 11, 12)
	w.addPage(urlcore.News{Group: "*"}, protocols.LayoutGroups, "groups", protocols.Line{
		Kind: protocols.Group, Text: "g.one", Link: group, Note: &protocols.GroupNote{},
	})
	article := articleURL(group, 11)
	composePage := func(kind string, target urlcore.URL) urlcore.URL {
		u := about.ComposeURL(kind, target)
		w.addPage(u, protocols.LayoutPage, kind+" asked", protocols.Line{Text: "?"})
		return u
	}
	for _, tt := range []struct {
		name string
		home urlcore.URL
		keys string
		want urlcore.URL
	}{
		{"follow up in a group", group, "alt+f", composePage("followup", article)},
		{"follow up in an article", article, "alt+f", composePage("followup", article)},
		{"reply", article, "alt+r", composePage("reply", article)},
		{"supersede", article, "alt+s", composePage("supersede", article)},
		{"cancel", article, "alt+c", composePage("cancel", article)},
		{"post in a group", group, "alt+p", composePage("post", group)},
		{"post in an article", article, "alt+p", composePage("post", group)},
		{"post in an article of the group", group, "enter alt+p", composePage("post", group)},
		{"post in a list of groups", urlcore.News{Group: "*"}, "alt+p", composePage("post", group)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := drive(t, w, Options{Home: tt.home}, 80, 24)
			for key := range strings.FieldsSeq(tt.keys) {
				d.press(key)
			}
			d.wantURL(tt.want)
		})
	}
	menu := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '1'}
	w.addPage(menu, protocols.LayoutMenu, "menu", protocols.Line{Text: "x"})
	d := drive(t, w, Options{Home: menu}, 80, 24)
	d.press("alt+f").wantShown("no article on the page or under the cursor")
	d.press("alt+p").wantShown("no group to post to")
	d = drive(t, w, Options{Home: group, Config: config.Config{Restrict: restrict.Rules{Enabled: true}}}, 80, 24)
	for _, key := range []string{"alt+f", "alt+r", "alt+s", "alt+c", "alt+p"} {
		d.press(key).wantShown("not allowed at this terminal")
	}
}

// TestReopenUnsentDraft opens the page about a message that could not be sent. It checks that the key
// that began the message reopens the draft there, without the network.
func TestReopenUnsentDraft(t *testing.T) {
	article := articleURL(urlcore.NNTP{HostPort: urlcore.HostPort{Host: "h"}, Group: "g.one"}, 11)
	for _, tt := range []struct {
		url         urlcore.URL
		keys, shown string
	}{
		{about.ComposeURL("followup", article), "alt+f f enter ctrl+r", "Edit the draft (press f)"},
		{about.ComposeURL("reply", article), "alt+r r enter", "Edit the draft (press r)"},
		{about.ComposeURL("supersede", article), "alt+s enter", "Edit the draft (press Alt-s)"},
		{about.ComposeURL("post", article), "alt+p w enter", "Edit the draft (press w)"},
		{urlcore.Mailto{Address: "joe@example.org"}, "alt+r r enter", "Edit the draft (press Ctrl-R)"},
	} {
		l, c := new(memoryDraft), &protocols.Compose{URL: tt.url, Title: "A message"}
		c.Draft = l
		w := library()
		w.addFailure(tt.url, c)
		var edited []string
		d := drive(t, w, Options{Editor: func(path string, _ int) []string {
			edited = append(edited, path)
			return []string{"true"}
		}}, 80, 24)
		d.run(d.visit(tt.url))
		w.addFailure(tt.url, &protocols.Error{Reason: protocols.Refused, Op: "connect to h:119"})
		confirm, _ := l.Preview()
		for key := range strings.FieldsSeq(tt.keys) {
			l.errs = []error{&protocols.Error{
				Reason: protocols.Rejected, Op: "post to h:119", Code: 441, Text: "no such group",
				Lines: c.DraftLines("/tmp/draft.eml"),
			}}
			edited = nil
			d.send(draftMsg{tab: d.tab, compose: c, confirm: confirm}).press("y")
			d.wantShown("Not accepted", `"441 no such group"`, "The draft is kept as /tmp/draft.eml.", tt.shown).wantNotShown("Try again")
			if d.press(key); len(edited) != 1 || edited[0] != os.DevNull {
				t.Errorf("%s on the page of %v: edited the files %q, want %q", key, tt.url, edited, os.DevNull)
			}
		}
		if d.send(draftMsg{tab: d.tab, compose: c, confirm: confirm}).press("y"); l.sent != 1 {
			t.Errorf("%v: sent %d times, want once", tt.url, l.sent)
		}
		d.press("alt+c").wantShown("no article on the page or under the cursor")
	}
}
