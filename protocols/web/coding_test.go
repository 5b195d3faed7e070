package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/web"
)

// compress returns text compressed by the writer that open returns.
func compress[W io.WriteCloser](text string, open func(io.Writer) W) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func gzipped(text string) string { return compress(text, gzip.NewWriter) }

// gzipStart is the header of a gzip member (RFC 1952, section 2.3).
const gzipStart = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

func namedGzip(text, name, comment string, extra int) string {
	const flags = 4 | 8 | 16
	plain := gzipped(text)
	return plain[:3] + string([]byte{flags}) + plain[4:10] + string([]byte{
		byte(extra), byte(extra >> 8),
	}) + strings.Repeat("e", extra) + name + "\x00" + comment + "\x00" + plain[10:]
}

// TestCodings fetches bodies with content codings (RFC 9110, section 8.4).
func TestCodings(t *testing.T) {
	const text = "some text, some text\n"
	zlibbed := compress(text, zlib.NewWriter)
	raw := compress(text, func(w io.Writer) *flate.Writer { z, _ := flate.NewWriter(w, 9); return z })
	wrongSum := gzipped(text)
	wrongSum = wrongSum[:len(wrongSum)-8] + "abcd" + wrongSum[len(wrongSum)-4:]
	empty := gzipped(strings.Repeat(gzipped(""), 5<<20/len(gzipped(""))))
	blocks := gzipped(gzipStart + strings.Repeat("\x00\x00\x00\xff\xff", 5<<20/5)) // stored blocks without octets
	zeros := gzipped(strings.Repeat(gzipped(strings.Repeat("\x00", 1<<20)), 70))
	for _, tt := range []struct {
		name, codings, body, want string
		reason                    protocols.Reason
		problem                   bool
	}{
		{"gzip", "gzip", gzipped(text), text, 0, false},
		{"x-gzip", "X-GZip", gzipped(text), text, 0, false},
		{"identity", "identity", text, text, 0, false},
		{"an empty body", "gzip", "", "", 0, false},
		{"twice", "gzip, gzip", gzipped(gzipped(text)), text, 0, false},
		{"twice, in two fields", "deflate\r\nContent-Encoding: identity, gzip", gzipped(zlibbed), text, 0, false},
		{"zlib", "deflate", zlibbed, text, 0, false},
		{"raw deflate", "deflate", raw, text, 0, false},
		{"several members", "gzip", gzipped("some ") + namedGzip(text, strings.Repeat("n", 2000), "", 0), "some " + text, 0, false},
		{"octets after the end", "gzip", gzipped(text) + "\x00\x00", text, 0, false},
		{"a long header", "gzip", namedGzip(text, strings.Repeat("n", 5000), strings.Repeat("c", 100_000), 65_535), text, 0, false},
		{"an endless name", "gzip", namedGzip(text, strings.Repeat("n", 1<<21), "", 0), "", protocols.Damaged, false},
		{"cut", "gzip", gzipped(text)[:30], "", protocols.Damaged, false},
		{"cut before the sum", "gzip", gzipped(text)[:len(gzipped(text))-8], text, protocols.Damaged, false},
		{"cut in the second member", "gzip", gzipped(text) + gzipped("x")[:12], text, protocols.Damaged, false},
		{"a cut header", "gzip", namedGzip(text, "name", "", 0)[:14], "", protocols.Damaged, false},
		{"a wrong sum", "gzip", wrongSum, text, protocols.Damaged, false},
		{"not compressed", "gzip", text, "", protocols.Damaged, false},
		{"cut inside", "gzip, gzip", gzipped(gzipped(text)[:30]), "", protocols.Damaged, false},
		{"cut zlib", "deflate", zlibbed[:len(zlibbed)-4], text, protocols.Damaged, false},
		{"cut raw deflate", "deflate", raw[:len(raw)-1], text, protocols.Damaged, false},
		{"empty members", "gzip, gzip", empty, "", protocols.Damaged, false},
		{"empty blocks", "gzip, gzip", blocks, "", protocols.Damaged, false},
		{"a body that grows", "gzip, gzip", zeros, "", protocols.Damaged, false},
		{"three codings", "gzip, gzip, gzip", zeros, zeros, 0, true},
		{"unknown", "br", "\x0b\x02\x80some", "\x0b\x02\x80some", 0, true},
		{"unknown inside", "br, gzip", gzipped("some"), gzipped("some"), 0, true},
		{"too many", strings.Repeat("gzip, ", 100) + "gzip", gzipped("some"), gzipped("some"), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := fmt.Sprintf(
				"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s",
				tt.codings, len(tt.body), tt.body,
			)
			res := fetchtest.CloseAtEnd((&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{URL: serveAnswer(t, answer)}))(t)
			got, err := io.ReadAll(res.Body)
			if !strings.HasPrefix(string(got), tt.want) || err == nil && string(got) != tt.want {
				t.Errorf("got %.100q, want %.100q", got, tt.want)
			}
			fetchtest.Equal(t, protocols.ReasonOf(err), tt.reason, "error %v", err)
			if problem := res.Problem != "" && len(res.Notes) == 1; problem != tt.problem {
				t.Errorf("got the problem %q, notes %q; want them: %v", res.Problem, res.Notes, tt.problem)
			}
		})
	}
}

