package posting

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/compose"
	"gofer/protocols"
	"gofer/urlcore"
)

// server is a Server in memory with the articles that can be read.
type server struct {
	addr     string
	status   map[string]byte
	err      error // the result of Post
	posted   []string
	articles map[string]string // by URL
	mails    []compose.Text
}

func (s *server) Post(_ context.Context, _ urlcore.URL, article string) error {
	s.posted = append(s.posted, article)
	return s.err
}

func (s *server) Addr(urlcore.URL) string { return s.addr }

func (s *server) GroupStatus(_ context.Context, _ urlcore.URL, group string) (byte, bool, error) {
	status, ok := s.status[group]
	return status, ok, nil
}

func (s *server) open(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	text, ok := s.articles[req.URL.String()]
	if !ok {
		return nil, &protocols.Error{Reason: protocols.NotFound}
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: req.URL, Media: protocols.MediaArticle},
		Body: strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), Closer: io.NopCloser(nil),
	}, nil
}

func newClient(t *testing.T, s *server) *Client {
	t.Helper()
	dir := t.TempDir()
	return &Client{
		Server: s, Open: s.open, Check: func(context.Context, urlcore.URL) error { return nil },
		Mail: func(_ context.Context, u urlcore.URL, m compose.Text) error {
			s.mails = append(s.mails, m)
			return &protocols.Compose{URL: u}
		},
		Drafts: filepath.Join(dir, "drafts"), From: "Jörg <joe@example.org>", Attribution: "%n:", Secret: filepath.Join(dir, "secret"),
		Agent: "gofer/1", Now: func() time.Time { return time.Date(2025, 1, 3, 6, 49, 46, 0, time.UTC) },
	}
}

// fetch calls c.Fetch for a message of the given kind about the URL target.
func fetch(t *testing.T, c *Client, kind, target string) (*protocols.Resource, error) {
	t.Helper()
	return c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "about:compose/"+kind+"?"+target)}, kind, fetchtest.Parse(t, target))
}

// draftURL returns the URLs of the drafts of Put.
func draftURL(t *testing.T, target string) func(kind string) urlcore.URL {
	return func(kind string) urlcore.URL { return fetchtest.Parse(t, "about:compose/"+kind+"?"+target) }
}

// editDraft returns a draft that the function edit has changed, and its text before the change.
func editDraft(t *testing.T, c *Client, kind, of string, edit func(string) string) (protocols.Draft, string) {
	t.Helper()
	_, err := fetch(t, c, kind, of)
	ask := fetchtest.As[*protocols.Compose](t, err, "%s %s", kind, of)
	path := fetchtest.Must(ask.Draft.File())(t)
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(edit(string(data))), 0o600)
	}
	fetchtest.NoError(t, err)
	return ask.Draft, string(data)
}

const original = "From: Ann <ann@example.org>\nNewsgroups: a.b, c.d\n" +
	"Subject: Gruesse\nMessage-ID: <2@x>\nReferences: <1@x>\n\nOne\n.\n-- \nAnn\n"

