package ui

import (
	"context"
	"io"
)

// suspension is what runs in place of the program while it is suspended.
// [tea.Suspend] waits for fg even where there is no shell that has it, and no
// signal ends it.
type suspension struct{ ctx context.Context }

// SetStdin implements [tea.ExecCommand], as do the next two: there is nothing
// to set.
func (suspension) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (suspension) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (suspension) SetStderr(io.Writer) {}
