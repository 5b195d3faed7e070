package wire

import "crypto/tls"

// Protocol returns the application protocol agreed on with TLS (RFC 7301), or "".
func (c *Conn) Protocol() string {
	if secure, ok := c.Conn.(*tls.Conn); ok {
		return secure.ConnectionState().NegotiatedProtocol
	}
	return ""
}

// DisableTranscript stops recording, for a caller that writes its own lines to the Transcript.
func (c *Conn) DisableTranscript() {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	c.recorder.transcript = nil
}
