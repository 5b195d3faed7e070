package prospero

import (
	"bytes"
	"io"
	"net"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// startBigServer starts a server with 10 MB at /big.
func startBigServer(b *testing.B) *demo.ProsperoServer {
	s := fetchtest.CloseAtEnd(demo.StartProspero())(b)
	s.SetContents("/big", bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16))
	b.SetBytes(10 << 20)
	return s
}

// BenchmarkContents fetches 10 MB. This should take at most 1.5 times as long as
// BenchmarkRoundTrips.
func BenchmarkContents(b *testing.B) {
	s := startBigServer(b)
	u := fetchtest.Parse(b, s.URL("/big"))
	b.ReportAllocs()
	for b.Loop() {
		res := fetchtest.Must(new(Client).Fetch(b.Context(), protocols.Request{URL: u}))(b)
		if n, err := io.Copy(io.Discard, res.Body); n != 10<<20 || err != nil {
			b.Fatalf("%d octets, %v", n, err)
		}
		_ = res.Close()
	}
}

// BenchmarkRoundTrips exchanges the same packets with the same server, but reads only their
// headers.
func BenchmarkRoundTrips(b *testing.B) {
	s := startBigServer(b)
	buf := make([]byte, 1<<16)
	for b.Loop() {
		c := fetchtest.Must(net.Dial("udp", s.Addr()))(b)
		ask := func(text string) {
			_, _ = c.Write(requestPackets(0x4242, text)[0])
		}
		ask(greeting + "GET-OBJECT-INFO CONTENTS ASCII /big 0\n")
		for through, total := 0, 0; total == 0 || through < total; {
			n := fetchtest.Must(c.Read(buf))(b)
			k, ok := parsePacket(buf[:n])
			if !ok || k.number != through+1 {
				b.Fatalf("packet %d comes after %d", k.number, through)
			}
			through, total = k.number, k.total
			if k.flags&flagAck != 0 {
				_, _ = c.Write(newHeader(0x4242, 0, 0, through))
			}
		}
		_ = c.Close()
	}
}
