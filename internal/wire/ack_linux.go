package wire

import "syscall"

// AckAtOnce makes the system acknowledge the next data at once. A server that sends an answer in
// two small writes delays the second until the first is acknowledged (RFC 896). Linux otherwise
// waits 40 ms before it acknowledges.
func (c *Conn) AckAtOnce() {
	tcp, ok := c.raw.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
}
