package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// plusOf returns an item with a Gopher+ string.
func plusOf(addr string, typ byte, selector, plus string) urlcore.Gopher {
	g := itemOf(addr, typ, selector)
	g.HasSearch, g.HasPlus, g.Plus = true, true, plus
	return g
}

// replay is a server that answers requests with fixed octets and records all that it receives.
type replay struct {
	addr    string
	answers map[string]string // the answer to each first line of a request; "" closes the connection

	mu       sync.Mutex
	requests []string
}

func newReplay(t *testing.T, answers map[string]string) *replay {
	r := &replay{answers: answers}
	r.addr = fetchtest.Serve(t, r.serve)
	return r
}

// serve reads a request line and sends the answer for this line. After a line that ends in a tab and "1", serve
// reads a block, up to the text before "|" in the answer. The text after "|" is then the answer.
func (r *replay) serve(c net.Conn) {
	line, got := "", ""
	for b := make([]byte, 1); ; {
		if _, err := c.Read(b); err != nil {
			break
		}
		got += string(b)
		if line == "" && b[0] == '\n' {
			line = strings.TrimSuffix(got, "\r\n")
			if !strings.HasSuffix(line, "\t1") {
				break
			}
		}
		if end, _, ok := strings.Cut(r.answers[line], "|"); line != "" && ok && strings.HasSuffix(got, end) {
			break
		}
	}
	r.mu.Lock()
	r.requests = append(r.requests, got)
	r.mu.Unlock()
	answer := r.answers[line]
	if _, rest, ok := strings.Cut(answer, "|"); ok && strings.HasSuffix(line, "\t1") {
		answer = rest
	}
	_, _ = io.WriteString(c, answer)
}

// wantRequests compares the requests that the server has received since the last call with want.
func (r *replay) wantRequests(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	fetchtest.EqualSlices(t, r.requests, want, "requests")
	r.requests = nil
}

func fetchText(t *testing.T, c *Client, u urlcore.URL) string {
	t.Helper()
	res, err := c.Fetch(context.Background(), protocols.Request{URL: u})
	fetchtest.NoError(t, err, "%v", u)
	defer func() { _ = res.Close() }()
	got, err := readContent(res)
	if err != nil {
		t.Errorf("read the Resource of %v: %v", u, err)
	}
	return got
}

// TestPlusPlan checks that Plan names each request that may be sent.
func TestPlusPlan(t *testing.T) {
	for plus, want := range map[string][]string{
		"+":                          {"/a\t+\r\n", "/a\r\n"},
		"+text/x y":                  {"/a\t+text/x y\r\n"},
		"!":                          {"/a\t!\r\n"},
		"$+VIEWS":                    {"/a\t$+VIEWS\r\n"},
		"?":                          {"/a\t!\r\n"},
		"+v\t1\r\n+-1\r\nx\r\n.\r\n": {"/a\t!\r\n", "/a\t+v\t1\r\n+-1\r\nx\r\n.\r\n"},
	} {
		steps, err := new(Client).Plan(plusOf("h.example:7070", '0', "/a", plus))
		var got []string
		for _, s := range steps {
			if got = append(got, s.Send); s.Peer != "h.example:7070" || s.Note == "" {
				t.Errorf("Gopher+ string %q: got step %+v; want peer h.example:7070 and a note", plus, s)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Gopher+ string %q: Plan = %q, %v; want %q", plus, got, err, want)
		}
	}
}

// TestWithoutPlus checks that a server without Gopher+ receives only one Gopher+ request for an item.
func TestWithoutPlus(t *testing.T) {
	for name, answer := range map[string]string{
		"an error": "3'/a\t+' does not exist\t\terror.host\t1\r\n.\r\n", "nothing": "",
		"words": "Error: File or directory not found!\r\n", "the text": "text a\r\n.\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplay(t, map[string]string{"/a\t+": answer, "/a": "text a\r\n.\r\n", "/a\t!": "3no\t\terror.host\t1\r\n.\r\n"})
			c := new(Client)
			for range 2 {
				fetchtest.Equal(t, fetchText(t, c, plusOf(r.addr, '0', "/a", "+")), "text a\r\n")
			}
			want := []string{"/a\t+\r\n", "/a\r\n", "/a\r\n"}
			if name == "the text" {
				want = slices.Delete(want, 1, 2)
			}
			r.wantRequests(t, want...)
			fetchtest.FailsWith(t, errNoPlus, "attributes")(c.Fetch(context.Background(), protocols.Request{URL: plusOf(r.addr, '0', "/a", "!")}))
		})
	}
}