func TestFollowUp(t *testing.T) {
	s := &server{articles: map[string]string{"news:2@x": original}, status: map[string]byte{"a.b": 'y', "c.d": 'm'}}
	c := newClient(t, s)
	c.Signature, c.Sent = filepath.Join(t.TempDir(), "sig"), filepath.Join(t.TempDir(), "Mail", "sent")
	fetchtest.NoError(t, os.WriteFile(c.Signature, []byte("Jörg\n"), 0o600))
	d, draft := editDraft(
		t, c, "followup", "news:2@x",
		func(s string) string { return strings.Replace(s, "> .\n", "> .\n\nFrom here on: Grüße\n.\n", 1) },
	)
	if want := "From: Jörg <joe@example.org>\nNewsgroups: a.b,c.d\nSubject: Re: Gruesse\n" +
		"References: <1@x> <2@x>\n\nAnn:\n> One\n> .\n\n\n-- \nJörg\n"; draft != want {
		t.Errorf("the draft is\n%q, want\n%q", draft, want)
	}
	confirm, err := d.Preview()
	if err != nil || confirm.Question != `Post this to "a.b, c.d"` || !strings.Contains(confirm.Reason, "c.d is moderated") {
		t.Fatalf("Preview() = %+v, %v; want the groups in the question, and a note about c.d", confirm, err)
	}
	// The connection is lost after the final dot: the second attempt sends the same article.
	s.err = &protocols.Error{Reason: protocols.Broken, Op: "read"}
	if err := d.Send(t.Context()); err == nil {
		t.Fatal("Send returns no error after a lost connection")
	}
	s.err = nil
	d, again := editDraft(t, c, "followup", "news:2@x", func(s string) string { return s })
	if _, err := d.Preview(); err != nil || !strings.Contains(again, "From here on") {
		t.Fatalf("the draft is %q, %v; want the edited text", again, err)
	}
	if err := d.Send(t.Context()); err != nil || len(s.posted) != 2 || s.posted[0] != s.posted[1] {
		t.Fatalf("Send() = %v, posted %q; want the same article twice", err, s.posted)
	}
	const head = "Date: Fri, 03 Jan 2025 06:49:46 \\+0000\r\nMessage-ID: <[a-z2-7]{24}@example\\.org>\r\nCancel-Lock: sha256:[A-Za-z0-9+/]{43}=\r\nUser-Agent: gofer/1\r\n" +
		"From: =\\?utf-8\\?q\\?J=C3=B6rg\\?= <joe@example\\.org>\r\nNewsgroups: a\\.b,c\\.d\r\n" +
		"Subject: Re: Gruesse\r\nReferences: <1@x> <2@x>\r\n" +
		"MIME-Version: 1\\.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
	if !regexp.MustCompile("^"+head).MatchString(s.posted[0]) ||
		!strings.HasSuffix(s.posted[0], "> .\r\n\r\nFrom here on: Grüße\r\n.\r\n\r\n\r\n-- \r\nJörg\r\n") {
		t.Errorf("posted %q, want the header\n%s", s.posted[0], head)
	}
	sent, err := os.ReadFile(c.Sent)
	if err != nil || !strings.HasPrefix(string(sent), "From joe@example.org Fri Jan  3 06:49:46 2025\nDate:") ||
		!strings.Contains(string(sent), "\n>From here on: Grüße\n") || strings.Contains(string(sent), "\r") ||
		!strings.HasSuffix(string(sent), "\n\n") {
		t.Errorf("the mbox file is %q, %v; want the article in the format of RFC 4155", sent, err)
	}
	if left, _ := os.ReadDir(c.Drafts); len(left) > 0 {
		t.Errorf("after sending: the folder of the drafts has %v, want no files", left)
	}
}

// TestUnchangedDraft checks that a draft that contains only the quote is not sent.
func TestUnchangedDraft(t *testing.T) {
	s := &server{articles: map[string]string{"news:2@x": original}}
	d, _ := editDraft(t, newClient(t, s), "followup", "news:2@x", func(s string) string { return s })
	fetchtest.FailsWith(t, protocols.ErrEmptyDraft)(d.Preview())
}

