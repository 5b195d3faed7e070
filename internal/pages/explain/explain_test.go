package explain

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

var parse = fetchtest.Parse

// page returns the lines of an explanation as a text, with "#" before headings.
func page(x Explanation) string {
	var b strings.Builder
	for _, l := range x.Lines() {
		if l.Kind == protocols.Heading {
			b.WriteString("# ")
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestPage(t *testing.T) {
	u := parse(t, "ftp://joe:secret@Ftp.Example.Org:2121/caf%C3%A9/x%5cy;type=a")
	x := URL(u, func(urlcore.URL) ([]protocols.Step, error) {
		return []protocols.Step{
			{Peer: "ftp.example.org:2121", Send: "USER joe\r\n"},
			{Peer: "ftp.example.org:2121", Send: "CWD caf\xc3\xa9\r\n", Note: "to get there"},
			{Peer: "other.example:1", Send: "X\tY\x00\\\r\n", Note: strings.Repeat("many words ", 9)},
		}, nil
	})
	x.Fragment = "top"
	want := `# Text at ftp.example.org:2121, by ftp
  Note: the port is not the default of its scheme; it may belong to another
        kind of server.
  Note: it has a password, which anybody who sees the URL can read.
  Note: the fragment #top is not part of the URL (section 2.2).

# Sent to the server
  to ftp.example.org:2121
    USER joe\r\n
    CWD caf\xC3\xA9\r\n  to get there
  to other.example:1
    X\tY\x00\\\r\n
        many words many words many words many words many words many words
        many words many words many words

# Parts (sections of RFC 1738)
  scheme    ftp              the protocol (2.1)
  user      joe              the user name (3.1)
  password  ****             the password, readable by anyone (3.1)
  host      ftp.example.org  the host to connect to (3.1)
  port      2121             the port; ftp has 21 (3.1)
  cwd       caf%C3%A9        the argument of a CWD command (3.2.2)
            octets: caf\xC3\xA9
            reads:  café
  name      x%5Cy            the argument of RETR, or of NLST for a
                             directory (3.2.2)
            octets: x\\y
  typecode  a                transfer as text (3.2.2)
`
	fetchtest.Equal(t, page(x), want)
	fetchtest.Equal(t, x.URL, "ftp://joe:****@ftp.example.org:2121/caf%C3%A9/x%5Cy;type=a", "URL")
	if b, err := json.Marshal(x); err != nil || strings.Contains(string(b), "secret") ||
		strings.Contains(string(b), hex.EncodeToString([]byte("secret"))) {
		t.Errorf("Marshal(%s) = %s, %v; want no password", x.URL, b, err)
	}
}

// TestEmptyParts checks that empty parts are shown, and that an empty password is called empty.
func TestEmptyParts(t *testing.T) {
	x := URL(parse(t, "ftp://:@h.example//a"), nil)
	fetchtest.Equal(t, x.URL, "ftp://:@h.example//a", "URL")
	got := page(x)
	for _, want := range []string{
		"  user      (empty)    the user name (3.1)\n",
		"  password  (empty)    the password, readable by anyone (3.1)\n",
		"  cwd       (empty)    the argument of a CWD command (3.2.2)\n",
	} {
		fetchtest.Contains(t, got, want)
	}
}

func TestNothingIsSent(t *testing.T) {
	u := parse(t, "gopher://h.example/7/s")
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, "Nothing: no server is asked; gofer makes this page itself"},
		{&protocols.Error{Reason: protocols.Unsupported, Op: "open gopher://h/"}, "Nothing: gofer cannot open gopher: URLs"},
		{
			&protocols.Error{Reason: protocols.Unsupported, Op: "open x:", Err: errors.New("it is old"), Lines: []protocols.Line{{}, {Text: "It was X."}, {Text: "Try y."}}},
			"Nothing: it is old. It was X. Try y.",
		},
		{
			&protocols.Error{Reason: protocols.LocalFailure, Op: "find the server", Err: errors.New("none is\x1b[2J set")},
			"Nothing: find the server: none is␛[2J set",
		},
		{&protocols.Handoff{URL: u, Argv: []string{"telnet", "h.example"}}, "Nothing: gofer leaves it to another program: telnet h.example"},
	} {
		x := URL(u, func(urlcore.URL) ([]protocols.Step, error) { return nil, test.err })
		if got := page(x); !strings.Contains(got, "# Sent to the server\n  "+test.want+"\n") {
			t.Errorf("%v: got\n%s\nwant in it %q", test.err, got, test.want)
		}
		if len(x.Steps) != 0 {
			t.Errorf("%v: got the steps %v, want none", test.err, x.Steps)
		}
	}
	fetchtest.NotContains(t, page(URL(u, nil)), "would send", "without a plan")
}

func TestQuestionFirst(t *testing.T) {
	u := parse(t, "gopher://h.example/7/s")
	plan := func(v urlcore.URL) ([]protocols.Step, error) {
		g := v.(urlcore.Gopher)
		if g.HasSearch {
			return []protocols.Step{{Peer: g.Addr(), Send: g.Selector + "\t" + g.Search + "\r\n"}}, nil
		}
		return nil, &protocols.Ask{URL: v, Fields: []protocols.Field{{Label: "Search\x07 for"}}, With: func(a []string) (urlcore.URL, error) {
			g.Search, g.HasSearch = a[0], true
			return g, nil
		}}
	}
	got := page(URL(u, plan))
	for _, want := range []string{`Asked for first ("Search␇ for")`, "to h.example:70\n", `/s\t<search`} {
		fetchtest.Contains(t, got, want)
	}
	refuse := func(v urlcore.URL) ([]protocols.Step, error) {
		return nil, &protocols.Ask{With: func([]string) (urlcore.URL, error) { return nil, errors.New("no such words") }}
	}
	fetchtest.Equal(t, URL(u, refuse).Nothing, "no such words", "Nothing")
}

// TestVectors explains every URL of the test vectors.
func TestVectors(t *testing.T) {
	b := fetchtest.Must(os.ReadFile("../../../urlcore/testdata/vectors.json"))(t)
	var vectors []struct{ Canonical string }
	fetchtest.NoError(t, json.Unmarshal(b, &vectors))
	seen := 0
	for _, v := range vectors {
		u, err := urlcore.Parse(v.Canonical)
		if v.Canonical == "" || err != nil {
			continue
		}
		seen++
		checkExplanation(t, u)
	}
	if seen < 300 {
		t.Errorf("got %d URLs in the vectors, want 300 or more", seen)
	}
}

// checkExplanation explains u and checks the rules that every explanation keeps.
func checkExplanation(t *testing.T, u urlcore.URL) {
	t.Helper()
	x := URL(u, nil)
	var text strings.Builder
	masked := false
	for _, p := range x.Parts {
		text.WriteString(p.Text)
		masked = masked || p.Name == "password"
		if p.Meaning == "" || p.Rule == "" {
			t.Errorf("%s: the part %+v has no meaning or no rule", u, p)
		}
	}
	if text.String() != x.URL || !masked && x.URL != u.String() {
		t.Errorf("%s: the joined parts are %s, URL is %s; want both the same", u, text.String(), x.URL)
	}
	for _, w := range x.Warnings {
		if w.Meaning == "" {
			t.Errorf("the warning %s has no meaning", w.Name)
		}
	}
	for _, l := range x.Lines() {
		fetchtest.Equal(t, clean.Line(l.Text), l.Text, "%s: the clean line", u)
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"gopher://h.example/7/s%09a%20b%09+", "ftp://u:p@h.example/%2Fa//b;type=d", "news:x%25y@h.example", "nntp://h.example/a.b/1",
		"wais://h.example/d/t/%00%0A", "prospero://h.example/o;a=b", "mailto:a@h.example", "foo://u:p@h:1/x%9B%E2%80%AE", "http://[::1]/?a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if u, err := urlcore.Parse(s); err == nil {
			checkExplanation(t, u)
		}
	})
}

func TestWarningsHaveMeanings(t *testing.T) {
	for _, name := range urlcore.Warnings(0xff).Names() {
		if warningMeanings[name] == "" {
			t.Errorf("the warning %s has no meaning", name)
		}
	}
	got := URL(parse(t, "gopher://h.example:25/0a%1Bb"), nil).Warnings
	var names []string
	for _, w := range got {
		names = append(names, w.Name)
	}
	fetchtest.EqualSlices(t, names, []string{"encoded-control", "nondefault-port", "reserved-port"}, "warnings")
}