// TestPlusError checks that a Gopher+ error does not lead to a request without Gopher+.
func TestPlusError(t *testing.T) {
	r := newReplay(t, map[string]string{
		"/a\t+": "--2\r\n3 The keeper <keeper@example.org>\r\nIt is here now:\r\n+INFO: 0B\t/b\texample.org\t70\t+\r\n",
	})
	_, err := new(Client).Fetch(context.Background(), protocols.Request{URL: plusOf(r.addr, '0', "/a", "+")})
	var e *protocols.Error
	if !errors.As(err, &e) || e.Reason != protocols.NotFound || e.Code != 3 || e.Text != "It is here now:" || len(e.Lines) != 2 {
		t.Fatalf("got %#v; want reason NotFound, code 3, the text of the message and two links", err)
	}
	fetchtest.Equal(
		t, fmt.Sprint(e.Lines[0].Link, " ", e.Lines[1].Link),
		"gopher://example.org/0/b%09%09+ mailto:keeper@example.org", "offers",
	)
	r.wantRequests(t, "/a\t+\r\n")
}

// TestChosenView checks that the view fetched last becomes the default view of the item.
func TestChosenView(t *testing.T) {
	r := newReplay(t, map[string]string{
		"/a\t+": "+2\r\nen.\r\n", "/a\t+text/plain De_DE": "+2\r\nde",
		"/a\t!": "+-1\r\n+INFO: 0A\t/a\t127.0.0.1\t1\t+\r\n+VIEWS:\r\n text/plain En_US: <1k>\r\n text/plain De_DE: <.1k>\r\n.\r\n",
	})
	c := new(Client)
	fetchtest.Equal(t, fetchText(t, c, plusOf(r.addr, '0', "/a", "+")), "en")
	_ = fetchText(t, c, plusOf(r.addr, '0', "/a", "+text/plain De_DE"))
	res, err := c.Fetch(context.Background(), protocols.Request{URL: plusOf(r.addr, '0', "/a", "+")})
	fetchtest.NoError(t, err)
	if got, _ := readContent(res); got != "de" || len(res.Notes) != 1 || res.Size != 2 {
		t.Errorf("got %q, notes %q, size %d; want the German view of size 2 with one note", got, res.Notes, res.Size)
	}
	chosen := ""
	res, err = c.Fetch(context.Background(), protocols.Request{URL: plusOf(r.addr, '0', "/a", "!")})
	fetchtest.NoError(t, err)
	for l := range res.Lines {
		if n, ok := l.Note.(*protocols.ViewNote); ok && n.Chosen {
			chosen += n.Language
		}
	}
	fetchtest.Equal(t, chosen, "De_DE", "marked")
}

// umnSheet has the attributes of an item, as the original server sends them.
const umnSheet = "+-1\r\n+INFO: 0About\t0/about\t127.0.0.1\t7070\t+\r\n+ADMIN:\r\n Admin: A. N. Other <admin@example.org>\r\n" +
	" Mod-Date: Sat Nov 21 20:22:23 2026 <20261121202223>\r\n Score: 42\r\n TTL: 3600\r\n+VIEWS:\r\n text/plain En_US: <.1k>\r\n" +
	" application/postscript De_DE: <56k>\r\n Text: <0k>\r\n+ABSTRACT:\r\n Two lines,\r\n  one of them indented\r\n" +
	"+URL: \r\n gopher://example.org/\r\n+VERONICA:\r\n treewalk: no\r\n+OTHER: 0More\t0/more\texample.org\t70\r\n.\r\n"

