package posting_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/posting"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestINN posts to INN: an article (twice), an answer in its thread, an article that supersedes the first
// article, and a cancel. Removed articles are removed from the kept copies, too.
func TestINN(t *testing.T) {
	s := realserver.Nnrpd(t)
	news := &nntp.Client{Copies: new(cache.Store)}
	defer news.Close()
	news.Copies.Keep("", 0)
	c := &posting.Client{
		Server: news, Open: news.Fetch, Check: func(context.Context, urlcore.URL) error { return nil },
		From: "Jörg <joe@example.org>", Attribution: "%n:", Drafts: t.TempDir(),
		Secret: filepath.Join(t.TempDir(), "secret"), Agent: "gofer/test",
	}
	read := make(map[uint64]bool)
	c.MarkRead = func(_ urlcore.URL, numbers []protocols.Crosspost) error {
		for _, n := range numbers {
			if read[n.Number] = true; n.Group != "test.empty" {
				t.Errorf("an article of %s is marked as read", n.Group)
			}
		}
		return nil
	}
	group := parseURL(t, "nntp://"+s.Addr+"/test.empty")
	subject := "Grüße " + rand.Text()
	for range 2 {
		fetchtest.NoError(t, c.Put(t.Context(), group, inDraft, strings.NewReader("Subject: "+subject+"\n\nText mit Umläuten\n.\n.x\n")))
	}
	first := articles(t, news, group, subject)
	if len(first) != 1 || !read[first[0].Number] {
		t.Fatalf("the group has %d articles, read %v; want one that is read", len(first), read)
	}
	u := parseURL(t, "news://"+s.Addr+"/"+first[0].MessageID)
	text := write(t, c, "followup", u, "Antwort\n")
	if want := "\n\nJörg:\n> Text mit Umläuten\n> .\n> .x\n"; !strings.Contains(text, want) {
		t.Fatalf("the draft is %q, want %q in it", text, want)
	}
	all := articles(t, news, group, subject)
	if len(all) != 2 || all[1].Depth != 1 || len(all[1].References) != 1 || all[1].References[0] != first[0].MessageID {
		t.Fatalf("the group has %d articles: %+v; want the article and its answer", len(all), all)
	}
	write(t, c, "supersede", u, "Berichtigt\n")
	checkGone(t, news, u)
	renewed := articles(t, news, group, subject)
	if len(renewed) != 2 || renewed[0].MessageID == first[0].MessageID ||
		renewed[1].MessageID != all[1].MessageID && renewed[0].MessageID != all[1].MessageID {
		t.Fatalf("after it was superseded: got %+v, want the new article and the answer", renewed)
	}
	if renewed[0].MessageID == all[1].MessageID {
		renewed[0] = renewed[1]
	}
	u = parseURL(t, "news://"+s.Addr+"/"+renewed[0].MessageID)
	_, err := c.Fetch(t.Context(), protocols.Request{URL: u}, "cancel", u)
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) {
		t.Fatal(err)
	}
	confirm.GiveConsent()
	fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}, "cancel", u))(t)
	checkGone(t, news, u)
	if left := articles(t, news, group, subject); len(left) != 1 || left[0].MessageID != all[1].MessageID {
		t.Errorf("after the cancel: got %+v, want only the answer", left)
	}
	for name, want := range map[string]string{"test.closed": "accepts no articles in this group", "test.moderated": ""} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u}, "post", parseURL(t, "nntp://"+s.Addr+"/"+name))
		if _, ok := errors.AsType[*protocols.Compose](err); ok != (want == "") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a message to write, or an error with %q", name, err, want)
		}
	}
	err = c.Put(t.Context(), group, inDraft, strings.NewReader("Newsgroups: test.none\nSubject: x\n\ny\n"))
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Code != 441 || e.Reason != protocols.Rejected {
		t.Errorf("no such group: got %v, want Rejected with code 441", err)
	}
}

func parseURL(t *testing.T, s string) urlcore.URL {
	t.Helper()
	return fetchtest.Must(urlcore.Parse(s))(t)
}

// write appends the text more to the draft of a message and sends the message. It returns the draft
// before the change.
func write(t *testing.T, c *posting.Client, kind string, target urlcore.URL, more string) string {
	t.Helper()
	draft := ask(t, c, kind, target)
	path := fetchtest.Must(draft.File())(t)
	text := fetchtest.Must(os.ReadFile(path))(t)
	fetchtest.NoError(t, os.WriteFile(path, append(text, more...), 0o600))
	fetchtest.Must(draft.Preview())(t)
	fetchtest.NoError(t, draft.Send(t.Context()))
	return string(text)
}

// checkGone checks that the article is neither on the server nor among the kept copies.
func checkGone(t *testing.T, news *nntp.Client, u urlcore.URL) {
	t.Helper()
	_, err := news.Fetch(t.Context(), protocols.Request{URL: u})
	if e := new(protocols.Error); !errors.As(err, &e) || e.Reason != protocols.NotFound {
		t.Errorf("Fetch(%s): got %v, want NotFound", u, err)
	}
}

func ask(t *testing.T, c *posting.Client, kind string, target urlcore.URL) protocols.Draft {
	t.Helper()
	_, err := c.Fetch(t.Context(), protocols.Request{URL: parseURL(t, "about:x")}, kind, target)
	var message *protocols.Compose
	if !errors.As(err, &message) {
		t.Fatal(err)
	}
	return message.Draft
}

// articles returns the articles of a group whose subjects contain the text subject, in the order of the
// threads.
func articles(t *testing.T, news *nntp.Client, group urlcore.URL, subject string) (list []*protocols.ArticleNote) {
	t.Helper()
	res := fetchtest.Must(news.Fetch(t.Context(), protocols.Request{URL: group}))(t)
	defer res.Close()
	for line, err := range res.Lines {
		fetchtest.NoError(t, err)
		if note, ok := line.Note.(*protocols.ArticleNote); ok && strings.Contains(mimeheader.Decode(note.Subject), subject) {
			list = append(list, note)
		}
	}
	return list
}

// inDraft returns the URL of a draft of Put.
func inDraft(kind string) urlcore.URL {
	return urlcore.Generic{Name: "about", Rest: "compose/" + kind + "?news:test"}
}
