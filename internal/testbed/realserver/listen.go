package realserver

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"time"
)

const (
	startLimit = 30 * time.Second // time limit for the first answer of a daemon
	startTries = 5                // attempts, each with another port
)

// startListening starts a daemon that opens its port itself. It returns when the daemon answers
// the request hello with a text that contains token, over TLS if secure is not nil. It tries several
// ports, because another program may take a free port before the daemon does.
func (s *Server) startListening(secure *tls.Config, hello, token string, daemon func(port string) *exec.Cmd) (err error) {
	for range startTries {
		var port string
		if port, err = freePort(); err != nil {
			return err
		}
		cmd := daemon(port)
		if s.ns.err != nil {
			return s.ns.err
		}
		var j *job
		if j, err = s.ns.start(cmd); err != nil {
			return err
		}
		addr := net.JoinHostPort(cmp.Or(s.Host, "127.0.0.1"), port)
		if err = j.waitForGreeting(addr, hello, token, secure); err == nil {
			return s.setAddr(addr)
		}
		j.kill()
	}
	return err
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// waitForGreeting waits until the job answers the request hello with a text that contains token.
func (j *job) waitForGreeting(addr, hello, token string, secure *tls.Config) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(startLimit)
	var last error
	for {
		select {
		case <-j.done:
			return fmt.Errorf("%s ended: %w", j.cmd.Args[len(j.cmd.Args)-1], j.err)
		case <-limit:
			return fmt.Errorf("no answer from %s in %v: %w", addr, startLimit, last)
		case <-tick.C:
			if last = checkGreeting(addr, hello, token, secure); last == nil {
				return nil
			}
		}
	}
}

func checkGreeting(addr, hello, token string, secure *tls.Config) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if secure != nil {
		c = tls.Client(c, secure)
	}
	if _, err := c.Write([]byte(hello)); err != nil {
		return err
	}
	line, err := bufio.NewReaderSize(c, 1024).ReadSlice('\n')
	switch {
	case bytes.Contains(line, []byte(token)):
		return nil
	case err != nil:
		return fmt.Errorf("%s says %q and no %q: %w", addr, line, token, err)
	}
	return fmt.Errorf("%s says %q, not %q", addr, line, token)
}

// serveAsInetd listens on a free port and runs a program for each connection, with the connection
// as its standard input and output, as inetd does. It stops with the namespace.
func (s *Server) serveAsInetd(program func(port string) *exec.Cmd) error {
	n := s.ns
	if n.err != nil {
		return n.err
	}
	addr, err := n.serve("tcp", "127.0.0.1:0", func(c net.Conn) {
		_, port, _ := net.SplitHostPort(c.LocalAddr().String())
		n.serveConn(c.(*net.TCPConn), program(port))
	})
	if err != nil {
		return err
	}
	return s.setAddr(addr)
}

// serve listens, calls answer with each connection, and returns the address. It stops with the namespace.
func (n *namespace) serve(network, addr string, answer func(net.Conn)) (string, error) {
	l, err := net.Listen(network, addr)
	if err != nil {
		return "", err
	}
	n.listeners = append(n.listeners, l)
	n.jobs.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.jobs.Go(func() { answer(c) })
		}
	})
	return l.Addr().String(), nil
}

func (n *namespace) serveConn(c *net.TCPConn, cmd *exec.Cmd) {
	f, err := c.File()
	_ = c.Close()
	if err != nil {
		return
	}
	cmd.Stdin, cmd.Stdout = f, f
	err = cmd.Start()
	_ = f.Close() // so that only the program holds the connection
	if err != nil {
		fmt.Fprintf(n.log, "start %s: %v\n", cmd.Path, err)
		return
	}
	_ = cmd.Wait()
}