func TestTemplates(t *testing.T) {
	s := &server{articles: map[string]string{
		"nntp://h/a.b/1": original,
		"news:poster@x": "From: Ann <ann@example.org>\nReply-To: else@example.org\nNewsgroups: a.b\nFollowup-To: Poster\n" +
			"Subject: x\nMessage-ID: <poster@x>\n\nOne\n",
		"news:elsewhere@x": "From: a@b\nNewsgroups: a.b\nFollowup-To: e.f\nSubject: x\nMessage-ID: <elsewhere@x>\n\nOne\n",
		"news:own@x": "From: JOE@example.org\nNewsgroups: a.b\nFollowup-To: c.d\n" +
			"Subject: x\nReferences: <1@x>\nMessage-ID: <own@x>\n\nOne\n-- \nJ\n",
	}}
	c := newClient(t, s)
	for _, tt := range []struct{ kind, of, want string }{
		{"post", "news:a.b", "Newsgroups: a.b\nSubject: \n\n"},
		{"post", "nntp://h/a.b", "Newsgroups: a.b\nSubject: \n\n"},
		{"post", "news:*", "Newsgroups: \nSubject: \n\n"},
		{"followup", "news:elsewhere@x", "Newsgroups: e.f\nSubject: Re: x\nReferences: <elsewhere@x>\n\na@b:\n> One\n"},
		{"supersede", "news:own@x", "Newsgroups: a.b\nFollowup-To: c.d\nSubject: x\nReferences: <1@x>\n\nOne\n-- \nJ\n"},
	} {
		_, got := editDraft(t, c, tt.kind, tt.of, func(s string) string { return s })
		if want := "From: " + c.From + "\n" + tt.want; strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s %s: got %q, want %q", tt.kind, tt.of, got, want)
		}
	}
	for _, tt := range []struct{ kind, of, to, id string }{
		{"followup", "news:poster@x", "else@example.org", "<poster@x>"}, {"reply", "nntp://h/a.b/1", `"Ann" <ann@example.org>`, "<2@x>"},
	} {
		s.mails = nil
		_, err := fetch(t, c, tt.kind, tt.of)
		if len(s.mails) != 1 {
			t.Errorf("%s %s: got %v, want one mail", tt.kind, tt.of, err)
		} else if m := s.mails[0]; m.Get("To") != tt.to || m.Get("In-Reply-To") != tt.id || !strings.Contains(m.Body, "Ann:\n> One\n") {
			t.Errorf("%s %s: got %+v, want a mail to %s in reply to %s", tt.kind, tt.of, m, tt.to, tt.id)
		}
	}
	for kind, of := range map[string]string{
		"followup": "news:none@x", "cancel": "news:2@x", "supersede": "nntp://h/a.b/1", "post": "gopher://h/",
		"other": "news:own@x",
	} {
		_, err := fetch(t, c, kind, of)
		if _, ok := errors.AsType[*protocols.Error](err); !ok {
			t.Errorf("%s %s: got %v, want a *protocols.Error", kind, of, err)
		}
	}
}

// TestRoundTrip checks that a posted article is read as it was written.
func TestRoundTrip(t *testing.T) {
	long := strings.Repeat("lange Wörter ", 90)
	for _, tt := range []struct{ from, subject, body string }{
		{"joe@example.org", "plain", "plain\n.\n..\n.x\n\nend"},
		{"Jörg Ä. <joe@example.org>", "Grüße, \"quoted\" (and more)", "Grüße\n.\nПривет"},
		{`"Joe, the one" <joe@example.org>`, strings.Repeat("ein sehr langer Betreff mit Umläuten äöü ", 8), "long: " + long},
		{"joe@example.org", "日本語の題名", "日本語\n\ttab\n  blanks  \n-- \nsig"},
		{"joe@example.org", "x", "=?utf-8?q?literal?=\n=20 \u202e"},
		{"joe@example.org", "emoji 👍🏽", "👍🏽"},
		{"joe@example.org", strings.Repeat("word ", 100), "x"},
	} {
		s := &server{}
		c := newClient(t, s)
		err := c.Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader("From: "+
			tt.from+"\nSubject: "+tt.subject+"\n\n"+tt.body+"\n"))
		if err != nil || len(s.posted) != 1 {
			t.Errorf("%q: got %v, %d articles; want one", tt.subject, err, len(s.posted))
			continue
		}
		head, _, _ := strings.Cut(s.posted[0], "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if len(line) > 85 || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
				t.Errorf("%q: got the line %q, want at most 85 octets of ASCII", tt.subject, line)
			}
		}
		m := fetchtest.Must(document.ReadOriginal(strings.NewReader(s.posted[0])))(t)
		if got := m.Field("Subject"); got != strings.TrimSpace(tt.subject) {
			t.Errorf("the subject is %q, want %q", got, tt.subject)
		}
		fetchtest.Equal(t, mimeheader.MailboxName(m.Field("From")), mimeheader.MailboxName(tt.from), "it is from")
		fetchtest.Equal(t, strings.Join(m.Text, "\n"), tt.body, "%q: the text", tt.subject)
		fetchtest.Equal(t, m.Raw("Newsgroups"), "a.b", "the groups")
	}
}

