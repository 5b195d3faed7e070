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

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
	"gofer/protocols"
)

// A listing comes whole over a network that loses, doubles and reorders.
func TestLossyNetwork(t *testing.T) {
	var links strings.Builder
	for i := range 700 {
		fmt.Fprintf(&links, "LINK  L FILE file%04d.txt INTERNET-D LOCALHOST ASCII AFTP'/pub/file%04[1]d.txt' 0\n", i)
	}
	long := "AFTP/" + strings.Repeat("long/", 2000) // a request of several packets
	var slowest time.Duration
	var most [2]int
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(seed)
			n.loss, n.double, n.delay = 0.3, 0.1, 80*time.Millisecond
			s := loopback.ServeProspero(serverSocket{network: n})
			s.Directory("AFTP/pub", links.String())
			s.Directory(long, links.String())
			name := "AFTP/pub"
			if seed%4 == 3 {
				name = long
			}
			begun := time.Now()
			x := fetchtest.Must(n.ask(t.Context(), greeting+"DIRECTORY ASCII '"+name+"'\nLIST ATTRIBUTES COMPONENTS\n"))(t)
			got, err := io.ReadAll(x)
			if string(got) != links.String() || err != nil {
				t.Errorf("seed %d: %d octets of %d, %v", seed, len(got), links.Len(), err)
			}
			_ = x.Close()
			slowest = max(slowest, time.Since(begun))
			_ = s.Close()
			most = [2]int{max(most[0], n.sent[0]), max(most[1], n.sent[1])}
		})
	}
	t.Logf("%d octets in %d packets: %v at most, %d packets sent, %d received", links.Len(), links.Len()/maxData+1, slowest, most[0], most[1])
	if slowest > time.Minute || most[0] > 200 || most[1] > 2000 {
		t.Errorf("it took up to %v, and %v packets", slowest, most)
	}
}

// Without losses, no packet comes twice, and each window is acknowledged once.
func TestCleanNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(0)
		s := loopback.ServeProspero(serverSocket{network: n})
		text := strings.Repeat("LINK", 53*maxData/4)
		s.Directory("d", text)
		x := fetchtest.Must(n.ask(t.Context(), greeting+"DIRECTORY ASCII d\nLIST ATTRIBUTES COMPONENTS\n"))(t)
		begun := time.Now()
		if got, err := io.ReadAll(x); len(got) != len(text) || err != nil {
			t.Errorf("%d octets, %v", len(got), err)
		}
		_ = x.Close()
		_ = s.Close()
		if n.sent != [2]int{1 + 53/16, 53} || time.Since(begun) > 0 {
			t.Errorf("%v packets in %v, want a request and 3 acknowledgements for 53 packets, at once", n.sent, time.Since(begun))
		}
	})
}

// say has the server send packets, given in hexadecimal before a blank and
// their data after it.
func (n *network) say(packets ...string) {
	for _, p := range packets {
		head, data, _ := strings.Cut(p, " ")
		b, err := hex.DecodeString(head)
		if err != nil {
			panic(err)
		}
		n.toClient <- append(b, data...)
	}
}

// said are the packets of the client so far, without their text.
func (n *network) said() (list []string) {
	for len(n.toServer) > 0 {
		p := <-n.toServer
		list = append(list, hex.EncodeToString(p[:p[0]]))
	}
	return list
}

const question = "094242000100010000" // the header of a request

