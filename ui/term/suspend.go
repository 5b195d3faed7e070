package term

import (
	"context"
	"os"

	"gofer/internal/job"
)

// suspension is what runs in place of the program while it is suspended.
// [tea.Suspend] waits for fg even where there is no shell that has it, and no
// signal ends it.
type suspension struct {
	ownTerminal
	ctx context.Context
	tty *os.File // nil: it is no terminal
}

// Run implements [tea.ExecCommand].
func (s suspension) Run() error { return job.Suspend(s.ctx, s.tty) }
