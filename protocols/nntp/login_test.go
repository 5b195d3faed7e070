package nntp

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestModeReader(t *testing.T) {
	tests := []struct {
		name    string
		answers map[string]string
		want    []string
	}{
		{
			"not needed",
			map[string]string{"GROUP": "211 0 1 0 a.b"},
			[]string{"GROUP a.b"},
		},
		{
			"transit mode in the greeting",
			map[string]string{"": "200 x (transit mode)", "MODE READER": "200 now", "GROUP": "480 no transfer"},
			[]string{"MODE READER", "GROUP a.b"},
		},
		{
			"480 without capabilities",
			map[string]string{"MODE READER": "200 now", "GROUP": "480 no transfer"},
			[]string{"GROUP a.b", "CAPABILITIES", "MODE READER", "GROUP a.b"},
		},
		{
			"480, and a capability",
			map[string]string{"MODE READER": "200 now", "GROUP": "480 no transfer", "CAPABILITIES": "101 hello\nMODE-READER\n."},
			[]string{"GROUP a.b", "CAPABILITIES", "MODE READER", "GROUP a.b"},
		},
		{
			"480 because of a login",
			map[string]string{"GROUP": "480 who are you?", "CAPABILITIES": "101 hello\nREADER\n."},
			[]string{"GROUP a.b", "CAPABILITIES"},
		},
		{
			"401",
			map[string]string{"MODE READER": "201 now", "GROUP": "401 MODE-READER"},
			[]string{"GROUP a.b", "MODE READER", "GROUP a.b"},
		},
		{
			"500 before MODE READER",
			map[string]string{"MODE READER": "200 now", "GROUP": "500 what?"},
			[]string{"GROUP a.b", "MODE READER", "GROUP a.b"},
		},
		{
			"refused",
			map[string]string{"MODE READER": "502 no readers here", "GROUP": "401 MODE-READER"},
			[]string{"GROUP a.b", "MODE READER"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.answers)
			c := f.client()
			_, _, _ = fetchLines(t, c, urlcore.News{Group: "a.b"})
			_ = c.Close()
			f.waitClosed()
			got := f.sentCommands()
			if n := len(got); n > 0 && got[n-1] == "QUIT" {
				got = got[:n-1]
			}
			fetchtest.DeepEqual(t, got, tt.want, "commands")
		})
	}
}

// TestModeReaderAgain checks what the second connection to a server begins with: MODE READER, if it has helped on
// the first one.
func TestModeReaderAgain(t *testing.T) {
	for _, tt := range []struct {
		name             string
		greeting         string
		refusal, welcome string // the answers to GROUP before and after MODE READER
		want             string // the first command of the second connection
	}{
		{"transit mode", "200 x (transit mode)", "401 MODE-READER", "211 0 1 0 a.b", "MODE READER"},
		{"401", fakeGreeting, "401 MODE-READER", "211 0 1 0 a.b", "MODE READER"},
		{"480", fakeGreeting, "480 no transfer", "211 0 1 0 a.b", "MODE READER"},
		{"480, then another refusal", fakeGreeting, "480 no transfer", "411 no such group", "MODE READER"},
		{"no help", fakeGreeting, "480 who are you?", "480 who are you?", "GROUP a.b"},
		{"not needed", fakeGreeting, "211 0 1 0 a.b", "", "GROUP a.b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, map[string]string{"": tt.greeting})
			answer := tt.refusal
			f.script = func(command string) (string, bool) {
				switch command {
				case modeReader:
					answer = tt.welcome
					return "200 now", true
				case "GROUP a.b":
					return answer, true
				}
				return "", false
			}
			c := f.client()
			fetch := func() (first string) {
				before := len(f.sentCommands())
				_, _, _ = fetchLines(t, c, urlcore.News{Group: "a.b"})
				c.idle.Close()
				f.waitClosed()
				c.idle = wire.Pool[*session]{}
				answer = tt.refusal
				return f.sentCommands()[before]
			}
			fetch()
			fetchtest.Equal(t, fetch(), tt.want, "first command")
		})
	}
}

