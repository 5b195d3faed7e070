package sftp_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/sftp"
)

// demandKey makes the server want the key.
func demandKey(key ssh.PublicKey) func(*testServer) {
	return func(s *testServer) {
		s.config.NoClientAuth = false
		s.config.PublicKeyCallback = func(m ssh.ConnMetadata, offered ssh.PublicKey) (*ssh.Permissions, error) {
			if m.User() != "joe" || !bytes.Equal(offered.Marshal(), key.Marshal()) {
				return nil, errors.New("no")
			}
			return nil, nil
		}
	}
}

func encodeKey(t testing.TB, key ed25519.PrivateKey, phrase string) string {
	t.Helper()
	var block *pem.Block
	var err error
	if phrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(phrase))
	}
	fetchtest.NoError(t, err)
	return string(pem.EncodeToMemory(block))
}

// TestKeys logs in with a key in ~/.ssh, one that the configuration names, one of the agent, and none in restricted mode.
func TestKeys(t *testing.T) {
	signer, key := newKey(t)
	s := startServer(t, demandKey(signer.PublicKey()))
	s.write(t, "a.txt", "text")
	for name, prepare := range map[string]func(home string){
		"file": func(home string) { writeSSH(t, home, "id_ed25519", encodeKey(t, key, "")) },
		"config": func(home string) {
			writeSSH(t, home, "keys/mine", encodeKey(t, key, ""))
			writeSSH(t, home, "config", "Host 127.*\n  IdentityFile ~/.ssh/keys/mine\n")
		},
		"agent": func(home string) {
			ring := agent.NewKeyring()
			fetchtest.NoError(t, ring.Add(agent.AddedKey{PrivateKey: key}))
			serveAgent(t, home, func(c net.Conn) { _ = agent.ServeAgent(ring, c) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			s.knowKey(t, home)
			prepare(home)
			req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
			fetchtest.Equal(t, readText(t, c, req), "text")
			_, err := trusting{&sftp.Client{}}.Fetch(t.Context(), req)
			fetchtest.Reason(t, err, protocols.Denied, "in restricted mode")
			_, err = c.Fetch(protocols.Unattended(t.Context(), nil), req)
			fetchtest.As[*protocols.Login](t, err, "for a fetch that nobody watches")
		})
	}
}

// TestPassphrase checks that the passphrase of a key is asked for only if the server accepts the key, and again if it is wrong.
func TestPassphrase(t *testing.T) {
	signer, key := newKey(t)
	s := startServer(t, demandKey(signer.PublicKey()))
	s.write(t, "a.txt", "text")
	home, c := newHome(t)
	s.knowKey(t, home)
	_, unwanted := newKey(t)
	writeSSH(t, home, "id_ecdsa", encodeKey(t, unwanted, "other"))
	writeSSH(t, home, "id_ed25519", encodeKey(t, key, "open sesame"))
	req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
	for _, phrase := range []string{"wrong", "open sesame"} {
		_, err := c.Fetch(t.Context(), req)
		q := fetchtest.As[*protocols.Login](t, err)
		fetchtest.Equal(t, q.Server+" "+q.Secret, "~/.ssh/id_ed25519 Passphrase")
		fetchtest.Equal(t, q.Failed, phrase != "wrong", "before %q", phrase)
		q.With("", phrase)
	}
	fetchtest.Equal(t, readText(t, c, req), "text")
}

// TestPassword checks the question for a password, by both methods of SSH, and that the transcript has none.
func TestPassword(t *testing.T) {
	var got atomic.Int32
	for name, demand := range map[string]func(*testServer){
		"password": demandPassword(&got),
		"keyboard-interactive": func(s *testServer) {
			s.config.NoClientAuth = false
			s.config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				answers, err := ask("", "", []string{"Password: "}, []bool{false})
				if err != nil || len(answers) != 1 || answers[0] != "secret" {
					return nil, errors.New("no")
				}
				return nil, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) {
				demand(s)
				s.config.BannerCallback = func(ssh.ConnMetadata) string { return "welcome\x1b[2J" }
			})
			s.write(t, "a.txt", "text")
			c := s.newKnownClient(t)
			var dialogue protocols.Transcript
			ctx := protocols.WithTranscript(t.Context(), &dialogue)
			req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
			for _, password := range []string{"wrong", "secret"} {
				_, err := c.Fetch(ctx, req)
				q := fetchtest.As[*protocols.Login](t, err)
				fetchtest.Equal(t, q.User, "joe")
				fetchtest.Contains(t, q.Text, "welcome")
				fetchtest.Equal(t, q.Failed, password != "wrong", "before %q", password)
				q.With("joe", password)
			}
			res := fetchtest.Must(c.Fetch(ctx, req))(t)
			fetchtest.NoError(t, res.Close())
			fetchtest.Equal(t, res.Personal, true)
			first, last, _ := dialogue.Lines()
			text := ""
			for _, line := range append(first, last...) {
				text += line.Text + "\n"
			}
			fetchtest.Contains(t, text, "STAT "+s.dir+"/a.txt")
			fetchtest.NotContains(t, text, "secret")
		})
	}
}

