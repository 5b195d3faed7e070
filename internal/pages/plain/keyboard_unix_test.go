//go:build unix

package plain_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/pages/plain"
	"gofer/internal/testbed/fetchtest"
)

// TestKeys edits commands on a terminal in raw mode.
func TestKeys(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	defer tty.Close()
	go func() { _, _ = io.Copy(io.Discard, master) }()
	const u = "gopher://h/1/menu"
	steps := []struct{ keys, echo string }{
		{" ", "\nEnd of the page.\n"},
		{"y\r", "y\n" + u + "\n"},
		{"xz\x7f\x08y\r", "xz\b \b\b \by\n" + u + "\n"},
		{"\x7fg  x日ö\x17\x17y\r", "g  x日ö" + strings.Repeat("\b \b", 4) + strings.Repeat("\b \b", 3) + "y\n" + u + "\n"},
		{"\x1b[A\x1bOBgo\x15y\r", "go\b \b\b \by\n" + u + "\n"},
		{"x\x1ay\x03y\r", "x\n(suspended)\ngofer> xy\r\n"},
	}
	var out bytes.Buffer
	o := options(&out, server(t), "")
	o.In = tty
	o.Suspend = func() { out.WriteString("(suspended)\n") }
	o.Out = writer(func(p []byte) (int, error) {
		if string(p) == "gofer> " && len(steps) > 0 {
			if _, err := master.WriteString(steps[0].keys); err != nil {
				t.Error(err)
			}
			steps = steps[1:]
		}
		return out.Write(p)
	})
	want := start
	for _, s := range steps {
		want += "gofer> " + s.echo
	}
	fetchtest.NoError(t, plain.Run(t.Context(), o, u))
	fetchtest.Equal(t, out.String(), want)
}
