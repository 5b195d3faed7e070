package loopback

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
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
// by a menu of their entries; text files are sent dot-stuffed, all others as
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
	root  fs.FS
	fixed map[string]string // answers by request line, as umnAnswers has them; may be nil

	// Under mu:
	handlers map[string]func(conn net.Conn, request string)
	requests []string
}

// StartGopher serves root until Close.
func StartGopher(root fs.FS) (*GopherServer, error) {
	s := &GopherServer{root: root, handlers: map[string]func(net.Conn, string){}}
	return s, s.start(s.serve)
}

// URL returns the URL of the server's root menu.
func (s *GopherServer) URL() string { return "gopher://" + s.inURLs() + "/1" }

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
	return slices.Clone(s.requests)
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
	fixed, ok := s.fixed[request]
	_, isForm := s.fixed[strings.TrimSuffix(request, "+\t1")+"!"]
	switch {
	case ok:
		host, port, _ := net.SplitHostPort(s.Addr())
		_, _ = w.WriteString(strings.ReplaceAll(fixed, "\t@", "\t"+host+"\t"+port))
	case isForm:
		plusText(w, "+", plusItem{}.filled(r, "1"))
	case selector == plusMenu || strings.HasPrefix(selector, plusMenu+"/"):
		s.plus(w, r, request)
	default:
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
	data, err := fs.ReadFile(s.root, name)
	switch {
	case err != nil:
		gopherError(w, "'"+name+"' cannot be read")
	case gopherType(name, data[:min(len(data), 1024)]) == '0':
		sendText(w, string(data))
	default:
		_, _ = w.Write(data)
	}
}

// sendText sends a text as RFC 1436, section 3.1, and RFC 2229, section 2.4.1, have it:
// CRLF, a dot doubled at the start of a line, a single dot at the end.
func sendText(w *bufio.Writer, text string) {
	for line := range strings.Lines(text) {
		if line[0] == '.' {
			_ = w.WriteByte('.')
		}
		_, _ = w.WriteString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		_, _ = w.WriteString("\r\n")
	}
	_, _ = w.WriteString(".\r\n")
}

// generate answers the selectors below /big/. It returns false if rest is none.
func (s *GopherServer) generate(w *bufio.Writer, rest, own string) bool {
	what, number, ok := strings.Cut(rest, "/")
	if !ok {
		what, number = "", rest
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return false
	}
	var parts []string // of a line, between which its number stands
	switch what {
	case "":
		parts = []string{"0Item number ", "\t/big/item/", own}
	case "text":
		parts = []string{"This is line number ", " of a text that goes on and on.\r\n"}
	case "item":
		_, _ = w.WriteString("This is item number " + number + ".\r\n.\r\n")
		return true
	case "binary":
		_, _ = io.Copy(w, newNumberedLines(n))
		return true
	default:
		return false
	}
	var digits [20]byte
	for i := range n {
		padded := strconv.AppendInt(digits[:0], i, 10)
		if i < 1e7 {
			padded = strconv.AppendInt(digits[:0], i+1e7, 10)[1:]
		}
		_, err := w.WriteString(parts[0])
		for _, part := range parts[1:] {
			_, _ = w.Write(padded)
			_, err = w.WriteString(part)
		}
		if err != nil {
			return true
		}
	}
	_, _ = w.WriteString(".\r\n")
	return true
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

// drain ends the sending side and reads until the client has closed, so that closing
// does not reset the connection and destroy the answer.
func drain(c net.Conn) {
	t, ok := c.(*net.TCPConn)
	if !ok || t.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.CopyN(io.Discard, c, 64<<10)
}
