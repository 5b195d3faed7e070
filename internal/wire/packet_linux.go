package wire

import (
	"net"
	"syscall"
)

// reportErrors makes reads of an unconnected socket return ICMP errors, to detect a closed port at
// once.
func reportErrors(u *net.UDPConn) {
	raw, err := u.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_RECVERR, 1)
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_RECVERR, 1)
	})
}
