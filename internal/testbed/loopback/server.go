package loopback

import (
	"net"
	"sync"
	"time"
)

// server accepts connections on a free port of 127.0.0.1.
type server struct {
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex // of these and of what the server has of its own
	conns  map[net.Conn]struct{}
	closed bool
}

// start has serve answer each connection, which is closed when it returns, and
// when the server closes.
func (s *server) start(serve func(net.Conn)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.listener, s.conns = l, make(map[net.Conn]struct{})
	s.running.Go(func() { s.accept(serve) })
	return nil
}

// Addr returns the host:port the server listens on.
func (s *server) Addr() string { return s.listener.Addr().String() }

// Close ends all connections and returns when all goroutines have ended.
func (s *server) Close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

func (s *server) accept(serve func(net.Conn)) {
	for {
		c, err := s.listener.Accept()
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			if err == nil {
				_ = c.Close()
			}
			return
		}
		if err == nil {
			s.conns[c] = struct{}{}
			s.running.Go(func() {
				defer s.forget(c)
				serve(c)
			})
		}
		s.mu.Unlock()
		if err != nil {
			time.Sleep(5 * time.Millisecond) // out of descriptors: let some end
		}
	}
}

// forget closes a connection that has been served.
func (s *server) forget(c net.Conn) {
	_ = c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}