func TestLogin(t *testing.T) {
	tests := []struct {
		name    string
		answers map[string]string
		failed  bool
		reason  protocols.Reason
	}{
		{"wrong", map[string]string{"AUTHINFO USER me": "381 more", "AUTHINFO PASS pw": "481 wrong"}, true, 0},
		{"wrong, with 502", map[string]string{"AUTHINFO USER me": "381 more", "AUTHINFO PASS pw": "502 wrong"}, true, 0},
		{"out of sequence", map[string]string{"AUTHINFO USER me": "482 no"}, true, 0},
		{"still not allowed", map[string]string{"AUTHINFO USER me": "281 in"}, true, 0},
		{"only over TLS", map[string]string{"AUTHINFO USER me": "483 TLS first"}, false, protocols.Denied},
		{"no AUTHINFO", map[string]string{"AUTHINFO": "500 what?"}, false, protocols.Denied},
		{"unavailable", map[string]string{"AUTHINFO": "502 not here"}, false, protocols.Denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.answers["GROUP"] = "480 who are you?"
			f := startFake(t, tt.answers)
			c := f.client()
			_, err := c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{Group: "a.b"}})
			var l *protocols.Login
			if !errors.As(err, &l) || l.Failed || l.Server != f.addr() {
				t.Fatalf("got %#v, want a Login that has not failed", err)
			}
			l.With("me", "pw")
			_, err = c.Fetch(context.Background(), protocols.Request{URL: urlcore.News{Group: "a.b"}})
			l = nil
			fetchtest.Equal(t, errors.As(err, &l) && l.Failed, tt.failed, "%#v is a failed Login", err)
			if tt.failed && l.User != "me" {
				t.Errorf("User of the Login = %q; want the refused user me", l.User)
			}
			fetchtest.Equal(t, protocols.ReasonOf(err), tt.reason, "reason")
			sent := strings.Join(f.sentCommands(), "|")
			if asked := tt.answers["AUTHINFO USER me"] == "381 more"; strings.Contains(sent, "AUTHINFO PASS") != asked {
				t.Errorf("sent %s; want the password in the clear only if the server asks for it", sent)
			}
			if err != nil && strings.Contains(err.Error(), "pw") {
				t.Errorf("the error contains the password: %v", err)
			}
		})
	}
}

func TestLoginRemembered(t *testing.T) {
	f := startFake(t, map[string]string{
		"AUTHINFO USER me": "381 more", "AUTHINFO PASS p w": "281 in",
		"GROUP": "211 1 1 1 a.b", "ARTICLE 1": "220 1 <x@y>\nhi\n.",
	})
	c := f.client()
	c.logins.KeepFunc(wire.Account{Scheme: "nntp", Addr: f.addr()})("me", "p w")
	c.IdleTimeout = -1
	for range 2 {
		if got, err := fetchBody(t, c, f.articleURL("a.b", 1)); got != "hi\r\n" || err != nil {
			t.Fatalf("the article is %q, error %v; want %q", got, err, "hi")
		}
	}
	c.logins.KeepFunc(wire.Account{Scheme: "nntp", Addr: f.addr()})("me", "p\r\nQUIT")
	fetchtest.Fails(t, protocols.BadURL, "a password with a line end")(c.Fetch(
		context.Background(), protocols.Request{URL: f.groupURL("a.b")},
	))
	for _, s := range f.sentCommands() {
		if strings.Contains(s, "p\r") || s == "AUTHINFO USER x" {
			t.Errorf("sent %q, which has the password with a line end", s)
		}
	}
}

// TestPasswords logs in to a server that repeats the password in every reply. Replies must be parsed
// correctly, and the password must not be shown.
func TestPasswords(t *testing.T) {
	for _, password := range []string{"0", "2", "28", "281", "281 ", "381", " ", "", "%s", "100%", "a b", "secret", "\xff", "gr\xfcn"} {
		trimmed := strings.TrimSpace(password)
		for _, tt := range []struct {
			verb, answer string
			want         string // text of the error, with @ for the password
		}{
			{"AUTHINFO PASS", "281 =@= is in", ""},
			{"AUTHINFO PASS", "481 =@= is wrong", "=@= is wrong"},
			{"AUTHINFO PASS", "599 =@=", "=@="},
			{"AUTHINFO PASS", "=@=", "=@="},
			{"AUTHINFO PASS", "452 " + strings.Repeat("x", 195) + "=@=", strings.Repeat("x", 195) + "=@="},
			{"GROUP", "411 no =@=", "no =@="},
			{"GROUP", "211 =@=", "=@="},
			{"OVER", "502 =@=", "=@="},
			{"", "400 =@=", "=@="},
			{"", "=@=", "=@="},
		} {
			answers := map[string]string{
				"AUTHINFO USER me": "381 and now", "AUTHINFO PASS " + password: "281 in", "GROUP": "211 1 1 1 a.b",
				"OVER": "224 go\n.",
			}
			answer := strings.ReplaceAll(tt.answer, "@", password)
			if tt.verb == "AUTHINFO PASS" {
				answers["AUTHINFO PASS "+password] = answer
			} else {
				answers[tt.verb] = answer
			}
			f := startFake(t, answers)
			c := f.client()
			c.logins.KeepFunc(wire.Account{Scheme: "nntp", Addr: f.addr()})("me", password)
			_, _, err := fetchLines(t, c, f.groupURL("a.b"))
			shown := ""
			var e *protocols.Error
			var l *protocols.Login
			switch {
			case errors.As(err, &l):
				shown = l.Text
			case errors.As(err, &e):
				shown = e.Text
			}
			want := strings.ReplaceAll(tt.want, "@", password)
			if trimmed != "" {
				want = strings.ReplaceAll(tt.want, "@", strings.Replace(password, trimmed, "****", 1))
			}
			if shown != want || want == "" && tt.verb == "AUTHINFO PASS" && err != nil {
				t.Errorf("password %q, %s %q: got %v, want the text %q", password, tt.verb, answer, err, want)
			}
		}
	}
}

