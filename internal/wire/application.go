package wire

import "crypto/tls"

// Protocol returns the application protocol agreed on with TLS (RFC 7301), or "".
func (c *Conn) Protocol() string {
	if secure, ok := c.Conn.(*tls.Conn); ok {
		return secure.ConnectionState().NegotiatedProtocol
	}
	return ""
}

// RecordOctets records the octets that c receives in the Transcript, but no lines. It is called before the first Read or Write.
func (c *Conn) RecordOctets() { c.recorder.octets = onlyOctets }

// RecordLines records the lines of c in the Transcript, but does not count or record the octets that c receives as octets
// of an answer. It is called before the first Read or Write.
func (c *Conn) RecordLines() { c.recorder.octets = onlyLines }

// DisableTranscript stops recording, for a caller that writes its own lines to the Transcript.
func (c *Conn) DisableTranscript() {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	c.recorder.transcript = nil
}
