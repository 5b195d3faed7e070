//go:build unix

package endtoend

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// The programs that borrow the terminal in these tests: a shell whose child has it, as
// sh -c 'vim "$@"' is one. The first one ends when it is told to, the other does not.
const (
	ends = `#!/bin/sh
for last; do :; done
sh -c 'trap "echo ended >\"$HOME/end\"; exit" TERM
[ -f "$1" ] && echo typed >>"$1"
stty raw -echo </dev/tty; echo $$ >"$HOME/pid"; printf "\033[?1003hborrowed\n" >/dev/tty; while :; do sleep 0.01; done' sh "$last"
exit 3
`
	stays = `#!/bin/sh
sh -c 'trap "" TERM HUP; echo $$ >"$HOME/pid"; echo borrowed >/dev/tty; while :; do sleep 0.01; done'
exit 3
`
)

// borrowed is the ways in which a program gets the terminal.
var borrowed = []struct {
	name string
	args func(world *loopback.World, news *loopback.NNTPServer) []string
	keys []string // what is waited for, what is typed, and so on
}{
	{"bookmarks", func(w *loopback.World, _ *loopback.NNTPServer) []string { return []string{w.Start() + "/library"} }, []string{"3/7", "E"}},
	{"draft", func(_ *loopback.World, n *loopback.NNTPServer) []string { return []string{n.URL("g.one")} }, []string{"First", "\x1bp"}},
	{"pager", func(w *loopback.World, _ *loopback.NNTPServer) []string {
		return []string{w.Start() + "/library/urls"}
	}, []string{"general.txt", "o", "(y/N)", "y"}},
	{"pipe", func(w *loopback.World, _ *loopback.NNTPServer) []string { return []string{w.Start() + "/library"} }, []string{"3/7 ─", "|", "Command:", "borrower\r"}},
	{"gofer post", func(_ *loopback.World, n *loopback.NNTPServer) []string { return []string{"post", n.URL("g.one")} }, nil},
	{"gofer config edit", func(*loopback.World, *loopback.NNTPServer) []string { return []string{"config", "edit"} }, nil},
	{"line by line", func(_ *loopback.World, n *loopback.NNTPServer) []string {
		return []string{"--plain", n.URL("g.one")}
	}, []string{"gofer>", "P\r"}},
	{"password command", func(w *loopback.World, _ *loopback.NNTPServer) []string {
		return []string{"dump", "--plain-password", "ftp://joe@" + w.FTP.Addr() + "/"}
	}, nil},
}

// oneArticle starts a news server with one article in the group g.one.
func oneArticle(t *testing.T) *loopback.NNTPServer {
	return fetchtest.Started(loopback.StartNNTP(fstest.MapFS{"news/g.one/1.eml": {Data: []byte("Newsgroups: g.one\nSubject: First\nMessage-ID: <1@x>\n\nWords\n")}}, nil))(t)
}

// borrow starts gofer in a way of the table with the program script, and waits until
// the program has the terminal. It returns the user's home.
func borrow(t *testing.T, world *loopback.World, news *loopback.NNTPServer, way int, script string, before ...string) (tm *terminal, home string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range map[string]string{
		"borrower":                  script,
		".config/gofer/config.toml": "password_command = 'borrower'\npost.from = 'Joe <joe@example.org>'\n",
		".mailcap":                  "text/*; cat %s; copiousoutput\n",
	} {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)))
	}
	tt := borrowed[way]
	args := tt.args(world, news)
	name := "gofer"
	if len(before) > 0 {
		name, args = before[0], append(before[1:], args...)
	}
	cmd := command(home, world, name, args...)
	cmd.Env = append(cmd.Env, "EDITOR=borrower", "PAGER=borrower", "TMPDIR="+home)
	cmd.Env[0] += ":" + home
	tm = launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	for i, keys := range append(tt.keys, "borrowed") {
		if i%2 == 0 {
			tm.wait(keys)
		} else {
			tm.keys(keys)
		}
	}
	return tm, home
}

// TestSignalEndsBorrower: whatever has the terminal when a signal ends the program ends
// before it, with all its processes, and the terminal is as it was.
func TestSignalEndsBorrower(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	news := oneArticle(t)
	for way, tt := range borrowed {
		for name, script := range map[string]string{"ends": ends, "stays": stays} {
			t.Run(tt.name+" that "+name, func(t *testing.T) {
				t.Parallel()
				sig := syscall.SIGTERM
				if name == "stays" && len(tt.keys) > 0 && tt.name != "line by line" { // on a screen
					sig = syscall.SIGHUP
				}
				tm, home := borrow(t, world, news, way, script)
				pid := fetchtest.Must(strconv.Atoi(strings.TrimSpace(string(fetchtest.Must(os.ReadFile(filepath.Join(home, "pid")))(t)))))(t)
				fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
				tm.ended(5)
				if _, err := os.Stat(filepath.Join(home, "end")); (err == nil) != (name == "ends") {
					t.Errorf("told to end: %v", err)
				}
				tm.until(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }, "leaves a process of the program")
				tm.until(func() bool { return reflect.DeepEqual(tm.modes(), tm.before) }, "leaves the terminal in raw mode")
				if strings.Contains(tm.output(), "\x1b[?1049h") {
					tm.restored()
					tm.ordered()
				}
				if name == "ends" && (tt.name == "draft" || tt.name == "gofer post" || tt.name == "line by line") {
					drafts := fetchtest.Must(fs.Glob(os.DirFS(home), ".local/share/gofer/drafts/*.eml"))(t)
					if len(drafts) != 1 || !strings.HasSuffix(string(fetchtest.Must(os.ReadFile(filepath.Join(home, drafts[0])))(t)), "typed\n") {
						t.Errorf("the draft is not kept: %q", drafts)
					}
				}
			})
		}
	}
}

// TestSuspendBorrower: Ctrl-Z in a program that has the terminal gives it to the shell,
// and fg gives it back to the program.
func TestSuspendBorrower(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	news := oneArticle(t)
	const script = `#!/bin/sh
exec </dev/tty >/dev/tty
echo borrowed
while :; do read x || continue; echo "read $x"; [ "$x" = end ] && exit; done
`
	const job = `set -m; gofer "$@"; echo suspended; until [ -e resume ]; do sleep 0.01; done; fg`
	for way, tt := range borrowed {
		var left string
		switch tt.name {
		case "bookmarks":
			left = "the bookmarks were read again"
		case "pipe":
			left = "[borrower has ended. Press Enter.]"
		case "gofer config edit":
		default:
			continue
		}
		for _, shell := range []string{"sh", "bash"} {
			t.Run(tt.name+" by "+shell, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(shell); err != nil {
					t.Skip(err)
				}
				tm, home := borrow(t, world, news, way, script, shell, "-c", job, "sh")
				tm.keys("one\r")
				tm.wait("read one")
				tm.keys("\x1a")
				tm.wait("suspended")
				fetchtest.NoError(t, os.WriteFile(filepath.Join(home, "resume"), nil, 0o600))
				tm.keys("two\r")
				tm.wait("read two")
				tm.keys("end\r")
				if left != "" {
					tm.wait(left)
					if tt.name == "pipe" {
						tm.keys("\r")
						tm.wait("3/7")
					}
					tm.quit()
					tm.restored()
					return
				}
				tm.ended(0)
			})
		}
	}
}