func TestAttributes(t *testing.T) {
	r := newReplay(t, map[string]string{
		"0/about\t!": umnSheet,
		"1/\t$": "+-2\r\n" + umnSheet[5:len(umnSheet)-3] +
			"+INFO: 1Docs\t1/docs\texample.org\t70\r\n+ADMIN:\r\n Mod-Date: <nonsense>\r\nlost\r\n",
	})
	want := `text      "About" gopher://127.0.0.1:7070/00/about%09%09+
info      ""
mail      "Administrator  A. N. Other <admin@example.org>" mailto:admin@example.org
info      "Modified       2026-11-21 20:22"
info      "Score          42"
info      "Time to live   1 hour"
info      ""
heading   "Abstract"
info      "Two lines,"
info      " one of them indented"
info      ""
heading   "Views"
text      "text/plain" gopher://127.0.0.1:7070/00/about%09%09+text%2Fplain%20En_US
document  "application/postscript" gopher://127.0.0.1:7070/00/about%09%09+application%2Fpostscript%20De_DE
info      ""
heading   "URL"
info      "gopher://example.org/"
info      ""
heading   "Veronica"
info      "treewalk: no"
info      ""
heading   "Other"
text      "More" gopher://example.org/00/more
`
	want = strings.ReplaceAll(want, "%2F", "/")
	if got := fetchText(t, new(Client), plusOf(r.addr, '0', "0/about", "!")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	res := fetchtest.Must(new(Client).Fetch(context.Background(), protocols.Request{URL: plusOf(r.addr, '1', "1/", "$")}))(t)
	var got []string
	for l, err := range res.Lines {
		got = append(got, fmt.Sprint(l.Kind, " ", l.Text, " ", l.Link, " ", err))
		if n, ok := l.Note.(*protocols.AttributesNote); ok {
			got = append(got, fmt.Sprintf("%s %d %s %q", n.Plus, n.Size, n.Modified.Format("2006-01-02"), n.Abstract))
		}
	}
	if want := []string{
		"text About gopher://127.0.0.1:7070/00/about%09%09+ <nil>", `+ 102 2026-11-21 "Two lines,\n one of them indented"`,
		"info   Two lines, <nil> <nil>", "info    one of them indented <nil> <nil>",
		"menu Docs gopher://example.org/11/docs <nil>",
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAnswersToAttributeRequests checks answers in Gopher+ to a request for attributes that are a document, or have
// only some attributes or none.
func TestAnswersToAttributeRequests(t *testing.T) {
	for _, tt := range []struct{ plus, answer, want, note string }{
		{"!+ABSTRACT", "+26\r\nsome document text here.\r\n", "some document text here.\r\n", noteDocument},
		{"!+ABSTRACT", "+-1\r\n+1 to that: a text\r\n..\r\n.\r\n", "+1 to that: a text\r\n.\r\n", noteDocument},
		{"$+VIEWS", "+-2\r\n1991: a text", "1991: a text", noteDocument},
		{"!", "+-2\r\n+:\r\n", "+:\r\n", noteDocument},
		{"!", "+-2\r\n+a", "+a", noteDocument},
		{"!+SMELL", "+-1\r\n.\r\n", "", noteNoBlocks},
		{"!+SMELL", "+0\r\n", "", noteNoBlocks},
		{
			"!+ABSTRACT", "+-1\r\n+ABSTRACT:\r\n a\r\n.\r\n",
			"text      \"a\" gopher://HOST/0/a\ninfo      \"\"\nheading   \"Abstract\"\ninfo      \"a\"\n", "",
		},
	} {
		r := newReplay(t, map[string]string{"/a\t" + tt.plus: tt.answer})
		u := plusOf(r.addr, '0', "/a", tt.plus)
		res := fetchtest.Must(new(Client).Fetch(t.Context(), protocols.Request{URL: u}))(t)
		fetchtest.Returns(t, strings.ReplaceAll(tt.want, "HOST", r.addr), "%q", tt.answer)(readContent(res))
		fetchtest.Equal(t, strings.Join(res.Notes, "; "), tt.note, "%q: notes", tt.answer)
	}
}

// surveySheet is a form with each kind of field except files, as the original server sends forms.
// surveyLines are the answers that the server must receive.
const (
	surveySheet = "+-1\r\n+INFO: 0Survey\t0/survey\t127.0.0.1\t7070\t?\r\n+ASK:\r\n Note: A survey.\r\n Ask: Your name:\tJohn Doe\r\n AskP: Password:\r\n" +
		" AskL: Comments:\tone\ttwo\r\n Select: Mail:1\r\n SELECT: Paper:\r\n Choose: Color:\tRed\tGreen\r\n A label\r\n Odd: keyword\r\n.\r\n"
	surveyLines = "John Doe\r\nsecret\r\n2\r\nline one\r\n. \r\n1\r\n0\r\nGreen\r\n.\r\n"
)

func askOf(t *testing.T, c *Client, u urlcore.URL) *protocols.Ask {
	t.Helper()
	_, err := c.Fetch(context.Background(), protocols.Request{URL: u})
	ask := fetchtest.As[*protocols.Ask](t, err, "%v", u)
	return ask
}

func TestForm(t *testing.T) {
	r := newReplay(t, map[string]string{"0/survey\t!": surveySheet, "0/survey\t+\t1": "\r\n.\r\n|+-1\r\nThank you.\r\n.\r\n"})
	c := &Client{PlainPasswords: true}
	ask := askOf(t, c, plusOf(r.addr, '0', "0/survey", "?"))
	want := []protocols.Field{
		{ServerLabel: "A survey.", Input: protocols.InputNote},
		{ServerLabel: "Your name:", Value: "John Doe"},
		{ServerLabel: "Password:", Input: protocols.InputSecret},
		{ServerLabel: "Comments:", Input: protocols.InputText, Value: "one\ntwo"},
		{ServerLabel: "Mail", Input: protocols.InputCheck, Value: "1"},
		{ServerLabel: "Paper:", Input: protocols.InputCheck, Value: "0"},
		{ServerLabel: "Color:", Input: protocols.InputChoice, Value: "Red", Choices: []string{"Red", "Green"}},
		{ServerLabel: "A label", Input: protocols.InputNote},
		{ServerLabel: "Odd: keyword", Input: protocols.InputNote},
	}
	if got := fmt.Sprintf("%+v", ask.Fields); ask.Title != "Form of 127.0.0.1" || ask.ServerTitle != "Survey" ||
		!ask.IsForm || got != fmt.Sprintf("%+v", want) {
		t.Fatalf("got %q %s\nwant %+v", ask.Title, got, want)
	}
	r.wantRequests(t, "0/survey\t!\r\n")
	u := fetchtest.Must(ask.With([]string{"", "John Doe", "secret", "line one\n.", "1", "0", "Green", "", ""}))(t)
	text := u.String()
	if again, err := urlcore.Parse(text); err != nil || again != u || strings.Contains(text, "secret") {
		t.Errorf("With returned the URL %s, which is parsed as %v, %v; want the same URL without the password", text, again, err)
	}
	fetchtest.Equal(t, fetchText(t, c, u), "Thank you.\r\n")
	r.wantRequests(t, "0/survey\t+\t1\r\n+-1\r\n"+surveyLines)

	// The same URL shows the completed form again, without the password.
	ask = askOf(t, c, u)
	r.wantRequests(t, "0/survey\t!\r\n")
	var values []string
	for _, f := range ask.Fields {
		values = append(values, f.Value)
	}
	if got := strings.Join(values, "|"); got != "|John Doe||line one\n. |1|0|Green||" || ask.URL != u {
		t.Errorf("Fetch(%v) again: got the proposed values %q for %v; want the answers without the password", u, got, ask.URL)
	}
	if strings.Contains(fmt.Sprintf("%+v", c.plus.forms.values), "secret") {
		t.Error("the password is still in memory after the form was sent")
	}
}

// TestTextAnswer checks the number and the lines that are sent for a field with several lines.
func TestTextAnswer(t *testing.T) {
	all := parseQuestions([]string{"AskL: Comments", "Ask: Name"})
	for answer, want := range map[string][]string{
		"": {"0"}, "a": {"1", "a"}, " ": {"1", " "}, "\n": {"2", "", ""}, "a\r\n\nb": {"3", "a", "", "b"},
		"a\n": {"2", "a", ""}, ".": {"1", ". "},
	} {
		f, hidden := fillForm(all, []string{answer, "x"})
		fetchtest.EqualSlices(t, f.lines, append(want, "x"), "the lines for %q", answer)
		again, ok := splitAnswers(all, hidden)
		if !ok || again[0] != strings.Join(want[1:], "\n") {
			t.Errorf("%q opened again: got %q, %v", answer, again, ok)
		}
	}
}

// TestFormOctets checks that texts and answers of a form keep their octets, even if the URL of the
// completed form is opened again.
func TestFormOctets(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	c := new(Client)
	values := func(a *protocols.Ask) (all []string) {
		for _, f := range a.Fields {
			all = append(all, f.Value)
		}
		return all
	}
	ask := askOf(t, c, plusOf(s.Addr(), '0', "/plus/latin1", "?"))
	if got, want := values(ask), []string{"\xdcber zwei Meter", "Sch\xf6ne\nGr\xfc\xdfe", "\xdcber.txt", "Rot"}; !slices.Equal(got, want) ||
		ask.Charset == "" || ask.Fields[0].ServerLabel != "Gr\xf6\xdfe:" {
		t.Errorf(
			"got the proposed values %q, charset %q, label %q; want %q, a charset, label \"Gr\\xf6\\xdfe:\"", got,
			ask.Charset, ask.Fields[0].ServerLabel, want,
		)
	}
	answers := []string{"J\xf6rg \x81", "\xe4", "/home/\xfc/\xdc.txt", "Gr\xfcn"}
	u := fetchtest.Must(ask.With(answers))(t)
	if got, want := fetchText(t, c, u), "> J\xf6rg \x81\r\n> 1\r\n> \xe4\r\n> \xdc.txt\r\n> Gr\xfcn\r\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the server answered %q; want the end %q", got, want)
	}
	answers[2] = "\xdc.txt"
	fetchtest.EqualSlices(t, values(askOf(t, c, u)), answers, "opened again: proposed")
	search := askOf(t, c, itemOf(s.Addr(), '7', "/plus/search"))
	fetchtest.Equal(t, search.IsForm, false, "the search is a form")
	if got := fetchtest.Must(search.With([]string{"gr\xf6"}))(t); search.Charset == "" || !strings.HasSuffix(got.String(), "%09gr%F6") {
		t.Errorf("With returned %v, charset %q; want a URL that ends in %%09gr%%F6, and a charset", got, search.Charset)
	}
}

// TestFormPassword checks that neither the transcript nor the plan contains the password of a form.
func TestFormPassword(t *testing.T) {
	r := newReplay(t, map[string]string{"0/survey\t!": surveySheet, "0/survey\t+\t1": "\r\n.\r\n|+-1\r\nYour password is sesame.\r\n.\r\n"})
	c := &Client{PlainPasswords: true}
	u := fetchtest.Must(askOf(t, c, plusOf(r.addr, '0', "0/survey", "?")).With([]string{"", "a", "sesame", "", "1", "0", "Red", "", ""}))(t)
	transcript := new(protocols.Transcript)
	res := fetchtest.Must(c.Fetch(protocols.WithTranscript(context.Background(), transcript), protocols.Request{URL: u}))(t)
	_, _ = readContent(res)
	_ = res.Close()
	if first, _, _ := transcript.Lines(); len(first) < 5 || strings.Contains(fmt.Sprint(first), "sesame") {
		t.Errorf("the transcript is %v; want the request without the password", first)
	}
	if steps, err := c.Plan(u); err != nil || strings.Contains(fmt.Sprint(steps), "sesame") {
		t.Errorf("Plan = %v, %v; want steps without the password", steps, err)
	}
}

// TestFormPasswordInTheClear checks that a form with a password is sent without TLS only after consent. For
// a server with a pinned certificate, PlainPasswords and a consent in advance have no effect.
func TestFormPasswordInTheClear(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		r := newReplay(t, map[string]string{"0/survey\t!": surveySheet, "0/survey\t+\t1": "\r\n.\r\n|+-1\r\nThank you.\r\n.\r\n"})
		c := &Client{PlainPasswords: pinned}
		want := protocols.ConsentPlainPassword
		if pinned {
			c.Dialer.TLS.Pins, want = onePin("SHA-256 00"), protocols.ConsentAsked
		}
		ask := askOf(t, c, plusOf(r.addr, '0', "0/survey", "?"))
		r.wantRequests(t, "0/survey\t!\r\n")
		u := fetchtest.Must(ask.With([]string{"", "John Doe", "secret", "line one\n.", "1", "0", "Green", "", ""}))(t)
		var confirm *protocols.Confirm
		for range 2 {
			if _, err := c.Fetch(t.Context(), protocols.Request{URL: u}); !errors.As(err, &confirm) || confirm.Consent != want {
				t.Fatalf("pinned %v: got %v, want a question of kind %v", pinned, err, want)
			}
		}
		confirm.GiveConsent()
		fetchtest.Equal(t, fetchText(t, c, u), "Thank you.\r\n", "pinned %v", pinned)
		r.wantRequests(t, "0/survey\t+\t1\r\n+-1\r\n"+surveyLines)

		without := fetchtest.Must(ask.With([]string{"", "John Doe", "", "line one\n.", "1", "0", "Green", "", ""}))(t)
		c = new(Client)
		c.plus.forms.set(without.(urlcore.Gopher), completedForm{lines: []string{"John Doe"}})
		fetchtest.Equal(t, fetchText(t, c, without), "Thank you.\r\n", "without a password")
	}
}

