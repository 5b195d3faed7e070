package job

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// KeepModes returns a function that restores the present line modes of tty. It does nothing if tty is nil or no terminal.
func KeepModes(tty *os.File) (restore func()) {
	if tty == nil {
		return func() {}
	}
	modes, err := term.GetState(tty.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(tty.Fd(), modes) }
}
