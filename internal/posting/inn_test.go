package posting_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/document"
	"gofer/internal/posting"
	"gofer/internal/realserver"
	"gofer/protocols"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestINN posts to a real server: an article, an answer to it, which appears in its
// thread, both twice, and a cancel.
func TestINN(t *testing.T) {
	s := realserver.Nnrpd(t)
	news := &nntp.Client{}
	defer news.Close()
	c := &posting.Client{
		Server: news, Open: news.Fetch, Check: func(context.Context, urlcore.URL) error { return nil },
		From: "Jörg <joe@example.org>", Attribution: "%n:", Drafts: t.TempDir(), Secret: filepath.Join(t.TempDir(), "secret"), Agent: "gofer/test",
	}
	read := make(map[uint64]bool)
	c.Read = func(_ urlcore.URL, numbers []protocols.Crosspost) error {
		read[numbers[0].Number] = true
		return nil
	}
	group := parseURL(t, "nntp://"+s.Addr+"/test.empty")
	subject := "Grüße " + rand.Text()
	for range 2 {
		if err := c.Put(t.Context(), group, strings.NewReader("Subject: "+subject+"\n\nText mit Umläuten\n.\n.x\n")); err != nil {
			t.Fatal(err)
		}
	}
	first := articles(t, news, group, subject)
	if len(first) != 1 || !read[first[0].Number] {
		t.Fatalf("the group has %d articles, read %v", len(first), read)
	}
	u := parseURL(t, "news://"+s.Addr+"/"+first[0].MessageID)
	draft := ask(t, c, "followup", u)
	path, err := draft.File()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := "\n\nJörg:\n> Text mit Umläuten\n> .\n> .x\n"; err != nil || !strings.Contains(string(text), want) {
		t.Fatalf("the draft is %q, %v", text, err)
	}
	if err := os.WriteFile(path, append(text, "Antwort\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Preview(); err != nil {
		t.Fatal(err)
	}
	if err := draft.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := articles(t, news, group, subject)
	if len(all) != 2 || all[1].Depth != 1 || len(all[1].References) != 1 || all[1].References[0] != first[0].MessageID {
		t.Fatalf("the group has %d articles: %+v", len(all), all)
	}
	_, err = c.Fetch(t.Context(), u, "cancel", u)
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) {
		t.Fatal(err)
	}
	confirm.Yes()
	if _, err := c.Fetch(t.Context(), u, "cancel", u); err != nil {
		t.Fatal(err)
	}
	if left := articles(t, news, group, subject); len(left) != 1 || left[0].MessageID != all[1].MessageID {
		t.Errorf("after the cancel: %+v", left)
	}
	for name, want := range map[string]string{"test.closed": "takes no articles", "test.moderated": ""} {
		_, err := c.Fetch(t.Context(), u, "post", parseURL(t, "nntp://"+s.Addr+"/"+name))
		if _, ok := errors.AsType[*protocols.Compose](err); ok != (want == "") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	err = c.Put(t.Context(), group, strings.NewReader("Newsgroups: test.none\nSubject: x\n\ny\n"))
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Code != 441 || e.Reason != protocols.Rejected {
		t.Errorf("no such group: %v", err)
	}
}

func parseURL(t *testing.T, s string) urlcore.URL {
	t.Helper()
	u, err := urlcore.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func ask(t *testing.T, c *posting.Client, kind string, of urlcore.URL) protocols.Draft {
	t.Helper()
	_, err := c.Fetch(t.Context(), parseURL(t, "about:x"), kind, of)
	var message *protocols.Compose
	if !errors.As(err, &message) {
		t.Fatal(err)
	}
	return message.Draft
}

// articles are those of a group on a subject, in threads.
func articles(t *testing.T, news *nntp.Client, group urlcore.URL, subject string) (list []*protocols.ArticleNote) {
	t.Helper()
	res, err := news.Fetch(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	for line, err := range res.Lines {
		if err != nil {
			t.Fatal(err)
		}
		if note, ok := line.Note.(*protocols.ArticleNote); ok && strings.Contains(document.DecodeHeader(note.Subject), subject) {
			list = append(list, note)
		}
	}
	return list
}
