package job

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// SaveModes returns a function that restores the terminal modes of tty, if it is a terminal.
func SaveModes(tty *os.File) (restore func()) {
	if tty == nil {
		return func() {}
	}
	modes, err := term.GetState(tty.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(tty.Fd(), modes) }
}
