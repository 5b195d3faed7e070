package loopback

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"
)

// The limits of a GopherServer.
const (
	gopherMaxRequest = 4 << 10          // octets of a request line
	gopherIdle       = 30 * time.Second // of silence in a request or an answer
)

// GopherServer is a Gopher server (RFC 1436) on a free port of 127.0.0.1 that
// serves a file tree. Directories are shown by their gophermap file, or else
// by a menu of what they hold; text files are sent dot-stuffed, all others as
// they are. Beside the tree it answers these selectors:
//
//	/plus             a menu of Gopher+ items, with attributes, views and forms
//	/search           a full text search of the tree (item type 7)
//	/big/N            a menu of N items
//	/big/item/K       the text such an item leads to
//	/big/text/N       a text of N lines
//	/big/binary/N     N octets; the 16 at offset k are "%015x\n" of k
//
// All its methods may be called at the same time.
type GopherServer struct {
	server
	root    fs.FS
	replace *strings.Replacer

	// Under mu:
	handlers map[string]func(conn net.Conn, request string)
	requests []string
}

// StartGopher serves root until Close. In gophermap files every key of replace
// gives way to its value, so that menus can lead to servers whose port is not
// known beforehand.
func StartGopher(root fs.FS, replace map[string]string) (*GopherServer, error) {
	var pairs []string
	for from, to := range replace {
		pairs = append(pairs, from, to)
	}
	s := &GopherServer{
		root: root, replace: strings.NewReplacer(pairs...),
		handlers: map[string]func(net.Conn, string){},
	}
	if err := s.start(s.serve); err != nil {
		return nil, err
	}
	return s, nil
}

// URL returns the URL of the server's root menu.
func (s *GopherServer) URL() string { return "gopher://" + s.Addr() + "/1" }

// Handle has f answer the requests for selector instead of the server. The
// request comes without its line end. The connection is closed when f returns
// and when the server closes; f must return then.
func (s *GopherServer) Handle(selector string, f func(conn net.Conn, request string)) {
	s.mu.Lock()
	s.handlers[selector] = f
	s.mu.Unlock()
}

// Requests returns the last 1000 request lines, oldest first, without their
// ends.
func (s *GopherServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *GopherServer) serve(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(gopherIdle))
	r := bufio.NewReaderSize(c, gopherMaxRequest)
	line, err := r.ReadSlice('\n')
	w := bufio.NewWriterSize(idleWriter{c}, 32<<10)
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			gopherError(w, "the request is too long")
			_ = w.Flush()
			drain(c)
		}
		return
	}
	request := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	selector, rest, _ := strings.Cut(request, "\t")
	s.mu.Lock()
	handler := s.handlers[selector]
	if len(s.requests) >= 1000 {
		s.requests = append(s.requests[:0], s.requests[1:]...)
	}
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	if handler != nil {
		_ = c.SetReadDeadline(time.Time{})
		handler(c, request)
		return
	}
	if selector == plusMenu || strings.HasPrefix(selector, plusMenu+"/") {
		s.plus(w, r, request)
	} else {
		words, _, _ := strings.Cut(rest, "\t")
		s.answer(w, selector, words)
	}
	_ = w.Flush()
	drain(c)
}

// answer writes what selector names. An error of w shows when it is flushed.
func (s *GopherServer) answer(w *bufio.Writer, selector, words string) {
	host, port, _ := net.SplitHostPort(s.Addr())
	own := "\t" + host + "\t" + port + "\r\n"
	switch rest, big := strings.CutPrefix(selector, "/big/"); {
	case selector == "/search":
		s.search(w, words, own)
		return
	case big && s.generate(w, rest, own):
		return
	}
	name := strings.Trim(selector, "/")
	name = cmp.Or(name, ".")
	info, err := fs.Stat(s.root, name) // refuses .. and its like
	switch {
	case err != nil:
		gopherError(w, "'"+selector+"' does not exist")
	case info.IsDir():
		s.directory(w, name, own)
	default:
		s.file(w, name)
	}
}

