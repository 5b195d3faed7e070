package nntp

import (
	"slices"
	"strings"

	"gofer/protocols"
)

// For an overview, the client begins compression if it requests more than minCompressed articles. COMPRESS
// costs a round trip, and CAPABILITIES another one if no other command could be sent with it.
const minCompressed = 1000

// flushCommand is sent after the other commands on a compressed connection. The short answer to
// flushCommand pushes out the end of the previous answer: INN ends an answer with a partial flush, which
// holds back up to 7 bits, and package flate waits for 10 bits after a long block.
const flushCommand = "DATE"

// compress begins compression if the server offers it (RFC 8054). It must not be called before the
// server has accepted GROUP. A server that requires a login requires it for GROUP, and passwords must
// not be compressed (section 7).
func (s *session) compress() error {
	srv := s.server
	if s.compressed || srv.deflates.fails() || srv.takesBatches.fails() {
		return nil
	}
	if srv.deflates.isUnknown() {
		known, err := s.capabilities()
		if err != nil || !offersDeflate(known) {
			if err == nil {
				srv.deflates.Store(abilityFails)
			}
			return err
		}
	}
	r, err := s.exchange("COMPRESS DEFLATE")
	switch {
	case err != nil:
		return err
	case r.code != 206:
		srv.deflates.Store(abilityFails)
	case s.in.Buffered() > 0:
		return protocols.NewError(protocols.Malformed, "begin compression", "the server sent data before the compression began")
	default:
		srv.deflates.Store(abilityWorks)
		s.compressed = true
		s.conn.Compress(&srv.client.received, &srv.client.plainReceived)
	}
	return nil
}

// offersDeflate reports whether the capabilities include the compression by DEFLATE (RFC 8054, section 2.1).
func offersDeflate(capabilities []string) bool {
	return slices.ContainsFunc(capabilities, func(line string) bool {
		rest, ok := strings.CutPrefix(line, "COMPRESS ")
		return ok && strings.Contains(" "+rest+" ", " DEFLATE ")
	})
}

// maxCapabilities is the maximal number of lines of the answer to CAPABILITIES.
const maxCapabilities = 1000

const listCapabilities = "CAPABILITIES"

// compressCommands returns the command that can be sent before session.compress needs its answer, if any.
func (s *server) compressCommands() []string {
	if !s.deflates.isUnknown() || s.noCapabilities.Load() || s.takesBatches.fails() {
		return nil
	}
	return []string{listCapabilities}
}

// capabilities returns the lines of the answer to CAPABILITIES (RFC 3977, section 5.2), in upper case. It
// returns nil if the server does not know the command, and asks such a server only once.
func (s *session) capabilities() (lines []string, err error) {
	if s.server.noCapabilities.Load() {
		return nil, nil
	}
	r, err := s.exchange(listCapabilities)
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
