package nntp

import (
	"strings"

	"gofer/protocols"
)

// For an overview, the client begins compression if it requests more than minCompressed articles. The two
// commands that begin compression cost two round trips.
const minCompressed = 1000

// flushCommand is sent after the other commands on a compressed connection. The short answer to
// flushCommand pushes out the end of the previous answer: INN ends an answer with a partial flush, which
// holds back up to 7 bits, and package flate waits for 10 bits after a long block.
const flushCommand = "DATE"

// compress begins compression if the server offers it (RFC 8054). It must not be called before the
// server has accepted GROUP. A server that requires a login requires it for GROUP, and passwords must
// not be compressed (section 7).
func (s *session) compress() error {
	if s.compressed || s.server.noDeflate.Load() {
		return nil
	}
	r, err := s.runCommand("CAPABILITIES")
	offered := false
	for end := r.code != 101; err == nil && !end; {
		var line []byte
		line, _, end, err = s.readTextLine()
		rest, ok := strings.CutPrefix(strings.ToUpper(string(line)), "COMPRESS ")
		offered = offered || ok && strings.Contains(" "+rest+" ", " DEFLATE ")
		if s.skippedOctets += len(line) + 1; s.skippedOctets > maxDropped {
			return s.tooBigError()
		}
	}
	if err == nil && offered {
		r, err = s.exchange("COMPRESS DEFLATE")
	}
	switch {
	case err != nil:
		return err
	case !offered || r.code != 206:
		s.server.noDeflate.Store(true)
	case s.in.Buffered() > 0:
		return protocols.NewError(protocols.Malformed, "begin compression", "the server sent data before the compression began")
	default:
		s.compressed = true
		s.conn.Compress(&s.server.client.received, &s.server.client.plainReceived)
	}
	return nil
}

// Compressed returns the number of octets received over compressed connections, and the number of
// octets after decompression.
func (c *Client) Compressed() (received, plain int64) {
	return c.received.Load(), c.plainReceived.Load()
}