// onePin is a [wire.Pins] with one fingerprint for every server.
type onePin string

func (p onePin) Pin(string) (string, bool) { return string(p), true }
func (onePin) Agree(string, string)        {}
func (onePin) Remember(string, string)     {}

// TestFormInURL opens a URL with a completed form that differs from the form of the server. The completed
// form must be sent only after consent.
func TestFormInURL(t *testing.T) {
	for name, sheet := range map[string]string{
		"no form":      "+-1\r\n+INFO: 0Survey\t0/survey\t127.0.0.1\t7070\t+\r\n.\r\n",
		"another form": "+-1\r\n+INFO: 0S\tx\tx\t1\r\n+ASK:\r\n Ask: a\r\n.\r\n",
		"no Gopher+":   "text\r\n.\r\n", "an error": "--1\r\n1 x\r\nno\r\n.\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplay(t, map[string]string{"0/survey\t!": sheet, "0/survey\t+\t1": "\r\n.\r\n|plain text\r\n"})
			c := new(Client)
			u := plusOf(r.addr, '0', "0/survey", "+\t1\r\n+-1\r\na\r\nHELO x\r\n.\r\n")
			_, err := c.Fetch(context.Background(), protocols.Request{URL: u})
			var confirm *protocols.Confirm
			if !errors.As(err, &confirm) || !slices.Equal(confirm.Details, []string{"a", "HELO x"}) {
				t.Fatalf("got %v; want a Confirm with the lines of the form", err)
			}
			r.wantRequests(t, "0/survey\t!\r\n")
			confirm.GiveConsent()
			fetchtest.Equal(t, fetchText(t, c, u), "plain text\r\n")
			r.wantRequests(t, "0/survey\t+\t1\r\n+-1\r\na\r\nHELO x\r\n.\r\n")
			if _, err := c.Fetch(context.Background(), protocols.Request{URL: u}); !errors.As(err, &confirm) {
				t.Errorf("second Fetch after one consent: got %v; want a Confirm", err)
			}
		})
	}
}

