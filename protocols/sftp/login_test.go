package sftp_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// round is a round of keyboard-interactive: its questions, and the answers that the server accepts.
type round struct{ questions, answers string }

// demandAnswers makes the server ask the rounds. The questions have line feeds between them; one that ends in "?" is shown.
func demandAnswers(asked *atomic.Int32, rounds ...round) func(*testServer) {
	return func(s *testServer) {
		s.config.NoClientAuth = false
		s.config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			for _, r := range rounds {
				questions := strings.Split(r.questions, "\n")
				shown := make([]bool, len(questions))
				for i, q := range questions {
					shown[i] = strings.HasSuffix(q, "?")
				}
				answers, err := ask("", "", questions, shown)
				asked.Add(1)
				if err != nil || strings.Join(answers, " ") != r.answers {
					return nil, errors.New("no")
				}
			}
			return nil, nil
		}
	}
}

// TestQuestions checks which questions of a server the password answers, and that the user answers the others.
func TestQuestions(t *testing.T) {
	for name, tt := range map[string]struct {
		rounds []round
		want   string // the questions to the user
	}{
		"two in one form":         {[]round{{"Colour?\nCode: ", "blue 1234"}}, "Colour? Code: "},
		"password, then code":     {[]round{{"Password: ", "secret"}, {"Verification code: ", "1234"}}, "password Verification code: "},
		"code, then password":     {[]round{{"Code: ", "1234"}, {"Password: ", "secret"}}, "Code: Password: Code: "}, // a new connection wants a new code,
		"one-time password":       {[]round{{"One-time password: ", "1234"}}, "One-time password: "},
		"new password":            {[]round{{"joe's password:", "secret"}, {"New password: \nAgain: ", "1234 1234"}}, "password New password: Again: "},
		"password asked twice":    {[]round{{"Password: ", "secret"}, {"Password: ", "1234"}}, "password Password: "},
		"a password that is seen": {[]round{{"password?", "1234"}}, "password?"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			s := startServer(t, demandAnswers(&asked, tt.rounds...))
			s.write(t, "a.txt", "text")
			c := s.newKnownClient(t)
			req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
			known := make(map[string]string) // the answer of the last round with the question
			for _, r := range tt.rounds {
				answers := strings.Split(r.answers, " ")
				for i, question := range strings.Split(r.questions, "\n") {
					known[question] = answers[i]
				}
			}
			got := ""
			for range 4 {
				res, err := c.Fetch(t.Context(), req)
				if err == nil {
					_ = res.Close()
					break
				}
				switch q := protocols.QuestionOf(err).(type) {
				case *protocols.Login:
					got += "password "
					q.With("joe", "secret")
				case *protocols.Ask:
					var answers []string
					for _, f := range q.Fields {
						got += f.ServerLabel
						if !strings.HasSuffix(got, " ") {
							got += " "
						}
						fetchtest.Equal(t, f.Input == protocols.InputSecret, !strings.HasSuffix(f.ServerLabel, "?"), f.ServerLabel)
						answers = append(answers, known[f.ServerLabel])
					}
					_, err := q.With(answers)
					fetchtest.NoError(t, err)
				default:
					t.Fatal(err)
				}
			}
			fetchtest.Equal(t, strings.TrimSpace(got), strings.TrimSpace(tt.want))
			fetchtest.Equal(t, readText(t, c, req), "text")
		})
	}
}

// TestWrongAnswer checks that a wrong answer is asked for again, and that a server cannot ask for ever.
func TestWrongAnswer(t *testing.T) {
	var asked atomic.Int32
	s := startServer(t, demandAnswers(&asked, round{"Code: ", "1234"}))
	c := s.newKnownClient(t)
	req := protocols.Request{URL: fetchtest.Parse(t, s.url("/"))}
	for range 2 {
		_, err := c.Fetch(t.Context(), req)
		_, err = fetchtest.As[*protocols.Ask](t, err).With([]string{"wrong"})
		fetchtest.NoError(t, err)
	}
	asked.Store(0)
	endless := startServer(t, func(s *testServer) {
		s.config.NoClientAuth = false
		s.config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			for {
				asked.Add(1)
				if _, err := ask("", "wait", nil, nil); err != nil {
					return nil, err
				}
			}
		}
	})
	_, err := endless.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, endless.url("/"))})
	if err == nil || asked.Load() > 100 {
		t.Errorf("got %v after %d rounds, want an error soon", err, asked.Load())
	}
}

// TestUnattendedAnswer checks that a fetch that nobody has asked for does not send the typed answers.
func TestUnattendedAnswer(t *testing.T) {
	var asked atomic.Int32
	s := startServer(t, demandAnswers(&asked, round{"Code: ", "1234"}))
	s.write(t, "a.txt", "text")
	c := s.newKnownClient(t)
	req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
	_, err := c.Fetch(t.Context(), req)
	_, err = fetchtest.As[*protocols.Ask](t, err).With([]string{"1234"})
	fetchtest.NoError(t, err)
	if _, err := c.Fetch(protocols.Unattended(t.Context(), nil), req); err == nil {
		t.Error("logged in with the answer, want an error")
	}
	fetchtest.Equal(t, readText(t, c, req), "text", "with the answer, which is kept")
}

