package aids

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
	"gofer/urlcore"
)

// charsetStore is a [Charsets] in memory.
type charsetStore struct {
	all map[string]string
	set []string
	err error
}

func (r *charsetStore) All() (map[string]string, error) { return r.all, r.err }

func (r *charsetStore) Set(_ urlcore.URL, server, charset string) error {
	r.set = append(r.set, server+" "+charset)
	return r.err
}

// textProgram is a program with a text in CP437 in two tabs.
type textProgram struct {
	*roomtest.Program
	aids    *Aids
	store   *charsetStore
	private bool
}

func (r *textProgram) Private() bool { return r.private }

func newTextProgram(t *testing.T) *textProgram {
	u := fetchtest.Parse(t, "gopher://gopher.example.org/0/a")
	line := protocols.Line{Kind: protocols.Info, Text: "Gr\x81\xe1e"}
	r := &textProgram{Program: roomtest.New(2, protocols.Head{URL: u, Layout: protocols.LayoutText}, line), store: new(charsetStore)}
	r.aids = New(r, Options{Viewers: r.Tabs, Store: r.store})
	return r
}

// TestKeepCharset checks that a charset is saved for the server. In private mode the charset must be
// kept only until the end of the program. A failure must be reported.
func TestKeepCharset(t *testing.T) {
	for name, tt := range map[string]struct {
		private bool
		err     error
		set     []string
		notice  string
	}{
		"kept":    {false, nil, []string{"gopher.example.org:70 koi8-r"}, "koi8-r is kept for gopher.example.org:70"},
		"private": {true, nil, nil, "koi8-r is kept for gopher.example.org:70 while this program runs"},
		"failed":  {false, errors.New("disk full"), []string{"gopher.example.org:70 koi8-r"}, "charset not kept: disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTextProgram(t)
			r.private, r.store.err = tt.private, tt.err
			r.Run(r.aids.keepCharset(r.Tab().Session.Page(), "koi8-r"))
			fetchtest.EqualSlices(t, r.store.set, tt.set, "charsets set")
			fetchtest.Equal(t, r.Writes, len(tt.set), "changes that the program waits for")
			fetchtest.EqualSlices(t, r.Notices, []string{tt.notice}, "notices")
		})
	}
}

// TestCharsetsReadLate checks that remembered charsets apply to the pages of all tabs. They must not
// apply if the user has chosen a charset for the server meanwhile.
func TestCharsetsReadLate(t *testing.T) {
	for _, chosen := range []bool{false, true} {
		r := newTextProgram(t)
		r.store.all = map[string]string{"gopher.example.org:70": "koi8-r"}
		want := "KOI8-R"
		if chosen {
			want = "CP866"
			r.BeforeResult = func() { r.Run(r.aids.keepCharset(r.Tab().Session.Page(), "cp866")) }
		}
		r.Run(r.aids.RememberCharset(r.Tab().Session.Page()))
		for _, v := range r.Viewers {
			c, _ := v.Session.Page().CharsetChoice()
			fetchtest.Equal(t, c.Charset.Name(), want, "charset, with another chosen meanwhile: %v", chosen)
		}
	}
}

// TestCharsetsFail checks that a failure to read the charsets is reported once, and that the
// program continues.
func TestCharsetsFail(t *testing.T) {
	r, called := newTextProgram(t), 0
	r.store.err = errors.New("disk full")
	for range 2 {
		r.Run(r.aids.ReadCharsets(func() tea.Cmd { called++; return nil }))
	}
	fetchtest.EqualSlices(t, r.Notices, []string{"charsets of servers not read: disk full"}, "notices")
	fetchtest.Equal(t, called, 2, "calls of next")
}

// TestAidsAreRefused checks the notices of actions that do nothing on a page of gofer's own.
func TestAidsAreRefused(t *testing.T) {
	r := newTextProgram(t)
	page := r.Tab().Session.Page()
	page.Layout, page.URL, page.Asked = protocols.LayoutPage, fetchtest.Parse(t, "about:home"), nil
	for _, tt := range []struct {
		do   func(*Aids) tea.Cmd
		want string
	}{
		{(*Aids).ToggleRaw, "this page has no octets of a server"},
		{(*Aids).ToggleROT13, "this page is not a text"},
		{(*Aids).ShowInfo, "no information about this page"},
		{(*Aids).ShowAttributes, "only the items of Gopher servers have attributes"},
	} {
		r.Notices = nil
		r.Run(tt.do(r.aids))
		fetchtest.EqualSlices(t, r.Notices, []string{tt.want}, "notices")
		fetchtest.Equal(t, r.Tab().Session.Page() == page, true, "the page is still on the screen")
	}
}