// TestFormFile checks that a file is sent after the lines, with its size. The URL must not contain
// the path of the file, and a form without the file must not be sent.
func TestFormFile(t *testing.T) {
	const octets = "octets\r\n.\r\n\x00\xff"
	path := filepath.Join(t.TempDir(), "f")
	fetchtest.NoError(t, os.WriteFile(path, []byte(octets), 0o600))
	r := newReplay(t, map[string]string{
		"/up\t!": "+-1\r\n+INFO: 0Up\t/up\t127.0.0.1\t7070\t?\r\n+ASK:\r\n ChooseF: File:\r\n Ask: Name:\r\n" +
			" AskF: Save:\r\n ChooseF: Another:\r\n.\r\n",
		"/up\t+\t1": "\x00\xff|+2\r\nok", "/up\tw\t+\t1": "x",
	})
	c := new(Client)
	ask := askOf(t, c, plusOf(r.addr, '0', "/up", "?"))
	if ask.Fields[0].Input != protocols.InputFile || ask.Fields[3].Input != protocols.InputNote {
		t.Errorf("got fields %+v; want a file first, and a note for the second file", ask.Fields)
	}
	u, err := ask.With([]string{path, "n", "/home/me/reply", ""})
	if err != nil || strings.Contains(u.String(), path) || strings.Contains(u.String(), "home") {
		t.Fatalf("With = %v, %v; want a URL without the path of the file", u, err)
	}
	fetchtest.Equal(t, fetchText(t, c, u), "ok")
	r.wantRequests(t, "/up\t!\r\n", "/up\t+\t1\r\n+23\r\nn\r\nreply\r\n"+octets)
	if again := askOf(t, c, u); again.Fields[0].Value != "" {
		t.Errorf("the form after it was sent: got the proposed file %q; want none", again.Fields[0].Value)
	}
	for _, bad := range []string{filepath.Dir(path), path + ".none"} {
		u := fetchtest.Must(ask.With([]string{bad, "n", "", ""}))(t)
		fetchtest.Fails(t, protocols.LocalFailure, "%s", bad)(c.Fetch(context.Background(), protocols.Request{URL: u}))
	}
}