func (s *GopherServer) file(w *bufio.Writer, name string) {
	f, err := s.root.Open(name)
	if err != nil {
		gopherError(w, "'"+name+"' cannot be read")
		return
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	head, _ := r.Peek(1024)
	if gopherType(name, head) != '0' {
		_, _ = r.WriteTo(w)
		return
	}
	gopherText(w, r)
}

// gopherText sends a text as RFC 1436 wants it: CRLF, a dot doubled at the
// start of a line, a single dot at the end.
func gopherText(w *bufio.Writer, r *bufio.Reader) {
	start := true
	for {
		b, err := r.ReadSlice('\n')
		if start && len(b) > 0 && b[0] == '.' {
			_ = w.WriteByte('.')
		}
		start = err == nil
		if start {
			b = b[:len(b)-1]
			if n := len(b); n > 0 && b[n-1] == '\r' {
				b = b[:n-1]
			}
		}
		if _, werr := w.Write(b); werr != nil {
			return
		}
		switch {
		case start:
			_, _ = w.WriteString("\r\n")
		case err == io.EOF:
			if len(b) > 0 {
				_, _ = w.WriteString("\r\n")
			}
			_, _ = w.WriteString(".\r\n")
			return
		case !errors.Is(err, bufio.ErrBufferFull):
			return
		}
	}
}

// generate answers the selectors below /big/, and tells whether rest is one.
func (s *GopherServer) generate(w *bufio.Writer, rest, own string) bool {
	what, number, ok := strings.Cut(rest, "/")
	if !ok {
		what, number = "", rest
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return false
	}
	var line []byte
	var write func(i int64) []byte
	step, end := int64(1), ".\r\n"
	switch what {
	case "":
		write = func(i int64) []byte {
			line = append(line[:0], "0Item number "...)
			line = gopherPad(line, i, 7)
			line = append(line, "\t/big/item/"...)
			line = gopherPad(line, i, 7)
			return append(line, own...)
		}
	case "item":
		_, _ = w.WriteString("This is item number " + number + ".\r\n.\r\n")
		return true
	case "text":
		write = func(i int64) []byte {
			line = append(line[:0], "This is line number "...)
			line = gopherPad(line, i, 7)
			return append(line, " of a text that goes on and on.\r\n"...)
		}
	case "binary":
		step, end = 16, ""
		write = func(i int64) []byte {
			line = strconv.AppendInt(line[:0], i, 16)
			pad := append(make([]byte, 0, 16), "000000000000000"[:max(0, 15-len(line))]...)
			line = append(append(pad, line...), '\n')
			return line[:min(16, n-i)]
		}
	default:
		return false
	}
	for i := int64(0); i < n; i += step {
		if _, err := w.Write(write(i)); err != nil {
			return true
		}
	}
	_, _ = w.WriteString(end)
	return true
}

// gopherPad appends i in decimal with at least width digits.
func gopherPad(b []byte, i int64, width int) []byte {
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], i, 10)
	for n := len(d); n < width; n++ {
		b = append(b, '0')
	}
	return append(b, d...)
}

func gopherError(w *bufio.Writer, text string) {
	_, _ = w.WriteString("3" + gopherClean(text) + "\t\terror.host\t1\r\n.\r\n")
}

// gopherClean makes s fit for a field of a menu.
func gopherClean(s string) string {
	return strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(s)
}

// idleWriter gives up when the peer does not read.
type idleWriter struct{ net.Conn }

func (w idleWriter) Write(p []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(gopherIdle))
	return w.Conn.Write(p)
}

// drain ends the sending side and reads what the client still sends, so that
// closing does not reset the connection and destroy the answer.
func drain(c net.Conn) {
	t, ok := c.(*net.TCPConn)
	if !ok || t.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.CopyN(io.Discard, c, 64<<10)
}
