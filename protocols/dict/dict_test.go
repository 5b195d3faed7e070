package dict

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/fetchtest"
	"gofer/internal/loopback"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func start(t *testing.T) *loopback.Lookup {
	t.Helper()
	s, err := loopback.StartDict(
		loopback.Dictionary{Name: "beasts", Title: "All beasts", Entries: map[string]string{
			"gopher": "gopher\n   digs {holes} and\n   {water\n   voles}\n.\n..two dots\n", "gophers": "see {gopher}\n",
		}},
		loopback.Dictionary{Name: "words", Title: "Words", Entries: map[string]string{"gopher": "a protocol\n", "a \"b\\": "odd\n"}},
	)
	fetchtest.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestConformanceLoopback(t *testing.T) {
	s := start(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{URL: s.URL("d:gopher"), Layout: protocols.LayoutMenu, Lines: 8, Contains: []string{"gopher: All beasts", s.URL("d:water%20voles:beasts"), "..two dots"}},
			{URL: s.URL("d:gopher:*"), Lines: 10, Contains: []string{"a protocol"}},
			{URL: s.URL("d:gopher:*:2"), Lines: 2, Contains: []string{"gopher: Words"}},
			{URL: s.URL("m:goph"), Lines: 3, Contains: []string{s.URL("d:gophers:beasts")}},
			{URL: s.URL("m:gophers:beasts:exact"), Lines: 1},
			{URL: s.URL(""), Lines: 9, Contains: []string{s.URL("d::beasts"), s.URL("m:::prefix"), "Define a word"}},
			{URL: s.URL("d:many"), Lines: 100_000, Streams: true},
		},
		Slow:    s.URL("d:many"),
		Missing: []string{s.URL("d:nothing"), s.URL("m:nothing"), s.URL("d:gopher:none")},
	})
}

// replay is a server that says its greeting, and to each line the next of its
// answers.
func replay(t *testing.T, answers ...string) urlcore.URL {
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
	tests := []struct{ name, answer, want string }{
		{
			"dictd", "150 1 definitions retrieved\r\n151 \"word\" foldoc \"The Free On-line Dictionary\"\r\nword\r\n\r\n   <storage> See {byte}.\r\n..\r\n.\r\n250 ok [d/m/c = 1/0/16; 0.000r 0.000u 0.000s]\r\n",
			"heading \"word: The Free On-line Dictionary\"\ninfo \"word\"\ninfo \"\"\ninfo \"   <storage> See {byte}.\"\ninfo \".\"\nmenu \"see byte\" dict://HOST/d:byte:foldoc\n",
		},
		{"no end", "150 1 x\r\n151 \"word\" a b\r\ntext", "heading \"word: b\"\nerror: read the answer of the dictionary: its end is missing\n"},
		{"no words", "150 1 x\r\n151\r\na\r\n.\r\n250 ok\r\n", "heading \": \"\ninfo \"a\"\n"},
		{
			"fails later", "150 2 x\r\n151 w a b\r\n.\r\n420 Server temporarily unavailable\r\n",
			"heading \"w: b\"\nerror: ask the dictionary at HOST: the server said 420 Server temporarily unavailable\n",
		},
		{"no code", "150 1 x\r\nwhat\r\n", "error: ask the dictionary: the server said what: the server does not speak its protocol\n"},
	}
	for _, tt := range tests {
		u := replay(t, banner, "250 ok\r\n", tt.answer, "221 bye\r\n")
		res, err := new(Client).Fetch(t.Context(), u)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		addr, _ := urlcore.Addr(u)
		if got, want := fetchtest.Lines(res), strings.ReplaceAll(tt.want, "HOST", addr); got != want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, want)
		}
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
		{"no database", []string{banner, "250 ok\r\n", "550 invalid database\r\n"}, protocols.NotThere},
		{"nothing like it", []string{banner, "250 ok\r\n", "552 no match\r\n", "552 no match\r\n"}, protocols.NotThere},
		{"ends", []string{banner, "250 ok\r\n"}, protocols.Broken},
	} {
		_, err := new(Client).Fetch(t.Context(), replay(t, tt.answers...))
		if protocols.ReasonOf(err) != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// A URL without a host says how one is written.
func TestNoHost(t *testing.T) {
	_, err := new(Client).Plan(fetchtest.Parse(t, "dict:joe"))
	if protocols.ReasonOf(err) != protocols.BadURL || !strings.Contains(err.Error(), "dict://host/") {
		t.Errorf("got %v", err)
	}
}

// For a word that is not there, the words like it are offered.
func TestSuggestions(t *testing.T) {
	s := start(t)
	_, err := new(Client).Fetch(t.Context(), fetchtest.Parse(t, s.URL("d:gophar:beasts")))
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.NotThere || len(e.Lines) != 4 || e.Lines[2].Link != fetchtest.Parse(t, s.URL("d:gopher:beasts")) {
		t.Errorf("got %+v", e)
	}
	var long strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&long, "db word%d\r\n", i)
	}
	_, err = new(Client).Fetch(t.Context(), replay(t, banner, "250 ok\r\n", "552 no match\r\n", "152 10000 matches\r\n"+long.String()))
	if !errors.As(err, &e) || len(e.Lines) != maxSuggestions+2 {
		t.Errorf("got %d lines, %v", len(e.Lines), err)
	}
}