func TestPrepare(t *testing.T) {
	for text, want := range map[string]string{
		"Newsgroups: a.b\nSubject: x\n\ny":                                            "no sender",
		"From: a@b, c@d\nNewsgroups: a.b\nSubject: x\n\ny":                            "more than one",
		"From: joe\nNewsgroups: a.b\nSubject: x\n\ny":                                 "From",
		"From: jörg@example.org\nNewsgroups: a.b\nSubject: x\n\ny":                    "not ASCII",
		"From: a@b\nSubject: x\n\ny":                                                  "no group",
		"From: a@b\nNewsgroups: a b/c\nSubject: x\n\ny":                               `"b/c"`,
		"From: a@b\nNewsgroups: a.b\nFollowup-To: ü\nSubject: x\n\ny":                 `"ü"`,
		"From: a@b\nNewsgroups: a.b\n\ny":                                             "no subject",
		"From: a@b\nNewsgroups: a.b\nSubject: x\n\n \n":                               "the body is empty",
		"From: a@b\nNewsgroups: a.b\nSubject: x\nControl: rmgroup\n\ny":               "Control",
		"From: a@b\nNewsgroups: a.b\nSubject: x\nMessage-ID: <x>\n\ny":                "Message-ID",
		"From: a@b\nNewsgroups: a.b\nSubject: " + strings.Repeat("x", 1000) + "\n\ny": "longer",
	} {
		parsed := fetchtest.Must(compose.Parse(text))(t)
		if _, err := newClient(t, &server{}).prepare(fetchtest.Parse(t, "news:a.b"), parsed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: got %v, want an error about %s", text, err, want)
		}
	}
	parsed, _ := compose.Parse("From: a@b\nNewsgroups: a.b, c.d ,\nFollowup-To: poster\nSubject: x\n\ny")
	if out, err := newClient(t, &server{}).prepare(fetchtest.Parse(t, "nntp://h/a.b"), parsed); err != nil ||
		!strings.Contains(out.Sent, "\r\nNewsgroups: a.b,c.d\r\nFollowup-To: poster\r\n") ||
		out.Question != `Post this to "a.b, c.d" by h:119` {
		t.Errorf("prepare() = %+v, %v; want the groups without blanks, and h:119 in the question", out, err)
	}
}

// TestGroups checks that groups that are closed or missing are reported before the draft is edited.
func TestGroups(t *testing.T) {
	c := newClient(t, &server{status: map[string]byte{"closed": 'n', "x": 'x', "open": 'y', "none": 0}})
	for names, want := range map[string]string{
		"closed": "error", "closed x": "error", "closed open": "closed is closed to posts.", "open": "",
		"none": "The server has no group none.", "unknown": "",
	} {
		note, err := c.checkGroups(t.Context(), fetchtest.Parse(t, "news:*"), strings.Fields(names))
		if err != nil {
			note = "error"
		}
		if note != want {
			t.Errorf("checkGroups(%s) = %q, %v; want %q", names, note, err, want)
		}
	}
	denied := errors.New("read-only")
	c.Check = func(context.Context, urlcore.URL) error { return denied }
	fetchtest.FailsWith(t, denied)(fetch(t, c, "post", "news:open"))
	fetchtest.ErrorIs(
		t,
		c.Put(t.Context(), fetchtest.Parse(t, "news:open"), draftURL(t, "news:open"), strings.NewReader("Subject: x\n\ny")),
		denied,
	)
}

