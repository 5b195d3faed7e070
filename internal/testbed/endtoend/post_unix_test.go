//go:build unix

package endtoend

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/creack/pty"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// newPostCommand returns a gofer command of a user whose editor inserts the parameter text.
func newPostCommand(t *testing.T, home, text string, args ...string) *exec.Cmd {
	t.Helper()
	for name, content := range map[string]string{
		".config/gofer/config.toml": "post.from = 'Joe <joe@example.org>'\npost.sent = '~/Mail/sent'\n",
		".signature":                "Joe of the tests\n",
		"edit":                      "#!/bin/sh\nsed -i.old -e 's/^Subject: $/Subject: A new one/' -e 's/^-- $/" + text + "\\n-- /' \"$1\"\n",
	} {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fetchtest.NoError(t, os.WriteFile(path, []byte(content), 0o700))
	}
	cmd := newCommand(home, startWorld(t), "gofer", args...)
	cmd.Env = append(cmd.Env, "VISUAL='"+filepath.Join(home, "edit")+"'")
	return cmd
}

// TestPostFollowUp writes a follow-up, saves it as a draft and posts it. It does so on the screen, and
// then with --plain.
func TestPostFollowUp(t *testing.T) {
	t.Parallel()
	server := fetchtest.CloseAtEnd(demo.StartNNTP(fstest.MapFS{
		"news/g.one/1.eml": {
			Data: []byte("From: Ann <ann@example.org>\nNewsgroups: g.one\nSubject: First\n" +
				"Date: Fri, 3 Jan 2025 06:49:46 +0000\nMessage-ID: <1@x>\n\nWords\n-- \nAnn\n"),
		},
	}, nil))(t)
	home, group := t.TempDir(), server.URL("g.one")

	tm := startCommand(t, newPostCommand(t, home, "An answer", group))
	tm.wait("First")
	tm.typeKeys("\x1bf")
	tm.wait(`Post this to "g.one" by `+server.Addr()+"? (y/N)", "Subject: Re: First")
	tm.answer("n")
	tm.wait("the draft is kept")
	tm.openURL("about:drafts")
	tm.wait("Re: First, to g.one")
	tm.quit()

	tm = startCommand(t, newPostCommand(t, home, "An answer", group)) // a second run finds the draft unchanged
	tm.wait("First")
	tm.typeKeys("\x1bf")
	tm.wait(`Post this to "g.one"`)
	tm.answer("\x1b[6~")
	tm.wait("> Words", "An answer")
	tm.answer("y")
	tm.wait("└ Re: ", "Joe", "sent")
	tm.quit()

	cmd := newPostCommand(t, home, "Another answer", "--plain", group)
	tm = launch(t, cmd, &pty.Winsize{Rows: 100, Cols: 80})
	tm.emulate(80, 100)
	tm.waitUntil(func() bool { return strings.HasSuffix(tm.output(), "gofer> ") }, "does not begin")
	tm.typeKeys("P\r")
	tm.waitUntil(func() bool { return strings.Contains(tm.output(), `Post this to "g.one" by`) }, "does not ask")
	tm.typeKeys("y\r")
	tm.waitUntil(func() bool { return strings.Contains(tm.output(), "Sent.\r\ngofer> ") }, "does not send")
	tm.typeKeys("q\r")
	tm.waitExit(0)

	sent, err := os.ReadFile(filepath.Join(home, "Mail", "sent"))
	if err != nil || strings.Count(string(sent), "\nFrom: ") != 2 ||
		!strings.Contains(string(sent), "\nSubject: A new one\n") ||
		!strings.Contains(string(sent), "\nAnother answer\n-- \nJoe of the tests\n") {
		t.Errorf("Mail/sent is %q, %v, want two articles", sent, err)
	}
	read, err := filepath.Glob(filepath.Join(home, ".newsrc-*"))
	if err != nil || len(read) != 1 {
		t.Fatalf("newsrc: %q, %v", read, err)
	}
	if data, err := os.ReadFile(read[0]); err != nil || !strings.Contains(string(data), "g.one! 2-3\n") {
		t.Errorf("%s is %q, %v, want g.one! 2-3", read[0], data, err)
	}
}

// TestPostAnswerLost loses the answer to a posted article. It checks that gofer posts the article
// again with the same Message-ID, and that the answer "duplicate" counts as success.
func TestPostAnswerLost(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 10)
	addr := fetchtest.Serve(t, func(c net.Conn) {
		fmt.Fprint(c, "200 hello\r\n")
		for in := bufio.NewScanner(c); in.Scan(); {
			switch verb, _, _ := strings.Cut(in.Text(), " "); verb {
			case "LIST":
				fmt.Fprint(c, "215 list\r\ng.one 1 1 y\r\n.\r\n")
			case "POST":
				fmt.Fprint(c, "340 go on\r\n")
				for in.Scan() && in.Text() != "." {
					if id, ok := strings.CutPrefix(in.Text(), "Message-ID: "); ok {
						ids <- id
					}
				}
				if len(ids) < 3 {
					return
				}
				fmt.Fprint(c, "441 435 Duplicate\r\n")
			default:
				fmt.Fprint(c, "500 what?\r\n")
			}
		}
	})
	home := t.TempDir()
	cmd := newPostCommand(t, home, "", "about:drafts")
	fetchtest.NoError(
		t,
		os.WriteFile(filepath.Join(home, "edit"), []byte("#!/bin/sh\nsed -i.old -e 's/^Subject: $/Subject: Another/' \"$1\"\n"), 0o700),
	)
	tm := startCommand(t, cmd)
	tm.wait("There are no drafts")
	tm.openURL("about:compose/post?nntp://" + addr + "/g.one")
	tm.wait(`Post this to "g.one"`)
	tm.answer("y")
	tm.wait("the message is sent at the next connection")
	tm.openURL("about:compose/post?nntp://" + addr + "/g.one")
	tm.wait(`Post this to "g.one"`, "Subject: Another")
	tm.answer("y")
	drafts := filepath.Join(home, ".local", "share", "gofer", "drafts", "*.eml")
	tm.waitUntil(func() bool { return len(fetchtest.Must(filepath.Glob(drafts))(t)) == 0 }, "keeps the draft of what the server has")
	tm.quit()
	if first, second, third := <-ids, <-ids, <-ids; first == "" || first != second || second != third {
		t.Errorf("the Message-IDs are %s, %s, %s, want one Message-ID three times", first, second, third)
	}
}
