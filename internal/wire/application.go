package wire

import "crypto/tls"

// Protocol is the application protocol that was agreed on with TLS (RFC 7301):
// one of [TLS.Protocols], or "".
func (c *Conn) Protocol() string {
	if secure, ok := c.Conn.(*tls.Conn); ok {
		return secure.ConnectionState().NegotiatedProtocol
	}
	return ""
}

// Unrecorded keeps what passes from now on out of the Transcript: the caller
// writes there what is to be read of it.
func (c *Conn) Unrecorded() {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	c.recorder.to = nil
}
