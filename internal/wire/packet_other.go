//go:build !linux

package wire

import "net"

// reportErrors does nothing on this system.
func reportErrors(*net.UDPConn) {}
