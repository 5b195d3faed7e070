package dict

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func startServer(t *testing.T) *demo.LookupServer {
	t.Helper()
	s, err := demo.StartDict(
		demo.Dictionary{Name: "beasts", Title: "All beasts", Entries: map[string]string{
			"gopher": "gopher\n   digs {holes} and\n   {water\n   voles}\n.\n..two dots\n", "gophers": "see {gopher}\n",
		}},
		demo.Dictionary{Name: "words", Title: "Words", Entries: map[string]string{"gopher": "a protocol\n", "a \"b\\": "odd\n"}},
	)
	fetchtest.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestConformanceLoopback(t *testing.T) {
	s := startServer(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{
				URL: s.URL("d:gopher"), Layout: protocols.LayoutMenu, Lines: 8,
				Contains: []string{"gopher: All beasts", s.URL("d:water%20voles:beasts"), "..two dots"},
			},
			{URL: s.URL("d:gopher:*"), Lines: 10, Contains: []string{"a protocol"}},
			{URL: s.URL("d:gopher:*:2"), Lines: 2, Contains: []string{"gopher: Words"}},
			{URL: s.URL("m:goph"), Lines: 3, Contains: []string{s.URL("d:gophers:beasts")}},
			{URL: s.URL("m:gophers:beasts:exact"), Lines: 1},
			{URL: s.URL(""), Lines: 9, Contains: []string{s.URL("d::beasts"), s.URL("m:::prefix"), "Define a word"}},
			{URL: s.URL("d:many"), Lines: 100_000, Streams: true},
		},
		Large:   s.URL("d:many"),
		Missing: []string{s.URL("d:nothing"), s.URL("d:gopher:none")},
	})
}

// startReplay starts a server that sends the first of the answers as a greeting, and the next one
// for each line that it receives. After an answer without a line end, it closes the connection.
func startReplay(t *testing.T, answers ...string) urlcore.URL {
	t.Helper()
	addr := fetchtest.Serve(t, func(c net.Conn) {
		in := bufio.NewScanner(c)
		for _, a := range answers {
			if _, err := io.WriteString(c, a); err != nil || !strings.HasSuffix(a, "\n") || !in.Scan() {
				return
			}
		}
	})
	return fetchtest.Parse(t, "dict://"+addr+"/d:word")
}

const banner = "220 dictd 1.13.1/rf on Linux <auth.mime> <1.2.3@h>\r\n"

