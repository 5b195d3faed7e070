package wire_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

func ignorePacket(net.PacketConn, net.Addr, []byte) {}

func TestPacket(t *testing.T) {
	addr := fetchtest.ServePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		_, _ = c.WriteTo([]byte(strings.Repeat(string(p), 2)), from)
	})
	var p protocols.Progress
	c := fetchtest.Must(wire.Dialer{}.Packet(protocols.WithProgress(t.Context(), &p), addr, 10))(t)
	defer c.Close()
	for _, tt := range []struct {
		send, want     string
		written, reads protocols.Reason
	}{
		{"a", "aa", 0, 0},
		{"bcdef", "bcdefbcdef", 0, 0},
		{"ghijkl", "", 0, protocols.TooBig},
		{strings.Repeat("m", 11), "", protocols.TooBig, 0},
		{"n", "nn", 0, 0},
	} {
		_, err := c.Write([]byte(tt.send))
		if tt.written != 0 {
			fetchtest.Reason(t, err, tt.written, "write %q", tt.send)
			continue
		}
		fetchtest.NoError(t, err, "write %q", tt.send)
		buf := make([]byte, max(len(tt.want), 1))
		if n, err := c.Read(buf); string(buf[:n]) != tt.want || protocols.ReasonOf(err) != tt.reads {
			t.Errorf("read %q, %v; want %q, %v", buf[:n], err, tt.want, tt.reads)
		}
	}
	if s := p.State(); s.Phase != protocols.Receiving || s.Bytes != 14 || s.Peer != addr {
		t.Errorf("progress %+v, want 14 octets", s)
	}
}

func TestPacketWithoutAnAnswer(t *testing.T) {
	c := fetchtest.Must(wire.Dialer{FirstByte: 100 * time.Millisecond}.Packet(
		t.Context(), fetchtest.ServePackets(t, "127.0.0.1", ignorePacket), 10,
	))(t)
	defer c.Close()
	for range 2 {
		fetchtest.Must(c.Write([]byte("a")))(t)
		fetchtest.Fails(t, protocols.FirstByteTimeout, "silent")(c.Read(make([]byte, 10)))
	}
}

func TestPacketCancel(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := fetchtest.Must(wire.Dialer{}.Packet(
		ctx, fetchtest.ServePackets(t, "127.0.0.1", func(net.PacketConn, net.Addr, []byte) { cancel(stopped) }), 10,
	))(t)
	defer c.Close()
	fetchtest.Must(c.Write([]byte("a")))(t)
	fetchtest.FailsWith(t, stopped)(c.Read(make([]byte, 10)))
}

// TestPacketPeer checks that answers from another port of the host are accepted. Answers from
// another host are not.
func TestPacketPeer(t *testing.T) {
	other, err := net.ListenPacket("udp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err) // the system has only one loopback address
	}
	defer other.Close()
	port := fetchtest.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	defer port.Close()
	addr := fetchtest.ServePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		for _, conn := range []net.PacketConn{other, port, other, c} {
			_, _ = conn.WriteTo([]byte(conn.LocalAddr().String()), from)
		}
	})
	c := fetchtest.Must(wire.Dialer{}.Packet(t.Context(), addr, 100))(t)
	defer c.Close()
	fetchtest.Must(c.Write([]byte("a")))(t)
	for _, want := range []string{port.LocalAddr().String(), addr} {
		buf := make([]byte, 100)
		if n, err := c.Read(buf); string(buf[:n]) != want || err != nil {
			t.Errorf("read %q, %v; want %q", buf[:n], err, want)
		}
	}
	fetchtest.Equal(t, c.RemoteAddr().String(), addr, "the remote address")
}

func TestPacketRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not report closed ports")
	}
	for _, host := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.ListenPacket("udp", host)
		if err != nil {
			t.Log(err)
			continue
		}
		addr := l.LocalAddr().String()
		_ = l.Close()
		c := fetchtest.Must(wire.Dialer{}.Packet(t.Context(), addr, 10))(t)
		fetchtest.Must(c.Write([]byte("a")))(t)
		fetchtest.Fails(t, protocols.Refused, "%s", addr)(c.Read(make([]byte, 10)))
		_ = c.Close()
	}
}

// TestPacketTranscript checks that each datagram begins a new line of the transcript.
func TestPacketTranscript(t *testing.T) {
	var said protocols.Transcript
	addr := fetchtest.ServePackets(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, _ []byte) {
		_, _ = c.WriteTo([]byte("b\nc"), from)
		_, _ = c.WriteTo([]byte("d"), from)
	})
	c := fetchtest.Must(wire.Dialer{}.Packet(protocols.WithTranscript(t.Context(), &said), addr, 10))(t)
	defer c.Close()
	fetchtest.Must(c.Write([]byte("a")))(t)
	for range 2 {
		fetchtest.Must(c.Read(make([]byte, 10)))(t)
	}
	var got []string
	lines, _, _ := said.Lines()
	for _, l := range lines {
		got = append(got, l.Text)
	}
	fetchtest.EqualSlices(t, got, []string{"a", "b", "c", "d"})
}

// TestPacketWithProxy checks that no datagram is sent if a proxy is set for the server.
func TestPacketWithProxy(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"all_proxy": "socks5://192.0.2.1:1080", "no_proxy": "192.0.2.3"}[name]
	}
	d := wire.Dialer{Proxies: wire.ProxiesOf(env, "prospero")}
	fetchtest.Fails(t, protocols.Unsupported)(d.Packet(t.Context(), "192.0.2.2:1525", 100))
	c := fetchtest.Must(d.Packet(t.Context(), "192.0.2.3:1525", 100))(t)
	_ = c.Close()
}
