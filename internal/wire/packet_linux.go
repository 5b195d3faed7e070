package wire

import (
	"net"
	"syscall"
)

// reportErrors has reads of a socket that is not connected return what ICMP
// tells, so that a port at which nobody listens is known at once.
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
