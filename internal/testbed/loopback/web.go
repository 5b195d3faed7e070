package loopback

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// WebServer is a small HTTP/1.1 server: the files of a tree, and what a tree
// cannot have: redirects, forms, cookies, a login and a large file.
type WebServer struct {
	server
	files http.Handler

	book     sync.Mutex
	messages []string // of the guest book
}

// webLarge is the size of /large.bin, in octets.
const webLarge = 10 << 20

// StartWeb starts a server of the files.
func StartWeb(files fs.FS) (*WebServer, error) {
	s := &WebServer{files: http.FileServerFS(files)}
	return s, s.start(s.serve)
}

// URL returns the URL of its front page.
func (s *WebServer) URL() string { return "http://" + s.Addr() + "/" }

// serve answers one request.
func (s *WebServer) serve(c net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	w := &webAnswer{conn: c, header: http.Header{}, code: http.StatusOK}
	s.answer(w, r)
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20)) // what is unread would reset the answer
	w.end()
}

func (s *WebServer) answer(w *webAnswer, r *http.Request) {
	switch path := r.URL.Path; path {
	case "/large.bin":
		w.header.Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", worldDate, io.NewSectionReader(numberedLines{}, 0, webLarge))
	case "/old.html":
		http.Redirect(w, r, "/again.html", http.StatusMovedPermanently)
	case "/again.html":
		http.Redirect(w, r, "/", http.StatusFound)
	case "/loop.html":
		http.Redirect(w, r, "/loop.html", http.StatusFound)
	case "/search":
		fmt.Fprintf(w, "<title>Search</title><h1>Found</h1><p>You searched for <q>%s</q> in %s.", html.EscapeString(r.FormValue("words")), html.EscapeString(r.FormValue("in")))
	case "/sign":
		s.sign(w, r)
	case "/login":
		s.login(w, r)
	case "/private/":
		if user, password, ok := r.BasicAuth(); !ok || user != "guest" || password != "guest" {
			w.header.Set("WWW-Authenticate", `Basic realm="the private page"`)
			http.Error(w, "a login is needed", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "<title>Private</title><p>Welcome to the private page.")
	default:
		if strings.HasSuffix(path, "/") || strings.HasSuffix(path, ".html") {
			w.header.Set("Content-Type", "text/html") // the page tells its charset
		}
		s.files.ServeHTTP(w, r)
	}
}

// sign writes into the guest book by POST, and shows it.
func (s *WebServer) sign(w *webAnswer, r *http.Request) {
	s.book.Lock()
	defer s.book.Unlock()
	if r.Method == http.MethodPost {
		if s.messages = append(s.messages, r.PostFormValue("name")+": "+r.PostFormValue("message")); len(s.messages) > 100 {
			s.messages = s.messages[1:]
		}
		http.Redirect(w, r, "/sign", http.StatusSeeOther)
		return
	}
	fmt.Fprint(w, "<title>Guest book</title><h1>Guest book</h1><ul>")
	for _, m := range s.messages {
		fmt.Fprintf(w, "<li>%s", html.EscapeString(m))
	}
}

// login keeps a name in a cookie.
func (s *WebServer) login(w *webAnswer, r *http.Request) {
	if r.Method == http.MethodPost {
		if r.PostFormValue("password") == "guest" {
			http.SetCookie(w, &http.Cookie{Name: "user", Value: r.PostFormValue("user"), Path: "/"})
		}
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	who := "nobody"
	if c, err := r.Cookie("user"); err == nil {
		who = c.Value
	}
	fmt.Fprintf(w, "<title>Login</title><p>You are %s.", html.EscapeString(who))
}

// webAnswer is the answer to one request, after which the connection ends.
type webAnswer struct {
	conn   net.Conn
	header http.Header
	code   int
	begun  bool
	body   bytes.Buffer // until it is begun
}

func (w *webAnswer) Header() http.Header  { return w.header }
func (w *webAnswer) WriteHeader(code int) { w.code = code }

// Write implements [http.ResponseWriter]. A body without a length is kept until
// its end.
func (w *webAnswer) Write(p []byte) (int, error) {
	if w.header.Get("Content-Length") == "" {
		return w.body.Write(p)
	}
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.conn.Write(p)
}

func (w *webAnswer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	if w.header.Get("Content-Type") == "" && w.code != http.StatusNotModified {
		w.header.Set("Content-Type", "text/html; charset=utf-8")
	}
	w.header.Set("Connection", "close")
	w.header.Set("Server", "gofer demo")
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", w.code, http.StatusText(w.code))
	_ = w.header.Write(&b) // a Buffer takes everything
	b.WriteString("\r\n")
	_, err := w.conn.Write(b.Bytes())
	return err
}

func (w *webAnswer) end() {
	if !w.begun && w.header.Get("Content-Length") == "" && w.code != http.StatusNotModified {
		w.header.Set("Content-Length", strconv.Itoa(w.body.Len()))
	}
	if w.begin() == nil {
		_, _ = w.conn.Write(w.body.Bytes())
	}
}

// numberedLines are lines of 16 octets that tell their own offsets.
type numberedLines struct{}

func (numberedLines) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		line := fmt.Sprintf("%015x\n", (at+int64(n))&^15)
		n += copy(p[n:], line[(at+int64(n))&15:])
	}
	return n, nil
}