// TestMethods checks that the configuration turns methods of the login off.
func TestMethods(t *testing.T) {
	var passwords atomic.Int32
	signer, key := newKey(t)
	s := startServer(t, func(s *testServer) {
		demandKey(signer.PublicKey())(s)
		demandPassword(&passwords)(s)
	})
	for config, want := range map[string]string{
		"PasswordAuthentication no\n":                                "",
		"PubkeyAuthentication no\n":                                  "password",
		"PreferredAuthentications password\n":                        "password",
		"PubkeyAuthentication no\nPreferredAuthentications x\n":      "~/.ssh/config turns keys off for this host",
		"BatchMode yes\nIdentityFile none\n":                         "the server wants a key",
		"PubkeyAcceptedAlgorithms -ssh-ed25519\n":                    "password",
		"PubkeyAcceptedKeyTypes ssh-ed*\n":                           "",
		"PubkeyAcceptedAlgorithms ecdsa-*\nBatchMode yes\n":          "accepts none of your keys (PubkeyAcceptedAlgorithms)",
		"IdentityFile none\nPreferredAuthentications publickey\n":    "the server wants a key, and neither the agent nor ~/.ssh has one",
		"IdentityFile ~/.ssh/open\nPasswordAuthentication no\n":      "~/.ssh/open is not used, because other users may read it",
		"IdentityFile ~/.ssh/id_ed25519\nIdentityFile ~/.ssh/open\n": "",
	} {
		t.Run(config, func(t *testing.T) {
			home, c := newHome(t)
			s.knowKey(t, home)
			writeSSH(t, home, "id_ed25519", encodeKey(t, key, ""))
			writeSSH(t, home, "open", encodeKey(t, key, ""))
			fetchtest.NoError(t, os.Chmod(filepath.Join(home, ".ssh", "open"), 0o644))
			writeSSH(t, home, "config", config)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/"))})
			switch want {
			case "":
				fetchtest.NoError(t, err)
				fetchtest.NoError(t, res.Close())
			case "password":
				fetchtest.As[*protocols.Login](t, err)
			default:
				fetchtest.Contains(t, err.Error(), want)
			}
		})
	}
}

// serveAgent makes an agent of the keys answer at the path "agent" in home.
func serveAgent(t testing.TB, home string, serve func(net.Conn)) {
	t.Helper()
	l := fetchtest.Must(net.Listen("unix", filepath.Join(home, "agent")))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
}

// TestAgentKeys checks which keys of the agent are offered.
func TestAgentKeys(t *testing.T) {
	signer, key := newKey(t)
	_, other := newKey(t)
	s := startServer(t, demandKey(signer.PublicKey()))
	ring := agent.NewKeyring()
	fetchtest.NoError(t, errors.Join(ring.Add(agent.AddedKey{PrivateKey: other}), ring.Add(agent.AddedKey{PrivateKey: key})))
	for config, want := range map[string]bool{
		"": true, "IdentitiesOnly yes\n": false, "IdentityAgent none\n": false, "IdentityAgent SSH_AUTH_SOCK\n": true,
		"IdentitiesOnly yes\nIdentityFile ~/.ssh/mine.pub\n": true, "IdentitiesOnly yes\nIdentityFile ~/.ssh/mine\n": true,
	} {
		t.Run(config, func(t *testing.T) {
			home, c := newHome(t)
			s.knowKey(t, home)
			serveAgent(t, home, func(c net.Conn) { _ = agent.ServeAgent(ring, c) })
			writeSSH(t, home, "mine.pub", string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
			writeSSH(t, home, "config", config)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/"))})
			if fetchtest.Equal(t, err == nil, want, "%v", err); err == nil {
				fetchtest.NoError(t, res.Close())
			}
		})
	}
}

// TestHungAgent checks that a login does not wait for an agent that does not answer, and ends at once with its fetch.
func TestHungAgent(t *testing.T) {
	signer, _ := newKey(t)
	s := startServer(t, demandKey(signer.PublicKey()))
	home, c := newHome(t)
	s.knowKey(t, home)
	reached := make(chan struct{}, 8)
	serveAgent(t, home, func(net.Conn) { reached <- struct{}{} })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	req := protocols.Request{URL: fetchtest.Parse(t, s.url("/"))}
	begun := time.Now()
	_, err := c.Fetch(ctx, req)
	fetchtest.ErrorIs(t, err, context.Canceled)
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("canceled after %v, want at once", took)
	}
	_, err = c.Fetch(t.Context(), req)
	fetchtest.Reason(t, err, protocols.Denied)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("without the agent after %v, want a few seconds", took)
	}
}

