package prospero

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestLossyNetwork checks that a listing is complete if the network loses, duplicates and reorders
// packets.
func TestLossyNetwork(t *testing.T) {
	var links strings.Builder
	for i := range 700 {
		fmt.Fprintf(&links, "LINK  L FILE file%04d.txt INTERNET-D LOCALHOST ASCII AFTP'/pub/file%04[1]d.txt' 0\n", i)
	}
	long := "AFTP/" + strings.Repeat("long/", 2000) // a request of several packets
	var slowest time.Duration
	var largest [2]int
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(seed)
			n.loss, n.double, n.delay = 0.3, 0.1, 80*time.Millisecond
			s := demo.ServeProspero(serverSocket{network: n})
			s.SetDirectory("AFTP/pub", links.String())
			s.SetDirectory(long, links.String())
			name := "AFTP/pub"
			if seed%4 == 3 {
				name = long
			}
			begun := time.Now()
			x := fetchtest.Must(n.ask(t.Context(), greeting+"DIRECTORY ASCII '"+name+"'\nLIST ATTRIBUTES COMPONENTS\n"))(t)
			got, err := io.ReadAll(x)
			if string(got) != links.String() || err != nil {
				t.Errorf("seed %d: read %d octets, %v; want %d", seed, len(got), err, links.Len())
			}
			_ = x.Close()
			slowest = max(slowest, time.Since(begun))
			_ = s.Close()
			largest = [2]int{max(largest[0], n.sent[0]), max(largest[1], n.sent[1])}
		})
	}
	t.Logf("%d octets in %d packets: %v at most, %d packets sent, %d received", links.Len(), links.Len()/maxData+
		1, slowest, largest[0], largest[1])
	if slowest > time.Minute || largest[0] > 200 || largest[1] > 2000 {
		t.Errorf("the slowest exchange took %v, and the largest took %v packets; want at most 1m and [200 2000]", slowest, largest)
	}
}

// sendPackets makes the server send packets. Each packet is written as its header in hexadecimal, a
// blank, and its data.
func (n *network) sendPackets(packets ...string) {
	for _, p := range packets {
		head, data, _ := strings.Cut(p, " ")
		b, err := hex.DecodeString(head)
		if err != nil {
			panic(err)
		}
		n.toClient <- append(b, data...)
	}
}

// sentPackets returns the headers of the packets that the client has sent since the last call.
func (n *network) sentPackets() (list []string) {
	for len(n.toServer) > 0 {
		p := <-n.toServer
		list = append(list, hex.EncodeToString(p[:p[0]]))
	}
	return list
}

const requestHeader = "094242000100010000" // the header of a request in one packet

