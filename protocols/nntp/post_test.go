package nntp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

const toPost = "Subject: x\r\nMessage-ID: <1@x>\r\n\r\n.\r\n..x\r\nlast\r\n"

func TestPost(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers map[string]string
		reason  protocols.Reason // protocols.Unknown, 0, if the article must be posted
		text    string           // part of the error or of the lines of the error
		posted  int              // complete articles received
	}{
		{"posted", map[string]string{"POST": "340 go on", ".": "240 thanks"}, 0, "", 1},
		{"not allowed", map[string]string{"POST": "440 no posting"}, protocols.Denied, "another server", 0},
		{"no such command", map[string]string{"POST": "500 what"}, protocols.ServerFailed, "500", 0},
		{"permission", map[string]string{"POST": "502 no"}, protocols.Denied, "502", 0},
		{"refused", map[string]string{"POST": "340 go on", ".": "441 no such group"}, protocols.Rejected, "no such group", 1},
		{"refused by a filter", map[string]string{"POST": "340 go on", ".": "441 437 spam"}, protocols.Rejected, "spam", 1},
		{"duplicate", map[string]string{"POST": "340 go on", ".": "441 435 Duplicate"}, 0, "", 1},
		{"duplicate, in the text", map[string]string{"POST": "340 go on", ".": "441 Duplicate article"}, 0, "", 1},
		{
			"a duplicate header field",
			map[string]string{"POST": "340 go on", ".": `441 Duplicate "Subject" header`},
			protocols.Rejected, "Subject", 1,
		},
		{"duplicate, by the code for peers", map[string]string{"POST": "340 go on", ".": "435 not wanted"}, 0, "", 1},
		{"connection lost before the dot", map[string]string{"POST": "340 go on", "early": "close"}, protocols.Broken, "not known whether", 0},
		{"connection lost after the dot", map[string]string{"POST": "340 go on", ".": "close"}, protocols.Broken, "not known whether", 2},
		{"connection lost at POST", map[string]string{"POST": "close"}, protocols.Broken, "", 0},
		{"nonsense", map[string]string{"POST": "340 go on", ".": "hello"}, protocols.Malformed, "not known whether", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			err := f.client().Post(t.Context(), f.groupURL("a.b"), toPost)
			var e *protocols.Error
			if errors.As(err, &e) != (tt.reason != 0) || e != nil && e.Reason != tt.reason {
				t.Fatalf("Post() = %v; want reason %v", err, tt.reason)
			}
			if e != nil {
				text := e.Error()
				for _, l := range e.Lines {
					text += "\n" + l.Text
				}
				if !strings.Contains(text, tt.text) || strings.Contains(text, "not known whether") && !strings.Contains(tt.text, "not known") {
					t.Errorf("the error is %q, want %q in the text, and a doubt about the article only if wanted", text, tt.text)
				}
			}
			_ = f.client().Close()
			if got := f.postedArticles(); len(got) != tt.posted || tt.posted > 0 && got[0] != "Subject: x\nMessage-ID: <1@x>\n\n..\n...x\nlast\n" {
				t.Errorf("the server received %d articles, want %d: %q", len(got), tt.posted, got)
			}
		})
	}
}

func (f *fake) postedArticles() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posted)
}

// TestPostRepeated checks that an article is sent again if the answer is lost. A reply that the article
// is a duplicate is then a success.
func TestPostRepeated(t *testing.T) {
	f := startFake(t, map[string]string{"POST": "340 go on", ".": "close|441 435 <1@x>"})
	c := f.client()
	if err := c.Post(t.Context(), f.groupURL("a.b"), toPost); err != nil || len(f.postedArticles()) != 2 {
		t.Errorf("Post() with a lost answer = %v, the server received %d articles; want no error, 2 articles", err, len(f.postedArticles()))
	}
	f.setAnswer(".", "240 ok")
	f.dropConnections() // closes the idle connection
	if err := c.Post(t.Context(), f.groupURL("a.b"), toPost); err != nil || len(f.postedArticles()) != 3 {
		t.Errorf("Post() over a dead connection = %v, the server received %d articles; want no error, 3 articles", err, len(f.postedArticles()))
	}
}

func TestDotStuff(t *testing.T) {
	fetchtest.Equal(t, dotStuff(".x\n..\r\ny"), "..x\r\n...\r\ny\r\n.\r\n")
}

func TestPostLogin(t *testing.T) {
	for _, command := range []string{"POST", "."} {
		f := startFake(t, map[string]string{
			"POST": "340 go on", ".": "240 thanks", "AUTHINFO USER me": "381 and", "AUTHINFO PASS secret": "281 in",
		})
		f.setAnswer(command, "480 log in")
		c := f.client()
		err := c.Post(t.Context(), f.groupURL("a.b"), toPost)
		var login *protocols.Login
		if !errors.As(err, &login) || login.Failed {
			t.Fatalf("Post() with 480 to %q = %v; want a Login that has not failed", command, err)
		}
		login.With("me", "secret")
		f.setAnswer("POST", "340 go on")
		f.setAnswer(".", "240 thanks")
		if err := c.Post(t.Context(), f.groupURL("a.b"), toPost); err != nil || !slices.Contains(f.sentCommands(), "AUTHINFO PASS secret") {
			t.Errorf("Post() after the login = %v, sent %q; want no error, and the password sent", err, f.sentCommands())
		}
	}
}

func TestPostCanceled(t *testing.T) {
	f := startFake(t, map[string]string{"POST": "340 go on", ".": "stall"})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	go func() {
		<-f.stalled
		cancel(stop)
	}()
	fetchtest.ErrorIs(t, f.client().Post(ctx, f.groupURL("a.b"), toPost), stop)
	f.waitClosed()
}

func TestGroupStatus(t *testing.T) {
	for _, tt := range []struct {
		group, answer string
		status        byte
		known         bool
	}{
		{"a.b", "215 list\na.b 2 1 y\n.", 'y', true},
		{"a.b", "215 list\na.b 2 1 m\n.", 'm', true},
		{"a.b", "215 list\na.b 2 1 =c.d\n.", '=', true},
		{"a.b", "215 list\nc.d 2 1 y\n.", 0, true},
		{"a.b", "215 list\n.", 0, true},
		{"a.b", "500 what", 0, false},
		{"a.b", "480 log in", 0, false},
		{"a*", "500 what", 0, true},
	} {
		f := startFake(t, map[string]string{"LIST": tt.answer})
		status, known, err := f.client().GroupStatus(t.Context(), f.groupURL("a.b"), tt.group)
		if _, ok := errors.AsType[*protocols.Login](err); status != tt.status || known != tt.known || err != nil && !ok {
			t.Errorf("GroupStatus(%s) with the answer %q = %q, %v, %v; want %q, %v", tt.group, tt.answer, status, known, err, tt.status, tt.known)
		}
	}
}
