//go:build unix

package cli

import (
	"bufio"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
)

// TestProgressWidth checks that the progress of a directory fits one row of terminals of several
// widths, and names the directory.
func TestProgressWidth(t *testing.T) {
	tty, ours, err := pty.Open()
	fetchtest.NoError(t, err)
	defer tty.Close()
	defer ours.Close()
	lines := bufio.NewReader(tty)
	for _, tt := range []struct {
		columns    uint16
		name, want string
	}{
		{132, "pub/", "pub/  [############............]  50%  34 MB of 67 MB  67 MB/s  1s left  (290 of 5087 files)"},
		{80, "pub/", "pub/  50%  34 MB of 67 MB  67 MB/s  1s left  (290 of 5087 files)"},
		{80, strings.Repeat("n", 100), "nnnnnnnnnnnnnnnn...  50%  34 MB of 67 MB  67 MB/s  1s left  (290 of 5087 files)"},
		{40, "pub/", "pub/  50%  34 MB of 67 MB  67 MB/s  1s "},
		{40, strings.Repeat("n", 100), "nnnnn...  50%  34 MB of 67 MB  67 MB/s "},
	} {
		fetchtest.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: tt.columns, Rows: 12}))
		b := (&Program{Start: app.Start{Err: ours}}).progressBar(tt.name)
		bar, figures := progressText(33_500_000, 67_000_000, 67e6)
		b.draw(bar, figures+"  (290 of 5087 files)")
		fetchtest.Must(ours.WriteString("\n"))(t)
		got := strings.TrimRight(ansi.Strip(fetchtest.Must(lines.ReadString('\n'))(t)), "\r\n")
		if got = strings.TrimLeft(got, "\r"); got != tt.want || len(got) >= int(tt.columns) {
			t.Errorf("%d columns: got %q, want %q", tt.columns, got, tt.want)
		}
	}
}
