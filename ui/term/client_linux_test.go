package term

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// TestFindClient attaches terminals of this machine and others to a tmux, and checks that the attached one counts, not the
// one where gofer was started.
func TestFindClient(t *testing.T) {
	const ssh = "SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22"
	tmux := startTmux(t, ssh, "DISPLAY=localhost:10.0")
	pane, _ := strconv.Atoi(strings.TrimSpace(tmux.run("display-message", "-p", "#{pane_pid}")))
	hyperlinks := Unsupported
	if strings.Contains(tmux.run("display-message", "-p", "#{client_termfeatures}"), "hyperlinks") {
		hyperlinks = Supported
	}
	stale := func(name string) string {
		if name == "SSH_CONNECTION" || name == "DISPLAY" || name == "XAUTHORITY" {
			return "stale"
		}
		return tmux.env(name)
	}
	attach := []string{"attach-session", "-d"}
	for _, tt := range []struct {
		what    string
		attach  func()
		remote  bool
		display string
	}{
		{"started over SSH", func() {}, true, "localhost:10.0"},
		{"attached on this machine", func() { tmux.attach(attach, "DISPLAY=:0") }, false, ":0"},
		{"attached over SSH", func() { tmux.attach(attach, ssh) }, true, ""},
		{"attached over SSH after sudo", func() {
			tmux.shell = copyShell(t, "sshd")
			tmux.attach(attach)
		}, true, ""},
	} {
		tt.attach()
		for _, env := range []func(string) string{tmux.env, stale} {
			c := FindClient(t.Context(), env)
			fetchtest.Equal(t, c.Remote, tt.remote, "%s: Remote", tt.what)
			fetchtest.Equal(t, c.Env("DISPLAY"), tt.display, "%s: DISPLAY", tt.what)
			fetchtest.Equal(t, c.Env("XAUTHORITY"), "", "%s: XAUTHORITY", tt.what)
			fetchtest.Equal(t, c.Hyperlinks, hyperlinks, "%s: Hyperlinks", tt.what)
		}
	}
	fetchtest.Equal(t, isRemoteLogin(pane, true), true, "remote by the clients, without tmux")
	fetchtest.Equal(t, isRemoteLogin(pane, false), false, "remote without the clients")
	c := FindClient(t.Context(), func(name string) string {
		return map[string]string{"TMUX": "/no/such/socket,1,0", "SSH_TTY": "x"}[name]
	})
	fetchtest.Equal(t, c.Remote, true, "remote by the environment, if tmux does not answer")
	fetchtest.Equal(t, c.Hyperlinks, Unknown, "Hyperlinks, if tmux does not answer")
	c = FindClient(t.Context(), func(name string) string { return map[string]string{"STY": "1.s", "SSH_TTY": "stale"}[name] })
	fetchtest.Equal(t, c.Remote, isRemoteLogin(os.Getpid(), true), "remote in screen that was started over SSH")
}

// TestIsRemoteLogin checks that a login over the network is found among the ancestors of a process, but not beyond a program
// that has given the process another terminal.
func TestIsRemoteLogin(t *testing.T) {
	for _, tt := range []struct {
		ancestors string // the oldest first
		lost      bool   // the process does not have the terminal of the youngest ancestor
		want      bool
	}{
		{"sh", false, false},
		{"sshd sh", false, true},
		{"sshd-session sh su sh", false, true},
		{"mosh-server sh sudo", true, true},
		{"sshd xterm", true, false},
		{"sshd) 1 (x", false, false},
	} {
		script := "sh -c 'echo $$; exec sleep 1000' & wait"
		if tt.lost {
			script = "setsid " + script
		}
		names := strings.Split(tt.ancestors, " ")
		if strings.Contains(tt.ancestors, ")") {
			names = []string{tt.ancestors}
		}
		cmd := exec.Command(copyShell(t, names[0]), "-c", nested(t, names[1:], script))
		tty := fetchtest.Must(pty.Start(cmd))(t)
		line := fetchtest.Must(bufio.NewReader(tty).ReadString('\n'))(t)
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, isRemoteLogin(pid, true), tt.want, "remote with the ancestors %q", tt.ancestors)
		fetchtest.NoError(t, exec.Command("kill", strconv.Itoa(pid)).Run())
		_, _ = io.Copy(io.Discard, tty)
		_ = cmd.Wait()
		_ = tty.Close()
	}
}

// nested returns a command line that runs script in shells with these names, each started by the one before.
func nested(t *testing.T, names []string, script string) string {
	for i := len(names) - 1; i >= 0; i-- {
		script = "'" + copyShell(t, names[i]) + "' -c '" + strings.ReplaceAll(script, "'", `'\''`) + "'; exit"
	}
	return script
}

// copyShell returns a copy of the shell whose processes have the given name.
func copyShell(t *testing.T, name string) string {
	path := filepath.Join(t.TempDir(), name)
	fetchtest.NoError(t, os.WriteFile(path, fetchtest.Must(os.ReadFile("/bin/sh"))(t), 0o700))
	return path
}
