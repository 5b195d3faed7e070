package prospero

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"gofer/protocols"
)

// network transfers datagrams between one client and one server in memory. It loses, duplicates and
// delays datagrams, in the same way for the same seed.
type network struct {
	loss, double float64       // the probabilities
	delay        time.Duration // the maximum delay

	mu       sync.Mutex
	rand     *rand.Rand
	sent     [2]int // numbers of datagrams sent by the client and by the server
	toServer chan []byte
	toClient chan []byte
	closed   chan struct{}
	once     sync.Once
}

func newNetwork(seed uint64) *network {
	return &network{
		rand: rand.New(rand.NewPCG(seed, seed)), closed: make(chan struct{}),
		toServer: make(chan []byte, 1<<12), toClient: make(chan []byte, 1<<12),
	}
}

// transfer sends p, or loses it. The parameter side is the index of the sender in n.sent.
func (n *network) transfer(side int, to chan []byte, p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sent[side]++
	copies := 1
	if n.rand.Float64() < n.double {
		copies++
	}
	for range copies {
		if n.rand.Float64() < n.loss {
			continue
		}
		data := append([]byte(nil), p...)
		deliver := func() {
			select {
			case to <- data:
			default: // the buffer of the socket is full
			}
		}
		if n.delay == 0 {
			deliver()
			continue
		}
		time.AfterFunc(time.Duration(n.rand.Int64N(int64(n.delay))), deliver)
	}
	return len(p), nil
}

// clientSocket is the client's socket.
type clientSocket struct {
	*network
	deadline time.Time
}

func (c *clientSocket) Write(p []byte) (int, error)       { return c.transfer(0, c.toServer, p) }
func (c *clientSocket) Close() error                      { c.once.Do(func() { close(c.closed) }); return nil }
func (c *clientSocket) SetReadDeadline(t time.Time) error { c.deadline = t; return nil }

func (c *clientSocket) Read(p []byte) (int, error) {
	wait := time.NewTimer(time.Until(c.deadline))
	defer wait.Stop()
	select {
	case data := <-c.toClient:
		return copy(p, data), nil
	case <-c.closed:
		return 0, net.ErrClosed
	case <-wait.C:
		return 0, &protocols.Error{Reason: protocols.IdleTimeout}
	}
}

// serverSocket is the server's socket.
type serverSocket struct {
	*network
	net.PacketConn // nil, because no other methods are called
}

func (s serverSocket) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case data := <-s.toServer:
		return copy(p, data), s.LocalAddr(), nil
	case <-s.closed:
		return 0, nil, net.ErrClosed
	}
}

func (s serverSocket) WriteTo(p []byte, _ net.Addr) (int, error) { return s.transfer(1, s.toClient, p) }
func (s serverSocket) LocalAddr() net.Addr                       { return &net.UDPAddr{Port: 1525} }
func (s serverSocket) Close() error                              { s.once.Do(func() { close(s.closed) }); return nil }

// ask starts an exchange over the network.
func (n *network) ask(ctx context.Context, text string) (*exchange, error) {
	return newExchange(ctx, &clientSocket{network: n}, exchange{
		peer: "h.example:1525", id: 0x4242, firstByte: 30 * time.Second, idle: 60 * time.Second,
	}, text)
}
