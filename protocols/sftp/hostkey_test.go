package sftp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/sftp"
)

// demandPassword makes the server want the password "secret", and counts the passwords that it gets.
func demandPassword(got *atomic.Int32) func(*testServer) {
	return func(s *testServer) {
		s.config.NoClientAuth = false
		s.config.PasswordCallback = func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			got.Add(1)
			if string(password) != "secret" {
				return nil, errors.New("no")
			}
			return nil, nil
		}
	}
}

// TestUnknownKey checks that an unknown key is a question, that no password is sent before the yes, and that the yes is written
// to known_hosts, where the next client finds it.
func TestUnknownKey(t *testing.T) {
	var passwords atomic.Int32
	s := startServer(t, demandPassword(&passwords))
	s.write(t, "a.txt", "text")
	for _, hashed := range []bool{false, true} {
		home, c := newHome(t)
		if hashed {
			writeSSH(t, home, "known_hosts", knownhosts.HashHostname("other.example")+" "+string(ssh.MarshalAuthorizedKey(s.key.PublicKey())))
		}
		passwords.Store(0)
		u := fetchtest.Parse(t, strings.Replace(s.url("/a.txt"), "joe@", "joe:secret@", 1))
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		q := fetchtest.As[*protocols.Confirm](t, err)
		fetchtest.Equal(t, q.Consent, protocols.ConsentCertificate)
		fetchtest.Equal(t, q.Details[0], ssh.FingerprintSHA256(s.key.PublicKey()))
		fetchtest.Equal(t, passwords.Load(), 0, "passwords sent before the key is accepted")
		q.GiveConsent()
		fetchtest.Equal(t, readText(t, c, protocols.Request{URL: u}), "text")
		known := string(fetchtest.Must(os.ReadFile(filepath.Join(home, ".ssh", "known_hosts")))(t))
		fetchtest.Equal(t, strings.Contains(known, "127.0.0.1"), !hashed, "the name is legible")
		fetchtest.Equal(t, readText(t, newClientOf(t, home), protocols.Request{URL: u}), "text", "with the written line")
	}
}

// TestUnrecordedKey checks that a yes is kept in memory only, and another key refused, if no file may be written.
func TestUnrecordedKey(t *testing.T) {
	home, private := newHome(t)
	private.MayRecord = func(string) bool { return false }
	for name, c := range map[string]*sftp.Client{"private": private, "restricted": {}} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, nil)
			s.write(t, "a.txt", "text")
			defer c.Close()
			req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
			fetchtest.Equal(t, readText(t, trusting{c}, req), "text")
			if _, err := os.Stat(filepath.Join(home, ".ssh", "known_hosts")); err == nil {
				t.Error("known_hosts was written")
			}
			s.key, _ = newKey(t)
			other := &ssh.ServerConfig{NoClientAuth: true}
			other.AddHostKey(s.key)
			s.config = other
			s.breakConnections()
			_, err := trusting{c}.Fetch(t.Context(), req)
			fetchtest.Reason(t, err, protocols.Insecure)
		})
	}
}

// TestKnownHosts checks lines of known_hosts: a changed key and a revoked one are refused with file and line.
func TestKnownHosts(t *testing.T) {
	s := startServer(t, nil)
	s.write(t, "a.txt", "text")
	other, _ := newKey(t)
	key := string(ssh.MarshalAuthorizedKey(s.key.PublicKey()))
	host, _, _ := strings.Cut(s.knownLine(s.key.PublicKey()), " ")
	for name, tt := range map[string]struct{ file, want string }{
		"known":             {"# a comment\n" + s.knownLine(s.key.PublicKey()), ""},
		"hashed":            {knownhosts.HashHostname(host) + " " + key, ""},
		"pattern":           {"127.0.0.* " + key, ""},
		"changed":           {"# a comment\n" + s.knownLine(other.PublicKey()), "~/.ssh/known_hosts, line 2"},
		"changed after NUL": {host + "\x00 " + string(ssh.MarshalAuthorizedKey(other.PublicKey())), "~/.ssh/known_hosts, line 1"},
		"changed hashed":    {knownhosts.HashHostname(host) + " " + string(ssh.MarshalAuthorizedKey(other.PublicKey())), "~/.ssh/known_hosts, line 1"},
		"revoked":           {"@revoked * " + key, "revoked by ~/.ssh/known_hosts, line 1"},
		"after bad lines":   {"[127.0.0.1 ssh-ed25519\n@odd * " + key + "* ssh-ed25519 AAAA\n" + s.knownLine(s.key.PublicKey()), ""},
		"without port":      {"127.0.0.1 " + key, ""},
		"other letters":     {strings.ToUpper(host) + " " + key, ""},
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			writeSSH(t, home, "known_hosts", tt.file)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))})
			if tt.want == "" {
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, res.Security.Trust, protocols.Verified)
				fetchtest.NoError(t, res.Close())
				return
			}
			fetchtest.Reason(t, err, protocols.Insecure)
			fetchtest.Contains(t, err.Error(), tt.want)
		})
	}
}

// TestKeyAlgorithms checks that a server with keys of two kinds shows the one that is known.
func TestKeyAlgorithms(t *testing.T) {
	private := fetchtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	second := fetchtest.Must(ssh.NewSignerFromKey(private))(t)
	s := startServer(t, func(s *testServer) { s.config.AddHostKey(second) })
	s.write(t, "a.txt", "text")
	home, c := newHome(t)
	writeSSH(t, home, "known_hosts", s.knownLine(second.PublicKey()))
	fetchtest.Equal(t, readText(t, c, protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}), "text")
}

