// Package job runs other programs as a shell does. Each job has a process group, has the terminal
// while it runs, and ends as a whole.
//
// So a signal to gofer ends all processes of an editor, not only the shell that started it. When
// Ctrl-Z stops a job (WUNTRACED), gofer stops itself. When gofer continues, it puts the job into
// the foreground.
package job

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"
)

const endTime = time.Second // time limit for a job to end before it is killed

// errBackground is the error when this program runs in the background and no shell can bring it to
// the foreground.
var errBackground = errors.New("the program runs in the background and cannot use the terminal: start it without &")

// ExitError reports that the last program of a job failed.
type ExitError struct {
	Status      string // such as "exit status 1" or "signal: killed"
	Interrupted bool   // the SIGINT of a Ctrl-C ended the program
}

func (e *ExitError) Error() string { return e.Status }

// Run runs cmds as one job of the controlling terminal and waits for all of them. Each program reads
// the output of the previous one. The job gets the signals of the keyboard. When Ctrl-Z stops the
// job, it stops this program too.
//
// When ctx ends, Run sends SIGTERM to the job and, one second later, SIGKILL, and returns
// the cause. Otherwise it returns the error of the last program, an [*ExitError] if its
// status is not 0.
//
// Programs in a new session (SysProcAttr.Setsid) don't get the terminal.
func Run(ctx context.Context, cmds ...*exec.Cmd) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	runtime.LockOSThread() // Pdeathsig is about the thread that starts the program
	defer runtime.UnlockOSThread()
	g := newGroup()
	defer g.close()
	started, err := g.startAll(cmds)
	if err != nil {
		g.terminate()
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		g.terminate()
	})
	for i := started - 1; i >= 0; i-- {
		if failed := g.waitFor(ctx, cmds[i]); i == len(cmds)-1 {
			err = failed
		}
	}
	if !stop() {
		<-ended
		return context.Cause(ctx)
	}
	return err
}

// startAll starts cmds with pipes between them. It returns the number of started programs.
func (g *group) startAll(cmds []*exec.Cmd) (started int, err error) {
	var pipes []*os.File
	defer func() {
		for _, f := range pipes {
			_ = f.Close()
		}
	}()
	for i, cmd := range cmds {
		cmd.WaitDelay = endTime
		if i+1 < len(cmds) {
			r, w, err := os.Pipe()
			if err != nil {
				return i, err
			}
			pipes = append(pipes, r, w)
			cmd.Stdout, cmds[i+1].Stdin = w, r
		}
		if err := g.start(cmd); err != nil {
			return i, err
		}
	}
	return len(cmds), nil
}
