package sftp_test

import (
	"net"
	"testing"

	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/sftp"
)

// TestCutLogin checks that the end of the connection before the file transfer is called so, and is not a refusal by the server.
func TestCutLogin(t *testing.T) {
	for name, serve := range map[string]func(net.Conn, *ssh.ServerConfig){
		"after its greeting": func(c net.Conn, _ *ssh.ServerConfig) { _, _ = c.Write([]byte("SSH-2.0-x\r\n")) },
		"in its greeting":    func(c net.Conn, _ *ssh.ServerConfig) { _, _ = c.Write([]byte("SSH-2")) },
		"after the login": func(c net.Conn, config *ssh.ServerConfig) {
			_, channels, requests, err := ssh.NewServerConn(c, config)
			if err == nil {
				go ssh.DiscardRequests(requests)
				<-channels
			}
		},
		"before the subsystem": func(c net.Conn, config *ssh.ServerConfig) {
			_, channels, requests, err := ssh.NewServerConn(c, config)
			if err == nil {
				go ssh.DiscardRequests(requests)
				_, asked, _ := (<-channels).Accept()
				<-asked
			}
		},
		"in the first packet": func(c net.Conn, config *ssh.ServerConfig) {
			_, channels, requests, err := ssh.NewServerConn(c, config)
			if err == nil {
				go ssh.DiscardRequests(requests)
				ch, asked, _ := (<-channels).Accept()
				_ = (<-asked).Reply(true, nil)
				_, _ = ch.Write([]byte{0, 0, 0, 5, 2, 0})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			signer, _ := newKey(t)
			config := &ssh.ServerConfig{NoClientAuth: true}
			config.AddHostKey(signer)
			l := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
			defer l.Close()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					serve(c, config)
					_ = c.Close()
				}
			}()
			c := trusting{&sftp.Client{}}
			defer c.Close()
			_, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+l.Addr().String()+"/")})
			fetchtest.Reason(t, err, protocols.Broken)
		})
	}
}
