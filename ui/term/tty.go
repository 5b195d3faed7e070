package term

import (
	"context"
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// errNoTerminal ends the program when its terminal has been closed.
var errNoTerminal = errors.New("the terminal was closed")

// keyboard reads typed keys. It calls onEnd when the input has ended, because Bubble Tea would continue
// without input.
type keyboard struct {
	*os.File
	onEnd func()
}

func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err != nil {
		k.onEnd()
	}
	return n, err
}

// OpenKeyboard returns stdin or, if stdin is not a terminal, the terminal.
func OpenKeyboard() (*os.File, error) {
	if term.IsTerminal(os.Stdin.Fd()) {
		return os.Stdin, nil
	}
	in, _, err := tea.OpenTTY()
	return in, err
}

// maxWidth and maxHeight bound the size of the screen, because the renderer has two copies of the
// screen with 130 octets for each cell.
const maxWidth, maxHeight = 1000, 500

// SizeOf returns the size of a terminal, or 80 by 24 if it is unknown.
func SizeOf(f *os.File) tea.WindowSizeMsg {
	width, height, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	return tea.WindowSizeMsg{Width: min(width, maxWidth), Height: min(height, maxHeight)}
}

// watchSize sends the size each time it may have changed, until ctx ends. Bubble Tea's handler
// would accept any size.
func watchSize(ctx context.Context, changed <-chan os.Signal, size func() tea.WindowSizeMsg, send func(tea.Msg)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			send(size())
		}
	}
}