func TestReplay(t *testing.T) {
	tests := []struct{ name, path, answer, want string }{
		{
			"dictd", "d:word",
			"150 1 definitions retrieved\r\n151 \"word\" foldoc \"The Free On-line Dictionary\"\r\nword\r\n\r\n" +
				"   <storage> See {byte}.\r\n..\r\n.\r\n250 ok [d/m/c = 1/0/16; 0.000r 0.000u 0.000s]\r\n",
			"heading \"word: The Free On-line Dictionary\"\ninfo \"word\"\ninfo \"\"\n" +
				"info \"   <storage> See {byte}.\"\ninfo \".\"\nmenu \"see byte\" dict://HOST/d:byte:foldoc\n",
		},
		{
			"no end", "d:word", "150 1 x\r\n151 \"word\" a b\r\ntext",
			"heading \"word: b\"\nerror: read the answer of the dictionary: its end is missing\n",
		},
		{"no words", "d:word", "150 1 x\r\n151\r\na\r\n.\r\n250 ok\r\n", "heading \": \"\ninfo \"a\"\n"},
		{
			"fails later", "d:word", "150 2 x\r\n151 w a b\r\n.\r\n420 Server temporarily unavailable\r\n",
			"heading \"w: b\"\nerror: ask the dictionary at HOST: the server said 420 Server " +
				"temporarily unavailable: the server is busy or temporarily closed\n",
		},
		{"no code", "d:word", "150 1 x\r\nwhat\r\n", "error: ask the dictionary: the server said what: the server does not speak its protocol\n"},
		{
			"a short code", "d:word", "150 1 x\r\n15\r\n",
			"error: ask the dictionary: the server said 15: the server does not speak its protocol\n",
		},
		{
			"a long code", "d:word", "150 1 x\r\n1511 w\r\n",
			"error: ask the dictionary: the server said 1511 w: the server does not speak its protocol\n",
		},
		{
			"a low code", "d:word", "150 1 x\r\n099 w\r\n",
			"error: ask the dictionary: the server said 099 w: the server does not speak its protocol\n",
		},
		{
			"a long line", "d:word", "150 1 x\r\n151 w a b\r\n" + strings.Repeat("x", 3*wire.MaxLine) + "\r\ny\r\n.\r\n250 ok\r\n",
			"heading \"w: b\"\ninfo \"" + strings.Repeat("x", wire.MaxLine) + "\"\ninfo \"y\"\n",
		},
		{
			"references", "d:word",
			"150 1 x\r\n151 w a b\r\n{one} {two\r\nwords} {one} {} {of\r\nthree\r\nlines} {last}\r\n.\r\n250 ok\r\n",
			"heading \"w: b\"\ninfo \"{one} {two\"\ninfo \"words} {one} {} {of\"\ninfo \"three\"\ninfo \"lines} {last}\"\n" +
				"menu \"see one\" dict://HOST/d:one:a\nmenu \"see two words\" dict://HOST/d:two%20words:a\nmenu \"see last\" dict://HOST/d:last:a\n",
		},
		{
			"two definitions", "d:word:*", "150 2 x\r\n151 w a b\r\n{x}\r\n.\r\n151 w c\r\n.\r\n250 ok\r\n",
			"heading \"w: b\"\ninfo \"{x}\"\nmenu \"see x\" dict://HOST/d:x:a\ninfo \"\"\nheading \"w: c\"\n",
		},
		{
			"the second definition", "d:word:*:2", "150 2 x\r\n151 w a b\r\n{x}\r\n.\r\n151 w c\r\n{y}\r\n.\r\n250 ok\r\n",
			"heading \"w: c\"\ninfo \"{y}\"\nmenu \"see y\" dict://HOST/d:y:c\n",
		},
		{
			"matches", "m:word", "152 3 x\r\na one\r\nodd\r\n'b c' \"t \\\"wo\"\r\n.\r\n250 ok\r\n",
			"menu \"one  (a)\" dict://HOST/d:one:a\nmenu \"t \\\"wo  (b c)\" dict://HOST/d:t%20%22wo:b%20c\n",
		},
		{
			"no match", "m:word:db:exact", "552 no match\r\n221 bye\r\n",
			"search \"Search again\" dict://HOST/m::db:exact\ninfo \"\"\ninfo \"No word matches.\"\n",
		},
		{
			"the second match", "m:word:db:exact:2", "152 3 x\r\na one\r\nodd\r\na two\r\na three\r\n.\r\n250 ok\r\n",
			"menu \"two  (a)\" dict://HOST/d:two:a\n",
		},
		{
			"contents", "", "110 2 x\r\nfoldoc \"The Free\"\r\nbare\r\n\r\n.\r\n250 ok\r\n111 1 x\r\nexact \"Whole words\"\r\n.\r\n250 ok\r\n",
			"search \"Define a word\" dict://HOST/d:\nsearch \"Similar words\" dict://HOST/m:\ninfo \"\"\nheading \"Dictionaries\"\n" +
				"search \"The Free  (foldoc)\" dict://HOST/d::foldoc\nsearch \"bare\" dict://HOST/d::bare\n" +
				"info \"\"\nheading \"Ways to search\"\nsearch \"Whole words  (exact)\" dict://HOST/m:::exact\n",
		},
		{
			"no contents", "", "554 No databases present\r\n555 No strategies available\r\n",
			"search \"Define a word\" dict://HOST/d:\nsearch \"Similar words\" dict://HOST/m:\ninfo \"\"\nheading \"Dictionaries\"\n",
		},
	}
	for _, tt := range tests {
		u := startReplay(t, banner, "250 ok\r\n", tt.answer, "221 bye\r\n").(urlcore.Lookup)
		u.Path = "/" + tt.path
		res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: u})
		if err != nil {
			t.Errorf("%s: Fetch: %v", tt.name, err)
			continue
		}
		if title := res.Title; title != "word at 127.0.0.1" && title != "word in db" && tt.path != "" || title != "Dictionaries at 127.0.0.1" && tt.path == "" {
			t.Errorf("%s: got the title %q; want the word and the dictionary or server", tt.name, title)
		}
		if got, want := fetchtest.FormatLines(res), strings.ReplaceAll(tt.want, "HOST", u.Addr()); got != want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, want)
		}
		first, rest, _ := strings.Cut(tt.answer, "\r\n")
		for i := range strings.Count(tt.want, "\n") { // the reader stops after i lines
			s := &session{
				out: io.Discard, lines: wire.NewLineReader(strings.NewReader(rest)),
				request: fetchtest.Must(parseURL(u))(t), first: parseReply(first),
			}
			n := 0
			for range s.yieldPage() {
				if n++; n > i {
					break
				}
			}
		}
	}
}

