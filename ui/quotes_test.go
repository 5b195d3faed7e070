package ui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// quotingArticle is an article that quotes others.
func quotingArticle() (web, urlcore.URL) {
	w, u := web{}, urlcore.News{MessageID: "q@example.org"}
	quote := ""
	for i := range 12 {
		quote += fmt.Sprintf("> quoted line %d with news:%d@example.org\r\n", i, i)
	}
	text := "From: me@example.org\r\nSubject: s\r\n\r\nJoe wrote:\r\n" + quote + "my answer\r\n" +
		">> once\r\n> twice\r\nmy end, uryyb\r\n> a line that is so long that it does not fit into one row of the screen, and more of it\r\n-- \r\nmy name\r\n"
	w[u] = func(context.Context) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: u, Media: protocols.MediaArticle, Size: -1},
			Body: strings.NewReader(text), Closer: io.NopCloser(nil),
		}, nil
	}
	return w, u
}

func TestQuotesAreFolded(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 16)
	d.wantShown("> quoted line 3")
	d.press("v")
	d.wantShown("[12 quoted lines]")
	d.wantShown("quotes of more than 3 lines are folded")
	d.wantShown("my answer")
	d.wantShown(">> once") // a short one
	d.wantNotShown("quoted line 3")
	d.press("tab")
	d.wantShown("no more links")
	d.press("/")
	d.enter("line 7")
	d.wantShown("> quoted line 7") // a search opens what is folded
	d.press("enter", "v", "v")
	d.wantShown("[12 quoted lines]")
	d.press("&")
	d.enter("line 7")
	d.wantShown("> quoted line 7") // a filter looks everywhere
	d.press("esc", "end", "home", "v")
	d.wantShown("> quoted line 3")
	d.wantShown("all quotes are shown")
}

// TestQuotesStayFolded: quotes are folded in other tabs and articles too, and the
// block at the top of the screen stays in sight.
func TestQuotesStayFolded(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 14)
	d.press("down", "down", "down", "down", "down", "v")
	d.wantShown("[12 quoted lines]")
	d.press("T")
	d.wantShown("[12 quoted lines]")
}

func TestQuotesOfManyLines(t *testing.T) {
	var page nav.Page
	page.Media = protocols.MediaArticle
	kinds := "iqqqqqiqqqiqqqqi"
	for i, c := range kinds {
		kind := protocols.Info
		if c == 'q' {
			kind = protocols.Quote
		}
		page.Lines.Append(protocols.Line{Kind: kind, Text: fmt.Sprint(i)})
		v := pager{page: &page}
		v.foldQuotes = true
		got := ""
		for k := v.after(-1); k < page.Lines.Len(); k = v.after(k) {
			got += fmt.Sprint(k, " ")
			if back := v.before(v.after(k)); back != k {
				t.Errorf("of %d lines, above the line after %d is %d", i+1, k, back)
			}
		}
		if i == len(kinds)-1 && got != "0 1 6 7 8 9 10 11 15 " {
			t.Errorf("got the lines %s", got)
		}
	}
}

func TestQuotesAreColoured(t *testing.T) {
	w, u := quotingArticle()
	for _, theme := range []string{"dark", "light", "terminal", "contrast", "colourblind"} {
		d := drive(t, w, Options{Home: u, Theme: theme}, 40, 40)
		st := d.styles
		screen := d.View().Content
		for text, want := range map[string]style{
			">> once": st.quotes[1], "> twice": st.quotes[0], "my name": st.dim, "my answer": "",
			"> not fit into one row of the screen,": st.quotes[0], // the mark is before each row
		} {
			if want == "" && !strings.Contains(screen, text) || want != "" && !strings.Contains(screen, string(want)+text) && !strings.Contains(screen, string(want)+"> "+reset+string(want)+text[2:]) {
				t.Errorf("%s: %q is not drawn as %q:\n%q", theme, text, want, screen)
			}
		}
		if theme != "contrast" && (st.quotes[0] == st.quotes[1] || st.quotes[0] == "") {
			t.Errorf("%s: quotes of different depths look the same", theme)
		}
	}
}

func TestROT13(t *testing.T) {
	w, u := quotingArticle()
	d := drive(t, w, Options{Home: u}, 60, 30)
	d.press("%")
	d.wantShown("From: me@example.org")
	d.wantShown("zl raq, hello")
	d.wantShown("ROT13 on")
	d.press("r")
	d.wantShown("zl raq, hello")
	d.press("%")
	d.wantShown("my end, uryyb")
}