// TestPackets checks the headers that the client sends, and the data and errors that it returns.
func TestPackets(t *testing.T) {
	for _, tt := range []struct {
		name     string
		received []string
		want     string
		wantSent []string
		took     time.Duration
		err      error
	}{
		{name: "one packet", received: []string{"034242 a"}, want: "a", wantSent: []string{requestHeader}},
		{
			name: "another connection", received: []string{"034343 x", "03c642 x", "01 x", "034242 a"}, want: "a",
			wantSent: []string{requestHeader},
		},
		{
			name: "no ARDP", received: []string{"", "00 x", "40 x", "1f4242 x", "61 aaaa", "034242 a"}, want: "a",
			wantSent: []string{requestHeader},
		},
		{
			name: "reversed", received: []string{"07424200030003 c", "07424200020000 b", "07424200010000 a"},
			want: "abc", wantSent: []string{requestHeader},
		},
		{
			name:     "doubled",
			received: []string{"07424200020003 b", "07424200020003 B", "07424200010003 a", "07424200010003 A", "07424200030003 c"},
			want:     "abc", wantSent: []string{requestHeader},
		},
		{
			name: "acknowledged", wantSent: []string{requestHeader, "094242000000000001"},
			received: []string{"0c4242000100000001000080 a", "0942420002000200" + "01 b"}, want: "ab",
		},
		{
			name: "acknowledged once", wantSent: []string{requestHeader, "094242000000000001"},
			received: []string{"0c4242000100000001000080 a", "0c4242000100000001000080 a", "0942420002000200" + "01 b"}, want: "ab",
		},
		{
			name: "control packets", wantSent: []string{requestHeader, "094242000000000000"},
			received: []string{"0c42420000000000000000" + "80 x", "0c4242000100020001000040 x", "07424200020002 b"}, want: "b",
		},
		{name: "total later", received: []string{"07424200010000 a", "07424200020002 b"}, want: "ab", wantSent: []string{requestHeader}},
		{
			name: "total changes", received: []string{"07424200010003 a", "07424200020004 b"}, err: errNumbers,
			wantSent: []string{requestHeader}, want: "a",
		},
		{name: "number beyond the total", received: []string{"07424200050003 a"}, err: errNumbers, wantSent: []string{requestHeader}},
		{
			name: "total below a number", received: []string{"07424200050000 e", "07424200010003 a"}, err: errNumbers,
			wantSent: []string{requestHeader},
		},
		{
			name:     "last number, no total",
			received: []string{"0742420001ffff a", "0742420001ffff b", "0d424200000000000000000001 no"}, want: "a",
			err: errRefused, wantSent: []string{requestHeader},
		},
		{name: "refused", received: []string{"0d424200000000000000000001 no"}, err: errRefused, wantSent: []string{requestHeader}},
		{
			name: "wait", received: []string{"0b4242000000000000003c"}, wantSent: []string{requestHeader, requestHeader},
			took: time.Minute,
		},
		{
			name: "wait for longer than maxWait", received: []string{"0b424200000000000000b4"},
			wantSent: []string{requestHeader, requestHeader, requestHeader},
			took:     3 * time.Minute,
		},
		{
			name: "wait for too long", received: []string{"0b4242000000000000ffff"}, wantSent: []string{requestHeader, requestHeader},
			took: maxWait,
		},
		{
			name: "window and priority", received: []string{"114242000100010000" + "00000a0000010002 a"}, want: "a",
			wantSent: []string{requestHeader},
		},
		{
			name: "longest header", received: []string{"1f424200010001" + strings.Repeat("00", 24) + " a"}, want: "a",
			wantSent: []string{requestHeader},
		},
		{
			name: "header too long", received: []string{"20424200010001" + strings.Repeat("00", 25) + " b", "034242 a"},
			want: "a", wantSent: []string{requestHeader},
		},
		{
			name: "redirect to a multicast address", received: []string{"13424200000000000000000004e00000010016"},
			err: errRedirect, wantSent: []string{requestHeader},
		},
		{
			name: "redirect to no port", received: []string{"134242000000000000000000047f0000010000"}, err: errRedirect,
			wantSent: []string{requestHeader},
		},
		{
			name: "redirect to 0.0.0.0", received: []string{"13424200000000000000000004000000000000"}, err: errRedirect,
			wantSent: []string{requestHeader},
		},
		{name: "redirect cut", received: []string{"0f4242000000000000000000047f00"}, err: errRedirect, wantSent: []string{requestHeader}},
		{
			name:     "redirect within the answer",
			received: []string{"07424200010002 a", "134242000000000000000000047f0000010016", "07424200020002 b"},
			want:     "ab", wantSent: []string{requestHeader},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(0)
				x := fetchtest.Must(n.ask(t.Context(), "text"))(t)
				defer x.Close()
				n.sendPackets(tt.received...)
				begun := time.Now()
				if tt.took > 0 {
					time.AfterFunc(tt.took+time.Second, func() { n.sendPackets("034242") })
				}
				got, err := io.ReadAll(x)
				if string(got) != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
				}
				if sent := n.sentPackets(); strings.Join(sent, " ") != strings.Join(tt.wantSent, " ") {
					t.Errorf("the client sent %q, want %q", sent, tt.wantSent)
				}
				if took := time.Since(begun).Truncate(time.Minute); tt.took > 0 && took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestRedirectPacket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(0)
		x, _ := n.ask(t.Context(), "text")
		defer x.Close()
		n.sendPackets("154242000000000000000002050007" + "c000020105f5")
		var r *redirect
		if _, err := io.ReadAll(x); !errors.As(err, &r) || r.target.String() != "192.0.2.1:1525" {
			t.Errorf("ReadAll = %v, want a redirect to 192.0.2.1:1525", err)
		}
	})
}

