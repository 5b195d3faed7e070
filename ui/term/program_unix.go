//go:build unix

package term

import (
	"os"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// ShellArgv runs a command line that the user has typed.
func ShellArgv(line string) []string {
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	return []string{shell, "-c", line}
}

// CellSize is the size of a terminal's cells in pixels, zero if the system does
// not know it.
func CellSize(f *os.File) uv.CellSizeEvent {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return uv.CellSizeEvent{}
	}
	return uv.CellSizeEvent{Width: int(size.Xpixel / size.Col), Height: int(size.Ypixel / size.Row)}
}
