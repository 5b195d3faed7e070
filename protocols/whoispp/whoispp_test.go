package whoispp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// startDirectories starts two servers. The first refers to the second for queries about foxes.
func startDirectories(t *testing.T) (first, second *demo.LookupServer) {
	t.Helper()
	user := func(handle, name string) demo.DirectoryRecord {
		return demo.DirectoryRecord{Template: "USER", Handle: handle, Fields: [][2]string{{"Name", name}, {"Email", handle + "@example.invalid"}}}
	}
	other := &demo.Directory{Handle: "WOODS", Records: []demo.DirectoryRecord{user("rf1", "Red Fox")}}
	second = fetchtest.CloseAtEnd(demo.StartWhoispp(other))(t)
	d := &demo.Directory{Handle: "HOLE", Others: []demo.OtherDirectory{{Directory: other, Server: second}}}
	for i := range 7 {
		d.Records = append(d.Records, user(fmt.Sprint("v", i), fmt.Sprint("Vole ", i)))
	}
	d.Records = append(d.Records, user("gg1", "Gus Gopher"), user("bf1", "Black Fox"))
	d.Records[7].Fields = append(d.Records[7].Fields,
		[2]string{"Address", "The Hole\nUnder the Meadow"}, [2]string{"Note", strings.Repeat("a long value ", 12) + "http://www.example/"})
	return fetchtest.CloseAtEnd(demo.StartWhoispp(d))(t), second
}

func TestConformanceLoopback(t *testing.T) {
	s, other := startDirectories(t)
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &Client{Dialer: d} },
		Pages: []fetchtest.Page{
			{
				URL: s.URL("gopher"), Layout: protocols.LayoutMenu, Lines: 6,
				Contains: []string{"gg1  (USER, HOLE)", s.URL("handle=gg1"), "Name: Gus Gopher", "mailto:gg1@example.invalid", "    Under the Meadow"},
			},
			{URL: s.URL("email=gg1"), Lines: 6, Contains: []string{"Name: Gus Gopher"}},
			{URL: s.URL("fox"), Lines: 5, Contains: []string{s.URL("handle=bf1"), other.URL("fox")}},
			{URL: s.URL("vole"), Lines: 3, Contains: []string{"Matches: 7", s.URL("vole:format=handle")}},
			{URL: s.URL("vole:format=handle"), Lines: 7, Contains: []string{s.URL("handle=v6")}},
			{URL: s.URL("vole:format=abridged;x=1"), Lines: 21, Contains: []string{"Requested constraint not supported: x", "Name: Vole 3"}},
			{URL: s.URL("help"), Lines: 3, Contains: []string{"handle=x for a record"}},
			{URL: s.URL("many"), Lines: 100_000, Streams: true},
		},
		Large:   s.URL("many"),
		Missing: []string{s.URL("handle=none")},
	})
}

// fetch returns the lines of the answer, each with its link, and the error.
func fetch(t *testing.T, answer string) (res *protocols.Resource, text string, err error) {
	t.Helper()
	addr := fetchtest.Serve(t, func(c net.Conn) {
		_, _ = bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, strings.ReplaceAll(answer, "\n", "\r\n"))
	})
	res, err = new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "whois++://"+addr+"/q")})
	if err != nil {
		return nil, "", err
	}
	t.Cleanup(func() { _ = res.Close() })
	var b strings.Builder
	for l, lineErr := range res.Lines {
		if err = lineErr; err != nil {
			break
		}
		b.WriteString(l.Text)
		if l.Link != nil {
			b.WriteString(" -> " + strings.ReplaceAll(l.Link.String(), addr, "SELF"))
		}
		b.WriteByte('\n')
	}
	return res, b.String(), err
}

const end = "% 226 Transaction complete\n% 203 Bye\n"

func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{
			"further lines", "% 220-Two\n% 220 lines\n% 200 ok\n# FULL DOCUMENT MULTICS xdom01\n Title: cross do\n+main test\n-second\n+ line\n URI: http://www.exa\n+mple/x\n# END\n\n" + end,
			"xdom01  (DOCUMENT, MULTICS) -> whois++://SELF/handle=xdom01\nTitle: cross domain test\n    second line\nURI: http://www.example/x -> http://www.example/x\n",
		},
		{
			"a server named twice, and a record without an end", "# SERVERS-TO-ASK A\n Server-Handle: C\n Host-Name: c.example\n Server-Handle: D\n Description: all\n# FULL A S h\n Host-Name: d\n# END\n" + end,
			"Server-Handle: D\nDescription: all\nAnother server: C c.example -> whois++://c.example/q\n\n" +
				"h  (A, S) -> whois++://SELF/handle=h\nHost-Name: d\nAnother server: d -> whois++://d/\n",
		},
		{
			"an older server", "joe (Joe)  joe@example\n\nhttp://www.example/\n", "joe (Joe)  joe@example\nhttp://www.example/ -> http://www.example/\n",
		},
		{"an older server with comments", "% This is the database\n%\n\ndomain: h.example\n", "This is the database\ndomain: h.example\n"},
		{
			"links in further lines", "# FULL A S h\n URI: http://a.example/\n-http://b.example/\n# END\n% 203 bye\n",
			"h  (A, S) -> whois++://SELF/handle=h\nURI: http://a.example/ -> http://a.example/\n    http://b.example/ -> http://b.example/\n",
		},
		{
			"a handle with special characters", "% 200\n# HANDLE USER S a:b;c\\d.e-f g\n% 226\n",
			"a:b;c\\d.e-f g  (USER, S) -> whois++://SELF/handle=a%5C:b%5C;c%5C%5Cd%5C.e-f%5C%20g\n",
		},
		{
			"what no document knows", "# CENTROID x\nbare\n#\n# FULL A\nno blank\n-: \n# END\n% remark\n% 110 Too many hits\n" + end,
			"# CENTROID x\nbare\n#\nA\nno blank\n    : \nremark\nToo many hits\n",
		},
	} {
		_, got, err := fetch(t, tt.answer)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %v and\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
	}
}

