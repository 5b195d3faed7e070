package fetchtest

import (
	"bufio"
	"io"
	"net"
	"testing"

	"gofer/internal/wire"
)

// TestRoundTrips counts the round trips of one client with a server that greets, and that answers each line
// with a line here and to the newest silent connection. It closes the connection after QUIT.
func TestRoundTrips(t *testing.T) {
	silent := make(chan net.Conn, 10)
	silentAddr := Serve(t, func(c net.Conn) {
		silent <- c
		_, _ = io.Copy(io.Discard, c)
	})
	addr := Serve(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "hello\n")
		for in := bufio.NewScanner(c); in.Scan() && in.Text() != "QUIT"; {
			if in.Text() == "DATA" {
				data := <-silent
				_, _ = io.WriteString(data, "data\n")
				_ = data.Close()
			}
			_, _ = io.WriteString(c, "done\n")
		}
	})
	trips := NewRoundTrips(t)
	d := wire.Dialer{Proxies: trips}
	var conn, data *wire.Conn
	dial := func(c **wire.Conn, addr string) { *c = CloseAtEnd(d.Dial(t.Context(), addr))(t) }
	write := func(s string) { Must(io.WriteString(conn, s))(t) }
	read := func(c *wire.Conn, want string) {
		t.Helper()
		got := make([]byte, len(want))
		Must(io.ReadFull(c, got))(t)
		Equal(t, string(got), want, "read")
	}
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"a connection that is not used", func() { dial(&conn, addr) }, 0},
		{"a greeting that has arrived", func() { read(conn, "hello\n") }, 0},
		{"the greeting of a new connection", func() { dial(&conn, addr); read(conn, "hello\n") }, 2},
		{"a command before the greeting", func() { dial(&conn, addr); write("A\n"); read(conn, "hello\ndone\n") }, 2},
		{"a command", func() { write("A\n"); read(conn, "done\n") }, 1},
		{"an answer in parts", func() { write("A\n"); read(conn, "do"); read(conn, "ne\n") }, 1},
		{"commands in one write", func() { write("A\nB\n"); read(conn, "done\n"); read(conn, "done\n") }, 1},
		{"commands one by one", func() { write("A\n"); read(conn, "done\n"); write("B\n"); read(conn, "done\n") }, 2},
		{"data", func() { write("DATA\n"); dial(&data, silentAddr); read(data, "data\n"); read(conn, "done\n") }, 2},
		{"a connection for data, not used yet", func() { dial(&data, silentAddr) }, 0},
		{"data over the opened connection", func() { write("DATA\n"); read(data, "data\n"); read(conn, "done\n") }, 1},
		{"the end of the data", func() { Must(io.ReadAll(data))(t) }, 0},
		{"an answer that is not read", func() { write("A\n") }, 0},
		{"an answer that has arrived", func() { read(conn, "done\n") }, 0},
		{"the end of the connection", func() { write("QUIT\n"); Must(io.ReadAll(conn))(t) }, 1},
	} {
		Equal(t, trips.Count(step.do), step.want, step.name)
	}
}
