package ftp

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// passwords are passwords that may be mistaken for a part of a reply, or corrupted in transit.
var passwords = []string{
	"0", "2", "23", "230", "230 ", "230-", "331", "53", "530 ", " ", "   ", "", "%", "%s%d", "100%", "a b", "secret",
	"\xff", "x\xffy", "\xff\xff\xff\xff", "gr\xfcn", "grün", "226 done", "257 \"/home\"",
}

func withPassword(f *fake, password, path string) urlcore.FTP {
	u, err := parseFTP(f.url(path))
	if err != nil {
		f.t.Fatal(err)
	}
	u.User, u.HasUser = "joe", true
	u.Password, u.HasPassword = password, true
	return u
}

// TestPasswords logs in with each password to a server that repeats it in every reply. Replies must be
// parsed correctly, and the password must not be shown.
func TestPasswords(t *testing.T) {
	for _, password := range passwords {
		sent := strings.ReplaceAll(password, "\xff", "\xff\xff")
		echo := "=" + password + "="
		want := "=****="
		if trimmed := strings.TrimSpace(password); trimmed == "" {
			want = echo
		} else {
			want = strings.ReplaceAll(echo, trimmed, "****")
		}
		f := startFake(t, &fake{
			replies: map[string]string{
				"greeting": "220-" + echo + "\r\n220 " + echo,
				"USER":     "331 " + echo, "PASS": "530 not that one", "PASS " + sent: "230-" + echo + "\r\n230 " + echo,
				"CWD": "250-" + echo + "\r\n250 " + echo, "CWD no": "550-" + echo + "\r\n550 " + echo,
				"RETR no": "550 " + echo, "PWD": `257 "/home" ` + echo,
				"OPTS": "200 " + echo, "TYPE": "200 " + echo, "MLSD": "150 " + echo,
			},
			data:       map[string]string{"MLSD": "type=file; a\r\n", "RETR": "abc"},
			finalReply: "226 " + echo,
		})
		c := newClient(t)
		list := func(path string, want ...string) {
			t.Helper()
			_, lines, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: withPassword(f, password, path)})
			if err != nil {
				t.Errorf("password %q: listing %q: %v", password, path, err)
				return
			}
			var got []string
			for _, l := range lines {
				got = append(got, l.Text)
			}
			fetchtest.DeepEqual(t, got, want, "password %q: %s: lines", password, path)
		}
		refused := func(path string) {
			t.Helper()
			_, err := c.Fetch(t.Context(), protocols.Request{URL: withPassword(f, password, path)})
			if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Code != 550 || !strings.Contains(e.Text, want) ||
				want != echo && strings.Contains(e.Text, echo) {
				t.Errorf("password %q: fetching %q: got %v, want a 550 with %q", password, path, err, want)
			}
		}
		list("", want, "a")
		list("d/", want, "a")
		refused("no")
		refused("no/") // the last one, because the session is not kept at once
		fetchtest.Equal(t, f.connections(), 1, "password %q: connections", password)
	}
}

// TestRefusedPasswords checks the errors of servers that repeat the password in refusals and malformed
// replies.
func TestRefusedPasswords(t *testing.T) {
	for _, password := range passwords {
		trimmed := strings.TrimSpace(password)
		for _, reply := range []struct{ verb, text string }{
			{"greeting", "421 =@="},
			{"greeting", "=@="},
			{"USER", "530 =@="},
			{"PASS", "530-=@=\r\n530 =@="},
			{"PASS", "421 =@="},
			{"PASS", "=@= no code"},
			{"FEAT", "=@="},
			{"TYPE", "421 =@="},
			{"PWD", "421 =@="},
			{"PWD", "=@="},
			{"SIZE", "421 =@="},
			{"PASV", "227 (=@=)"},
			{"PASV", "421 =@="},
			{"RETR", "450 =@="},
			{"final", "451 =@="},
		} {
			text := strings.ReplaceAll(reply.text, "@", password)
			f := &fake{replies: map[string]string{"EPSV": "500 no"}}
			if f.replies[reply.verb] = text; reply.verb == "final" {
				f.finalReply = text
			}
			f = startFake(t, f)
			c := newClient(t)
			err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: withPassword(f, password, "x")})
			var (
				e     *protocols.Error
				l     *protocols.Login
				shown string
			)
			switch {
			case errors.As(err, &l):
				shown = l.Text
			case errors.As(err, &e):
				shown = e.Error()
			default:
				t.Errorf("password %q, %s %q: got %v, want an error", password, reply.verb, text, err)
			}
			if trimmed != "" && strings.Contains(shown, "="+trimmed) {
				t.Errorf("password %q, %s %q: the error contains the password: %q", password, reply.verb, text, shown)
			}
		}
	}
}

// TestTranscript checks that the transcript of a login has no password, even if the server repeats the
// password.
func TestTranscript(t *testing.T) {
	for _, password := range passwords {
		trimmed := strings.TrimSpace(password)
		echo := "=" + password + "= " + base64.StdEncoding.EncodeToString([]byte("\x00joe\x00"+password)) + " " +
			hex.EncodeToString([]byte(password))
		f := startFake(t, &fake{
			replies: map[string]string{
				"greeting": "220-" + echo + "\r\n220 " + echo, "USER": "331 " + echo, "PASS": "230 " + echo,
				"PWD": `257 "/home" ` + echo, "RETR no": "550 " + echo, "CWD": "550 " + echo,
			},
			data: map[string]string{"RETR": "the file"},
		})
		c := newClient(t)
		for _, path := range []string{"yes", "no"} { // the second fetch uses the same connection
			var tr protocols.Transcript
			_ = fetchtest.Drain(protocols.WithTranscript(t.Context(), &tr), c, protocols.Request{URL: withPassword(f, password, path)})
			first, last, _ := tr.Lines()
			sent := ""
			for _, s := range append(first, last...) {
				if trimmed != "" && strings.Contains(s.Text, "="+trimmed) ||
					len(trimmed) > 3 && strings.Contains(s.Text, hex.EncodeToString([]byte(trimmed))) {
					t.Errorf("password %q: the transcript contains the password: %q", password, s.Text)
				}
				fetchtest.NotContains(t, s.Text, "the file", "the transcript")
				if s.Sent {
					verb, argument, _ := strings.Cut(s.Text, " ")
					sent += verb + " "
					if verb == "PASS" && trimmed != "" && strings.Trim(argument, " \t") != "****" {
						t.Errorf("password %q: sent PASS %q", password, argument)
					}
				}
			}
			want := "AUTH USER PASS FEAT TYPE OPTS PWD SIZE EPSV RETR NOOP "
			if path == "no" {
				want = "SIZE EPSV RETR EPSV CWD "
			}
			fetchtest.Equal(t, sent, want, "password %q: sent", password)
		}
	}
}
