package ui

import (
	"io"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// process is a program that has the terminal while it runs. Bubble Tea would give
// it pipes in place of our [keyboard] and [output].
type process struct{ *exec.Cmd }

// execute runs a program in place of the screen; done makes a message of how it
// ended.
func execute(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
	return tea.Exec(process{cmd}, done)
}

// SetStdin gives the program the terminal itself.
func (p process) SetStdin(r io.Reader) {
	if k, ok := r.(*keyboard); ok {
		r = k.File
	}
	p.Stdin = r
}

// SetStdout gives it the terminal itself.
func (p process) SetStdout(w io.Writer) {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	p.Stdout = w
}

// SetStderr shows its errors on the terminal: those of gofer may go to a file.
func (p process) SetStderr(io.Writer) {
	p.Stderr = p.Stdout
	if p.Stderr == nil {
		p.Stderr = os.Stderr
	}
}
