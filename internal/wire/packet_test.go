package wire_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
)

// packets serves UDP with handle until the end of the test.
func packets(t *testing.T, handle func(c net.PacketConn, from net.Addr, p []byte)) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1<<16)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			handle(c, from, buf[:n])
		}
	}()
	t.Cleanup(func() { _ = c.Close(); <-done })
	return c.LocalAddr().String()
}

func silent(net.PacketConn, net.Addr, []byte) {}

func TestPacket(t *testing.T) {
	addr := packets(t, func(c net.PacketConn, from net.Addr, p []byte) {
		_, _ = c.WriteTo([]byte(strings.Repeat(string(p), 2)), from)
	})
	var p protocols.Progress
	c, err := wire.Dialer{}.Packet(protocols.WithProgress(t.Context(), &p), addr, 10)
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := c.Write([]byte(tt.send)); reason(err) != tt.written {
			t.Errorf("write %q: %v, want %v", tt.send, err, tt.written)
		}
		if tt.written != 0 {
			continue
		}
		buf := make([]byte, 100)
		if n, err := c.Read(buf); string(buf[:n]) != tt.want || reason(err) != tt.reads {
			t.Errorf("read %q, %v; want %q, %v", buf[:n], err, tt.want, tt.reads)
		}
	}
	if s := p.State(); s.Phase != protocols.Receiving || s.Bytes != 14 || s.Peer != addr {
		t.Errorf("progress %+v, want 14 octets", s)
	}
}

func TestPacketWithoutAnAnswer(t *testing.T) {
	c, err := wire.Dialer{FirstByte: 100 * time.Millisecond}.Packet(t.Context(), packets(t, silent), 10)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if _, err := c.Write([]byte("a")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 10)); reason(err) != protocols.FirstByteTimeout {
			t.Errorf("silent: got %v, want FirstByteTimeout", err)
		}
	}
}

func TestPacketCancel(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	c, err := wire.Dialer{}.Packet(ctx, packets(t, func(net.PacketConn, net.Addr, []byte) { cancel(stopped) }), 10)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 10)); !errors.Is(err, stopped) {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestPacketDialErrors(t *testing.T) {
	for addr, want := range map[string]protocols.Reason{
		"127.0.0.1:99999":      protocols.Unreachable,
		"no-such-host.invalid": protocols.Unreachable,
	} {
		if _, err := (wire.Dialer{}).Packet(t.Context(), addr, 10); reason(err) != want {
			t.Errorf("%s: got %v, want %v", addr, err, want)
		}
	}
}