// The exchanges of the wire, octet for octet.
func TestPackets(t *testing.T) {
	for _, tt := range []struct {
		name string
		says []string
		want string
		said []string
		took time.Duration
		err  error
	}{
		{name: "one packet", says: []string{"034242 a"}, want: "a", said: []string{question}},
		{name: "another connection", says: []string{"034343 x", "03c642 x", "01 x", "034242 a"}, want: "a", said: []string{question}},
		{name: "no ARDP", says: []string{"", "00 x", "40 x", "1f4242 x", "61 aaaa", "034242 a"}, want: "a", said: []string{question}},
		{name: "reversed", says: []string{"07424200030003 c", "07424200020000 b", "07424200010000 a"}, want: "abc", said: []string{question}},
		{name: "doubled", says: []string{"07424200020003 b", "07424200020003 B", "07424200010003 a", "07424200010003 A", "07424200030003 c"}, want: "abc", said: []string{question}},
		{
			name: "acknowledged", said: []string{question, "094242000000000001"},
			says: []string{"0c4242000100000001000080 a", "0942420002000200" + "01 b"}, want: "ab",
		},
		{
			name: "acknowledged once", said: []string{question, "094242000000000001"},
			says: []string{"0c4242000100000001000080 a", "0c4242000100000001000080 a", "0942420002000200" + "01 b"}, want: "ab",
		},
		{
			name: "control packets", said: []string{question, "094242000000000000"},
			says: []string{"0c42420000000000000000" + "80 x", "0c4242000100020001000040 x", "07424200020002 b"}, want: "b",
		},
		{name: "total later", says: []string{"07424200010000 a", "07424200020002 b"}, want: "ab", said: []string{question}},
		{name: "total changes", says: []string{"07424200010003 a", "07424200020004 b"}, err: errNumbers, said: []string{question}, want: "a"},
		{name: "number beyond the total", says: []string{"07424200050003 a"}, err: errNumbers, said: []string{question}},
		{name: "total below a number", says: []string{"07424200050000 e", "07424200010003 a"}, err: errNumbers, said: []string{question}},
		{name: "last number, no total", says: []string{"0742420001ffff a", "0742420001ffff b", "0d424200000000000000000001 no"}, want: "a", err: errRefused, said: []string{question}},
		{name: "refused", says: []string{"0d424200000000000000000001 no"}, err: errRefused, said: []string{question}},
		{
			name: "wait", says: []string{"0b4242000000000000003c"}, said: []string{question, question},
			took: time.Minute,
		},
		{
			name: "wait for longer than it is asked again", says: []string{"0b424200000000000000b4"}, said: []string{question, question, question},
			took: 3 * time.Minute,
		},
		{
			name: "wait for too long", says: []string{"0b4242000000000000ffff"}, said: []string{question, question},
			took: maxWait,
		},
		{name: "window and priority", says: []string{"114242000100010000" + "00000a0000010002 a"}, want: "a", said: []string{question}},
		{name: "longest header", says: []string{"1f424200010001" + strings.Repeat("00", 24) + " a"}, want: "a", said: []string{question}},
		{name: "header too long", says: []string{"20424200010001" + strings.Repeat("00", 25) + " b", "034242 a"}, want: "a", said: []string{question}},
		{name: "redirect to many", says: []string{"13424200000000000000000004e00000010016"}, err: errRedirect, said: []string{question}},
		{name: "redirect to no port", says: []string{"134242000000000000000000047f0000010000"}, err: errRedirect, said: []string{question}},
		{name: "redirect to nobody", says: []string{"13424200000000000000000004000000000000"}, err: errRedirect, said: []string{question}},
		{name: "redirect cut", says: []string{"0f4242000000000000000000047f00"}, err: errRedirect, said: []string{question}},
		{name: "redirect within the answer", says: []string{"07424200010002 a", "134242000000000000000000047f0000010016", "07424200020002 b"}, want: "ab", said: []string{question}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(0)
				x := fetchtest.Must(n.ask(t.Context(), "text"))(t)
				defer x.Close()
				n.say(tt.says...)
				begun := time.Now()
				if tt.took > 0 {
					time.AfterFunc(tt.took+time.Second, func() { n.say("034242") })
				}
				got, err := io.ReadAll(x)
				if string(got) != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
				}
				if said := n.said(); strings.Join(said, " ") != strings.Join(tt.said, " ") {
					t.Errorf("the client said %q, want %q", said, tt.said)
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
		n.say("154242000000000000000002050007" + "c000020105f5")
		var r *redirect
		if _, err := io.ReadAll(x); !errors.As(err, &r) || r.to.String() != "192.0.2.1:1525" {
			t.Errorf("got %v", err)
		}
	})
}

