package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// rememberingState returns the state of a run whose settings are the given text.
func rememberingState(t *testing.T, settings string) *State {
	t.Helper()
	home := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, ".config/gofer/config.toml"), []byte(settings), 0o600))
	st := testStart(home, new(Setup)).Open(nil)
	t.Cleanup(st.Close)
	return st
}

// TestKeepText checks the text of which pages is remembered.
func TestKeepText(t *testing.T) {
	for u, want := range map[string]bool{
		"gopher://a.example/1": true, "gopher://a.example/0/x": true, "gopher://a.example/7/s": true, "gophers://a.example/0/x": true, "gopher://a.example/0/x%09%09+text/plain": true,
		"ftp://a.example/x": true, "ftp://anonymous@a.example/x": true, "ftp://ftp:me%40x@a.example/x": true, "ftp://a.example/pub/;type=d": true,
		"http://a.example/x": true, "https://a.example/": true, "gemini://a.example/x": true, "spartan://a.example/x": true,
		"news:1@b.example": true, "news:a.b": true, "nntp://a.example/a.b/7": true, "finger://a.example/joe": true,

		"gopher://a.example/7/s%09words": false, "gopher://a.example/7/s%09": false, "gopher://a.example/0/form%09%09+%091%0D%0A+-1%0D%0Ajoe%0D%0A.%0D%0A": false,
		"http://a.example/x?q=words": false, "gemini://a.example/x?words": false, "spartan://a.example/x?words": false,
		"wais://a.example/db?words": false, "whois://a.example/joe": false, "dict://a.example/d:word": false,
		"file:///etc/passwd": false, "about:history": false, "about:entry/x?ftp://a.example/x.zip": false, "form:x": false, "mailto:a@b": false,
	} {
		st := rememberingState(t, "remember_text = true\nnews_server = 'news.example'\n")
		fetchtest.Equal(t, keepsText(t, st, u, &protocols.Head{URL: mustParse(t, u)}), want, "%s", u)
	}
}

// keepsText reports whether KeepText stores the text of a visited page.
func keepsText(t *testing.T, st *State, asked string, head *protocols.Head) bool {
	t.Helper()
	fetchtest.NoError(t, st.RecordVisit(t.Context(), head.URL, head.URL, "title"))
	fetchtest.NoError(t, st.KeepText(t.Context(), mustParse(t, asked), head, "a distinctive text"))
	return len(fetchtest.Must(st.Visits.SearchText(t.Context(), "distinctive", 10))(t)) > 0
}

// TestKeepPersonal checks that what is for the user alone leaves neither a copy nor its text.
func TestKeepPersonal(t *testing.T) {
	for _, tt := range []struct {
		asked, url string
		personal   bool // by the client of the scheme
		want       bool
	}{
		{"http://a.example/x", "http://a.example/x", false, true},
		{"http://a.example/x", "http://a.example/x", true, false},
		{"ftp://login.example/x", "ftp://login.example/x", false, false},
		{"https://form.example/x", "https://form.example/x", false, false},
		{"https://handed.example/x", "https://handed.example/x", false, false},
		{"https://form.example/x", "http://a.example/x", false, false},
		{"http://a.example/x", "https://form.example/x", false, false},
	} {
		st := rememberingState(t, "remember_text = true\n")
		st.KeepCopies(false)
		logins := wire.Remember(st.Memory, new(wire.Logins))
		logins.Keep(wire.Account{Scheme: "ftp", Addr: "login.example:21"}, wire.NewCredentials("joe", "pw"))
		logins.Try("form.example:443", wire.NewCredentials("", "pw"))
		logins.HandOver("form.example:443", "handed.example:443")
		f := fetchtest.FetcherFunc(func(context.Context, protocols.Request) (*protocols.Resource, error) {
			head := protocols.Head{URL: mustParse(t, tt.url), Size: -1, Personal: tt.personal}
			return &protocols.Resource{Head: head, Body: strings.NewReader("text"), Closer: io.NopCloser(nil)}, nil
		})
		st.fetchers = &protocols.Guarded{Registry: protocols.Registry{"http": f, "https": f, "ftp": f}}
		res := fetchtest.Must(st.Fetchers(Way{Use: Page}).Fetch(t.Context(), protocols.Request{URL: mustParse(t, tt.asked)}))(t)
		fetchtest.Must(io.ReadAll(res.Body))(t)
		fetchtest.Equal(t, st.keeper(nil).Has(res.URL), tt.want, "%v: has a copy", tt)
		fetchtest.Equal(t, keepsText(t, st, tt.asked, &res.Head), tt.want, "%v: has the text", tt)
	}
}

// strange is the URL of a server, of whose words nothing is known.
type strange struct{ urlcore.URL }

func (strange) Addr() string { return "a.example:70" }

// TestKeepNoText checks when the text of a page that may be remembered is not.
func TestKeepNoText(t *testing.T) {
	const page, remember = "gopher://a.example/0/x", "remember_text = true\n"
	head := &protocols.Head{URL: mustParse(t, page)}
	st := rememberingState(t, remember)
	fetchtest.Equal(t, keepsText(t, st, "gopher://a.example/7/x%09words", head), false, "after a search that redirects")
	st.SetPrivate(true)
	fetchtest.Equal(t, keepsText(t, st, page, head), false, "in private mode")
	st.SetPrivate(false)
	fetchtest.Equal(t, keepsText(t, st, page, head), true, "after private mode")
	for _, settings := range []string{"", "remember_text = false\n", remember + "[gateway]\ngopher = 'http://g.example/?%s'\n"} {
		fetchtest.Equal(t, keepsText(t, rememberingState(t, settings), page, head), false, "with the settings %q", settings)
	}
	fetchtest.Equal(t, st.mayKeepText(strange{mustParse(t, page)}), false, "of a URL that may have words, for all that is known")
	article := &protocols.Head{URL: mustParse(t, "news:1@b.example")}
	fetchtest.Equal(t, keepsText(t, rememberingState(t, remember), "news:1@b.example", article), false, "of an article without a news server")

	st = rememberingState(t, remember+"[restrict]\nenabled = true\n")
	if o := st.ScreenOptions(t.Context(), testScreen); o.KeepText != nil || st.CollectText() != nil {
		t.Error("restricted mode keeps texts")
	}
	if o := rememberingState(t, remember).ScreenOptions(t.Context(), testScreen); o.KeepText == nil {
		t.Error("the screen keeps no texts")
	}
	if o := rememberingState(t, "").ScreenOptions(t.Context(), testScreen); o.KeepText != nil {
		t.Error("the screen keeps texts without the setting")
	}
}
