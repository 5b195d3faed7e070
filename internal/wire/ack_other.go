//go:build !linux

package wire

// AckAtOnce does nothing on this system.
func (c *Conn) AckAtOnce() {}