// TestConfig opens a host by its name in ~/.ssh/config, over another host.
func TestConfig(t *testing.T) {
	far, near := startServer(t, nil), startServer(t, nil)
	far.write(t, "a.txt", "text")
	home, c := newHome(t)
	writeSSH(t, home, "known_hosts", far.knownLine(far.key.PublicKey())+near.knownLine(near.key.PublicKey()))
	host, port, _ := net.SplitHostPort(far.addr)
	writeSSH(t, home, "config", "Host box\n HostName "+host+"\n Port "+port+"\n User joe\n ProxyJump ann@"+near.addr+"\n")
	req := protocols.Request{URL: fetchtest.Parse(t, "sftp://box"+far.dir+"/a.txt")}
	fetchtest.Equal(t, readText(t, c, req), "text")
	fetchtest.Equal(t, near.logins.Load(), 1, "logins at the host on the way")
}

// TestJumpPassword checks that the password for a host on the way is not sent to the host of the URL.
func TestJumpPassword(t *testing.T) {
	var atFar, atNear atomic.Int32
	far := startServer(t, demandPassword(&atFar))
	near := startServer(t, demandPassword(&atNear))
	home, c := newHome(t)
	writeSSH(t, home, "known_hosts", far.knownLine(far.key.PublicKey())+near.knownLine(near.key.PublicKey()))
	writeSSH(t, home, "config", "Host *\n ProxyJump ann@"+near.addr+"\n")
	req := protocols.Request{URL: fetchtest.Parse(t, far.url("/"))}
	_, err := c.Fetch(t.Context(), req)
	q := fetchtest.As[*protocols.Login](t, err)
	fetchtest.Equal(t, q.Server+" "+q.User, near.addr+" ann")
	q.With("ann", "secret")
	_, err = c.Fetch(t.Context(), req)
	q = fetchtest.As[*protocols.Login](t, err)
	fetchtest.Equal(t, q.Server+" "+q.User, far.addr+" joe")
	fetchtest.Equal(t, atFar.Load(), 0, "passwords sent to the host of the URL")
	q.With("joe", "secret")
	_, _ = readLines(t, c, req.URL.String())
}

// TestInnerJumpPassword checks that a password for a host on the way is for no other one with the same address, and for no server
// of a URL.
func TestInnerJumpPassword(t *testing.T) {
	var passwords atomic.Int32
	far, near := startServer(t, nil), startServer(t, demandPassword(&passwords))
	home, c := newHome(t)
	_, port, _ := net.SplitHostPort(near.addr)
	key := " " + string(ssh.MarshalAuthorizedKey(near.key.PublicKey()))
	writeSSH(t, home, "known_hosts", far.knownLine(far.key.PublicKey())+near.knownLine(near.key.PublicKey())+"one"+key+"two"+key)
	_, farPort, _ := net.SplitHostPort(far.addr)
	writeSSH(t, home, "config", "Host box*\n HostName 127.0.0.1\n Port "+farPort+"\nHost in*\n HostName 127.0.0.1\n Port "+port+"\n"+
		"Host box1\n ProxyJump joe@in1\nHost box2\n ProxyJump joe@in2\nHost in1\n HostKeyAlias one\nHost in2\n HostKeyAlias two\n")
	open := func(url string) error {
		res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)})
		if err == nil {
			err = res.Close()
		}
		return err
	}
	fetchtest.As[*protocols.Login](t, open("sftp://joe@box1"+far.dir+"/")).With("joe", "secret")
	fetchtest.NoError(t, open("sftp://joe@box1"+far.dir+"/"))
	passwords.Store(0)
	for _, url := range []string{"sftp://joe@box2" + far.dir + "/", near.url("/")} {
		fetchtest.As[*protocols.Login](t, open(url))
		fetchtest.Equal(t, passwords.Load(), 0, "passwords sent for %s", url)
	}
}
