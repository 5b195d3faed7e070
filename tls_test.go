package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http/httptest"
	"sync"
	"testing"
)

// selfSigned is a certificate for 127.0.0.1 that no known issuer has signed.
func selfSigned() *tls.Config {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return &tls.Config{Certificates: s.TLS.Certificates}
}

// startGophers answers every selector with a text, by TLS.
func startGophers(t *testing.T) (addr string) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", selfSigned())
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
					_, _ = io.WriteString(c, "told in confidence\n")
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return l.Addr().String()
}