// TestSilence checks that a silent server leads to a timeout. Packets without an answer are
// repeated at growing intervals.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name     string
		received []string
		want     protocols.Reason
		took     time.Duration
		packets  int // the maximum number of packets
	}{
		{"silent", nil, protocols.FirstByteTimeout, 30 * time.Second, 12},
		{"stalled", []string{"07424200010000 a"}, protocols.IdleTimeout, time.Minute, 25},
		{"another protocol", []string{"48545450 /1.0"}, protocols.Malformed, 30 * time.Second, 12},
		{"other connections", []string{"034343 a", "034343 a"}, protocols.FirstByteTimeout, 30 * time.Second, 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(0)
				x, _ := n.ask(t.Context(), "text")
				begun := time.Now()
				n.sendPackets(tt.received...)
				_, err := io.ReadAll(x)
				if protocols.ReasonOf(err) != tt.want || time.Since(begun) != tt.took {
					t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), tt.want, tt.took)
				}
				if sent := n.sentPackets(); len(sent) > tt.packets || len(sent) < 3 {
					t.Errorf("the client sent %d packets, want 3 to %d: %q", len(sent), tt.packets, sent)
				}
				_ = x.Close()
			})
		})
	}
}

// TestEndless checks that an exchange ends with an error if the server only asks to wait, repeats
// packets, or sends packets far ahead.
func TestEndless(t *testing.T) {
	for _, tt := range []struct {
		name   string
		packet func(i int) string
		took   time.Duration
	}{
		{"waits", func(int) string { return "0b4242000000000000ffff" }, maxWaits},
		{"the same again", func(int) string { return "07424200010000 a" }, time.Minute},
		{"far ahead", func(i int) string { return fmt.Sprintf("074242%04x0000 a", 5000+i) }, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(0)
				x, _ := n.ask(t.Context(), "text")
				begun := time.Now()
				ctx, stop := context.WithCancel(t.Context())
				var sender sync.WaitGroup
				sender.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						n.sendPackets(tt.packet(i))
						time.Sleep(100 * time.Millisecond) // within the synctest bubble, so this takes no real time
					}
				})
				_, err := io.ReadAll(x)
				stop()
				if took := time.Since(begun); err == nil || took > tt.took+time.Second {
					t.Errorf("got %v after %v, want an error after %v", err, took, tt.took)
				}
				_ = x.Close()
				sender.Wait()
			})
		})
	}
}

// TestEndlessAnswer checks that an endless answer ends at the largest packet number.
func TestEndlessAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(0)
		x, _ := n.ask(t.Context(), "text")
		defer x.Close()
		go func() {
			for i := 1; i <= maxNumber; i++ {
				n.sendPackets(fmt.Sprintf("074242%04x0000 abcdefgh", i))
			}
		}()
		got, err := io.Copy(io.Discard, x)
		if protocols.ReasonOf(err) != protocols.TooBig || got != 8*(maxNumber-1) {
			t.Errorf("read %d octets, %v; want %d and the reason TooBig", got, err, 8*(maxNumber-1))
		}
	})
}

// TestCancelPacket checks that Close cancels the request at the server only if packets are missing.
func TestCancelPacket(t *testing.T) {
	for packets, want := range map[string]string{
		"07424200010003 ab": requestHeader + " 0d424200000000000100000001", "07424200010000 ab": requestHeader + " 0d424200000000000100000001",
		"034242 ab": requestHeader,
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(0)
			x := fetchtest.Must(n.ask(t.Context(), "text"))(t)
			n.sendPackets(packets)
			fetchtest.Must(io.ReadFull(x, make([]byte, 1)))(t)
			_ = x.Close()
			fetchtest.Equal(t, strings.Join(n.sentPackets(), " "), want, "%q: sent", packets)
		})
	}
}

func TestRequestTooLong(t *testing.T) {
	fetchtest.Fails(t, protocols.BadURL)(newNetwork(0).ask(t.Context(), strings.Repeat("a", maxRequest*maxData+1)))
}

// TestEarlyPackets checks that the packets after a missing one are stored up to a limit. The others
// are accepted when they are repeated.
func TestEarlyPackets(t *testing.T) {
	x := &exchange{earlyPackets: make(map[int][]byte)}
	data := make([]byte, 1<<16)
	kept := 0
	for n := 2; n <= 1000; n++ {
		isNew := fetchtest.Must(x.store(packet{number: n, total: 1000, data: data}))(t)
		if isNew {
			kept++
		}
	}
	if kept != maxEarly>>16 || x.octets != maxEarly {
		t.Errorf("%d packets with %d octets are stored, want %d with %d", kept, x.octets, maxEarly>>16, maxEarly)
	}
	for n := range 1000 {
		fetchtest.Must(x.store(packet{number: n + 1, total: 1000, data: data}))(t)
	}
	if x.receivedThrough != 1000 || x.earlySize != 0 || len(x.earlyPackets) > 0 {
		t.Errorf("received through packet %d with %d early octets, want 1000 with none", x.receivedThrough, x.earlySize)
	}
}
