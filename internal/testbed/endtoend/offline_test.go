//go:build unix

package endtoend

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestServerStopped reads a fetched group after its server has stopped. Gofer must show the articles,
// report the refused connection, and mark an opened article as read.
func TestServerStopped(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for n, subject := range []string{"First", "Second"} {
		id := string(rune('1' + n))
		tree["news/g.one/"+id+".eml"] = &fstest.MapFile{Data: []byte("From: Ann <ann@example.org>\nNewsgroups: g.one\nSubject: " + subject + "\nDate: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <" + id + "@x>\nXref: h g.one:" + id + "\n\nWords of " + subject + "\n")}
	}
	server := fetchtest.Must(demo.StartNNTP(tree, nil))(t)
	home := t.TempDir()
	newsrc := filepath.Join(home, ".newsrc")
	fetchtest.NoError(t, os.WriteFile(newsrc, []byte("g.one:\n"), 0o600))
	run := func(input string, args ...string) string {
		t.Helper()
		cmd := newCommand(home, startWorld(t), "gofer", args...)
		cmd.Env = append(cmd.Env, "NNTPSERVER="+server.Addr())
		cmd.Stdin = strings.NewReader(input)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := run("", "news", "fetch", "-v"); !strings.HasPrefix(out, "1 group, 2 new articles, ") {
		t.Fatalf("gofer news fetch -v printed %q, want 1 group and 2 new articles", out)
	}
	fetchtest.NoError(t, server.Close())
	keepPort(t, server.Addr())
	if out := run("", "dump", "--offline", "-f", "json", "about:news"); !strings.Contains(out, `"unread":2`) {
		t.Errorf("gofer dump about:news printed %q, want 2 unread articles", out)
	}
	out := run("1\nq\n", "--plain", "news:g.one")
	if !strings.Contains(out, "First") || !strings.Contains(out, "Words of") || !strings.Contains(out, "connection refused") {
		t.Errorf("gofer --plain news:g.one printed %q, want the first article and the refused connection", out)
	}
	if out := run("", "news", "fetch"); !strings.Contains(out, "connection refused") {
		t.Errorf("gofer news fetch printed %q, want the refused connection", out)
	}
	if text, err := os.ReadFile(newsrc); err != nil || len(text) <= len("g.one:\n") {
		t.Errorf(".newsrc is %q, %v, want a read article", text, err)
	}
}

// keepPort keeps other tests from listening at an address at which nothing listens any more.
func keepPort(t *testing.T, addr string) {
	t.Helper()
	at := fetchtest.Must(netip.ParseAddrPort(addr))(t)
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	fetchtest.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	fetchtest.NoError(t, errors.Join(
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}),
	))
}