// TestCodingsOfSavedOctets checks that the note about octets that are not decoded names all their codings, within bounds.
func TestCodingsOfSavedOctets(t *testing.T) {
	for codings, want := range map[string][]string{
		"br":                               {"br"},
		"br, gzip":                         {"br, gzip"},
		"gzip, BR":                         {"gzip, br"},
		"deflate, zstd, x-y":               {"deflate, zstd, x-y"},
		strings.Repeat("gzip, ", 99) + "x": {"100 ", "gzip, gzip, gzip, x"},
		strings.Repeat("n", 5000):          {"nnn"},
	} {
		res := fetchtest.CloseAtEnd((&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{
			URL: serveAnswer(t, "HTTP/1.1 200 OK\r\nContent-Encoding: "+codings+"\r\nContent-Length: 1\r\n\r\na"),
		}))(t)
		for _, text := range want {
			if note := strings.Join(res.Notes, "\n"); !strings.Contains(note, text) || len(note)+len(res.Problem) > 1000 {
				t.Errorf("%.50s: got the notes %.400q, want %q, in less than 1000 octets", codings, res.Notes, text)
			}
		}
	}
}

// TestCompressedFiles checks that a compressed file is not decoded when its server also declares it as coded.
func TestCompressedFiles(t *testing.T) {
	body := gzipped("octets")
	for _, tt := range []struct {
		path, media string
		decoded     bool
	}{
		{"/a.tar.gz", "application/x-tar", false},
		{"/a", "application/x-gzip", false},
		{"/a.tgz", "application/gzip; x=y", false},
		{"/a.tar", "application/x-tar", true},
		{"/a.html.gz", "text/html", true},
	} {
		answer := fmt.Sprintf(
			"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Encoding: x-gzip\r\nContent-Length: %d\r\n\r\n%s", tt.media,
			len(body), body,
		)
		u := parse(t, strings.TrimSuffix(serveAnswer(t, answer).String(), "/a.txt")+tt.path)
		_, got := fetchtest.Read(t, &web.Client{Proxy: noProxy}, u)
		if decoded := got == "octets"; decoded != tt.decoded {
			t.Errorf("%s as %s: got %q, want it decoded: %v", tt.path, tt.media, got, tt.decoded)
		}
	}
}

// TestResumeAnswers checks which answers say that the server cannot resume: those that are not the rest of the file. An
// error does not say so, also if its page is coded: then the file would be fetched again from the beginning.
func TestResumeAnswers(t *testing.T) {
	const rest, coded = "Content-Range: bytes 1-2/3\r\n", "Content-Range: bytes 1-2/3\r\nContent-Encoding: gzip\r\n"
	for _, tt := range []struct {
		status, fields string
		want           protocols.Reason
	}{
		{"206 Partial Content", rest, 0},
		{"206 Partial Content", coded, protocols.Unsupported},
		{"206 Partial Content", "Content-Range: bytes 0-1/3\r\n", protocols.Unsupported},
		{"206 Partial Content", "Content-Type: multipart/byteranges; boundary=b\r\n", protocols.Unsupported},
		{"200 OK", "", protocols.Unsupported},
		{"200 OK", coded, protocols.Unsupported},
		{"203 Transformed", "", protocols.Unsupported},
		{"403 Forbidden", coded, protocols.Denied},
		{"404 Not Found", coded, protocols.NotFound},
		{"416 Range Not Satisfiable", "", protocols.Unsupported},
		{"500 Error", coded, protocols.ServerFailed},
		{"503 Service Unavailable", coded, protocols.ServerFailed},
	} {
		u := serveAnswer(t, "HTTP/1.1 "+tt.status+"\r\n"+tt.fields+"Content-Length: 2\r\n\r\nab")
		res, err := (&web.Client{Dialer: wire.Dialer{}, Proxy: noProxy}).Resume(t.Context(), protocols.Request{URL: u, Offset: 1})
		if err == nil {
			_ = res.Close()
		}
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%s, %s", tt.status, tt.fields)
	}
}