// TestHostileAnswers checks that an answer in a form cannot end its line or the form.
func TestHostileAnswers(t *testing.T) {
	r := newReplay(t, map[string]string{"0/survey\t!": surveySheet})
	c := new(Client)
	ask := askOf(t, c, plusOf(r.addr, '0', "0/survey", "?"))
	for _, bad := range []string{".", "a\r\n.\r\nQUIT", "a\nb", "a\x00b", "\r", "\tx\t1"} {
		u, err := ask.With([]string{bad, bad, bad, bad, "1", "0", bad, bad, bad})
		if err != nil {
			t.Errorf("With(%q): %v", bad, err)
			continue
		}
		fetchtest.CheckCanonical(t, u, "%q: Parse(%v)", bad, u)
		f, _ := c.plus.forms.get(u.(urlcore.Gopher))
		for _, l := range f.lines {
			if l == "." || strings.ContainsAny(l, "\r\n\x00") {
				t.Errorf("With(%q): got the form line %q, which ends the line or the form", bad, l)
			}
		}
	}
}

// TestHostileAttributes checks that the size of the attributes of an item is limited.
func TestHostileAttributes(t *testing.T) {
	long := strings.Repeat("x", 3*wire.MaxLine)
	s := "+INFO: 0A\t/a\th\t70\r\n" + strings.Repeat("+B:\r\n", 10_000) + "+VIEWS:\r\n" +
		strings.Repeat(" "+long+"\r\n", 20) + strings.Repeat(" a\r\n", 1_000_000)
	var octets, blocks int
	for a, err := range readAttributes(strings.NewReader(s)) {
		fetchtest.NoError(t, err)
		blocks += len(a)
		for _, b := range a {
			for _, l := range b.lines {
				octets += len(l)
			}
		}
	}
	if blocks > maxBlocks || octets > maxBlockOctets {
		t.Errorf("got %d blocks with %d octets; want at most %d and %d", blocks, octets, maxBlocks, maxBlockOctets)
	}
	if n := len(parseQuestions(slices.Repeat([]string{"Ask: a"}, 10_000))); n > maxQuestions {
		t.Errorf("got %d questions; want at most %d", n, maxQuestions)
	}
	for s, want := range map[string]int64{
		"<56k>": 56 << 10, "<.1k>": 102, "<3>": 3, "<2B>": 2, "<1M>": 1 << 20, "<0k>": -1, "<0>": 0, "": -1, "56k": -1,
		"<-1k>": -1, "<1e300k>": -1, "<NaNk>": -1, "<infk>": -1, "<xk>": -1, ">k<": -1,
	} {
		fetchtest.Equal(t, parseViewSize(s), want, "size %q", s)
	}
}