// TestUnattended checks that a fetch that nobody has asked for sends nothing personal: no name of the user, and no login at a host
// on the way.
func TestUnattended(t *testing.T) {
	users := make(chan string, 8)
	s := startServer(t, func(s *testServer) {
		s.config.NoClientAuthCallback = func(m ssh.ConnMetadata) (*ssh.Permissions, error) {
			users <- m.User()
			return nil, nil
		}
	})
	near := startServer(t, nil)
	crawl := protocols.Unattended(t.Context(), nil)
	for name, tt := range map[string]struct {
		url, config string
		ctx         context.Context
		wantUsers   string
		wantHops    int32
	}{
		"user in the URL":           {"sftp://ann@", "", crawl, "ann", 0},
		"no user":                   {"sftp://", "", crawl, "", 0},
		"user of the configuration": {"sftp://", "User ann\n", crawl, "", 0},
		"over another host":         {"sftp://ann@", "Host 127.*\n ProxyJump ann@" + near.addr + "\n", crawl, "", 0},
		"at the chosen server":      {"sftp://", "", protocols.Unattended(t.Context(), fetchtest.Parse(t, "sftp://"+s.addr+"/x")), "joe", 0},
		"asked for":                 {"sftp://", "Host 127.*\n ProxyJump ann@" + near.addr + "\n", t.Context(), "joe", 1},
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			writeSSH(t, home, "known_hosts", s.knownLine(s.key.PublicKey())+near.knownLine(near.key.PublicKey()))
			writeSSH(t, home, "config", tt.config)
			near.logins.Store(0)
			res, err := c.Fetch(tt.ctx, protocols.Request{URL: fetchtest.Parse(t, tt.url+s.addr+s.dir+"/")})
			if err == nil {
				fetchtest.NoError(t, res.Close())
			} else {
				fetchtest.As[*protocols.Login](t, err)
			}
			got := ""
			for len(users) > 0 {
				got += <-users
			}
			fetchtest.Equal(t, got, tt.wantUsers, "users that the server sees")
			fetchtest.Equal(t, near.logins.Load(), tt.wantHops, "logins at the host on the way")
		})
	}
}

// TestCutPassword checks that no part of a password is shown where a text of the server is too long.
func TestCutPassword(t *testing.T) {
	for _, before := range []int{512 - 3, 8192 - 3} {
		var asked atomic.Int32
		text := strings.Repeat("x", before) + "hunter2"
		s := startServer(t, func(s *testServer) {
			demandAnswers(&asked, round{"Password: ", "hunter2"}, round{text + "?", "no"})(s)
			s.config.BannerCallback = func(ssh.ConnMetadata) string { return text }
		})
		c := s.newKnownClient(t)
		req := protocols.Request{URL: fetchtest.Parse(t, s.url("/"))}
		_, err := c.Fetch(t.Context(), req)
		fetchtest.As[*protocols.Login](t, err).With("joe", "hunter2")
		_, err = c.Fetch(t.Context(), req)
		q := fetchtest.As[*protocols.Ask](t, err)
		fetchtest.NotContains(t, q.ServerTitle, "hun", "the title")
		fetchtest.NotContains(t, q.Fields[0].ServerLabel, "hun", "the question")
		var dialogue protocols.Transcript
		_, _ = c.Fetch(protocols.WithTranscript(t.Context(), &dialogue), req)
		first, last, _ := dialogue.Lines()
		for _, line := range append(first, last...) {
			fetchtest.NotContains(t, line.Text, "xhun", "the transcript")
		}
	}
}

// TestEchoedPassword checks that a password that the server repeats is masked, in errors, questions and the transcript.
func TestEchoedPassword(t *testing.T) {
	var passwords atomic.Int32
	s := startServer(t, func(s *testServer) {
		demandPassword(&passwords)(s)
		s.config.BannerCallback = func(ssh.ConnMetadata) string { return "is it hunter2 or secret?" }
	})
	c := s.newKnownClient(t)
	var dialogue protocols.Transcript
	ctx := protocols.WithTranscript(t.Context(), &dialogue)
	shown := ""
	for _, password := range []string{"hunter2", "secret"} {
		_, err := c.Fetch(ctx, protocols.Request{URL: fetchtest.Parse(t, s.url("/"))})
		q := fetchtest.As[*protocols.Login](t, err)
		shown += q.Error() + q.Text
		if q.Failed {
			fetchtest.NotContains(t, q.Text, "hunter2")
		}
		q.With("joe", password)
	}
	s.write(t, "a", "")
	// The library of the server puts the path into the text of its error.
	_, err := c.Fetch(ctx, protocols.Request{URL: fetchtest.Parse(t, s.url("/secret"))})
	e := fetchtest.As[*protocols.Error](t, err)
	fetchtest.NotContains(t, e.Text, "secret")
	first, last, _ := dialogue.Lines()
	masked := 0
	for _, line := range append(first, last...) {
		if !line.Sent && strings.Contains(line.Text, "hunter2") {
			masked++
		}
	}
	fetchtest.Equal(t, masked, 1, "the banner before a password was sent")
}
