package telnet

import (
	"io"
	"os"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestTelnetd(t *testing.T) {
	s := realserver.Telnetd(t)
	u := urlcore.Telnet{Name: "telnet"}.At(s.Host, s.Port)
	c := new(Client)
	c.newConfirm(u.(urlcore.Telnet)).GiveConsent()
	res := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
	out := &screen{grown: make(chan struct{}, 1)}
	size := [2]int{100, 30}
	input, resized, ended := make(chan []byte), make(chan os.Signal), make(chan error, 1)
	go func() {
		ended <- res.Session.Run(t.Context(), protocols.Terminal{
			Input: input, Output: out, Resized: resized, Type: "vt100", Size: func() (int, int) { return size[0], size[1] },
		})
	}()
	out.waitFor(t, "terminal vt100")
	input <- []byte("hello\r")
	out.waitFor(t, "terminal vt100\r\nhello\r\nsaid hello\r\n")
	input <- []byte("size\r")
	out.waitFor(t, "30 100")
	input <- []byte("\x1da") // "are you there?"
	out.waitFor(t, "keys sent at once, remote echo, type, size")
	out.waitFor(t, "[Yes]")
	input <- []byte("bye\r")
	fetchtest.ErrorIs(t, <-ended, io.EOF)
}
