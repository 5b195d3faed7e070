package wire

import (
	"net"
	"syscall"
)

// reportErrors has reads of an unconnected socket return ICMP errors, so that a closed
// port is known at once.
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
