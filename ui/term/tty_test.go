package term

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
)

func TestSizeOf(t *testing.T) {
	_, tty, err := pty.Open()
	fetchtest.NoError(t, err)
	for _, test := range []struct {
		told pty.Winsize
		want tea.WindowSizeMsg
	}{
		{pty.Winsize{Cols: 132, Rows: 43}, tea.WindowSizeMsg{Width: 132, Height: 43}},
		{pty.Winsize{Cols: 65535, Rows: 65535}, tea.WindowSizeMsg{Width: maxWidth, Height: maxHeight}},
		{pty.Winsize{}, tea.WindowSizeMsg{Width: 80, Height: 24}},
	} {
		fetchtest.NoError(t, pty.Setsize(tty, &test.told))
		fetchtest.Equal(t, SizeOf(tty), test.want, "a terminal of %d by %d", test.told.Cols, test.told.Rows)
	}
}
