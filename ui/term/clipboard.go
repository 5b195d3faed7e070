package term

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/program"
	"gofer/internal/program/job"
)

// Clipboard is the clipboard of the user, who may sit at another machine.
//
// A library is not used: github.com/atotto/clipboard looks for its programs whenever gofer starts, has no time limit and
// does not know tmux, and golang.design/x/clipboard needs cgo.
type Clipboard struct {
	Env      func(string) string // environment of the terminal
	Remote   bool                // the user sits at another machine
	Programs bool                // other programs may be started
}

// Copy puts text on the clipboard. It returns the names of the programs that have done so, such as "tmux". If the terminal
// itself must do so, it returns the command that sends the text to the terminal, which never says what it has done with it.
func (c *Clipboard) Copy(ctx context.Context, text string) (by []string, send tea.Cmd) {
	if !c.Programs {
		return nil, sendToClipboard(c.Env, text)
	}
	if c.Env("TMUX") != "" {
		switch {
		case c.runWith(ctx, text, "tmux", "load-buffer", "-w", "-"): // tmux also sends the text to its terminal
			by = append(by, "tmux")
		case c.runWith(ctx, text, "tmux", "load-buffer", "-"): // before tmux 3.2
			by, send = append(by, "tmux"), sendToClipboard(c.Env, text)
		}
	}
	for _, argv := range c.desktopPrograms() {
		if c.runWith(ctx, text, argv...) {
			by = append(by, argv[0])
			break
		}
	}
	if by == nil {
		send = sendToClipboard(c.Env, text)
	}
	return by, send
}

// desktopPrograms returns the arguments of the programs that can set the clipboard of the user's desktop, the best
// first. A remote user's desktop is out of reach, unless SSH forwards its display, which then has the name of a host.
func (c *Clipboard) desktopPrograms() (argvs [][]string) {
	if runtime.GOOS == "darwin" && !c.Remote {
		argvs = append(argvs, []string{"pbcopy"})
	}
	if c.Env("WAYLAND_DISPLAY") != "" && !c.Remote {
		argvs = append(argvs, []string{"wl-copy", "--type", "text/plain"})
	}
	if display := c.Env("DISPLAY"); display != "" && (!c.Remote || !strings.HasPrefix(display, ":")) {
		argvs = append(argvs, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	return argvs
}

// runWith runs a program with text as its input, and reports whether it succeeded. The program may leave a process that
// serves the clipboard, as xclip does.
func (c *Clipboard) runWith(ctx context.Context, text string, argv ...string) bool {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return false
	}
	return runDetached(ctx, c.Env, strings.NewReader(text), nil, argv...) == nil
}

// detachedTime is the time limit of a program that runs without the terminal.
const detachedTime = 2 * time.Second

// runDetached runs a program without the terminal, in the environment of the terminal. The program has detachedTime.
func runDetached(ctx context.Context, env func(string) string, in io.Reader, out io.Writer, argv ...string) error {
	ctx, cancel := context.WithTimeout(ctx, detachedTime)
	defer cancel()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout = in, out
	names := []string{"TMUX", "TMUX_PANE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}
	cmd.Env = slices.DeleteFunc(program.Env(os.Environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
	for _, name := range names {
		if value := env(name); value != "" { // an empty XAUTHORITY is not the same as none
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	program.Detach(cmd)
	return job.Run(ctx, cmd)
}
