package web_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/web"
)

// TestUnmarkedEnd fetches answers by TLS without close_notify. A body is complete if a length, chunks or its
// compression mark its end.
func TestUnmarkedEnd(t *testing.T) {
	config, _ := fetchtest.NewSelfSigned(t)
	var gzipped bytes.Buffer
	w := gzip.NewWriter(&gzipped)
	fetchtest.Must(w.Write([]byte("data")))(t)
	fetchtest.NoError(t, w.Close())
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	compressed := head + "Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzipped.String()
	for _, tt := range []struct {
		name, answer string
		trust        bool
		want         protocols.Reason
	}{
		{"a length", head + "Content-Length: 4\r\n\r\ndata", false, 0},
		{"a length, cut", head + "Content-Length: 4\r\n\r\ndat", false, protocols.Broken},
		{"chunks", head + "Transfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n0\r\n\r\n", false, 0},
		{"chunks, the last is missing", head + "Transfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n", false, protocols.Broken},
		{"chunks, cut", head + "Transfer-Encoding: chunked\r\n\r\n4\r\nda", false, protocols.Broken},
		{"compressed", compressed, false, 0},
		{"compressed, cut", compressed[:len(compressed)-3], false, protocols.Broken},
		{"no length", head + "Connection: close\r\n\r\ndata", false, protocols.EndUnmarked},
		{"no length, no octets", head + "Connection: close\r\n\r\n", false, protocols.EndUnmarked},
		{"no length, HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\ndata", false, protocols.EndUnmarked},
		{"no length, a trusted server", head + "Connection: close\r\n\r\ndata", true, 0},
		{"a cut head", "HTTP/1.1 200 OK\r\nConte", false, protocols.Malformed},
		{"an error without a length", "HTTP/1.1 404 Not Found\r\n\r\nnone", false, protocols.NotFound},
	} {
		d := wire.Dialer{TLS: wire.TLS{Unverified: true, Ends: fetchtest.TrustEnds(func(string) bool { return tt.trust })}}
		addr := fetchtest.ServeUnmarked(t, config, tt.answer)
		_, _, got, err := fetchtest.Collect(t.Context(), &web.Client{Dialer: d, Proxy: noProxy}, parse(t, "https://"+addr+"/a"))
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, tt.name)
		if err == nil {
			fetchtest.Equal(t, got, "data", tt.name)
		}
	}
	addr := fetchtest.ServeUnmarked(t, nil, head+"Connection: close\r\n\r\ndata")
	_, _, _, err := fetchtest.Collect(t.Context(), &web.Client{Proxy: noProxy}, parse(t, "http://"+addr+"/a"))
	fetchtest.Reason(t, err, protocols.Broken, "a reset")
}