// When nothing comes, or nothing more, it ends at the limits; what is not
// answered is sent again, later each time.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name    string
		says    []string
		want    protocols.Reason
		took    time.Duration
		packets int // at most
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
				n.say(tt.says...)
				_, err := io.ReadAll(x)
				if protocols.ReasonOf(err) != tt.want || time.Since(begun) != tt.took {
					t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), tt.want, tt.took)
				}
				if said := n.said(); len(said) > tt.packets || len(said) < 3 {
					t.Errorf("%d packets, want %d at most: %q", len(said), tt.packets, said)
				}
				_ = x.Close()
			})
		})
	}
}

// A server that only ever asks to wait, or sends what it has sent before, or
// packets far ahead, does not keep it for ever, nor its memory.
func TestEndless(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(i int) string
		took time.Duration
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
				var talking sync.WaitGroup
				talking.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						n.say(tt.say(i))
						time.Sleep(100 * time.Millisecond) // of the bubble
					}
				})
				_, err := io.ReadAll(x)
				stop()
				if took := time.Since(begun); err == nil || took > tt.took+time.Second {
					t.Errorf("got %v after %v, want an error after %v", err, took, tt.took)
				}
				_ = x.Close()
				talking.Wait()
			})
		})
	}
}

// An endless answer ends when the numbers do.
func TestEndlessAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(0)
		x, _ := n.ask(t.Context(), "text")
		defer x.Close()
		go func() {
			for i := 1; i <= maxNumber; i++ {
				n.say(fmt.Sprintf("074242%04x0000 abcdefgh", i))
			}
		}()
		got, err := io.Copy(io.Discard, x)
		if protocols.ReasonOf(err) != protocols.TooBig || got != 8*(maxNumber-1) {
			t.Errorf("%d octets, %v", got, err)
		}
	})
}

// A server is told that no more is wanted if more was to come, and only then.
func TestCancelPacket(t *testing.T) {
	for packets, want := range map[string]string{
		"07424200010003 ab": question + " 0d424200000000000100000001", "07424200010000 ab": question + " 0d424200000000000100000001",
		"034242 ab": question,
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(0)
			x := fetchtest.Must(n.ask(t.Context(), "text"))(t)
			n.say(packets)
			fetchtest.Must(io.ReadFull(x, make([]byte, 1)))(t)
			_ = x.Close()
			fetchtest.Equal(t, strings.Join(n.said(), " "), want, "%q: said", packets)
		})
	}
}

// A request takes as many packets as its text needs.
func TestRequestPackets(t *testing.T) {
	for size, want := range map[int]int{1: 1, maxData: 1, maxData + 1: 2, maxRequest * maxData: maxRequest} {
		n := newNetwork(0)
		x := fetchtest.Must(n.ask(t.Context(), strings.Repeat("a", size)))(t)
		if said := n.said(); len(said) != want || said[want-1] != fmt.Sprintf("094242%04x%04x0000", want, want) {
			t.Errorf("%d octets: said %q", size, said)
		}
		_ = x.Close()
	}
}

func TestRequestTooLong(t *testing.T) {
	fetchtest.Fails(t, protocols.BadURL)(newNetwork(0).ask(t.Context(), strings.Repeat("a", maxRequest*maxData+1)))
}

// Packets behind one that never comes are kept up to a bound, and are taken when
// they come again.
func TestEarlyPackets(t *testing.T) {
	x := &exchange{early: make(map[int][]byte)}
	data := make([]byte, 1<<16)
	kept := 0
	for n := 2; n <= 1000; n++ {
		isNew := fetchtest.Must(x.store(packet{number: n, total: 1000, data: data}))(t)
		if isNew {
			kept++
		}
	}
	if kept != maxEarly>>16 || x.octets != maxEarly {
		t.Errorf("%d packets of %d octets are kept", kept, x.octets)
	}
	for n := range 1000 {
		fetchtest.Must(x.store(packet{number: n + 1, total: 1000, data: data}))(t)
	}
	if x.through != 1000 || x.held != 0 || len(x.early) > 0 {
		t.Errorf("up to packet %d, %d octets are kept", x.through, x.held)
	}
}