// TestTranscript checks that the transcript of a login has no password, even if the server repeats it.
func TestTranscript(t *testing.T) {
	for _, password := range []string{"2", "281", "281 ", "381", "%s", "100%", "a b", "secret", "\xff", "gr\xfcn"} {
		trimmed := strings.TrimSpace(password)
		echo := " =" + password + "= " + base64.StdEncoding.EncodeToString([]byte("\x00me\x00"+password))
		f := startFake(t, map[string]string{
			"": "200" + echo, "AUTHINFO USER me": "381" + echo, "AUTHINFO PASS " + password: "281" + echo,
			"GROUP": "211 1 1 1 a.b" + echo, "OVER": "224 go\n1\t" + echo + "\n.",
		})
		c := f.client()
		c.logins.KeepFunc(wire.Account{Scheme: "nntp", Addr: f.addr()})("me", password)
		for i, want := range []string{"STARTTLS|AUTHINFO USER me|AUTHINFO PASS ****|GROUP a.b|OVER 1-1", "GROUP a.b|OVER 1-1"} {
			var tr protocols.Transcript
			if err := fetchtest.Drain(protocols.WithTranscript(t.Context(), &tr), c, protocols.Request{URL: f.groupURL("a.b")}); err != nil {
				t.Errorf("login with the password %q: %v", password, err)
			}
			first, last, _ := tr.Lines()
			var sent []string
			for _, s := range append(first, last...) {
				fetchtest.NotContains(t, s.Text, "="+trimmed, "password %q, fetch %d: the transcript", password, i)
				if s.Sent {
					sent = append(sent, strings.TrimRight(s.Text, " "))
				}
			}
			fetchtest.Equal(t, strings.Join(sent, "|"), want, "password %q, fetch %d: sent", password, i)
		}
	}
}

// TestPostNeedsLogin posts an article to a server that knows only SASL. POST must not follow a login that may
// fail in the same write: the next login would become a part of the article.
func TestPostNeedsLogin(t *testing.T) {
	f, roots := secureFake(t, map[string]string{
		"STARTTLS": "382 go\ntls", "AUTHINFO USER me": "500 what?", "AUTHINFO PASS pw": "500 what?", "AUTHINFO": "281 in",
		"POST": "340 go on", ".": "240 thanks",
	})
	c := f.client()
	c.Dialer.TLS.Roots = roots
	c.logins.Keep(wire.Account{Scheme: "nntp", Addr: f.addr()}, wire.NewCredentials("me", "pw"))
	fetchtest.NoError(t, c.Post(t.Context(), f.groupURL("a.b"), toPost))
	fetchtest.DeepEqual(t, f.postedArticles(), []string{"Subject: x\nMessage-ID: <1@x>\n\n..\n...x\nlast\n"}, "articles")
}

// TestLoginDuringFetch changes the login during a fetch. The next fetch must use another connection.
func TestLoginDuringFetch(t *testing.T) {
	f := startFake(t, map[string]string{"AUTHINFO": "281 in", "ARTICLE": "220 go\nbody\n."})
	c := f.client()
	login := c.logins.KeepFunc(wire.Account{Scheme: "nntp", Addr: f.addr()})
	login("first", "pw")
	r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: "a@b"}}))(t)
	login("second", "pw")
	fetchtest.Must(io.ReadAll(r.Body))(t)
	_ = r.Close()
	for range 2 {
		fetchtest.Must(fetchBody(t, c, urlcore.News{MessageID: "a@b"}))(t)
	}
	want := []string{"STARTTLS", "AUTHINFO USER first", "ARTICLE <a@b>", "AUTHINFO USER second", "ARTICLE <a@b>", "ARTICLE <a@b>"}
	fetchtest.DeepEqual(t, f.sentCommands(), want, "commands")
}