// TestTranscripts checks the answers that RFC 1835, RFC 1913 and RFC 1914 show. In each file the lines that an answer should be
// shown as follow it.
func TestTranscripts(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.txt")
	fetchtest.Equal(t, len(names) > 0, true, "there are transcripts")
	for _, name := range names {
		text, err := os.ReadFile(name)
		fetchtest.NoError(t, err)
		answer, want, _ := strings.Cut(string(text), "====\n")
		if _, got, err := fetch(t, answer); err != nil || got != want {
			t.Errorf("%s: got %v and\n%s\nwant\n%s", name, err, got, want)
		}
		for n := range strings.Count(want, "\n") { // a reader may stop after each line
			p := &page{lines: wire.NewLineReader(strings.NewReader(answer))}
			fetchtest.NoError(t, p.start())
			for range p.yieldLines {
				if n--; n < 0 {
					break
				}
			}
		}
	}
}

func TestFailures(t *testing.T) {
	for answer, want := range map[string]protocols.Reason{
		"":                              protocols.NotFound,
		"% No entries found\n":          protocols.NotFound,
		"% 220 hi\n":                    protocols.Broken,
		"% 220 hi\n% 500 Bad query\n":   protocols.ServerFailed,
		"% 430 Authentication needed\n": protocols.Denied,
		"% 530 Authentication failed\n": protocols.Denied,
		"# FULL A S h\n a: b\n" + end:   protocols.Broken,
		"# FULL A S h\n a: b\n# END\n":  protocols.Broken,
		"# HANDLE A S h\n% 502 busy\n":  protocols.ServerFailed,
	} {
		_, text, err := fetch(t, answer)
		fetchtest.Equal(t, protocols.ReasonOf(err), want, "%q: reason of %v", answer, err)
		if strings.Contains(answer, "a: b") != strings.Contains(text, "a: b") {
			t.Errorf("%q: got the lines %q before the error", answer, text)
		}
	}
	for answer, want := range map[string]string{"% 203 Bye\n": "", "% No entries found\n" + end: "No entries found\n", "% 220 hi\n% 204 try harder\n" + end: "try harder\n"} {
		_, text, err := fetch(t, answer)
		fetchtest.NoError(t, err, "%q", answer)
		fetchtest.Equal(t, text, "Search again -> whois++://SELF/\n\n"+want+"Nothing matches.\n", "%q", answer)
	}
}

// TestCharset checks that the server may name the charset of its answer.
func TestCharset(t *testing.T) {
	res, _, err := fetch(t, "% 600 ISO-8859-1\n# HANDLE A S h\n"+end)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, res.Charset, "ISO-8859-1", "charset")
}

// TestHostile checks that malformed referrals are no links, and that a long value and endless messages are bounded.
func TestHostile(t *testing.T) {
	referral := func(fields string) string { return "# SERVER-TO-ASK X\n " + fields + "\n# END\n" }
	_, got, err := fetch(t, referral("Host-Name: a b")+referral("Host-Name: h/x")+referral("Host-Name: u:p@h")+referral("Host-Name: h\r\n Host-Port: 0")+
		referral("Host-Name: h\n Host-Port: 66666")+referral("Host-Name: \x1b[2J")+referral("Host-Port: 70")+referral("")+
		"# FULL A S h\n a: x\n"+strings.Repeat("+"+strings.Repeat("x", 1000)+"\n", 300)+"# END\n"+strings.Repeat("% 200 ok\n", 1000)+end)
	if err != nil || strings.Contains(strings.ReplaceAll(got, "-> whois++://SELF/handle=h\n", ""), "->") {
		t.Errorf("got %v and a link in\n%.2000s", err, got)
	}
	for line := range strings.Lines(got) {
		if len(line) > wire.MaxLine+10 {
			t.Errorf("a line has %d octets; want at most %d", len(line), wire.MaxLine)
		}
	}
	_, got, err = fetch(t, "# FULL A S h\n a: "+strings.Repeat("x", 5*wire.MaxLine))
	if protocols.ReasonOf(err) != protocols.Broken || len(got) > 6*wire.MaxLine {
		t.Errorf("an endless line: got %v and %d octets; want reason Broken", err, len(got))
	}
	endless := &page{lines: wire.NewLineReader(io.MultiReader(strings.NewReader(strings.Repeat("\n", 1000)), iotest.ErrReader(io.ErrNoProgress)))}
	fetchtest.NoError(t, endless.start(), "start of endless empty lines")
	_, got, err = fetch(t, strings.Repeat("% 204 more\n", 1000)+end)
	if err != nil || strings.Count(got, "more\n") != 1000 {
		t.Errorf("1000 remarks: got %v and %d of them", err, strings.Count(got, "more\n"))
	}
}