// TestWords checks that a line is split at blanks outside of quotes (RFC 2229, section 2.2).
func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"a  b\t c ": {"a", "b", "c"}, `"a b" 'c "d"' "e 'f"`: {"a b", `c "d"`, "e 'f"}, `a"b c"d ""`: {"ab cd", ""},
		`a\ b \"c\\ "d\"e"`: {"a b", `"c\`, `d"e`}, `\  a`: {" ", "a"}, `a\`: {`a\`}, `"a b`: {"a b"}, " ": nil,
	} {
		fetchtest.EqualSlices(t, splitWords(line), want, "%s", line)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []string
		want    protocols.Reason
	}{
		{"not let in", []string{"530 Access denied\r\n"}, protocols.Denied},
		{"not now", []string{"420 Server temporarily unavailable\r\n"}, protocols.ServerFailed},
		{"another protocol", []string{"SSH-2.0-x\r\n"}, protocols.Malformed},
		{"no database", []string{banner, "250 ok\r\n", "550 invalid database\r\n"}, protocols.NotFound},
		{"nothing like it", []string{banner, "250 ok\r\n", "552 no match\r\n", "552 no match\r\n"}, protocols.NotFound},
		{"ends", []string{banner, "250 ok\r\n"}, protocols.Broken},
	} {
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: startReplay(t, tt.answers...)})
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%s: the reason of %v", tt.name, err)
	}
}

// TestNoHost checks that the error for a URL without a host shows the form of a URL with a host.
func TestNoHost(t *testing.T) {
	_, err := new(Client).Plan(fetchtest.Parse(t, "dict:joe"))
	if protocols.ReasonOf(err) != protocols.BadURL || !strings.Contains(err.Error(), "dict://host/") {
		t.Errorf("Plan(dict:joe): got %v; want reason BadURL and the form dict://host/", err)
	}
}

// TestSuggestions checks that the error for an unknown word has similar words.
func TestSuggestions(t *testing.T) {
	s := startServer(t)
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.URL("d:gophar:beasts"))})
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.NotFound || len(e.Lines) != 4 ||
		e.Lines[2].Link != fetchtest.Parse(t, s.URL("d:gopher:beasts")) {
		t.Errorf("got %+v; want reason NotFound and a link to the word gopher", e)
	}
	var long strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&long, "db word%d\r\n", i)
	}
	_, err = new(Client).Fetch(t.Context(), protocols.Request{
		URL: startReplay(t, banner, "250 ok\r\n", "552 no match\r\n", "152 10000 matches\r\n"+long.String()),
	})
	if !errors.As(err, &e) || len(e.Lines) != maxSuggestions+2 {
		t.Errorf("got %d lines, %v; want %d lines", len(e.Lines), err, maxSuggestions+2)
	}
}

func TestPlan(t *testing.T) {
	for s, want := range map[string]string{
		"d:a":              "DEFINE ! a",
		"d:a%20b:*":        "DEFINE * \"a b\"",
		"d:%22%5C%3A:db:3": "DEFINE db \"\\\"\\\\:\"",
		"m:a":              "MATCH ! . a",
		"m:a:db:prefix:1":  "MATCH db prefix a",
		"m:a::prefix":      "MATCH ! prefix a",
		"":                 "SHOW DATABASES|SHOW STRATEGIES",
		"x:a":              "", "d": "", "d:a:b:0": "", "d:a:b:c": "", "d:a:b:1:2": "", "abc": "",
		"d:" + strings.Repeat("a", 1013): "DEFINE ! " + strings.Repeat("a", 1013), // RFC 2229, section 2.3
		"d:" + strings.Repeat("a", 1014): "",
	} {
		steps, err := new(Client).Plan(fetchtest.Parse(t, "dict://h/"+s))
		if want == "" {
			if err == nil {
				t.Errorf("Plan(dict://h/%s) = %v; want an error", s, steps)
			}
			continue
		}
		var got []string
		for _, step := range steps {
			got = append(got, strings.TrimSuffix(step.Send, "\r\n"))
		}
		if all := strings.Join(got, "|"); all != "CLIENT gofer|"+want+"|QUIT" || err != nil {
			t.Errorf("Plan(dict://h/%s): got the commands %q, %v; want %q", s, all, err, "CLIENT gofer|"+want+"|QUIT")
		}
	}
	for s, want := range map[string][3]string{
		"d:": {"d:new%3Aword", "Define", "Dictionary at h"}, "d::db": {"d:new%3Aword:db", "Define", "Dictionary \"db\" at h"},
		"m:::prefix": {"m:new%3Aword::prefix", "Words like", "Dictionary at h"}, "m::*": {"m:new%3Aword:*", "Words like", "Dictionary at h"},
	} {
		_, err := new(Client).Plan(fetchtest.Parse(t, "dict://h/"+s))
		ask := fetchtest.As[*protocols.Ask](t, err, "%s", s)
		if ask.Fields[0].Label != want[1] || ask.Title != want[2] {
			t.Errorf("Plan(dict://h/%s): got label %q, title %q; want %q", s, ask.Fields[0].Label, ask.Title, want[1:])
		}
		for _, word := range []struct{ typed, escaped string }{{" new:word ", "new%3Aword"}, {"!", "!"}} {
			to := strings.Replace(want[0], "new%3Aword", word.escaped, 1)
			fetchtest.Returns(t, fetchtest.Parse(t, "dict://h/"+to), "%s, %q", s, word.typed)(ask.With([]string{word.typed}))
		}
		for _, a := range [][]string{nil, {""}, {"a\nb"}} {
			if u, err := ask.With(a); err == nil {
				t.Errorf("Plan(dict://h/%s), With(%q) = %v; want an error", s, a, u)
			}
		}
	}
	for _, u := range []urlcore.Lookup{
		{Name: "dict", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/d:a%0D%0Ab"}, {Name: "dict", Path: "/d:a"},
	} {
		if steps, err := new(Client).Plan(u); err == nil {
			t.Errorf("Plan(%#v) = %v; want an error", u, steps)
		}
	}
	steps, err := new(Client).Plan(fetchtest.Parse(t, "dict://joe;basic@h/d:a"))
	if err != nil || len(steps) != 4 || steps[1].Send != "AUTH joe <digest>\r\n" {
		t.Errorf("Plan of a URL with a user = %v, %v; want 4 steps, the second AUTH joe <digest>", steps, err)
	}
}

// TestLogin checks that the user in the URL is logged in with a digest, and that a wrong password
// leads to another question.
func TestLogin(t *testing.T) {
	s := startServer(t)
	u := fetchtest.Parse(t, "dict://"+demo.DictUser+";basic@"+s.Addr()+"/d:gopher")
	c := new(Client)
	for _, password := range []string{"", "wrong", demo.DictPassword} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		var login *protocols.Login
		if !errors.As(err, &login) || login.User != demo.DictUser || login.Failed != (password == demo.DictPassword) {
			t.Fatalf("before the password %q: got %v; want a Login of %s", password, err, demo.DictUser)
		}
		if password != "" {
			login.With(login.User, password)
		}
	}
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
	_ = res.Close()
	fetchtest.Equal(t, res.Personal, true, "Personal")
}

func FuzzPage(f *testing.F) {
	f.Add("150 1 x\r\n151 \"word\" a \"b c\"\r\ntext {a\r\nb}\r\n.\r\n250 ok\r\n", "d:a")
	f.Add("152 1 x\r\na \"b\"\r\n.\r\n250 ok\r\n", "m:a")
	f.Add("110 1 x\r\na \"b\\\" c'd\r\n.\r\n250\r\n111 1 x\r\na b\r\n.\r\n250 ok\r\n", "")
	f.Fuzz(func(t *testing.T, answer, path string) {
		u, err := urlcore.Parse("dict://h/" + path)
		if err != nil {
			return
		}
		r, err := parseURL(u)
		if err != nil {
			return
		}
		if again, err := parseURL(r.urlOf()); r.verb != 0 && (err != nil || again.formatCommand() != r.formatCommand()) {
			t.Errorf("parseURL(%s) requests %q, but parseURL of its urlOf %q, %v", u, r.formatCommand(), again.formatCommand(), err)
		}
		s := &session{out: io.Discard, lines: wire.NewLineReader(strings.NewReader(answer)), request: r, first: reply{code: 110}}
		count := 0
		for l := range s.yieldPage() {
			if count++; count > 20+2*len(answer) {
				t.Fatalf("got %d lines for an answer of %d octets", count, len(answer))
			}
			if l.Link != nil && fetchtest.Parse(t, l.Link.String()) != l.Link {
				t.Errorf("line %q: Parse of the link is not %#v", l.Text, l.Link)
			}
		}
	})
}