// TestPlusStalls checks that the end of the context ends a Gopher+ fetch at each step.
func TestPlusStalls(t *testing.T) {
	s := startServer(t, fstest.MapFS{})
	asked := make(chan struct{}, 1)
	stall := func(text string) func(net.Conn, string) {
		return func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, text)
			asked <- struct{}{}
			_, _ = io.Copy(io.Discard, c)
		}
	}
	for i, answer := range []string{"", "+", "+-1\r\n", "+-1\r\n+INFO: 0A\t/a\th\t70\r\n+ASK:\r\n Ask: a"} {
		selector := fmt.Sprint("/", i)
		s.Handle(selector, stall(answer))
		for _, plus := range []string{"?", "!", "$", "+", "+\t1\r\n+-1\r\na\r\n.\r\n"} {
			ctx, cancel := context.WithCancelCause(context.Background())
			cause := errors.New("stopped")
			go func() { <-asked; cancel(cause) }()
			res, err := new(Client).Fetch(ctx, protocols.Request{URL: plusOf(s.Addr(), '0', selector, plus)})
			if err == nil {
				_, err = readContent(res)
				_ = res.Close()
			}
			fetchtest.ErrorIs(t, err, cause, "%q to %q", answer, plus)
			cancel(nil)
		}
	}
}

