package wire

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// Compress starts compression in both directions (COMPRESS DEFLATE, RFC 8054). The server must have
// agreed. Transcript, Progress and limits of c apply to the plain octets. The counter received counts
// the octets from the server before decompression, and the counter plain counts them afterwards.
func (c *Conn) Compress(received, plain *atomic.Int64) {
	in := flate.NewReaderOpts(countingReader{c.Conn, received}, flate.WithPartialBlock())
	c.Conn = deflateConn{c.Conn, countingReader{in, plain}}
}

// countingReader is a reader that adds the number of octets read to a counter.
type countingReader struct {
	io.Reader
	octets *atomic.Int64
}

func (r countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.octets.Add(int64(n))
	return n, err
}

// deflateConn is a compressed connection.
type deflateConn struct {
	net.Conn
	in io.Reader
}

func (d deflateConn) Read(p []byte) (int, error) { return d.in.Read(p) }

// Write sends p as blocks that do not refer to earlier data, so that no data stays in memory.
func (d deflateConn) Write(p []byte) (int, error) {
	var b bytes.Buffer
	err := flate.StatelessDeflate(&b, p, false, nil)
	if err == nil {
		_, err = d.Conn.Write(b.Bytes())
	}
	return len(p), err
}