// TestQueuedArticle checks that a queued article is sent only if the user has agreed to exactly
// this article. Only its Date may differ.
func TestQueuedArticle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(c *Client, s *server, draft string)
		posted int
	}{
		{"later", func(c *Client, _ *server, _ string) {
			c.Now = func() time.Time { return time.Date(2025, 1, 4, 6, 0, 0, 0, time.UTC) }
		}, 2},
		{"another server is set", func(_ *Client, s *server, _ string) { s.addr = "other:119" }, 1},
		{"the text was edited", func(_ *Client, _ *server, draft string) {
			text := fetchtest.Must(os.ReadFile(draft))(t)
			fetchtest.NoError(t, os.WriteFile(draft, append(text, "more\n"...), 0o600))
		}, 1},
	} {
		s := &server{addr: "h:119", err: protocols.NewError(protocols.Unreachable, "post", "down")}
		c := newClient(t, s)
		d, _ := editDraft(t, c, "post", "news:a.b", func(s string) string { return strings.Replace(s, "Subject: ", "Subject: x", 1) + "y\n" })
		fetchtest.Must(d.Preview())(t)
		fetchtest.ErrorIs(t, d.Send(t.Context()), protocols.ErrQueued)
		kept := fetchtest.Must(compose.Drafts(c.Drafts))(t)[0]
		fetchtest.Equal(t, kept.State, compose.StateQueued, "%s: the state", tt.name)
		tt.change(c, s, fetchtest.Must(filepath.Glob(filepath.Join(c.Drafts, "*.eml")))(t)[0])
		s.err = nil
		fetchtest.Must(d.Preview())(t)
		err := d.Send(t.Context())
		fetchtest.Equal(t, err == nil, tt.posted == 2, "%s: got %v", tt.name, err)
		fetchtest.Equal(t, len(s.posted), tt.posted, "%s: the attempts", tt.name)
	}
}

// TestPutKeepsTheArticle checks that an article from a pipe is never lost: without a connection it is queued, and sent
// later with the same Message-ID; after another error the error names its file. An article that was posted is not kept.
func TestPutKeepsTheArticle(t *testing.T) {
	const text = "Subject: x\n\ny\n"
	for _, tt := range []struct {
		name, text string
		err        error
		prepare    func(c *Client)
		want       string
	}{
		{"posted", text, nil, nil, ""},
		{"refused connection", text, protocols.NewError(protocols.Refused, "post", "down"), nil, "queued"},
		{"offline", text, protocols.NewError(protocols.Offline, "post", "offline"), nil, "queued"},
		{"refused article", text, protocols.NewError(protocols.Rejected, "post", "441"), nil, "kept"},
		{"not canceled", text, context.Canceled, nil, "kept"},
		{"no news server", text, protocols.NewError(protocols.NoServer, "post", "none"), nil, "kept"},
		{"login", text, &protocols.Login{Server: "h"}, nil, "kept"},
		{"no subject", "\ny\n", nil, nil, "kept"},
		{"no header", "y\nz\n", nil, nil, "kept"},
		{"not UTF-8", "Subject: x\n\n\xe9\x1b\n", protocols.NewError(protocols.Rejected, "post", "441"), nil, "kept"},
		{
			"no groups", text, nil,
			func(c *Client) { c.Check = func(context.Context, urlcore.URL) error { return errors.New("read-only") } },
			"kept",
		},
	} {
		s := &server{addr: "h:119", err: tt.err}
		c := newClient(t, s)
		if tt.prepare != nil {
			tt.prepare(c)
		}
		put := func() error {
			return c.Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader(tt.text))
		}
		_ = put()
		err := put() // a repeated attempt makes no second draft
		list := fetchtest.Must(compose.Drafts(c.Drafts))(t)
		if tt.want == "" {
			fetchtest.NoError(t, err)
			fetchtest.Equal(t, len(list), 0, "%s: the drafts", tt.name)
			continue
		}
		if len(list) != 1 {
			t.Errorf("%s: got %d drafts and the error %v; want one draft", tt.name, len(list), err)
			continue
		}
		path := fetchtest.Must(filepath.Glob(filepath.Join(c.Drafts, "*.eml")))(t)[0]
		if kept := string(fetchtest.Must(os.ReadFile(path))(t)); !strings.HasSuffix(kept, tt.text) {
			t.Errorf("%s: the draft is %q; want it to end in %q", tt.name, kept, tt.text)
		}
		if tt.want == "kept" {
			fetchtest.Contains(t, err.Error(), path, "%s: the error", tt.name)
			continue
		}
		fetchtest.ErrorIs(t, err, protocols.ErrQueued, tt.name)
		fetchtest.Equal(t, list[0].State, compose.StateQueued, "%s: the state", tt.name)
		s.err = nil
		c.Now = func() time.Time { return time.Date(2025, 1, 9, 6, 0, 0, 0, time.UTC) }
		kind, _, _ := strings.Cut(strings.TrimPrefix(list[0].URL.String(), "about:compose/"), "?")
		_, err = c.Fetch(t.Context(), protocols.Request{URL: list[0].URL}, kind, fetchtest.Parse(t, "news:a.b"))
		d := fetchtest.As[*protocols.Compose](t, err, "later").Draft
		fetchtest.Must(d.Preview())(t)
		fetchtest.NoError(t, d.Send(t.Context()))
		messageIDs := make(map[string]bool)
		for _, p := range s.posted {
			messageIDs[article(t, strings.ReplaceAll(p, "\r\n", "\n")).Raw("Message-ID")] = true
		}
		fetchtest.Equal(t, len(messageIDs), 1, "%s: the Message-IDs", tt.name)
		fetchtest.Equal(t, len(fetchtest.Must(compose.Drafts(c.Drafts))(t)), 0, "%s: the drafts after sending", tt.name)
	}
	c := newClient(t, new(server)) // without a folder for drafts an article is posted all the same
	c.Drafts = ""
	fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader(text)))
}

