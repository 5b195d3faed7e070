//go:build unix

package endtoend

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// TestQueuedPost checks that an article written offline is posted once when the server can be
// reached, even if the program is killed before it records the post. A refused article must become a
// draft.
func TestQueuedPost(t *testing.T) {
	t.Parallel()
	server := fetchtest.CloseAtEnd(demo.StartNNTP(fstest.MapFS{
		"news/g.one/1.eml": {
			Data: []byte("From: Ann <ann@example.org>\nNewsgroups: g.one\nSubject: First\n" +
				"Date: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <1@x>\n\nWords\n"),
		},
	}, nil))(t)
	home, group := t.TempDir(), server.URL("g.one")
	queue := func() {
		t.Helper()
		tm := startCommand(t, newPostCommand(t, home, "An answer", "--offline", "post", group))
		tm.wait(`Post this to "g.one" by ` + server.Addr())
		tm.typeKeys("y\r")
		tm.waitUntil(func() bool { return strings.Contains(tm.output(), "Not sent: no connection") }, "is not queued")
		tm.waitExit(0)
	}
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		cmd := newPostCommand(t, home, "", args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != wantCode || !strings.Contains(string(out), want) {
			t.Errorf("%q: exit code %d, %s; want %d, %q", args, code, out, wantCode, want)
		}
	}
	queue()
	run(0, "to be sent: A new one, to g.one", "dump", "about:drafts")
	run(3, "no connection", "--offline", "news", "post")
	run(0, "to be sent: A new one, to g.one", "dump", "about:drafts")

	drafts := filepath.Join(home, ".local/share/gofer/drafts")
	before := t.TempDir()
	fetchtest.NoError(t, os.CopyFS(filepath.Join(before, "drafts"), os.DirFS(drafts)))
	for range 2 {
		run(0, "", "news", "post")
		run(0, "There are no drafts", "dump", "about:drafts")
		run(0, "A new one", "dump", group)
		// Restores the draft, as if gofer had been killed between the answer and the removal of the draft.
		fetchtest.NoError(t, os.RemoveAll(drafts))
		fetchtest.NoError(t, os.CopyFS(drafts, os.DirFS(filepath.Join(before, "drafts"))))
	}
	run(0, "", "news", "fetch")
	cmd := newPostCommand(t, home, "", "dump", "-f", "links", group)
	out, err := cmd.Output()
	if n := strings.Count(string(out), "nntp://"); err != nil || n != 2 {
		t.Errorf("%d articles, %v; want 2:\n%s", n, err, out)
	}

	queue()
	tm := startCommand(t, newPostCommand(t, home, "", "--read-only", group))
	tm.wait("First")
	tm.quit()
	run(0, "to be sent: A new one, to g.one", "dump", "about:drafts")
	tm = startCommand(t, newPostCommand(t, home, "", group))
	tm.wait("First", "posted A new one")
	tm.quit()
	run(0, "There are no drafts", "dump", "about:drafts")

	server.Handle("POST", func(c net.Conn, _ string) bool {
		_, err := c.Write([]byte("440 no posting today\r\n"))
		return err == nil
	})
	queue()
	tm = startCommand(t, newPostCommand(t, home, "", group))
	tm.wait("First", "not posted: A new one")
	tm.quit()
	run(0, "permission denied by the server 440 no posting today: A new one", "dump", "about:drafts")
	queue()
	run(4, "no posting today", "news", "post")
	run(0, "permission denied by the server 440 no posting today: A new one", "dump", "about:drafts")
	run(0, "", "news", "post")
}
