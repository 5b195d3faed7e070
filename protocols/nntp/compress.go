package nntp

import (
	"slices"
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
	if s.compressed || s.server.noDeflate.Load() || s.server.takesBatches.fails() {
		return nil
	}
	known, err := s.capabilities()
	offered := slices.ContainsFunc(known, func(line string) bool {
		rest, ok := strings.CutPrefix(line, "COMPRESS ")
		return ok && strings.Contains(" "+rest+" ", " DEFLATE ")
	})
	var r reply
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

// maxCapabilities is the maximal number of lines of the answer to CAPABILITIES.
const maxCapabilities = 1000

// capabilities returns the lines of the answer to CAPABILITIES (RFC 3977, section 5.2), in upper case. It
// returns nil if the server does not know the command, and asks such a server only once.
func (s *session) capabilities() (lines []string, err error) {
	if s.server.noCapabilities.Load() {
		return nil, nil
	}
	r, err := s.exchange("CAPABILITIES")
	if err != nil || r.code != 101 {
		s.server.noCapabilities.Store(err == nil)
		return nil, err
	}
	for range maxCapabilities {
		line, _, end, err := s.readTextLine()
		if err != nil {
			return nil, err
		}
		if end {
			s.server.isReader.Store(!slices.Contains(lines, "MODE-READER"))
			return lines, nil
		}
		lines = append(lines, strings.ToUpper(string(line)))
	}
	return nil, s.tooBigError()
}

// Compressed returns the number of octets received over compressed connections, and the number of
// octets after decompression.
func (c *Client) Compressed() (received, plain int64) {
	return c.received.Load(), c.plainReceived.Load()
}
