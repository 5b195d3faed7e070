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

// keptClient is a client of f whose copies are in dir, in a program that began so
// much later than now.
func (f *fake) keptClient(dir string, later time.Duration) *Client {
	c := f.client()
	c.Copies = &cache.Store{Began: time.Now().Add(later)}
	c.Copies.Keep(dir, 64<<20)
	f.t.Cleanup(c.Copies.Close)
	return c
}

// forget empties the list of commands that were sent.
func (f *fake) forget() {
	f.mu.Lock()
	f.commands = nil
	f.mu.Unlock()
}

// copyOf fetches an article and returns its head and text.
func copyOf(ctx context.Context, t *testing.T, c *Client, u urlcore.URL) (protocols.Head, string, error) {
	t.Helper()
	r, err := c.Fetch(ctx, u)
	if err != nil {
		return protocols.Head{}, "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r.Body)
	return r.Head, string(b), err
}

// TestRemovedCopy: who has cancelled or superseded an article does not see its copy.
func TestRemovedCopy(t *testing.T) {
	for header, want := range map[string]int{"Supersedes: <1@x>\r\n": 2, "Control: cancel <1@x>\r\n": 2, "References: <1@x>\r\n": 1, "X: y\r\n\r\nSupersedes: <1@x>\r\n": 1} {
		f := startFake(t, map[string]string{"ARTICLE": "220 0 <1@x>\nMessage-ID: <1@x>\n\ntext\n.", "POST": "340 go on", ".": "240 thanks"})
		c := f.keptClient(t.TempDir(), time.Minute)
		for range 2 {
			if _, text, err := copyOf(t.Context(), t, c, urlcore.News{MessageID: "1@x"}); err != nil || !strings.HasSuffix(text, "text\r\n") {
				t.Fatalf("%q: got %q, %v", header, text, err)
			}
			fetchtest.NoError(t, c.Post(t.Context(), f.nntp("a.b"), "Subject: x\r\n"+header+"\r\nlast\r\n"))
		}
		fetchtest.Equal(t, len(slices.DeleteFunc(f.said(), func(s string) bool { return s != "ARTICLE <1@x>" })), want, "%q: requests for the article", header)
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
	byID, byNumber := urlcore.News{MessageID: "1@x"}, f.number("g", 7)
	fresh := protocols.WithFresh(context.Background())
	now, later := f.keptClient(dir, -time.Minute), f.keptClient(dir, time.Minute)
	for _, tt := range []struct {
		name  string
		c     *Client
		ctx   context.Context
		u     urlcore.URL
		asked string
		kept  bool
	}{
		{"first by number", now, context.Background(), byNumber, "GROUP g,ARTICLE 7", false},
		{"again by number", now, context.Background(), byNumber, "", false},
		{"by Message-ID", now, context.Background(), byID, "", false},
		{"reloaded", now, fresh, byID, "ARTICLE <1@x>", false},
		{"another program by Message-ID", later, context.Background(), byID, "", true},
		{"another program by number", later, context.Background(), byNumber, "GROUP g,ARTICLE 7", false},
		{"reloaded by another program", later, fresh, byNumber, "ARTICLE 7", false},
	} {
		f.forget()
		head, got, err := copyOf(tt.ctx, t, tt.c, tt.u)
		if err != nil || got != text || head.Kept.IsZero() == tt.kept || len(head.Notes) > 0 || head.URL != tt.u {
			t.Errorf("%s: %q, %v, kept %v, %q", tt.name, got, err, head.Kept, head.Notes)
		}
		if asked := strings.Join(f.said(), ","); asked != tt.asked {
			t.Errorf("%s: sent %q, want %q", tt.name, asked, tt.asked)
		}
	}

	f.set("ARTICLE 7", "423 gone")
	f.set("ARTICLE <1@x>", "430 gone")
	for _, u := range []urlcore.URL{byNumber, byID} {
		head, got, err := copyOf(fresh, t, now, u)
		if note := strings.Join(head.Notes, ","); err != nil || got != text || head.Kept.IsZero() || !strings.Contains(note, "the server refused it (4") {
			t.Errorf("%v that has expired: %q, %v, %q", u, got, err, note)
		}
	}
	f.close()
	head, got, err := copyOf(context.Background(), t, later, byNumber)
	if note := strings.Join(head.Notes, ","); err != nil || got != text || !strings.Contains(note, "connection") {
		t.Errorf("without a line: %q, %v, %q", got, err, note)
	}
	ctx, cancel := context.WithCancelCause(fresh)
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, _, err := copyOf(ctx, t, now, byID); !errors.Is(err, stopped) {
		t.Errorf("a fetch that was stopped: %v", err)
	}
}

// What was not read to its end, what the server has no Message-ID for, and what is
// too large is not kept.
func TestNoArticleCopy(t *testing.T) {
	f := startFake(t, map[string]string{
		"GROUP g":       "211 1 7 7 g",
		"ARTICLE 7":     "220 7 article follows\nSubject: x\n\nx\n.",
		"ARTICLE <1@x>": "220 0 <1@x>\nSubject: x\n\nhalf\nclose",
		"ARTICLE <2@x>": "220 0 <2@x>\nSubject: x\n\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000) + ".",
	})
	c := f.keptClient("", 0)
	for _, u := range []urlcore.URL{f.number("g", 7), urlcore.News{MessageID: "1@x"}, urlcore.News{MessageID: "2@x"}} {
		f.forget()
		_, first, _ := copyOf(context.Background(), t, c, u)
		_, second, _ := copyOf(context.Background(), t, c, u)
		asked := slices.DeleteFunc(f.said(), func(s string) bool { return !strings.HasPrefix(s, "ARTICLE") })
		if len(asked) != 2 || first != second || first == "" {
			t.Errorf("%v: sent %q, %d and %d octets", u, asked, len(first), len(second))
		}
	}
}

// A user finds no copies of what another one has fetched.
func TestCopiesOfUsers(t *testing.T) {
	f := startFake(t, map[string]string{"ARTICLE": "220 0 <1@x>\nSubject: x\n\nx\n."})
	dir := t.TempDir()
	u := urlcore.News{MessageID: "1@x"}
	fetch := func(user string) int {
		f.forget()
		c := f.keptClient(dir, 0)
		if user != "" {
			f.set("AUTHINFO USER "+user, "281 welcome")
			target := fetchtest.Must(c.target(u))(t)
			c.logins.With(c.server(target).Account)(user, "secret")
		}
		if _, text, err := copyOf(context.Background(), t, c, u); err != nil || text != "Subject: x\r\n\r\nx\r\n" {
			t.Errorf("%q: %q, %v", user, text, err)
		}
		return len(f.said())
	}
	for _, user := range []string{"joe", "", "ann"} {
		if n := fetch(user); n == 0 {
			t.Errorf("%q has the copy of another", user)
		}
		if n := fetch(user); n != 0 {
			t.Errorf("%q has no copy of its own", user)
		}
	}
}