// TestHostCertificate checks that a certificate is accepted if known_hosts names its authority, unless the algorithm of its
// signature is weak or not one of those that the user wants.
func TestHostCertificate(t *testing.T) {
	authority, _ := newKey(t)
	rsaKey := fetchtest.Must(ssh.NewSignerFromKey(fetchtest.Must(rsa.GenerateKey(rand.Reader, 2048))(t)))(t)
	sha1 := fetchtest.Must(ssh.NewSignerWithAlgorithms(rsaKey.(ssh.AlgorithmSigner), []string{ssh.KeyAlgoRSA}))(t)
	for name, tt := range map[string]struct {
		authority    ssh.Signer
		config, want string
	}{
		"Ed25519":  {authority, "", ""},
		"RSA":      {rsaKey, "", ""},
		"SHA-1":    {sha1, "", "signed its certificate with ssh-rsa, which is not accepted"},
		"unwanted": {rsaKey, "CASignatureAlgorithms ssh-ed25519\n", "which is not accepted"},
		"wanted":   {authority, "CASignatureAlgorithms ssh-ed25519\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) {
				cert := &ssh.Certificate{
					Key: s.key.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"127.0.0.1"}, ValidBefore: ssh.CertTimeInfinity,
				}
				fetchtest.NoError(t, cert.SignCert(rand.Reader, tt.authority))
				s.config.AddHostKey(fetchtest.Must(ssh.NewCertSigner(cert, s.key))(t))
			})
			s.write(t, "a.txt", "text")
			home, c := newHome(t)
			writeSSH(t, home, "config", tt.config)
			writeSSH(t, home, "known_hosts", "@cert-authority "+s.knownLine(tt.authority.PublicKey()))
			req := protocols.Request{URL: fetchtest.Parse(t, s.url("/a.txt"))}
			if tt.want == "" {
				fetchtest.Equal(t, readText(t, c, req), "text")
				return
			}
			_, err := c.Fetch(t.Context(), req)
			fetchtest.Reason(t, err, protocols.Insecure)
			fetchtest.Contains(t, err.Error(), tt.want)
		})
	}
}

// TestUntrustedLines checks lines of known_hosts that do not make a key known: the key is a question.
func TestUntrustedLines(t *testing.T) {
	s := startServer(t, nil)
	other, _ := newKey(t)
	for name, file := range map[string]string{
		"the key is that of an authority": "@cert-authority " + s.knownLine(s.key.PublicKey()),
		"another key without the port":    "127.0.0.1 " + string(ssh.MarshalAuthorizedKey(other.PublicKey())),
		"a marker that ends in a tab":     "@cert-authority\t" + s.knownLine(s.key.PublicKey()),
		"an excluded host":                "*,!127.0.0.1,!" + s.knownLine(s.key.PublicKey()),
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			writeSSH(t, home, "known_hosts", file)
			_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/"))})
			fetchtest.As[*protocols.Confirm](t, err)
		})
	}
}

// TestLostRevocation checks that the user is told about a line that revokes a key and cannot be read.
func TestLostRevocation(t *testing.T) {
	s := startServer(t, nil)
	home, c := newHome(t)
	writeSSH(t, home, "known_hosts", s.knownLine(s.key.PublicKey())+"@revoked * ssh-ed25519 AAAA\n@revoked other ssh-ed25519 AAAA\n")
	head, _ := readLines(t, c, s.url("/"))
	fetchtest.Equal(t, head.Notes[0], "~/.ssh/known_hosts, line 2: this line revokes a key, and cannot be read")
	fetchtest.NotContains(t, strings.Join(head.Notes[1:], "\n"), "known_hosts")
}

// TestKeyRefused checks settings that refuse a key without a question.
func TestKeyRefused(t *testing.T) {
	s := startServer(t, nil)
	for name, tt := range map[string]struct {
		prepare func(home string)
		want    string
	}{
		"strict": {func(home string) { writeSSH(t, home, "config", "StrictHostKeyChecking yes\n") }, "StrictHostKeyChecking is on"},
		"known_hosts of others": {func(home string) {
			s.knowKey(t, home)
			fetchtest.NoError(t, os.Chmod(filepath.Join(home, ".ssh", "known_hosts"), 0o666))
		}, "~/.ssh/known_hosts is not used, because another user may have written it"},
		"another name of the host": {func(home string) {
			other, _ := newKey(t)
			writeSSH(t, home, "config", "HostKeyAlias real\nUserKnownHostsFile ~/.ssh/mine\n")
			writeSSH(t, home, "mine", "real "+string(ssh.MarshalAuthorizedKey(other.PublicKey())))
		}, "it is not the key in ~/.ssh/mine, line 1"},
		"letters of the host name": {func(home string) {
			other, _ := newKey(t)
			writeSSH(t, home, "config", "HostName LOCALHOST\n")
			line := s.knownLine(other.PublicKey())
			writeSSH(t, home, "known_hosts", strings.Replace(line, "127.0.0.1", "localhost", 1))
		}, "it is not the key in ~/.ssh/known_hosts, line 1"},
		"configuration": {func(home string) { writeSSH(t, home, "config", "ProxyCommand nc\n") }, "~/.ssh/config, line 1: gofer runs no ProxyCommand"},
	} {
		t.Run(name, func(t *testing.T) {
			home, c := newHome(t)
			tt.prepare(home)
			_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/"))})
			if protocols.QuestionOf(err) != nil || err == nil {
				t.Fatalf("got %v, want an error", err)
			}
			fetchtest.Contains(t, err.Error(), tt.want)
		})
	}
}