// TestAnswerWithoutOriginal opens the draft of an answer after the original article was removed
// from the server. A queued follow-up is not sent without a question. The error of Send names
// about:drafts, which asks.
func TestAnswerWithoutOriginal(t *testing.T) {
	s := &server{
		addr: "h:119", articles: map[string]string{"news:2@x": original},
		err: protocols.NewError(protocols.Unreachable, "post", "down"),
	}
	c := newClient(t, s)
	d, _ := editDraft(t, c, "followup", "news:2@x", func(s string) string { return s + "Text\n" })
	fetchtest.Must(d.Preview())(t)
	fetchtest.ErrorIs(t, d.Send(t.Context()), protocols.ErrQueued)
	s.articles, s.err = nil, nil

	_, err := fetch(t, c, "followup", "news:2@x")
	d = fetchtest.As[*protocols.Compose](t, err, "again").Draft
	fetchtest.Must(d.Preview())(t)
	if err := d.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "about:drafts") || len(s.posted) != 1 {
		t.Errorf("Send without a question: got %v, %d attempts; want an error with about:drafts", err, len(s.posted))
	}
	d, _ = editDraft(t, c, "followup", "news:2@x", func(s string) string { return s }) // the user opens the draft
	if confirm := fetchtest.Must(d.Preview())(t); !strings.HasPrefix(confirm.Reason, "The article that it answers has been removed.") {
		t.Errorf("Preview() = %+v; want a note that the article has been removed", confirm)
	}
	fetchtest.NoError(t, d.Send(t.Context()))
	if len(s.posted) != 2 || !strings.Contains(s.posted[1], "\r\nReferences: <1@x> <2@x>\r\n") {
		t.Errorf("posted %q, want a second attempt with the References", s.posted)
	}
	_, err = fetch(t, c, "followup", "news:2@x") // the draft was sent
	fetchtest.Equal(t, protocols.ReasonOf(err), protocols.NotFound, "without a draft")
}

