package demo

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

// Limits of a GopherServer.
const (
	gopherMaxRequest = 4 << 10          // size of a request line, in octets
	gopherIdle       = 30 * time.Second // limit for silence in a request or an answer
)

// GopherServer is a Gopher server (RFC 1436) on a free port of 127.0.0.1. It serves a file tree.
// A directory is shown by its gophermap file, or else as a menu of its entries. Text files are
// sent with dot-stuffing, all others unchanged. The server also answers these selectors:
//
//	/plus             a menu of Gopher+ items, with attributes, views and forms
//	/search           a full text search of the tree (item type 7)
//	/big/N            a menu of N items
//	/big/item/K       the text of item K of /big/N
//	/big/text/N       a text of N lines
//	/big/binary/N     N octets in lines of 16 octets; each line is its own offset, as "%015x\n"
//
// The methods of GopherServer are safe for concurrent use.
type GopherServer struct {
	server
	root            fs.FS
	recordedAnswers map[string]string // answers by request line, see umnAnswers; may be nil

	// Guarded by mu:
	handlers map[string]func(conn net.Conn, request string)
	requests []string
}

// StartGopher starts a server of root; Close stops it.
func StartGopher(root fs.FS) (*GopherServer, error) {
	s := &GopherServer{root: root, handlers: map[string]func(net.Conn, string){}}
	return s, s.start(s.serve)
}

// URL returns the URL of the server's root menu.
func (s *GopherServer) URL() string { return "gopher://" + s.hostInURLs() + "/1" }

// Handle makes f answer the requests for selector. The request passed to f has no line end. The
// connection is closed when f returns, and when the server closes; f must then return.
func (s *GopherServer) Handle(selector string, f func(conn net.Conn, request string)) {
	s.mu.Lock()
	s.handlers[selector] = f
	s.mu.Unlock()
}

// Requests returns the last 1000 request lines, oldest first, without their line ends.
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
	recorded, ok := s.recordedAnswers[request]
	_, isForm := s.recordedAnswers[strings.TrimSuffix(request, "+\t1")+"!"]
	switch {
	case ok:
		host, port, _ := net.SplitHostPort(s.Addr())
		_, _ = w.WriteString(strings.ReplaceAll(recorded, "\t@", "\t"+host+"\t"+port))
	case isForm:
		sendPlusText(w, "+", plusItem{}.answerForm(r, "1"))
	case selector == plusMenu || strings.HasPrefix(selector, plusMenu+"/"):
		s.answerPlus(w, r, request)
	default:
		words, _, _ := strings.Cut(rest, "\t")
		s.sendItem(w, selector, words)
	}
	_ = w.Flush()
	drain(c)
}

// sendItem sends the item with the selector. words is the query of a search. Write errors are
// reported by w.Flush.
func (s *GopherServer) sendItem(w *bufio.Writer, selector, words string) {
	host, port, _ := net.SplitHostPort(s.Addr())
	hostPort := "\t" + host + "\t" + port + "\r\n"
	switch rest, big := strings.CutPrefix(selector, "/big/"); {
	case selector == "/search":
		s.sendSearchResults(w, words, hostPort)
		return
	case big && s.sendGenerated(w, rest, hostPort):
		return
	}
	name := strings.Trim(selector, "/")
	name = cmp.Or(name, ".")
	info, err := fs.Stat(s.root, name) // rejects names that contain ".."
	switch {
	case err != nil:
		gopherError(w, "'"+selector+"' does not exist")
	case info.IsDir():
		s.sendDirectory(w, name, hostPort)
	default:
		s.sendFile(w, name)
	}
}

func (s *GopherServer) sendFile(w *bufio.Writer, name string) {
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

// sendText sends a text in the form of RFC 1436, appendix, and RFC 2229, section 2.4.3: lines end
// in CRLF, a dot at the start of a line is doubled, and a single dot is the last line.
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

// sendGenerated sends the item with the selector "/big/" + rest. It returns false if there is no
// such item.
func (s *GopherServer) sendGenerated(w *bufio.Writer, rest, hostPort string) bool {
	kind, number, ok := strings.Cut(rest, "/")
	if !ok {
		kind, number = "", rest
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return false
	}
	var parts []string // parts of a line; the line's number is written between them
	switch kind {
	case "":
		parts = []string{"0Item number ", "\t/big/item/", hostPort}
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
	_, _ = w.WriteString("3" + cleanMenuField(text) + "\t\terror.host\t1\r\n.\r\n")
}

// cleanMenuField replaces the characters of s that cannot be in a field of a menu.
func cleanMenuField(s string) string {
	return strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(s)
}

// idleWriter sets a deadline for each Write, because the client may stop reading.
type idleWriter struct{ net.Conn }

func (w idleWriter) Write(p []byte) (int, error) {
	_ = w.SetWriteDeadline(time.Now().Add(gopherIdle))
	return w.Conn.Write(p)
}

// drain closes the sending side and reads until the client has closed the connection, but at most
// 64 KiB and for at most two seconds. Closing the connection while data is unread would reset it,
// and the client could lose the end of the answer.
func drain(c net.Conn) {
	t, ok := c.(*net.TCPConn)
	if !ok || t.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.CopyN(io.Discard, c, 64<<10)
}
