package nntp

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

// keptClient returns a client of f that stores copies in dir. Copies made before the duration delay
// has passed count as copies of an earlier run of gofer.
func (f *fake) keptClient(dir string, delay time.Duration) *Client {
	c := f.client()
	c.Copies = &cache.Store{Began: time.Now().Add(delay)}
	c.Copies.Keep(dir, 64<<20)
	f.t.Cleanup(c.Copies.Close)
	return c
}

func (f *fake) clearCommands() {
	f.mu.Lock()
	f.commands = nil
	f.mu.Unlock()
}

// fetchCopy fetches an article and returns its head and text.
func fetchCopy(ctx context.Context, t *testing.T, c *Client, req protocols.Request) (protocols.Head, string, error) {
	t.Helper()
	r, err := c.Fetch(ctx, req)
	if err != nil {
		return protocols.Head{}, "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r.Body)
	return r.Head, string(b), err
}

// TestCanceledCopy checks that the copy of an article is removed when the user cancels or supersedes the
// article.
func TestCanceledCopy(t *testing.T) {
	for header, want := range map[string]int{
		"Supersedes: <1@x>\r\n": 2, "Control: cancel <1@x>\r\n": 2, "References: <1@x>\r\n": 1,
		"X: y\r\n\r\nSupersedes: <1@x>\r\n": 1,
	} {
		f := startFake(t, map[string]string{"ARTICLE": "220 0 <1@x>\nMessage-ID: <1@x>\n\ntext\n.", "POST": "340 go on", ".": "240 thanks"})
		c := f.keptClient(t.TempDir(), time.Minute)
		for range 2 {
			if _, text, err := fetchCopy(t.Context(), t, c, protocols.Request{URL: urlcore.News{MessageID: "1@x"}}); err != nil ||
				!strings.HasSuffix(text, "text\r\n") {
				t.Fatalf("fetching the article, with %q in the post: got %q, error %v; want %q", header, text, err, "text")
			}
			fetchtest.NoError(t, c.Post(t.Context(), f.groupURL("a.b"), "Subject: x\r\n"+header+"\r\nlast\r\n"))
		}
		fetchtest.Equal(
			t, len(slices.DeleteFunc(f.sentCommands(), func(s string) bool { return s != "ARTICLE <1@x>" })), want,
			"%q: requests for the article", header,
		)
	}
}

func TestArticleCopy(t *testing.T) {
	const text = "Message-ID: <1@x>\r\n\r\n.dot\r\n\xff\r\n"
	f := startFake(t, map[string]string{
		"GROUP g":       "211 1 7 7 g",
		"ARTICLE 7":     "220 7 <1@x>\nMessage-ID: <1@x>\n\n..dot\n\xff\n.",
		"ARTICLE <1@x>": "220 0 <1@x>\nMessage-ID: <1@x>\n\n..dot\n\xff\n.",
		"ARTICLE":       "430 no",
	})
	dir := t.TempDir()
	byID, byNumber := urlcore.News{MessageID: "1@x"}, f.articleURL("g", 7)
	now, later := f.keptClient(dir, -time.Minute), f.keptClient(dir, time.Minute)
	for _, tt := range []struct {
		name     string
		c        *Client
		fresh    bool
		u        urlcore.URL
		wantSent string
		kept     bool
	}{
		{"first by number", now, false, byNumber, "GROUP g,ARTICLE 7", false},
		{"again by number", now, false, byNumber, "", false},
		{"by Message-ID", now, false, byID, "", false},
		{"reloaded", now, true, byID, "ARTICLE <1@x>", false},
		{"another program by Message-ID", later, false, byID, "", true},
		{"another program by number", later, false, byNumber, "GROUP g,ARTICLE 7", false},
		{"reloaded by another program", later, true, byNumber, "ARTICLE 7", false},
	} {
		f.clearCommands()
		head, got, err := fetchCopy(t.Context(), t, tt.c, protocols.Request{URL: tt.u, Fresh: tt.fresh})
		if err != nil || got != text || head.CopiedAt.IsZero() == tt.kept || len(head.Notes) > 0 || head.URL != tt.u {
			t.Errorf(
				"%s: article %q, error %v, URL %v, CopiedAt %v, Notes %q; want %q, a copy: %v, no notes", tt.name, got,
				err, head.URL, head.CopiedAt, head.Notes, text, tt.kept,
			)
		}
		if sent := strings.Join(f.sentCommands(), ","); sent != tt.wantSent {
			t.Errorf("%s: sent %q, want %q", tt.name, sent, tt.wantSent)
		}
	}

	f.setAnswer("ARTICLE 7", "423 gone")
	f.setAnswer("ARTICLE <1@x>", "430 gone")
	for _, u := range []urlcore.URL{byNumber, byID} {
		head, got, err := fetchCopy(t.Context(), t, now, protocols.Request{URL: u, Fresh: true})
		if note := strings.Join(head.Notes, ","); err != nil || got != text || head.CopiedAt.IsZero() ||
			!strings.Contains(note, "the server refused it (4") {
			t.Errorf(
				"fetching %v after the article expired: got %q, error %v, notes %q; want the copy with a note about the refusal",
				u, got, err, note,
			)
		}
	}
	f.stop()
	head, got, err := fetchCopy(context.Background(), t, later, protocols.Request{URL: byNumber})
	if note := strings.Join(head.Notes, ","); err != nil || got != text || !strings.Contains(note, "connection") {
		t.Errorf("fetching the article offline: got %q, error %v, notes %q; want the copy with a note about the connection", got, err, note)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, _, err := fetchCopy(ctx, t, now, protocols.Request{URL: byID, Fresh: true}); !errors.Is(err, stopped) {
		t.Errorf("canceled fetch: got error %v, want %v", err, stopped)
	}
}

// TestNoArticleCopy checks that an article is not stored if it was not read to its end, if the reply has
// no Message-ID, or if the article is too large.
func TestNoArticleCopy(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP g":       "211 1 7 7 g",
		"ARTICLE 7":     "220 7 article follows\nSubject: x\n\nx\n.",
		"ARTICLE <1@x>": "220 0 <1@x>\nSubject: x\n\nhalf\nclose",
		"ARTICLE <2@x>": "220 0 <2@x>\nSubject: x\n\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000) + ".",
	})
	c := f.keptClient("", 0)
	for _, u := range []urlcore.URL{f.articleURL("g", 7), urlcore.News{MessageID: "1@x"}, urlcore.News{MessageID: "2@x"}} {
		f.clearCommands()
		_, first, _ := fetchCopy(context.Background(), t, c, protocols.Request{URL: u})
		_, second, _ := fetchCopy(context.Background(), t, c, protocols.Request{URL: u})
		requests := slices.DeleteFunc(f.sentCommands(), func(s string) bool { return !strings.HasPrefix(s, "ARTICLE") })
		if len(requests) != 2 || first != second || first == "" {
			t.Errorf(
				"fetching %v twice: sent %q, received %d and %d octets; want 2 requests and the same octets", u,
				requests, len(first), len(second),
			)
		}
	}
}