// TestCancel checks that the Cancel-Key of a cancel matches the Cancel-Lock of the article
// (RFC 8315, section 3).
func TestCancel(t *testing.T) {
	s := &server{articles: map[string]string{}}
	c := newClient(t, s)
	fetchtest.NoError(t, c.Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader("Subject: x\n\ny\n")))
	posted := article(t, strings.ReplaceAll(s.posted[0], "\r\n", "\n"))
	s.articles["news:own@x"] = strings.ReplaceAll(s.posted[0], "\r\n", "\n")
	_, err := fetch(t, c, "cancel", "news:own@x")
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || len(s.posted) != 1 {
		t.Fatalf("got %v, want a question", err)
	}
	confirm.GiveConsent()
	if _, err := fetch(t, c, "cancel", "news:own@x"); err != nil || len(s.posted) != 2 {
		t.Fatalf("after the consent: got %v, %d articles; want the cancel posted", err, len(s.posted))
	}
	cancel := article(t, strings.ReplaceAll(s.posted[1], "\r\n", "\n"))
	key, _ := strings.CutPrefix(cancel.Raw("Cancel-Key"), "sha256:")
	sum := sha256.Sum256([]byte(key))
	if lock := posted.Raw("Cancel-Lock"); lock != "sha256:"+base64.StdEncoding.EncodeToString(sum[:]) ||
		cancel.Raw("Control") != "cancel "+posted.Raw("Message-ID") || cancel.Raw("Newsgroups") != "a.b" {
		t.Errorf("the lock is %s, the cancel %q; want the key of this lock", lock, s.posted[1])
	}
	if _, err := fetch(t, c, "cancel", "news:own@x"); !errors.As(err, &confirm) {
		t.Errorf("a second cancel: got %v, want the question again", err)
	}
	d, _ := editDraft(t, c, "supersede", "news:own@x", func(s string) string { return s + "more\n" })
	fetchtest.Must(d.Preview())(t)
	if err := d.Send(t.Context()); err != nil ||
		!strings.Contains(s.posted[2], "\r\nSupersedes: "+posted.Raw("Message-ID")+"\r\nCancel-Key: sha256:"+key+"\r\n") {
		t.Errorf("Send() = %v, posted %q; want Supersedes and the Cancel-Key", err, s.posted[2:])
	}
}

// TestCancelInvalidMessageID checks that an article with an invalid Message-ID, or with several,
// cannot be canceled. The cancel might name an article of somebody else.
func TestCancelInvalidMessageID(t *testing.T) {
	for _, id := range []string{"", "none", "<a@b> <c@d>", "x<a@b>", "<a@b>x", "<a@b", "<<a@b>", "<a@b>\n <c@d>"} {
		s := &server{articles: map[string]string{
			"news:own@x": "From: joe@example.org\nNewsgroups: a.b\nSubject: x\nMessage-ID: " + id + "\n\ny\n",
		}}
		for _, kind := range []string{"cancel", "supersede"} {
			_, err := fetch(t, newClient(t, s), kind, "news:own@x")
			if _, ok := errors.AsType[*protocols.Error](err); !ok || !strings.Contains(err.Error(), "Message-ID") {
				t.Errorf("%s of %q: got %v, want an error about the Message-ID", kind, id, err)
			}
		}
	}
}

// TestCopyNotSaved checks that the draft stays if the copy of the posted article cannot be saved.
func TestCopyNotSaved(t *testing.T) {
	s := &server{}
	c := newClient(t, s)
	c.Sent = t.TempDir()
	d, _ := editDraft(t, c, "post", "news:a.b", func(s string) string { return strings.Replace(s, "Subject: ", "Subject: x", 1) + "y\n" })
	fetchtest.Must(d.Preview())(t)
	if err := d.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "the article was posted, but its copy could not be kept") {
		t.Errorf("Send() = %v; want an error about the copy", err)
	}
	if _, err := d.Preview(); err != nil {
		t.Errorf("Preview of the draft after Send: %v", err)
	}
}

// TestMarkRead checks that a posted article is marked as read in all its groups.
func TestMarkRead(t *testing.T) {
	s := &server{articles: map[string]string{}}
	c := newClient(t, s)
	var read []protocols.Crosspost
	c.MarkRead = func(_ urlcore.URL, numbers []protocols.Crosspost) error {
		read = append(read, numbers...)
		return nil
	}
	s.articles["news://h/1@x"] = "Message-ID: <1@x>\nXref: h a.b:7 c.d:9\n\ny\n"
	c.markRead(t.Context(), fetchtest.Parse(t, "nntp://h/a.b"), "1@x")
	c.markRead(t.Context(), fetchtest.Parse(t, "nntp://h/a.b"), "none@x")
	if len(read) != 2 || read[0] != (protocols.Crosspost{Group: "a.b", Number: 7}) {
		t.Errorf("marked %+v, want a.b:7 and c.d:9", read)
	}
}