// FuzzAttributes checks that no attributes cause a panic, and that every link is a canonical URL.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte(umnSheet[5:]))
	f.Add([]byte(surveySheet[5:]))
	f.Add([]byte("+INFO 1A\t\th\t70\t+\r\n+INFO: 0B\t/b\th\t70\r\n"))
	f.Add([]byte("+\n+:\n+INFO\n+INFO:\n+INFO: \t\t\t\n x\n+VIEWS:\n a/b <\n a/b: <>\n+ADMIN:\n Admin: <@>\n Mod-Date: >\n+ASK:\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		g := urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '0', Selector: "/x", HasSearch: true, HasPlus: true, Plus: "!"}
		for _, lines := range []func(func(protocols.Line, error) bool){
			readAttributePage(g, strings.NewReader(string(in)), ""),
			readAttributeMenu(context.Background(), menuSource{Reader: strings.NewReader(string(in))}),
		} {
			for l, err := range lines {
				fetchtest.NoError(t, err)
				if l.Link == nil {
					continue
				}
				fetchtest.CheckCanonical(t, l.Link)
			}
		}
	})
}

// FuzzForm checks that the URL of a completed form contains one form with the same answers.
func FuzzForm(f *testing.F) {
	f.Add("Ask: a\nAskP: b\nAskL: c\nSelect: d:1\nChoose: e\t1\t2\nNote: x\nChooseF: f\nAskF: g", "answer", "two\nlines")
	f.Add("Ask\nask:\n:\nAskL:\t\t\nSelect::0\nChoose:\t", ".", "\r\n.\r\n")
	f.Fuzz(func(t *testing.T, block, line, text string) {
		all := parseQuestions(strings.Split(block, "\n"))
		answers := make([]string, len(all))
		for i, q := range all {
			switch q.field.Input {
			case protocols.InputLine, protocols.InputSecret:
				answers[i] = line
			case protocols.InputText:
				answers[i] = text
			default:
				answers[i] = q.field.Value
			}
		}
		filled, hidden := fillForm(all, answers)
		u := makeFormURL(urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '0', Selector: "/x"}, "+", hidden)
		fetchtest.CheckCanonical(t, u)
		view, lines := formOf(u)
		if view != "+" || !slices.Equal(lines, hidden) {
			t.Fatalf("formOf(%s) = %q, %q; want \"+\", %q", u, view, lines, hidden)
		}
		again, ok := splitAnswers(all, lines)
		if !ok {
			t.Fatalf("splitAnswers(%q) of the form %q: got false", lines, block)
		}
		if _, hidden := fillForm(all, again); !slices.Equal(hidden, lines) {
			t.Fatalf("fillForm with the answers of splitAnswers(%q): got %q", lines, hidden)
		}
		for _, l := range filled.lines {
			if strings.ContainsAny(l, "\r\n\x00") || l == "." {
				t.Fatalf("got the form line %q, which ends the line or the form", l)
			}
		}
	})
}