// TestGrowth checks that the memory for an answer is in proportion to it.
func TestGrowth(t *testing.T) {
	u := fetchtest.Parse(t, "whois++://h/a").(urlcore.Lookup)
	for _, input := range []memorygrowth.Input{
		{Name: "lines that are continued", Head: "# FULL A S h\n a: x\n", Unit: "+a\n"},
		{Name: "long lines that are continued", Head: "# FULL A S h\n a: x\n", Unit: "+" + strings.Repeat("a", 60) + "\n"},
		{Name: "summaries", Unit: "# SUMMARY\n"},
	} {
		memorygrowth.Check(t, input, 150, func(text string) {
			p := &page{url: u, lines: wire.NewLineReader(strings.NewReader(text))}
			fetchtest.NoError(t, p.start())
			for range p.yieldLines {
			}
		})
	}
}

// TestListLine checks the query for the matches that a summary counts.
func TestListLine(t *testing.T) {
	u := fetchtest.Parse(t, "whois++://h").(urlcore.Lookup)
	for query, want := range map[string]string{
		"a": "a:format=handle", `a=\:b\\`: `a=\:b\\:format=handle`, `a\\:case=ignore`: `a\\:case=ignore;format=handle`,
	} {
		l := (&page{url: u.WithQuery(query)}).listLine()
		fetchtest.Equal(t, l.Link.(urlcore.Lookup).Query(), want, "the link below the summary of %s", query)
	}
}

func TestPlan(t *testing.T) {
	steps, err := new(Client).Plan(fetchtest.Parse(t, "whois++://h/name=otter%3Aformat=full"))
	if err != nil || fmt.Sprint(steps) != "[{h:63 name=otter:format=full\r\n search, or a command}]" {
		t.Errorf("Plan = %v, %v; want the query to h:63", steps, err)
	}
	for _, s := range []string{"whois++://h", "whois++://h/", "whois++://h/%20"} {
		_, err := new(Client).Plan(fetchtest.Parse(t, s))
		ask := fetchtest.As[*protocols.Ask](t, err, "%s", s)
		fetchtest.Returns(t, fetchtest.Parse(t, "whois++://h/a%2Fb%20c"), "%s", s)(ask.With([]string{" a/b c "}))
		for _, a := range [][]string{nil, {" "}, {"a\r\nb"}} {
			if u, err := ask.With(a); err == nil {
				t.Errorf("With(%q) = %v; want an error", a, u)
			}
		}
	}
	for _, u := range []urlcore.Lookup{
		{Name: "whois++", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a%00"},
		{Name: "whois++", Path: "/a"},
		{Name: "whois++", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/" + strings.Repeat("a", maxQuery+1)},
		{Name: "whois", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}, Path: "/a"},
	} {
		var e *protocols.Error
		if _, err := new(Client).Plan(u); !errors.As(err, &e) {
			t.Errorf("Plan(%#v): got %v; want an *Error", u, err)
		}
	}
	if _, err := new(Client).Plan(fetchtest.Parse(t, "whois++:joe")); protocols.ReasonOf(err) != protocols.BadURL {
		t.Errorf("Plan(whois++:joe): got %v; want reason BadURL", err)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"% 220 hi\r\n# FULL USER S h\r\n Name: x\r\n-y\r\n+z\r\n# END\r\n% 226 ok\r\n", "# SERVER-TO-ASK\r\n Host-Name: h\r\n Port-Number: 63\r\n# END\r\n",
		"# SUMMARY S\r\n Matches: 9\r\n# END\r\n", "text\r\n", "#\r\n%\r\n+\r\n-\r\n", "# SERVER-TO-ASK\n Host-Name: [::1]\n Host-Port: 7\n# END\n",
	} {
		f.Add(s)
	}
	u := fetchtest.Parse(f, "whois++://h/a").(urlcore.Lookup)
	f.Fuzz(func(t *testing.T, answer string) {
		p := &page{url: u, lines: wire.NewLineReader(strings.NewReader(answer))}
		if p.start() != nil {
			return
		}
		for l, err := range p.yieldLines {
			if len(l.Text) > 2*wire.MaxLine || err == nil && l.Link != nil && fetchtest.Parse(t, l.Link.String()) != l.Link {
				t.Errorf("%q: got the line %q with the link %#v", answer, l.Text, l.Link)
			}
		}
	})
}
