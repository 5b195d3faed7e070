package cso

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// startPhonebook starts a server that answers each command with the given lines, and returns its
// URL. After an answer that ends in CLOSE, the server closes the connection.
func startPhonebook(t *testing.T, answers map[string]string) string {
	t.Helper()
	return "gopher://" + fetchtest.Serve(t, func(c net.Conn) {
		for in := bufio.NewScanner(c); in.Scan(); {
			if in.Text() == "quit" {
				_, _ = io.WriteString(c, "200:Bye!\r\n")
				return
			}
			answer, closed := strings.CutSuffix(answers[in.Text()], "CLOSE")
			if _, _ = io.WriteString(c, answer); closed {
				return
			}
		}
	}) + "/2"
}

var parse = fetchtest.Parse

const fields = "-200:2:email:max 128 Indexed Lookup Public Default Change\r\n-200:2:email:Electronic mail address.\r\n" +
	"-200:3:phone:max 64 Lookup Public Default\r\n-200:3:phone:Telephone: office\r\n" +
	"-200:4:name:max 64 Indexed Lookup Public Default\r\n-200:4:name:Full name\r\n-200:a note between\r\n-200:4:name:of the person.\r\n" +
	"-200:5:secret:max 10 Encrypt NoMeta\r\n-200:5:secret:Nobody's business.\r\n" +
	"-200:6:odd name:max 10 Lookup\r\n" +
	"-200:7:url:max 99 Lookup\r\n-200:8:alias:max 32 Lookup\r\n-200:8:alias:Alias\r\n" +
	"200:Ok.\r\n"

// TestForm checks that the form has the searchable fields: the name, then the other indexed ones first. The answers
// of the user must become a query.
func TestForm(t *testing.T) {
	u := startPhonebook(t, map[string]string{"fields": "102:wait\r\n" + fields})
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, u)})
	ask := fetchtest.As[*protocols.Ask](t, err)
	fetchtest.Equal(t, ask.Charset, defaultCharset, "the charset of answers")
	var labels []string
	for _, f := range ask.Fields {
		labels = append(labels, cmp.Or(f.Label, f.ServerLabel))
	}
	want := "name: Full name of the person|email: Electronic mail address|phone: Telephone: office|url|alias|Show all fields"
	fetchtest.Equal(t, strings.Join(labels, "|"), want, "fields")
	for _, tt := range []struct {
		answers []string
		want    string
	}{
		{[]string{"smith", "", "", "", "", "0"}, "%09name=smith"},
		{[]string{`J "X" \ Smith`, " a@b ", "", "", "", "1"}, "%09name=%22J%20%5C%22X%5C%22%20%5C%5C%20Smith%22%20email=a@b%20return%20all"},
		{[]string{"j\xf6rg \xa0", "", "", "", "", "0"}, "%09name=%22j%F6rg%20%A0%22"},
		{[]string{"", "", "555", "", "", "0"}, ""},
		{[]string{"smith", "", "", "", ""}, "%09name=smith"},
		{nil, ""},
		{[]string{"a\r\nquit", "", "", "", "", "0"}, ""},
	} {
		got, err := ask.With(tt.answers)
		switch {
		case tt.want == "" && err == nil:
			t.Errorf("With(%q) = %s; want an error", tt.answers, got)
		case tt.want != "" && (err != nil || got != parse(t, u+tt.want)):
			t.Errorf("With(%q) = %v, %v; want %s", tt.answers, got, err, u+tt.want)
		}
	}
}

// TestOtherForms checks the forms for servers that do not list their fields, or have no indexed
// field.
func TestOtherForms(t *testing.T) {
	for answer, answers := range map[string][]string{
		"514:Unknown command.\r\n": {"name=smith"}, "500:No.\r\n": {"name=smith"},
		"-507:1:fields:Not known.\r\n514:Unknown command.\r\n":                                            {"name=smith"},
		"-200:1:name:max 9 Lookup\r\n200:Ok.\r\n":                                                         {"smith", "0"},
		"-200:0:name:max 9 Lookup\r\n200:Ok.\r\n":                                                         {"smith", "0"},
		"-507:9:odd:Not known.\r\n-200:1:name:max 9 Lookup\r\n-508:1:name:No description.\r\n200:Ok.\r\n": {"smith", "0"},
	} {
		u := startPhonebook(t, map[string]string{"fields": answer})
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, u)})
		var ask *protocols.Ask
		if !errors.As(err, &ask) || len(ask.Fields) != len(answers) {
			t.Fatalf("answer %q: got %v; want an Ask with fields for the answers %q", answer, err, answers)
		}
		fetchtest.Returns(t, parse(t, u+"%09name=smith"), "%q", answer)(ask.With(answers))
	}
}

