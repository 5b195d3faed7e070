package job

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

type group struct{ processes []*os.Process }

func newGroup() *group { return new(group) }

func (g *group) close() {}

func (g *group) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		g.processes = append(g.processes, cmd.Process)
	}
	return err
}

func (g *group) waitFor(_ context.Context, cmd *exec.Cmd) error {
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Status: exit.String()}
	}
	return err
}

func (g *group) terminate() {
	for _, p := range g.processes {
		_ = p.Kill()
	}
}

// Suspend does nothing, because no shell could resume the program.
func Suspend(context.Context, *os.File) error { return nil }

// WaitForeground does nothing, because a console has no background.
func WaitForeground(context.Context, *os.File) error { return nil }
