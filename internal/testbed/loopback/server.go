package loopback

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// server accepts connections on a free port of 127.0.0.1.
type server struct {
	address
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex // of these and of the fields of each kind of server
	open   map[io.Closer]struct{}
	closed bool
}

func (s *server) listen() (err error) {
	s.open = make(map[io.Closer]struct{})
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
		s.listening = s.listener.Addr().String()
	}
	return err
}

// start has serve answer each connection, which is closed when it returns, and
// when the server closes.
func (s *server) start(serve func(net.Conn)) error {
	if err := s.listen(); err != nil {
		return err
	}
	s.running.Go(func() {
		for {
			c, err := s.listener.Accept()
			switch {
			case err == nil && s.keep(c):
				s.running.Go(func() {
					defer s.forget(c)
					serve(c)
				})
			case s.isClosed():
				return
			default:
				time.Sleep(5 * time.Millisecond) // out of descriptors: let some end
			}
		}
	})
	return nil
}

// Close ends all connections and returns when all goroutines have ended.
func (s *server) Close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
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

// keep has Close close c. It closes c itself and returns false when the server is
// closed already.
func (s *server) keep(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.open[c] = struct{}{}
	return true
}

// forget closes what keep has got.
func (s *server) forget(c io.Closer) error {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	return c.Close()
}

// converse sends a greeting and answers each line of a connection, until answer
// returns false or the client is silent for too long.
func converse(c net.Conn, greeting string, answer func(w *bufio.Writer, line string) bool) {
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