func TestEntries(t *testing.T) {
	tests := []struct {
		name, answer, want string
		reason             protocols.Reason
	}{
		{
			"two", "102:There were 2 matches to your request.\r\n-200:1:   alias: a-adams11\r\n-200:1:   email: a@b.example\r\n" +
				"-200:1: address: 1 Road\r\n-200:1:        : Town\r\n-200:2:     url: http://h/\r\n200:Ok.\r\n",
			"info \"There were 2 matches to your request.\"\ninfo \"   alias: a-adams11\"\n" +
				"mail \"   email: a@b.example\" mailto:a@b.example\ninfo \" address: 1 Road\"\ninfo \"        : Town\"\ninfo \"\"\n" +
				"html \"     url: http://h/\" http://h/\n", 0,
		},
		{
			"none", "501:No matches to your query.\r\n",
			"search \"Search again\" gopher://HOST/2\ninfo \"\"\ninfo \"No entry matches.\"\n", 0,
		},
		{"too many", "502:Too many matches to request.\r\n", "", protocols.ServerFailed},
		{"login", "100:wait\r\n506:Login required.\r\n", "", protocols.Denied},
		{"not indexed", "515:No indexed field in query.\r\n", "", protocols.ServerFailed},
		{"fails at once", "400:Busy.\r\n", "", protocols.ServerFailed},
		{"another protocol", "220 mail.example ESMTP\r\n", "", protocols.Malformed},
		{
			"fields that entries lack", "102:There were 2 matches to your request.\r\n-508:1:   email: Not present in entry.\r\n-200:1:    name: A\r\n" +
				"-200:2:   email: a@b.example\r\n-508:2:    name: Not present in entry.\r\n200:Ok.\r\n",
			"info \"There were 2 matches to your request.\"\ninfo \"   email: Not present in entry.\"\ninfo \"    name: A\"\ninfo \"\"\n" +
				"mail \"   email: a@b.example\" mailto:a@b.example\ninfo \"    name: Not present in entry.\"\n", 0,
		},
		{
			"no entry has a field",
			"-508:1:   phone: Not present in entry.\r\n-503:2:   phone: You may not see this.\r\n-507:3:   phone: Not known.\r\n200:Ok.\r\n",
			"info \"   phone: Not present in entry.\"\ninfo \"\"\ninfo \"   phone: You may not see this.\"\n" +
				"info \"\"\ninfo \"   phone: Not known.\"\n",
			0,
		},
		{
			"a field is unknown", "-507:phane:unknown field.\r\n599:Syntax error.\r\n",
			"ask the phone book at HOST: the server said 599 Syntax error.\nphane:unknown field.", protocols.ServerFailed,
		},
		{"temporary", "-475:1: name: Later.\r\n475:Database is busy.\r\n", "", protocols.ServerFailed},
		{"an end is missing", "-200:1: name: A\r\nCLOSE", "info \" name: A\"\nerror: read the answer of the phone book: its end is missing\n", 0},
		{
			"fails later", "-200:1: name: A\r\n475:1:Database is gone.\r\n",
			"info \" name: A\"\nerror: ask the phone book at HOST: the server said 475 1:Database is gone.\n", 0,
		},
		{
			"odd lines", "-200:1: name: A\r\nwhat?\r\n500\r\n99:a\r\n1000:b\r\n-200:x\r\n-200:7\r\n-200:x: y\r\n200:Ok.\r\n",
			"info \" name: A\"\nproblem \"what?\"\nproblem \"500\"\nproblem \"99:a\"\nproblem \"1000:b\"\ninfo \"x\"\ninfo \"7\"\ninfo \"x: y\"\n",
			0,
		},
	}
	for _, tt := range tests {
		u := parse(t, startPhonebook(t, map[string]string{"query name=a": tt.answer})+"%09name=a")
		res, err := new(Client).Fetch(t.Context(), protocols.Request{URL: u})
		addr, _ := urlcore.Addr(u)
		want := strings.ReplaceAll(tt.want, "HOST", addr)
		if tt.reason != 0 {
			fetchtest.Equal(t, protocols.ReasonOf(err), tt.reason, "%s: the reason of %v", tt.name, err)
			if tt.want != "" {
				fetchtest.Equal(t, err.Error(), want, "%s: the error", tt.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: Fetch: %v", tt.name, err)
			continue
		}
		if got := fetchtest.FormatLines(res); got != want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, want)
		}
	}
}

