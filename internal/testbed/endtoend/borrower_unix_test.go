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

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// Scripts of programs that borrow the terminal. Each is a shell with a child that uses the terminal,
// as in sh -c 'vim "$@"'. A signal ends endingBorrower, but not stayingBorrower.
const (
	endingBorrower = `#!/bin/sh
for last; do :; done
sh -c 'trap "echo ended >\"$HOME/end\"; exit" TERM
[ -f "$1" ] && echo typed >>"$1"
stty raw -echo </dev/tty; echo $$ >"$HOME/pid"; printf "\033[?1003hborrowed\n" >/dev/tty; while :; do sleep 0.01; done' sh "$last"
exit 3
`
	stayingBorrower = `#!/bin/sh
sh -c 'trap "" TERM HUP; echo $$ >"$HOME/pid"; echo borrowed >/dev/tty; while :; do sleep 0.01; done'
exit 3
`
)

// borrowers lists the ways to make gofer give the terminal to a program.
var borrowers = []struct {
	name string
	args func(world *demo.World, news *demo.NNTPServer) []string
	keys []string // alternately a text to wait for and keys to type
}{
	{"bookmarks", func(w *demo.World, _ *demo.NNTPServer) []string { return []string{w.StartURL() + "/library"} }, []string{"3/7", "E"}},
	{"draft", func(_ *demo.World, n *demo.NNTPServer) []string { return []string{n.URL("g.one")} }, []string{"First", "\x1bp"}},
	{"pager", func(w *demo.World, _ *demo.NNTPServer) []string {
		return []string{w.StartURL() + "/library/urls"}
	}, []string{"general.txt", "o", "(y/N)", "y"}},
	{
		"pipe", func(w *demo.World, _ *demo.NNTPServer) []string { return []string{w.StartURL() + "/library"} },
		[]string{"3/7 ─", "|", "Command:", "borrower\r"},
	},
	{"gofer post", func(_ *demo.World, n *demo.NNTPServer) []string { return []string{"post", n.URL("g.one")} }, nil},
	{"gofer config edit", func(*demo.World, *demo.NNTPServer) []string { return []string{"config", "edit"} }, nil},
	{"line by line", func(_ *demo.World, n *demo.NNTPServer) []string {
		return []string{"--plain", n.URL("g.one")}
	}, []string{"gofer>", "P\r"}},
	{"password command", func(w *demo.World, _ *demo.NNTPServer) []string {
		return []string{"dump", "--plain-password", "ftp://joe@" + w.FTP.Addr() + "/"}
	}, nil},
}

// startOneArticle starts a news server with one article in the group g.one.
func startOneArticle(t *testing.T) *demo.NNTPServer {
	return fetchtest.CloseAtEnd(demo.StartNNTP(fstest.MapFS{"news/g.one/1.eml": {
		Data: []byte("Newsgroups: g.one\nSubject: First\nMessage-ID: <1@x>\n\nWords\n"),
	}}, nil))(t)
}

// startBorrower starts gofer, makes it run script in the way borrowers[way], and waits until the
// script has the terminal. If shell is not empty, it is a command that runs gofer. The result home
// is the home directory of the user.
func startBorrower(
	t *testing.T, world *demo.World, news *demo.NNTPServer, way int, script string, shell ...string,
) (tm *terminal, home string) {
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
	tt := borrowers[way]
	args := tt.args(world, news)
	name := "gofer"
	if len(shell) > 0 {
		name, args = shell[0], append(shell[1:], args...)
	}
	cmd := newCommand(home, world, name, args...)
	cmd.Env = append(cmd.Env, "EDITOR=borrower", "PAGER=borrower", "TMPDIR="+home)
	cmd.Env[0] += ":" + home
	tm = launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	for i, keys := range append(tt.keys, "borrowed") {
		if i%2 == 0 {
			tm.wait(keys)
		} else {
			tm.answer(keys)
		}
	}
	return tm, home
}

// TestSignalEndsBorrower checks that a signal to gofer first ends all processes of the program that
// has the terminal. Then gofer must restore the terminal.
func TestSignalEndsBorrower(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	news := startOneArticle(t)
	for way, tt := range borrowers {
		for name, script := range map[string]string{"ends": endingBorrower, "stays": stayingBorrower} {
			t.Run(tt.name+" that "+name, func(t *testing.T) {
				t.Parallel()
				sig := syscall.SIGTERM
				if name == "stays" && len(tt.keys) > 0 && tt.name != "line by line" { // only if gofer has a screen
					sig = syscall.SIGHUP
				}
				tm, home := startBorrower(t, world, news, way, script)
				pid := fetchtest.Must(strconv.Atoi(strings.TrimSpace(string(fetchtest.Must(os.ReadFile(filepath.Join(home, "pid")))(t)))))(t)
				fetchtest.NoError(t, tm.cmd.Process.Signal(sig))
				tm.waitExit(5)
				if _, err := os.Stat(filepath.Join(home, "end")); (err == nil) != (name == "ends") {
					t.Errorf("the file that the script writes on SIGTERM: got %v, want the file: %t", err, name == "ends")
				}
				tm.waitUntil(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }, "leaves a process of the program")
				tm.waitUntil(func() bool { return reflect.DeepEqual(tm.readModes(), tm.modesBefore) }, "leaves the terminal in raw mode")
				if strings.Contains(tm.output(), "\x1b[?1049h") {
					tm.checkRestored()
					tm.checkModesReset()
				}
				if name == "ends" && (tt.name == "draft" || tt.name == "gofer post" || tt.name == "line by line") {
					drafts := fetchtest.Must(fs.Glob(os.DirFS(home), ".local/share/gofer/drafts/*.eml"))(t)
					if len(drafts) != 1 || !strings.HasSuffix(string(fetchtest.Must(os.ReadFile(filepath.Join(home, drafts[0])))(t)), "typed\n") {
						t.Errorf("got the drafts %q, want one that ends in \"typed\"", drafts)
					}
				}
			})
		}
	}
}

// TestSuspendBorrower checks that Ctrl-Z in a program that has the terminal returns to the shell,
// and that fg returns to the program.
func TestSuspendBorrower(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	news := startOneArticle(t)
	const script = `#!/bin/sh
exec </dev/tty >/dev/tty
echo borrowed
while :; do read x || continue; echo "read $x"; [ "$x" = end ] && exit; done
`
	const job = `set -m; gofer "$@"; echo suspended; until [ -e resume ]; do sleep 0.01; done; fg`
	for way, tt := range borrowers {
		var notice string
		switch tt.name {
		case "bookmarks":
			notice = "bookmarks reloaded"
		case "pipe":
			notice = "[borrower has ended. Press Enter.]"
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
				tm, home := startBorrower(t, world, news, way, script, shell, "-c", job, "sh")
				tm.typeKeys("one\r")
				tm.wait("read one")
				tm.typeKeys("\x1a")
				tm.wait("suspended")
				fetchtest.NoError(t, os.WriteFile(filepath.Join(home, "resume"), nil, 0o600))
				tm.typeKeys("two\r")
				tm.wait("read two")
				tm.typeKeys("end\r")
				if notice != "" {
					tm.wait(notice)
					if tt.name == "pipe" {
						tm.typeKeys("\r")
						tm.wait("3/7")
					}
					tm.quit()
					tm.checkRestored()
					return
				}
				tm.waitExit(0)
			})
		}
	}
}
