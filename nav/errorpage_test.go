package nav

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

var mustParse = fetchtest.Parse

// pageText returns the lines of a page with their links, for comparison. It leaves out the links of actions on the page.
func pageText(p *Page) string {
	var b strings.Builder
	for _, l := range p.Lines.All(0) {
		b.WriteString(l.Text)
		if a, ok := l.Note.(protocols.Action); l.Link != nil && (!ok || l.Link != p.URL || a == protocols.ActionReload) {
			fmt.Fprintf(&b, " -> %s", l.Link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestErrorPageHasAllReasons(t *testing.T) {
	u := mustParse(t, "gopher://example.org/0/a")
	seen := map[string]protocols.Reason{}
	for r := protocols.Unknown; r <= protocols.Offline; r++ {
		p := ErrorPage(u, &protocols.Error{Reason: r, Op: "connect to example.org:70"})
		text := pageText(p)
		if p.Title == "" || p.Lines.At(0).Text != p.Title || p.Lines.At(0).Kind != protocols.Heading {
			t.Errorf("%v: the page does not begin with its title: %s", r, text)
		}
		fetchtest.Contains(t, text, "Could not connect to example.org:70", "%v: the page", r)
		for _, cause := range []string{r.String(), strings.ToLower(p.Title), "dial tcp: no route"} {
			text := pageText(ErrorPage(u, &protocols.Error{Reason: r, Op: "connect to example.org:70", Err: errors.New(cause)}))
			if n := strings.Count(strings.ToLower(text), cause); n > 1 || n == 0 && cause != r.String() {
				t.Errorf("%v: the page says %q %d times:\n%s", r, cause, n, text)
			}
		}
		wantAgain := !slices.Contains([]protocols.Reason{
			protocols.BadURL, protocols.Unsupported, protocols.TooBig, protocols.NotSupported, protocols.Rejected,
			protocols.Unfinished, protocols.Offline,
		}, r)
		fetchtest.Equal(t, strings.Contains(text, "Try again -> "+u.String()), wantAgain, "%v: offers to try again", r)
		why := p.Title + p.Lines.At(2).Text
		if other, ok := seen[why]; ok {
			t.Errorf("%v and %v have the same title and sentence %q", r, other, why)
		}
		seen[why] = r
	}
}

func TestErrorPage(t *testing.T) {
	tests := []struct {
		name, url string
		err       error
		want      []string // in this order
	}{
		{
			"what is not allowed", "gopher://example.org/1",
			&protocols.Error{
				Reason: protocols.Denied, Op: "connect to example.org:70",
				Err: fmt.Errorf("%w: not this server", protocols.ErrRestricted),
			},
			[]string{"Not allowed here\n", "not this server", "Edit the URL\nGo back\n"},
		},
		{
			"a search with a raw @", "news:a.b%3Fsubject=x&from=joe@example.org",
			&protocols.Error{Reason: protocols.NotFound, Op: "open the article"},
			[]string{"Not found\n", "write the @ as %40", "Edit the URL\n"},
		},
		{
			"a program without the network", "tn3270://example.org/",
			&protocols.Error{Reason: protocols.Offline, Op: "open tn3270://example.org/", Err: protocols.ErrNoPrograms},
			[]string{"Offline\n", "programs that use the network are not started offline.\n", "Edit the URL\n"},
		},
		{
			"a word that is not in the dictionary", "dict://example.org/d:gophar",
			&protocols.Error{Reason: protocols.NotFound, Op: "look up gophar", Lines: []protocols.Line{
				{Kind: protocols.Heading, Text: "Words like it"},
				{Kind: protocols.Text, Text: "gopher", Link: mustParse(t, "dict://example.org/d:gopher")},
			}},
			[]string{"Not found\n", "Words like it\ngopher -> dict://example.org/d:gopher\n", "Edit the URL\nGo back\n"},
		},
		{
			"gopher", "gopher://example.org:7070/0/a/b.txt",
			&protocols.Error{Reason: protocols.Refused, Op: "connect to example.org:7070"},
			[]string{
				"Connection refused\n",
				"Try again -> gopher://example.org:7070/0/a/b.txt\n",
				"One level up -> gopher://example.org:7070/1/a\n",
				"as a menu -> gopher://example.org:7070/1/a/b.txt\n",
				"main menu -> gopher://example.org:7070/1\n",
				"default port -> gopher://example.org/0/a/b.txt\n",
				"Edit the URL\nRead it later\nGo back\n",
			},
		},
		{
			"ftp", "ftp://example.org/a/b",
			&protocols.Error{Reason: protocols.NotFound, Op: "receive b", Code: 550, Text: "b: No such \x1b[31mfile\r"},
			[]string{
				"Not found\n",
				"\n\"550 b: No such ␛[31mfile\"\n",
				"One level up -> ftp://example.org/a;type=d\n",
				"as a directory -> ftp://example.org/a/b;type=d\n",
				"The login directory -> ftp://example.org/;type=d\n",
			},
		},
		{
			"news", "news:comp.lang.go",
			&protocols.Error{Reason: protocols.NotFound, Code: 411, Text: "411 no such group"},
			[]string{"\n\"411 no such group\"\n", "All groups of the news server -> news:*\n"},
		},
		{
			"no news server", "news:comp.lang.go",
			&protocols.Error{Reason: protocols.NoServer, Op: "find the news server", Err: errors.New("none is set: set one")},
			[]string{
				"No news server set\n",
				"Could not find the news server: none is set: set one.\n\nSet your news server -> about:settings?news_server\n\nTry again -> news:comp.lang.go\n\nEdit the URL",
			},
		},
		{
			"a group typed, taken for a host", "gopher://lab.general/1",
			&protocols.Error{Reason: protocols.NameNotFound, Op: "find lab.general"},
			[]string{"Host not found\n", "Try again -> gopher://lab.general/1\nThe newsgroup lab.general -> news:lab.general\n"},
		},
		{
			"a host that is not there", "ftp://example.org/a/b",
			&protocols.Error{Reason: protocols.NameNotFound, Op: "find example.org"},
			[]string{"Host not found\n", "Try again -> ftp://example.org/a/b\n\nEdit the URL"},
		},
		{
			"no TLS", "ftps://example.org:21/a",
			&protocols.Error{Reason: protocols.Insecure, Op: "set up TLS"},
			[]string{"Try again -> ftps://example.org:21/a\nTry ftp:, with TLS if the server offers it -> ftp://example.org/a\n\nEdit the URL"},
		},
		{
			"a host that has no Gopher server", "gopher://example.org/1",
			&protocols.Error{Reason: protocols.Refused, Op: "connect to example.org:70"},
			[]string{
				"Try the host by FTP -> ftp://example.org/\nTry the host as a news server -> news://example.org/*\n" +
					"The newsgroup example.org -> news:example.org\n",
			},
		},
		{
			"a host typed, taken for a group", "news:de.example.lab",
			&protocols.Error{Reason: protocols.NoServer, Op: "find the news server"},
			[]string{"No news server set\n", "The host de.example.lab by Gopher -> gopher://de.example.lab/1\n"},
		},
		{
			"no item type", "gopher://example.org/about.txt",
			&protocols.Error{Reason: protocols.NotFound},
			[]string{"The text /about.txt -> gopher://example.org/0/about.txt\n", "The menu /about.txt -> gopher://example.org/1/about.txt\n"},
		},
		{
			"article", "nntp://example.org/comp.lang.go/7",
			&protocols.Error{Reason: protocols.NotFound, Code: 423},
			[]string{"Not found (423)\n", "One level up -> nntp://example.org/comp.lang.go\n"},
		},
		{
			"no Gopher+", "gopher://example.org/0/a%09%09!",
			&protocols.Error{Reason: protocols.NotSupported, Op: "read the attributes", Err: errors.New("the server does not speak Gopher+")},
			[]string{
				"Not supported by the server\n", "Could not read the attributes: the server does not speak Gopher+.\n",
				"The item itself -> gopher://example.org/0/a\n", "as a menu -> gopher://example.org/1/a\n",
			},
		},
		{
			"a form that is refused", "gopher://example.org/0ask%09%09+%091%0D%0A+-1%0D%0AJane%0D%0A.%0D%0A",
			&protocols.Error{Reason: protocols.ServerFailed, Op: "send the form"},
			[]string{"Fill in the form again -> gopher://example.org/0ask\n"},
		},
		{
			"a URL in a selector", "gopher://example.org/hURL:http://a.example/",
			&protocols.Error{Reason: protocols.NotFound},
			[]string{"The URL in the selector -> http://a.example/\n"},
		},
		{
			"no words found", "gopher://example.org/2%09name=x",
			&protocols.Error{Reason: protocols.NotFound, Code: 501, Text: "No matches"},
			[]string{"Not found\n", "Nothing matches the words, or the search was removed.\n\n\"501 No matches\"\n"},
		},
		{
			"no such database", "wais://example.org/x",
			&protocols.Error{Reason: protocols.NotFound, Op: "open the database x", Text: "x is not available", Err: protocols.ErrNoDatabase},
			[]string{"Not found\n\nCould not open the database x: there is no such database.\n\n\"x is not available\"\n"},
		},
		{
			"no such database to search", "wais://example.org/x?word",
			&protocols.Error{Reason: protocols.NotFound, Op: "search x", Err: protocols.ErrNoDatabase},
			[]string{"Not found\n\nCould not search x: there is no such database.\n\nTry again"},
		},
		{
			"by TLS only", "gopher://example.org/1",
			&protocols.Error{Reason: protocols.Malformed, Op: "open it", Err: protocols.ErrTLS},
			[]string{"Could not open it: the server speaks TLS.\n\nTry with TLS -> gophers://"},
		},
		{
			"handoff", "telnet://example.org/",
			&protocols.Handoff{URL: mustParse(t, "telnet://example.org/"), Argv: []string{"telnet", "-l", "a b\x1b", "example.org"}},
			[]string{"Another program is needed\n", "The command to run in the terminal:\n", "\ntelnet -l 'a b␛' example.org\n"},
		},
		{
			"session", "telnet://example.org/", ErrSessionEnded, []string{"Session ended\n", "Connect again"},
		},
		{
			"confirm", "gopher://example.org:25/0HELO",
			&protocols.Confirm{Question: "Connect to port 25", Reason: "It is for mail.", Details: []string{"HELO\x1b"}},
			[]string{"Connect to port 25?\n", "It is for mail.\n\nHELO␛\n\nAsk again"},
		},
		{
			"login", "ftp://me@example.org/",
			&protocols.Login{Server: "example.org:21", Failed: true, Text: "530 Login \x9bincorrect."},
			[]string{"Login failed\n", "example.org:21 refused the user or password.\n", "\"530 Login 'incorrect.\"\n", "Try again"},
		},
		{
			"ask", "gopher://example.org/7/find",
			&protocols.Ask{Title: "Find\tit", Fields: []protocols.Field{{Label: "Words\x07"}}},
			[]string{"Input needed\n", "Find it\n", "  Words␇\n"},
		},
		{
			"panic", "gopher://example.org/1",
			&protocols.Error{Err: &protocols.Panic{Value: "oh", Stack: []byte("goroutine 1\n\tmain.go:7\n")}},
			[]string{"Internal error\n", "internal error: oh\n", "main.go:7\n"},
		},
		{
			"server error", "ftp://example.org/a",
			&protocols.Error{Reason: protocols.ServerFailed, Op: "list", Code: 451, Text: "disk"},
			[]string{"Server error (451)\n\nCould not list.\n\n\"disk\"\n"},
		},
		{
			"bad request", "gemini://example.org/a",
			&protocols.Error{Reason: protocols.ServerFailed, Op: "open it", Code: 59, Text: "no", Err: protocols.ErrBadRequest},
			[]string{"Bad request (59)\n\nCould not open it.\n\n\"no\"\n"},
		},
		{
			"list", "gopher://example.org:7070/1/x", protocols.ErrNoOctets,
			[]string{"Nothing to save", "list of items", "main menu -> gopher://example.org:7070/1\n\nEdit the URL"},
		},
		{
			"a misspelt scheme", "gohper://example.org/0/a",
			&protocols.Error{Reason: protocols.Unsupported, Op: "open gohper://example.org/0/a"},
			[]string{"\n\nDid you mean gopher? -> gopher://example.org/0/a\n\nSet a program for gohper: URLs", "Copy the URL\n\nEdit the URL\n"},
		},
		{
			"no ways", "telnet://example.org/", &protocols.Error{Reason: protocols.Unsupported, Op: "open telnet://example.org/"},
			[]string{"Not supported\n\nCould not open telnet://example.org/.\n\nCopy the URL\n\nEdit the URL"},
		},
		{
			"no program", "rlogin://example.org/",
			&protocols.Error{Reason: protocols.Unsupported, Op: "open rlogin://example.org/", Err: fmt.Errorf("ssh is %w: install it", protocols.ErrNotInstalled)},
			[]string{"Not supported\n\nCould not open rlogin://example.org/: ssh is not installed: install it.\n\nSet a program for rlogin: URLs, under [open] -> about:settings?open\n"},
		},
		{
			"a URL without a host", "finger:joe",
			&protocols.Error{Reason: protocols.BadURL, Op: "ask", Err: errors.New("it has no host")},
			[]string{"This URL cannot be sent\n", "it has no host.\n\nNothing was sent.\n"},
		},
		{"another", "gopher://example.org/1", errors.New("odd \x1b thing"), []string{"Failed\n", "Open: odd ␛ thing.\n"}},
		{"stopped", "gopher://example.org/1", ErrStopped, []string{"Stopped\n", "Try again -> "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newErrorPage(mustParse(t, tt.url), fmt.Errorf("open: %w", tt.err), nil, nil, true)
			text := pageText(p)
			rest := text
			for _, want := range tt.want {
				i := strings.Index(rest, want)
				if i < 0 {
					t.Fatalf("the page lacks %q (in this order):\n%s", want, text)
				}
				rest = rest[i+len(want):]
			}
			for _, l := range p.Lines.All(0) {
				fetchtest.Equal(t, clean.Line(l.Text), l.Text, "the clean line")
				if _, ok := l.Note.(protocols.Action); ok && l.Link == nil {
					t.Errorf("the cursor cannot go to %q, which has no link", l.Text)
				}
			}
			if p.Failed == nil || p.URL.String() != tt.url {
				t.Errorf("the page has the URL %v and the error %v, want %s and an error", p.URL, p.Failed, tt.url)
			}
		})
	}
}

// TestErrorPageOffers checks the suggestions for errors.
func TestErrorPageOffers(t *testing.T) {
	login := &protocols.Login{Server: "example.org:21"}
	offered := &protocols.Error{Reason: protocols.Denied, Lines: []protocols.Line{{Text: "Log in", Note: protocols.ActionReload}}}
	for _, tt := range []struct {
		name, url string
		err       error
		want, not string
	}{
		{"another guess", "gopher://example.org/1", &protocols.Error{Reason: protocols.NotFound}, "Try the host by FTP", ""},
		{
			"of what another program opens", "mailto:a@b.example", &protocols.Handoff{Argv: []string{"mail"}},
			"The article with this Message-ID", "",
		},
		{
			"of what cannot be opened", "mailto:a@b.example", &protocols.Error{Reason: protocols.Unsupported},
			"The article with this Message-ID", "",
		},
		{"of a server that answers", "gopher://example.org/1", &protocols.Error{Reason: protocols.Denied}, "Try again", "Try the host by FTP"},
		{
			"at the host that is not there", "gopher://example.org/1", &protocols.Error{Reason: protocols.Unreachable},
			"The newsgroup example.org", "Try the host by FTP",
		},
		{"at a port that answers", "gopher://example.org:7070/1", &protocols.Error{Reason: protocols.Denied}, "Try again", "default port"},
		{"at the default port", "gopher://example.org/1", &protocols.Error{Reason: protocols.IdleTimeout}, "Try again", "default port"},
		{"without a port", "news:a.b", &protocols.Error{Reason: protocols.Broken}, "Try again", "default port"},
		{"FTP that has no TLS", "ftp://example.org/a", &protocols.Error{Reason: protocols.Insecure}, "Try again", "Try ftp:"},
		{"FTP with TLS that is not there", "ftps://example.org/a", &protocols.Error{Reason: protocols.NotFound}, "as a directory", "Try ftp:"},
		{"at the top", "gopher://example.org/1", &protocols.Error{Reason: protocols.Denied}, "Try again", "One level up"},
		{"what the error offers itself", "gopher://example.org/1/a", offered, "Log in", "Try again"},
		{"a user", "ftp://example.org/", login, "example.org:21 requires a user and a password.", "refused"},
		{"nothing said", "ftp://example.org/", login, "Try again", "\""},
		{
			"a question of the server", "gopher://example.org/7",
			&protocols.Ask{Title: "t", Server: "h:70", ServerTitle: "Who?", Fields: []protocols.Field{{ServerLabel: "Name"}}},
			"h says: \"Who?\"\n  h says: \"Name\"\n", "\n  \n",
		},
		{
			"a question without details", "gopher://example.org:25/1",
			&protocols.Confirm{Question: "Send", Reason: "Why."}, "Why.\n\nAsk again", "",
		},
		{
			"in a window", "telnet://example.org/", &protocols.Handoff{Argv: []string{"xterm", ""}, Window: true},
			"in a new window:\n\nxterm ''\n", "in the terminal",
		},
		{"a server error without a code", "ftp://example.org/a", &protocols.Error{Reason: protocols.ServerFailed}, "Server error\n", "("},
		{
			"a code of another reason", "ftp://example.org/a",
			&protocols.Error{Reason: protocols.NotFound, Code: 550, Text: "no"}, "Not found\n", "(",
		},
		{"a code without words", "ftp://example.org/a", &protocols.Error{Reason: protocols.NotFound, Code: 550}, "Not found (550)\n", "\""},
		{
			"a long stack", "gopher://example.org/1",
			&protocols.Panic{Value: "oh", Stack: []byte(strings.Repeat("a line\n", maxStack) + "cut off")},
			strings.Repeat("a line\n", maxStack), "cut off",
		},
		{"a word of ours", "gopher://example.org/1", errors.New("{odd"), "{odd.\n", ""},
		{
			"a search", "gopher://example.org/7/a%09b", &protocols.Error{Reason: protocols.Denied},
			"The server requires another login", "nothing matches",
		},
	} {
		text := pageText(newErrorPage(mustParse(t, tt.url), tt.err, nil, nil, true))
		if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: want %q, and not %q, in the page\n%s", tt.name, tt.want, tt.not, text)
		}
	}
}

func TestCommandLine(t *testing.T) {
	fetchtest.Equal(t, commandLine([]string{"a", "", "b c", "it's", "\x1b", "$x"}), `a '' 'b c' 'it'\''s' ␛ '$x'`)
}

func TestErrorPageBadURL(t *testing.T) {
	tests := []struct {
		in, at string
		want   string
	}{
		{"gopher://example.org/1/a%zz", "%zz", "  gopher://example.org/1/a%zz\n                          ^\n"},
		{"ftp://me:secret@exa mple.org/", " ", "  ftp://me:******@exa mple.org/\n                     ^\n"},
		{
			"x:" + strings.Repeat("a", 100) + "%zz", "%zz",
			"  …" + strings.Repeat("a", caretContext) + "%zz\n" + strings.Repeat(" ", caretContext+3) + "^\n",
		},
	}
	for _, tt := range tests {
		p := ErrorPage(nil, fmt.Errorf("go: %w", &urlcore.Error{
			Category: urlcore.BadEscape, Input: tt.in, Offset: strings.Index(tt.in, tt.at), Reason: "that will not do",
		}))
		text := pageText(p)
		fetchtest.Contains(t, text, "\nThat will not do.\n\n"+tt.want, "the page of %.40q", tt.in)
		if p.URL == nil {
			t.Error("the page has no URL")
		}
	}
}

func TestCaret(t *testing.T) {
	tests := []struct {
		in     string
		offset int
		text   string
		column int
	}{
		{"abc", 1, "abc", 1},
		{"日本x", 6, "日本x", 4},
		{"a\x00x", 1, "a␀x", 1},
		{"abc", 99, "abc", 3},
		{"ftp://u:pw@h/", 11, "ftp://u:**@h/", 11},
		{"", 0, "", 0},
		{"abc", -1, "abc", 0},
		{strings.Repeat("a", 2*caretContext), caretContext, strings.Repeat("a", 2*caretContext), caretContext},
		{strings.Repeat("a", 2*caretContext+2), caretContext + 1, "…" + strings.Repeat("a", 2*caretContext) + "…", caretContext + 1},
	}
	for _, tt := range tests {
		text, column := Caret(&urlcore.Error{Input: tt.in, Offset: tt.offset})
		if text != tt.text || column != tt.column {
			t.Errorf("Caret(%q, %d) = %q, %d; want %q, %d", tt.in, tt.offset, text, column, tt.text, tt.column)
		}
	}
}

func TestEndLines(t *testing.T) {
	u := mustParse(t, "gopher://example.org/0/big")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&protocols.Error{Reason: protocols.TooBig, Op: "keep the page in memory"}, "Save all of it to a file -> " + u.String()},
		{&protocols.Error{Reason: protocols.Broken, Op: "read"}, "Load it again -> " + u.String()},
		{io.ErrNoProgress, "Load it again -> " + u.String()},
	} {
		var p Page
		p.Lines.Append(endLines(u, tt.err)...)
		if got := pageText(&p); !strings.Contains(got, tt.want) || !strings.Contains(got, sentence.Of(tt.err)) {
			t.Errorf("the end of the page says %q, want %q and %q", got, sentence.Of(tt.err), tt.want)
		}
	}
}

// TestEndLinesAreNarrow checks that the sentence at the end of a page is broken between words.
func TestEndLinesAreNarrow(t *testing.T) {
	long := strings.Repeat("x", noteWidth+9)
	err := errors.New(strings.Repeat("é", 35) + " " + strings.Repeat("y", 36) + " " + strings.Repeat("z", 36) + " " +
		strings.Repeat("w", 35) + " " + long)
	var got []string
	for _, l := range sentenceLines(err) {
		got = append(got, l.Text)
	}
	want := []string{
		strings.Repeat("é", 35) + " " + strings.Repeat("y", 36),
		strings.Repeat("z", 36) + " " + strings.Repeat("w", 35), long + ".",
	}
	fetchtest.EqualSlices(t, got, want)
}

// TestSuggestionsKeepTLS checks that all suggestions for a URL with TLS use TLS.
func TestSuggestionsKeepTLS(t *testing.T) {
	for _, s := range []string{
		"ftps://example.org/a/b", "ftps://example.org/a;type=d", "gophers://example.org/0/a",
		"nntps://example.org/a.b/7", "snews://example.org/a@b",
	} {
		u := mustParse(t, s)
		for _, l := range suggestionLines(u) {
			if scheme := l.Link.Scheme(); scheme != "ftps" && scheme != "gophers" && scheme != "nntps" && scheme != "snews" {
				t.Errorf("%s: the suggestion %q leads to %s, want a URL with TLS", s, l.Text, l.Link)
			}
		}
	}
}

// TestKindsOfSuggestions checks that a link to what may be a directory is not marked as a file for another program.
func TestKindsOfSuggestions(t *testing.T) {
	for text, want := range map[string]protocols.Kind{
		"ftp://example.org/a/b": protocols.Text, "ftp://example.org/a/b.zip": protocols.Archive, "ftp://example.org/a/": protocols.Directory,
		"file:///a/b": protocols.Text, "gopher://example.org/9/b": protocols.Binary,
	} {
		p := ErrorPage(mustParse(t, text), &protocols.Error{Reason: protocols.NotFound})
		i := 0
		for p.Lines.At(i).Note != protocols.ActionReload {
			i++
		}
		fetchtest.Equal(t, p.Lines.At(i).Kind, want, "the kind of %s", text)
	}
}
