package demo

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// server is a TCP server on a free port of 127.0.0.1. All servers of this package embed it, except
// [ProsperoServer], which uses UDP.
type server struct {
	address
	listener net.Listener
	running  sync.WaitGroup

	mu        sync.Mutex // guards the fields below and the mutable fields of the embedding server
	openConns map[io.Closer]struct{}
	closed    bool
}

func (s *server) listen() (err error) {
	s.openConns = make(map[io.Closer]struct{})
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		s.listening = s.listener.Addr().String()
	}
	return err
}

// start runs serve for each connection. The connection is closed when serve returns, and when the
// server closes.
func (s *server) start(serve func(net.Conn)) error {
	if err := s.listen(); err != nil {
		return err
	}
	s.running.Go(func() {
		for {
			c, err := s.listener.Accept()
			switch {
			case err == nil && s.register(c):
				s.running.Go(func() {
					defer s.release(c)
					serve(c)
				})
			case s.isClosed():
				return
			default:
				time.Sleep(5 * time.Millisecond) // out of file descriptors: wait until a connection ends
			}
		}
	})
	return nil
}

// Close closes all connections and waits for all goroutines.
func (s *server) Close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.openConns {
		_ = c.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

func (s *server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// register adds c to the connections that Close closes. If the server is already closed, register
// closes c and returns false.
func (s *server) register(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.openConns[c] = struct{}{}
	return true
}

// release closes c and removes it from the registered connections.
func (s *server) release(c io.Closer) error {
	s.mu.Lock()
	delete(s.openConns, c)
	s.mu.Unlock()
	return c.Close()
}

// serveLines sends greeting and calls answer for each line that the client sends. It returns when
// answer returns false, when the connection ends, or gopherIdle after the call.
func serveLines(c net.Conn, greeting string, answer func(w *bufio.Writer, line string) bool) {
	_ = c.SetReadDeadline(time.Now().Add(gopherIdle))
	r := bufio.NewReaderSize(c, gopherMaxRequest)
	w := bufio.NewWriterSize(idleWriter{c}, 32<<10)
	_, _ = w.WriteString(greeting)
	for more := true; more; {
		if w.Flush() != nil {
			return
		}
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		more = answer(w, strings.TrimRight(string(line), "\r\n"))
	}
	if w.Flush() == nil {
		drain(c)
	}
}
