//go:build unix

package term

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

// osc52 returns the sequence that copies text.
func osc52(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
}

// addPrograms makes a folder with shell scripts the only one that has programs.
func addPrograms(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, script := range scripts {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncd "+dir+"\nPATH="+os.Getenv("PATH")+"\n"+script), 0o700))
	}
	t.Setenv("PATH", dir)
	return dir
}

// TestClipboard checks which programs get the text, and what the terminal gets.
func TestClipboard(t *testing.T) {
	const text = "gopher://x/"
	const takes, fails = `echo "${0##*/} $*" >>by; cat >got`, "exit 1"
	const old = "case $* in *-w*) exit 1; esac; " + takes
	const leavesProcess = takes + "\nsleep 1000 & echo $! >pid"
	set := osc52(text)
	throughTmux := set + "\x1bPtmux;" + strings.ReplaceAll(set, "\x1b", "\x1b\x1b") + "\x1b\\"
	for name, tt := range map[string]struct {
		env              string
		remote, noOthers bool
		scripts          map[string]string
		by, ran, sent    string
	}{
		"terminal":              {sent: text},
		"screen":                {env: "STY=1.x", sent: "\x1bP" + set + "\x1b\\"},
		"tmux":                  {env: "TMUX=/x", scripts: map[string]string{"tmux": takes}, by: "tmux", ran: "tmux load-buffer -w -"},
		"tmux 3.1":              {env: "TMUX=/x", scripts: map[string]string{"tmux": old}, by: "tmux", ran: "tmux load-buffer -", sent: throughTmux},
		"dead tmux":             {env: "TMUX=/x", scripts: map[string]string{"tmux": fails}, sent: throughTmux},
		"no tmux":               {env: "TMUX=/x", sent: throughTmux},
		"restricted":            {env: "TMUX=/x", noOthers: true, scripts: map[string]string{"tmux": takes}, sent: throughTmux},
		"Wayland":               {env: "WAYLAND_DISPLAY=w DISPLAY=:0", scripts: map[string]string{"wl-copy": takes, "xclip": takes}, by: "wl-copy", ran: "wl-copy --type text/plain"},
		"Wayland, only xclip":   {env: "WAYLAND_DISPLAY=w DISPLAY=:0", scripts: map[string]string{"wl-copy": fails, "xclip": leavesProcess}, by: "xclip", ran: "xclip -selection clipboard"},
		"X11, only xsel":        {env: "DISPLAY=:0", scripts: map[string]string{"xsel": takes}, by: "xsel", ran: "xsel --clipboard --input"},
		"X11, no program":       {env: "DISPLAY=:0", sent: text},
		"tmux on a desktop":     {env: "TMUX=/x DISPLAY=:0", scripts: map[string]string{"tmux": takes, "xclip": takes}, by: "tmux xclip", ran: "tmux load-buffer -w -\nxclip -selection clipboard"},
		"remote":                {env: "WAYLAND_DISPLAY=w DISPLAY=:0", remote: true, scripts: map[string]string{"wl-copy": takes, "xclip": takes}, sent: text},
		"remote, with its X11":  {env: "DISPLAY=localhost:10.0", remote: true, scripts: map[string]string{"xclip": takes}, by: "xclip", ran: "xclip -selection clipboard"},
		"a program never reads": {env: "DISPLAY=:0", scripts: map[string]string{"xclip": "exec sleep 1000"}, sent: text},
	} {
		t.Run(name, func(t *testing.T) {
			env := make(map[string]string)
			for _, v := range strings.Fields(tt.env) {
				name, value, _ := strings.Cut(v, "=")
				env[name] = value
			}
			dir := addPrograms(t, tt.scripts)
			c := Clipboard{Env: func(name string) string { return env[name] }, Remote: tt.remote, Programs: !tt.noOthers}
			by, send := c.Copy(t.Context(), text)
			fetchtest.Equal(t, strings.Join(by, " "), tt.by, "the programs that have copied")
			sent := ""
			if send != nil {
				msg := send()
				if raw, ok := msg.(tea.RawMsg); ok {
					msg = raw.Msg
				}
				sent = fmt.Sprint(msg)
			}
			fetchtest.Equal(t, sent, tt.sent, "the terminal gets")
			read := func(file string) string {
				data, _ := os.ReadFile(filepath.Join(dir, file))
				return strings.TrimSpace(string(data))
			}
			fetchtest.Equal(t, read("by"), tt.ran, "programs")
			if tt.by != "" {
				fetchtest.Equal(t, read("got"), text, "the programs get")
			}
			if pid := read("pid"); pid != "" {
				fetchtest.NoError(t, exec.Command("/bin/sh", "-c", "kill "+pid).Run()) // the process still runs
			}
		})
	}
}

