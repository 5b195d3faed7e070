package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"gofer/internal/clean"
	"gofer/internal/job"
	"gofer/internal/outside"
)

// program is another program that is to be run.
type program struct {
	argv   []string
	name   string                        // to be told of; "": that of argv
	env    []string                      // nil: what outside.Env leaves
	window bool                          // it needs no terminal
	stdin  func() (io.ReadCloser, error) // nil: the keyboard
	pager  bool                          // what it prints is shown by the user's pager
	pause  bool                          // what it prints stays until Enter is pressed
	ended  func()                        // is called when it has ended, but not if it has a window; may be nil
}

// endText tells how a program has ended.
func endText(name string, err error) string {
	var exit *job.ExitError
	switch {
	case err == nil:
		return name + " has ended"
	case errors.As(err, &exit):
		return name + ": " + exit.Status
	}
	return err.Error()
}

// start runs a program that has a window of its own and waits for it. It goes on
// when gofer ends.
func (p program) start() error {
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env = p.env
	outside.Detach(cmd)
	return p.withInput(cmd, func() error { return job.Run(context.Background(), cmd) })
}

// withInput runs cmd, by run, with the input of p.
func (p program) withInput(cmd *exec.Cmd, run func() error) error {
	if p.stdin != nil {
		in, err := p.stdin()
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	return run()
}

// program runs a program in the terminal and waits for it. If it fails, it says
// so before the page is back. Ctrl-C and Ctrl-Z are the program's meanwhile, as
// they would be in a shell.
func (l *loan) program(p program) error {
	if p.ended != nil {
		defer p.ended()
	}
	end := l.lendSignals()
	err := l.run(p)
	end()
	if (p.pause || err != nil) && l.ctx.Err() == nil {
		typed, end := l.raw()
		defer end()
		l.write(resetTerminal)
		l.pause(typed, clean.Short(endText(p.name, err)))
	}
	return err
}

func (l *loan) run(p program) error {
	cmd := l.command(p.argv, p.env)
	if tty := l.tty(); tty != nil {
		cmd.Stdin = tty
	}
	cmds := []*exec.Cmd{cmd}
	if p.pager {
		cmds = append(cmds, l.command(pagerArgv(), os.Environ()))
	}
	return p.withInput(cmd, func() error { return job.Run(l.ctx, cmds...) })
}

// command is a command whose output is the terminal.
func (l *loan) command(argv, env []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, l.out.w, l.out.w
	return cmd
}

// pagerArgv is the user's pager.
func pagerArgv() []string {
	if argv, err := outside.Words(os.Getenv("PAGER")); err == nil {
		return argv
	}
	if _, err := exec.LookPath("less"); err == nil {
		return []string{"less"}
	}
	return []string{"more"}
}