// TestPlan checks the planned commands, and that Plan and Fetch refuse invalid URLs.
func TestPlan(t *testing.T) {
	for s, want := range map[string]string{
		"gopher://h:105/2": "fields\r\nquit\r\n", "gopher://h:105/2%09name=a%20b": "query name=a b\r\nquit\r\n",
	} {
		steps, err := new(Client).Plan(parse(t, s))
		got := ""
		for _, step := range steps {
			got += step.Send
		}
		if got != want || err != nil {
			t.Errorf("Plan(%s): got the commands %q, %v; want %q", s, got, err, want)
		}
	}
	for _, u := range []urlcore.URL{
		urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '2', Search: "a\nquit", HasSearch: true},
		urlcore.Gopher{Type: '2'},
		urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h"}, Type: '1'},
	} {
		if steps, err := new(Client).Plan(u); err == nil {
			t.Errorf("Plan(%#v) = %v; want an error", u, steps)
		}
		if _, err := new(Client).Fetch(t.Context(), protocols.Request{URL: u}); err == nil {
			t.Errorf("Fetch(%#v): got no error", u)
		}
	}
}

// TestHostileForm checks that a form beyond the limits is refused, and that long texts are cut.
func TestHostileForm(t *testing.T) {
	var many, long strings.Builder
	for i := range 5 * maxFields {
		fmt.Fprintf(&many, "-200:%d:f%d:max 1 Lookup\r\n", i+1, i)
	}
	long.WriteString("-200:1:f:max 1 Indexed\r\n")
	for range 1000 {
		long.WriteString("-200:1:f:" + strings.Repeat("x", 900) + "\r\n")
	}
	long.WriteString("-200:2:" + strings.Repeat("y", 1<<20) + ":max 1 Lookup\r\n200:Ok.\r\n")
	for name, answer := range map[string]string{
		"many fields":      many.String(),
		"remarks":          strings.Repeat("-200:a remark\r\n", maxForm/8) + "200:Ok.\r\n",
		"empty lines":      "-200:1:f:Indexed\r\n" + strings.Repeat("-200:1:f:\r\n", maxForm/8) + "200:Ok.\r\n",
		"names of a field": strings.Repeat("-200:1:"+strings.Repeat("y", wire.MaxLine/2)+":Lookup\r\n", 2*maxForm/wire.MaxLine) + "200:Ok.\r\n",
	} {
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, startPhonebook(t, map[string]string{"fields": answer}))})
		fetchtest.ErrorIs(t, err, errTooMany, "%s", name)
	}
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: parse(t, startPhonebook(t, map[string]string{"fields": long.String()}))})
	var ask *protocols.Ask
	if !errors.As(err, &ask) || len(ask.Fields) > 3 {
		t.Fatalf("long lines: %v", err)
	}
	for _, f := range ask.Fields {
		if len(f.ServerLabel) > wire.MaxLine {
			t.Errorf("a label of %d octets", len(f.ServerLabel))
		}
	}
	if label := "f: " + strings.Repeat("x", 900) + " ..."; ask.Fields[0].ServerLabel != label {
		t.Errorf("got the label %q; want %q", ask.Fields[0].ServerLabel, label)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(fields)
	f.Add("102:There were 2 matches\r\n-200:1: name: A\r\n-200:1:     : B\r\n-200:2: email: a@b\r\n200:Ok.\r\n")
	f.Add("-200:1:\r\n-200::::\r\n-200:99999999999:x:y\r\n200")
	f.Fuzz(func(t *testing.T, in string) {
		for line := range strings.Lines(in) {
			r := parseReply(line)
			if l := r.pageLine(); l.Link != nil {
				fetchtest.CheckCanonical(t, l.Link, "%q: Parse of the link", line)
			}
			if q := quote(r.text); wire.Check("query", q) == nil && strings.ContainsAny(q, "\t\n") {
				t.Errorf("%q is quoted as %q", r.text, q)
			}
		}
	})
}
