package demo

import (
	"fmt"
	"html"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strings"
)

// WebServer is a small HTTP/1.1 server with the files of a tree, redirects, forms, cookies, a
// login and a large file.
type WebServer struct {
	server
	files http.Handler

	messages []string // entries of the guest book
}

// webLarge is the size of /large.bin, in octets.
const webLarge = 10 << 20

// StartWeb starts a server of files; Close stops it.
func StartWeb(files fs.FS) (*WebServer, error) {
	s := &WebServer{files: http.FileServerFS(files)}
	if err := s.listen(); err != nil {
		return nil, err
	}
	h := &http.Server{Handler: s, ConnState: s.trackConn, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: gopherIdle}
	h.SetKeepAlivesEnabled(false)
	s.running.Go(func() { _ = h.Serve(s.listener) })
	return s, nil
}

// trackConn registers connections, so that Close closes them and waits for their goroutines.
func (s *WebServer) trackConn(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.running.Add(1)
		s.register(c)
	case http.StateClosed:
		_ = s.release(c)
		s.running.Done()
	}
}

// URL returns the URL of the front page.
func (s *WebServer) URL() string { return "http://" + s.hostInURLs() + "/" }

// ServeHTTP implements [http.Handler].
func (s *WebServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", "gofer demo")
	w.Header()["Date"] = nil
	switch path := r.URL.Path; path {
	case "/large.bin":
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", worldDate, newNumberedLines(webLarge))
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
			w.Header().Set("WWW-Authenticate", `Basic realm="the private page"`)
			http.Error(w, "a login is needed", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "<title>Private</title><p>Welcome to the private page.")
	default:
		if strings.HasSuffix(path, "/") || strings.HasSuffix(path, ".html") {
			w.Header().Set("Content-Type", "text/html") // the page itself declares its charset
		}
		s.files.ServeHTTP(w, r)
	}
}

// sign adds an entry to the guest book if the method is POST, and shows the guest book otherwise.
func (s *WebServer) sign(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
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

// login stores the user name in a cookie if the method is POST and the password is right. It shows
// the name if the method is not POST.
func (s *WebServer) login(w http.ResponseWriter, r *http.Request) {
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
