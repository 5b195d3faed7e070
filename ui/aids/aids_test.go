package aids

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// remembered is a [Charsets].
type remembered struct {
	all map[string]string
	set []string
	err error
}

func (r *remembered) All() (map[string]string, error) { return r.all, r.err }

func (r *remembered) Set(_ urlcore.URL, server, charset string) error {
	r.set = append(r.set, server+" "+charset)
	return r.err
}

// reading is a program with a page of octets in Latin-1 in two tabs.
type reading struct {
	*roomtest.Program
	aids    *Aids
	store   *remembered
	private bool
}

func newReading(t *testing.T) *reading {
	u := fetchtest.Parse(t, "gopher://gopher.example.org/0/a")
	line := protocols.Line{Kind: protocols.Info, Text: "Gr\x81\xe1e"}
	r := &reading{Program: roomtest.New(2, protocols.Head{URL: u, Layout: protocols.LayoutText}, line), store: new(remembered)}
	r.aids = New(r)
	r.aids.Viewers = r.Tabs
	r.aids.PushOverlay = func(v *viewer.Viewer, p *nav.Page) { v.Session.PushOverlay(p); v.Show() }
	r.aids.Store, r.aids.ConfiguredCharset = r.store, func(string) string { return "" }
	r.aids.Private = func() bool { return r.private }
	return r
}

// TestCharsetIsKept keeps a charset for the server, only until the end if nothing may be remembered,
// and says why it was not kept.
func TestCharsetIsKept(t *testing.T) {
	for name, tt := range map[string]struct {
		private bool
		err     error
		set     []string
		said    string
	}{
		"kept":    {false, nil, []string{"gopher.example.org:70 koi8-r"}, "koi8-r is kept for gopher.example.org:70"},
		"private": {true, nil, nil, "koi8-r is kept for gopher.example.org:70 while this program runs"},
		"failed":  {false, errors.New("disk full"), []string{"gopher.example.org:70 koi8-r"}, "the charset was not kept: disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReading(t)
			r.private, r.store.err = tt.private, tt.err
			r.Run(r.aids.keepCharset(r.Tab().Session.Page(), "koi8-r"))
			fetchtest.EqualSlices(t, r.store.set, tt.set, "charsets set")
			fetchtest.Equal(t, r.Kept, len(tt.set), "changes that the program waits for")
			fetchtest.EqualSlices(t, r.Said, []string{tt.said}, "said")
		})
	}
}

// TestCharsetsReadLate applies remembered charsets to the pages of all tabs, but not to a
// server whose charset has been chosen meanwhile.
func TestCharsetsReadLate(t *testing.T) {
	for _, chosen := range []bool{false, true} {
		r := newReading(t)
		r.store.all = map[string]string{"gopher.example.org:70": "koi8-r"}
		want := "KOI8-R"
		if chosen {
			want = "CP866"
			r.Meanwhile = func() { r.Run(r.aids.keepCharset(r.Tab().Session.Page(), "cp866")) }
		}
		r.Run(r.aids.RememberCharset(r.Tab().Session.Page()))
		for _, v := range r.Viewers {
			c, _ := v.Session.Page().CharsetChoice()
			fetchtest.Equal(t, c.Charset.Name(), want, "charset, with another chosen meanwhile: %v", chosen)
		}
	}
}

// TestCharsetsFail says that they cannot be read, and goes on.
func TestCharsetsFail(t *testing.T) {
	r, called := newReading(t), 0
	r.store.err = errors.New("disk full")
	for range 2 {
		r.Run(r.aids.ReadCharsets(func() tea.Cmd { called++; return nil }))
	}
	fetchtest.EqualSlices(t, r.Said, []string{"the charsets of servers are not known: disk full"}, "said")
	fetchtest.Equal(t, called, 2, "calls of then")
}

// TestAidsAreRefused says on which pages an aid does nothing.
func TestAidsAreRefused(t *testing.T) {
	r := newReading(t)
	page := r.Tab().Session.Page()
	page.Layout, page.URL, page.Asked = protocols.LayoutPage, fetchtest.Parse(t, "about:home"), nil
	for _, tt := range []struct {
		do   func(*Aids) tea.Cmd
		want string
	}{
		{(*Aids).ToggleRaw, "this page has no octets of a server"},
		{(*Aids).ToggleROT13, "this page is not a text"},
		{(*Aids).ShowInfo, "there is no information about this page"},
		{(*Aids).ShowAttributes, "only the items of Gopher servers have attributes"},
	} {
		r.Said = nil
		r.Run(tt.do(r.aids))
		fetchtest.EqualSlices(t, r.Said, []string{tt.want}, "said")
		fetchtest.Equal(t, r.Tab().Session.Page() == page, true, "the page is still on the screen")
	}
}