func TestPlan(t *testing.T) {
	for s, want := range map[string]string{
		"d:a":              "DEFINE ! a",
		"d:a%20b:*":        "DEFINE * \"a b\"",
		"d:%22%5C%3A:db:3": "DEFINE db \"\\\"\\\\:\"",
		"m:a":              "MATCH ! . a",
		"m:a:db:prefix:1":  "MATCH db prefix a",
		"":                 "SHOW DATABASES|SHOW STRATEGIES",
		"x:a":              "", "d": "", "d:a:b:0": "", "d:a:b:c": "", "d:a:b:1:2": "", "abc": "",
		"d:" + strings.Repeat("a", 1100): "",
	} {
		steps, err := new(Client).Plan(fetchtest.Parse(t, "dict://h/"+s))
		if want == "" {
			if err == nil {
				t.Errorf("%s: %v, want an error", s, steps)
			}
			continue
		}
		var got []string
		for _, step := range steps {
			got = append(got, strings.TrimSuffix(step.Send, "\r\n"))
		}
		if all := strings.Join(got, "|"); all != "CLIENT gofer|"+want+"|QUIT" || err != nil {
			t.Errorf("%s: got %q, %v", s, all, err)
		}
	}
	for s, want := range map[string]string{"d:": "d:new%3Aword", "d::db": "d:new%3Aword:db", "m:::prefix": "m:new%3Aword::prefix", "m:": "m:new%3Aword"} {
		_, err := new(Client).Plan(fetchtest.Parse(t, "dict://h/"+s))
		var ask *protocols.Ask
		if !errors.As(err, &ask) {
			t.Fatalf("%s: %v", s, err)
		}
		if u, err := ask.With([]string{" new:word "}); err != nil || u != fetchtest.Parse(t, "dict://h/"+want) {
			t.Errorf("%s: got %v, %v", s, u, err)
		}
		for _, a := range [][]string{nil, {""}, {"a\nb"}} {
			if u, err := ask.With(a); err == nil {
				t.Errorf("%s, %q: got %v", s, a, u)
			}
		}
	}
	u := urlcore.Lookup{Name: "dict", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/d:a%0D%0Ab"}
	if _, err := new(Client).Plan(u); err == nil {
		t.Error("a line end is sent")
	}
}

// A user of the URL logs in with a digest; the password is not sent.
func TestLogin(t *testing.T) {
	s := start(t)
	u := fetchtest.Parse(t, "dict://"+loopback.DictUser+";basic@"+s.Addr()+"/d:gopher")
	c := new(Client)
	for _, password := range []string{"", "wrong", loopback.DictPassword} {
		_, err := c.Fetch(t.Context(), u)
		var login *protocols.Login
		if !errors.As(err, &login) || login.User != loopback.DictUser || login.Failed != (password == loopback.DictPassword) {
			t.Fatalf("%q: %v", password, err)
		}
		if password != "" {
			login.With(login.User, password)
		}
	}
	res := fetchtest.Must(c.Fetch(t.Context(), u))(t)
	_ = res.Close()
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
		r, err := parse(u)
		if err != nil {
			return
		}
		if again, err := parse(r.lookup()); r.verb != 0 && (err != nil || again.command() != r.command()) {
			t.Errorf("%s: %q became %q, %v", u, r.command(), again.command(), err)
		}
		s := &session{out: io.Discard, lines: wire.NewLineReader(strings.NewReader(answer)), request: r, first: reply{code: 110}}
		count := 0
		for l := range s.page() {
			if count++; count > 20+2*len(answer) {
				t.Fatal("lines without end")
			}
			if l.Link != nil && fetchtest.Parse(t, l.Link.String()) != l.Link {
				t.Errorf("%q leads to %#v", l.Text, l.Link)
			}
		}
	})
}