// TestClipboardOfTmux checks with a real tmux with its default settings that a copied text is in the buffer of tmux and
// reaches the terminal in which tmux runs.
func TestClipboardOfTmux(t *testing.T) {
	tmux := startTmux(t)
	c := Clipboard{Env: tmux.env, Programs: true}
	const text = "gopher://gopher.example.org/1/a b;c\n"
	if by, send := c.Copy(t.Context(), text); strings.Join(by, " ") != "tmux" || send != nil {
		t.Errorf("copied by %q, and the terminal gets %v; want tmux only", by, send)
	}
	fetchtest.Equal(t, tmux.run("show-buffer"), text, "the buffer of tmux")
	tmux.waitFor(osc52(text)[:len("\x1b]52;")]) // tmux 3.3 omits the c
	tmux.waitFor(base64.StdEncoding.EncodeToString([]byte(text)))
}

// tmuxServer is a tmux with one session, and a terminal that is attached to it.
type tmuxServer struct {
	t        *testing.T
	socket   string
	shell    string   // the shell that runs the next attached tmux, or ""
	outer    *os.File // the attached terminal
	received []byte   // what it has received
}

// startTmux starts tmux without the user's settings. The test is skipped if there is no tmux.
func startTmux(t *testing.T, clientEnv ...string) *tmuxServer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("GOFER_REQUIRE_DAEMONS") == "1" {
			t.Fatal(err)
		}
		t.Skip("tmux is not installed")
	}
	dir := fetchtest.Must(os.MkdirTemp("", "tmux"))(t) // the path of a socket must be short
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &tmuxServer{t: t, socket: filepath.Join(dir, "s")}
	s.attach([]string{"new-session"}, clientEnv...)
	t.Cleanup(func() { _ = s.command("kill-server").Run() })
	return s
}

// attach runs a tmux command in a new terminal that becomes the attached one, and waits until it is attached.
func (s *tmuxServer) attach(command []string, env ...string) {
	s.t.Helper()
	cmd := s.command(command...)
	if s.shell != "" {
		cmd = exec.Command(s.shell, append([]string{"-c", `"$@"; exit`, "sh"}, cmd.Args...)...)
	}
	cmd.Env = append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "SHELL=/bin/sh"}, env...)
	s.outer, s.received = fetchtest.Must(pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}))(s.t), nil
	s.t.Cleanup(func() {
		_ = s.outer.Close()
		_ = cmd.Wait()
	})
	s.waitFor("\x1b[?1049h")
	s.waitFor("[0]")
}

func (s *tmuxServer) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", s.socket}, args...)...)
}

// run runs a command of tmux and returns its output.
func (s *tmuxServer) run(args ...string) string {
	s.t.Helper()
	return string(fetchtest.Must(s.command(args...).Output())(s.t))
}

// env returns the variables of a program in the session.
func (s *tmuxServer) env(name string) string {
	return map[string]string{"TMUX": s.socket + ",1,0", "TMUX_PANE": "%0"}[name]
}

// waitFor waits until the attached terminal has received text.
func (s *tmuxServer) waitFor(text string) {
	s.t.Helper()
	buf := make([]byte, 4096)
	for !bytes.Contains(s.received, []byte(text)) {
		n, err := s.outer.Read(buf)
		if err != nil {
			s.t.Fatalf("the terminal has not received %q, but %q: %v", text, s.received, err)
		}
		s.received = append(s.received, buf[:n]...)
	}
}
