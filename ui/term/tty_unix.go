//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// notifySize returns a channel that receives a signal when the size may have changed, and the function
// that stops the signals.
func notifySize() (<-chan os.Signal, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH, syscall.SIGCONT)
	return changed, func() { signal.Stop(changed) }
}

// CellSize returns the size of a terminal's cells in pixels, or zero if it is unknown.
func CellSize(f *os.File) uv.CellSizeEvent {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return uv.CellSizeEvent{}
	}
	return uv.CellSizeEvent{Width: int(size.Xpixel / size.Col), Height: int(size.Ypixel / size.Row)}
}
