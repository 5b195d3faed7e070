package sftp_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/sftp"
)

// testServer is an SSH server of a folder of this machine.
type testServer struct {
	addr   string
	dir    string // the served folder, which is also the login directory
	key    ssh.Signer
	config *ssh.ServerConfig
	// answer serves the subsystem; nil: the server of the module pkg/sftp.
	answer  func(io.ReadWriter)
	logins  atomic.Int32 // connections that have logged in
	running sync.WaitGroup
	mu      sync.Mutex
	conns   map[net.Conn]struct{}
}

func newKey(t testing.TB) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	fetchtest.NoError(t, err)
	return fetchtest.Must(ssh.NewSignerFromKey(private))(t), private
}

// startServer starts a server without a password, unless config demands one.
func startServer(t testing.TB, change func(*testServer)) *testServer {
	t.Helper()
	s := &testServer{dir: t.TempDir(), conns: make(map[net.Conn]struct{}), config: &ssh.ServerConfig{NoClientAuth: true}}
	s.key, _ = newKey(t)
	if change != nil {
		change(s)
	}
	s.config.AddHostKey(s.key)
	l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s.addr = l.Addr().String()
	s.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = struct{}{}
			s.mu.Unlock()
			s.running.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.breakConnections()
		s.running.Wait()
	})
	return s
}

// breakConnections closes all connections.
func (s *testServer) breakConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *testServer) serve(c net.Conn) {
	defer func() {
		_ = c.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	_, channels, requests, err := ssh.NewServerConn(c, s.config)
	if err != nil {
		return
	}
	s.logins.Add(1)
	go ssh.DiscardRequests(requests)
	for opening := range channels {
		if opening.ChannelType() == "direct-tcpip" { // ProxyJump
			s.running.Go(func() { forward(opening) })
			continue
		}
		ch, requests, err := opening.Accept()
		if err != nil {
			return
		}
		s.running.Go(func() {
			defer ch.Close()
			for r := range requests {
				_ = r.Reply(r.Type == "subsystem", nil)
				if r.Type == "subsystem" {
					break
				}
			}
			go ssh.DiscardRequests(requests)
			if s.answer != nil {
				s.answer(ch)
				return
			}
			library, err := pkgsftp.NewServer(ch, pkgsftp.WithServerWorkingDirectory(s.dir))
			if err == nil {
				_ = library.Serve()
				_ = library.Close()
			}
		})
	}
}

// forward connects a channel to the server that it names (RFC 4254, section 7.2).
func forward(opening ssh.NewChannel) {
	var to struct {
		Host  string
		Port  uint32
		Other []byte `ssh:"rest"`
	}
	if ssh.Unmarshal(opening.ExtraData(), &to) != nil {
		return
	}
	c, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		_ = opening.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	ch, requests, err := opening.Accept()
	if err != nil {
		_ = c.Close()
		return
	}
	go ssh.DiscardRequests(requests)
	go func() {
		_, _ = io.Copy(c, ch)
		_ = c.Close()
	}()
	_, _ = io.Copy(ch, c)
	_ = ch.Close()
}

// url returns the URL of a path below the folder of the server.
func (s *testServer) url(path string) string {
	return "sftp://joe@" + s.addr + s.dir + path
}

func (s *testServer) write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	return path
}

// trusting agrees to the keys of servers, as --trust does.
type trusting struct{ *sftp.Client }

func (c trusting) Fetch(ctx context.Context, req protocols.Request) (res *protocols.Resource, err error) {
	err = agree(func() error {
		res, err = c.Client.Fetch(ctx, req)
		return err
	})
	return res, err
}

// agree calls attempt, and again after the question whether to trust the key of a server.
func agree(attempt func() error) error {
	err := attempt()
	for range 3 {
		var q *protocols.Confirm
		if !errors.As(err, &q) || q.Consent != protocols.ConsentCertificate {
			return err
		}
		q.GiveConsent()
		err = attempt()
	}
	return err
}

// newHome returns a home directory, and a client of its user.
func newHome(t testing.TB) (string, *sftp.Client) {
	t.Helper()
	home := t.TempDir()
	return home, newClientOf(t, home)
}

func newClientOf(t testing.TB, home string) *sftp.Client {
	t.Helper()
	c := &sftp.Client{
		Dialer: wire.Dialer{}.LimitedTo(20 * time.Second),
		Getenv: func(name string) string {
			return map[string]string{"HOME": home, "USER": "joe", "SSH_AUTH_SOCK": filepath.Join(home, "agent")}[name]
		},
		UserName:  "joe",
		SystemDir: filepath.Join(home, "system"),
		MayRecord: func(string) bool { return true },
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func writeSSH(t testing.TB, home, name, text string) {
	t.Helper()
	path := filepath.Join(home, ".ssh", name)
	fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
}

// knowKey writes the key of the server to known_hosts.
func (s *testServer) knowKey(t testing.TB, home string) {
	t.Helper()
	writeSSH(t, home, "known_hosts", s.knownLine(s.key.PublicKey()))
}

func (s *testServer) knownLine(key ssh.PublicKey) string {
	host, port, _ := net.SplitHostPort(s.addr)
	return "[" + host + "]:" + port + " " + string(ssh.MarshalAuthorizedKey(key))
}

// newKnownClient returns a client whose user knows the key of the server.
func (s *testServer) newKnownClient(t testing.TB) *sftp.Client {
	t.Helper()
	home, c := newHome(t)
	s.knowKey(t, home)
	return c
}

// readText fetches a document.
func readText(t testing.TB, f protocols.Fetcher, req protocols.Request) string {
	t.Helper()
	res, err := f.Fetch(t.Context(), req)
	if err != nil {
		t.Fatalf("fetch %v: %v", req.URL, err)
	}
	defer res.Close()
	return string(fetchtest.Must(io.ReadAll(res.Body))(t))
}

// readLines fetches a directory, and returns its lines by their texts.
func readLines(t testing.TB, f protocols.Fetcher, url string) (protocols.Head, map[string]protocols.Line) {
	t.Helper()
	res, err := f.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)})
	if err != nil {
		t.Fatalf("fetch %v: %v", url, err)
	}
	defer res.Close()
	lines := make(map[string]protocols.Line)
	for line, err := range res.Lines {
		fetchtest.NoError(t, err)
		lines[strings.Clone(line.Text)] = line
	}
	return res.Head, lines
}