// TestCopiesOfUsers checks that the copies of a user are not used for another user.
func TestCopiesOfUsers(t *testing.T) {
	f := startFake(t, map[string]string{"ARTICLE": "220 0 <1@x>\nSubject: x\n\nx\n."})
	dir := t.TempDir()
	u := urlcore.News{MessageID: "1@x"}
	fetch := func(user string) int {
		f.clearCommands()
		c := f.keptClient(dir, 0)
		if user != "" {
			f.setAnswer("AUTHINFO USER "+user, "281 welcome")
			target := fetchtest.Must(c.parseTarget(u))(t)
			c.logins.KeepFunc(c.server(target).Account)(user, "secret")
		}
		if _, text, err := fetchCopy(context.Background(), t, c, protocols.Request{URL: u}); err != nil || text != "Subject: x\r\n\r\nx\r\n" {
			t.Errorf("fetching as the user %q: got %q, error %v", user, text, err)
		}
		return len(f.sentCommands())
	}
	for _, user := range []string{"joe", "", "ann"} {
		if n := fetch(user); n == 0 {
			t.Errorf("the first fetch of the user %q sent no command: the copy is of another user", user)
		}
		if n := fetch(user); n != 0 {
			t.Errorf("the second fetch of the user %q sent %d commands, want a copy", user, n)
		}
	}
}
