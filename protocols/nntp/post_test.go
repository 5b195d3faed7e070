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
		reason  protocols.Reason // Unknown: posted
		text    string           // in the error or its lines
		posted  int              // articles that came whole
	}{
		{"posted", map[string]string{"POST": "340 go on", ".": "240 thanks"}, 0, "", 1},
		{"not allowed", map[string]string{"POST": "440 no posting"}, protocols.Denied, "another server", 0},
		{"no such command", map[string]string{"POST": "500 what"}, protocols.ServerFailed, "500", 0},
		{"permission", map[string]string{"POST": "502 no"}, protocols.Denied, "502", 0},
		{"refused", map[string]string{"POST": "340 go on", ".": "441 no such group"}, protocols.Rejected, "no such group", 1},
		{"refused by a filter", map[string]string{"POST": "340 go on", ".": "441 437 spam"}, protocols.Rejected, "spam", 1},
		{"there already", map[string]string{"POST": "340 go on", ".": "441 435 Duplicate"}, 0, "", 1},
		{"there already, in words", map[string]string{"POST": "340 go on", ".": "441 Duplicate article"}, 0, "", 1},
		{"a field that is there twice", map[string]string{"POST": "340 go on", ".": `441 Duplicate "Subject" header`}, protocols.Rejected, "Subject", 1},
		{"there already, by a peer's code", map[string]string{"POST": "340 go on", ".": "435 not wanted"}, 0, "", 1},
		{"lost before the dot", map[string]string{"POST": "340 go on", "early": "close"}, protocols.Broken, "not known whether", 0},
		{"lost after the dot", map[string]string{"POST": "340 go on", ".": "close"}, protocols.Broken, "not known whether", 2},
		{"lost at once", map[string]string{"POST": "close"}, protocols.Broken, "", 0},
		{"nonsense", map[string]string{"POST": "340 go on", ".": "hello"}, protocols.Malformed, "not known whether", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			err := f.client().Post(t.Context(), f.nntp("a.b"), toPost)
			var e *protocols.Error
			if errors.As(err, &e) != (tt.reason != 0) || e != nil && e.Reason != tt.reason {
				t.Fatalf("got %v, want %v", err, tt.reason)
			}
			if e != nil {
				text := e.Error()
				for _, l := range e.Lines {
					text += "\n" + l.Text
				}
				if !strings.Contains(text, tt.text) || strings.Contains(text, "not known whether") && !strings.Contains(tt.text, "not known") {
					t.Errorf("got %q, want %q in it", text, tt.text)
				}
			}
			_ = f.client().Close()
			if got := f.received(); len(got) != tt.posted || tt.posted > 0 && got[0] != "Subject: x\nMessage-ID: <1@x>\n\n..\n...x\nlast\n" {
				t.Errorf("%d articles came: %q", len(got), got)
			}
		})
	}
}

func (f *fake) received() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posted)
}

// An article whose answer is lost is sent again, and that the server has it then is
// its success.
func TestPostAgain(t *testing.T) {
	f := startFake(t, map[string]string{"POST": "340 go on", ".": "close|441 435 <1@x>"})
	c := f.client()
	if err := c.Post(t.Context(), f.nntp("a.b"), toPost); err != nil || len(f.received()) != 2 {
		t.Errorf("got %v, %d articles", err, len(f.received()))
	}
	f.set(".", "240 ok")
	f.drop() // the connection that is kept
	if err := c.Post(t.Context(), f.nntp("a.b"), toPost); err != nil || len(f.received()) != 3 {
		t.Errorf("over a dead connection: %v, %d articles", err, len(f.received()))
	}
}

func TestDotted(t *testing.T) {
	fetchtest.Equal(t, dotStuff(".x\n..\r\ny"), "..x\r\n...\r\ny\r\n.\r\n")
}

func TestPostLogin(t *testing.T) {
	for _, at := range []string{"POST", "."} {
		f := startFake(t, map[string]string{"POST": "340 go on", ".": "240 thanks", "AUTHINFO USER me": "381 and", "AUTHINFO PASS secret": "281 in"})
		f.set(at, "480 log in")
		c := f.client()
		err := c.Post(t.Context(), f.nntp("a.b"), toPost)
		var login *protocols.Login
		if !errors.As(err, &login) || login.Failed {
			t.Fatalf("%s: got %v", at, err)
		}
		login.With("me", "secret")
		f.set("POST", "340 go on")
		f.set(".", "240 thanks")
		if err := c.Post(t.Context(), f.nntp("a.b"), toPost); err != nil || !slices.Contains(f.said(), "AUTHINFO PASS secret") {
			t.Errorf("%s: %v, said %q", at, err, f.said())
		}
	}
}

func TestPostCancelled(t *testing.T) {
	f := startFake(t, map[string]string{"POST": "340 go on", ".": "stall"})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	go func() {
		<-f.quiet
		cancel(stop)
	}()
	fetchtest.ErrorIs(t, f.client().Post(ctx, f.nntp("a.b"), toPost), stop)
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
		status, known, err := f.client().GroupStatus(t.Context(), f.nntp("a.b"), tt.group)
		if _, ok := errors.AsType[*protocols.Login](err); status != tt.status || known != tt.known || err != nil && !ok {
			t.Errorf("%s, %q: got %q, %v, %v", tt.group, tt.answer, status, known, err)
		}
	}
}
