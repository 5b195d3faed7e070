package web_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/web"
	"gofer/urlcore"
)

var fixedTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func noProxy(*url.URL) (*url.URL, error) { return nil, nil }

func TestConformanceLoopback(t *testing.T) {
	root := fstest.MapFS{
		"index.html":     {Data: []byte("<h1>Front</h1><a href=docs/plain.txt>plain</a>" + strings.Repeat("<p>A paragraph.", 100))},
		"docs/plain.txt": {Data: []byte("Plain text.\nSecond line.\n")},
		"octets.bin":     {Data: []byte("\x00\x01\x02\xff\r\n.\r\n")},
	}
	s := fetchtest.CloseAtEnd(demo.StartWeb(root))(t)
	base := "http://" + s.Addr()
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &web.Client{Dialer: d, Proxy: noProxy} },
		Pages: []fetchtest.Page{
			{URL: base + "/", Contains: []string{"Front"}, Media: "text/html", Streams: true},
			{URL: base + "/docs/plain.txt", Contains: []string{"Second line."}},
			{URL: base + "/octets.bin", Contains: []string{"\x00\x01\x02\xff\r\n.\r\n"}},
			{URL: base + "/search?words=a", Contains: []string{"Found"}},
			{URL: base + "/old.html", Contains: []string{"Front"}},
		},
		Large:   base + "/large.bin",
		Missing: []string{base + "/none"},
	})
}

// startServer starts a server. It returns the URL of the server and a client that trusts its
// certificate.
func startServer(t *testing.T, secure bool, h http.Handler) (*web.Client, string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	c := &web.Client{Proxy: noProxy}
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
		c.Dialer.TLS.Roots = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return c, s.URL
}

var parse = fetchtest.Parse

func TestHTTP2(t *testing.T) {
	c, at := startServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	transcript := new(protocols.Transcript)
	r := fetchtest.Must(c.Fetch(protocols.WithTranscript(t.Context(), transcript), protocols.Request{URL: parse(t, at+"/")}))(t)
	b, err := io.ReadAll(r.Body)
	_ = r.Close()
	if string(b) != "HTTP/2.0" || err != nil || r.Security.Trust != protocols.Verified {
		t.Errorf("got %q, %v, %+v; want HTTP/2.0 from a verified server", b, err, r.Security)
	}
	lines, _, _ := transcript.Lines()
	if len(lines) < 4 || lines[0].Text != "GET / HTTP/1.1" || !lines[0].Sent {
		t.Errorf("got the transcript %+v; want GET / HTTP/1.1 and at least 3 more lines", lines)
	}
}

func TestPins(t *testing.T) {
	c, at := startServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	c.Dialer.TLS.Roots, c.Dialer.TLS.Pins = nil, pins{}
	_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/")})
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentCertificate {
		t.Fatalf("got %v; want a Confirm about the certificate", err)
	}
	confirm.GiveConsent()
	if h, body := fetchtest.Read(t, c, parse(t, at+"/")); body != "ok" || h.Security.Trust != protocols.Pinned {
		t.Errorf("after consent: got %q, %+v; want \"ok\" from a pinned server", body, h.Security)
	}
}

type pins map[string]string

func (p pins) Pin(addr string) (string, bool)    { f, ok := p[addr]; return f, ok }
func (p pins) Agree(addr, fingerprint string)    { p[addr] = fingerprint }
func (p pins) Remember(addr, fingerprint string) {}

func TestRedirects(t *testing.T) {
	loops := 0
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b?x=1#f", http.StatusFound)
		case "/loop":
			loops++
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/gopher", "/gemini":
			w.Header().Set("Location", r.URL.Path[1:]+"://g.example/1/m")
			w.WriteHeader(http.StatusMovedPermanently)
		case "/script":
			w.Header().Set("Location", "javascript:alert(1)")
			w.WriteHeader(http.StatusFound)
		case "/about":
			w.Header().Set("Location", "about:history")
			w.WriteHeader(http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/none":
			w.WriteHeader(http.StatusFound)
		case "/mail":
			http.Redirect(w, r, "http://"+r.Host+"/guarded", http.StatusFound)
		default:
			fmt.Fprint(w, r.RequestURI)
		}
	}))
	h, body := fetchtest.Read(t, c, parse(t, at+"/a"))
	if body != "/b?x=1" || h.URL.String() != at+"/b?x=1" || len(h.Notes) != 1 || !strings.Contains(h.Notes[0], at+"/a (302)") {
		t.Errorf("got %q from %s, notes %q; want the page /b?x=1 and a note about the redirect", body, h.URL, h.Notes)
	}
	var e *protocols.Error
	for _, path := range []string{"/loop", "/none", "/script", "/about", "/file"} {
		if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+path)}); !errors.As(err, &e) {
			t.Errorf("Fetch of %s: got %v; want an *Error", path, err)
		}
	}
	fetchtest.Equal(t, loops, 11, "requests, one and 10 redirects")
	for _, scheme := range []string{"gopher", "gemini"} {
		res := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/"+scheme)}))(t)
		if got := fetchtest.FormatLines(res); !strings.HasSuffix(got, " "+scheme+"://g.example/1/m\n") {
			t.Errorf("redirect to %s: got the page %s; want a link to the target", scheme, got)
		}
	}
	secure, from := startServer(t, true, http.RedirectHandler(at+"/x", http.StatusMovedPermanently))
	if h, body := fetchtest.Read(t, secure, parse(t, from+"/")); body != "/x" || len(h.Notes) != 2 ||
		!strings.Contains(h.Notes[1], "without TLS") {
		t.Errorf("redirect from TLS to the clear: got %q, notes %q; want /x and a note about TLS", body, h.Notes)
	}
	guarded := &protocols.Guarded{Registry: protocols.Registry{"http": c}, Guard: fetchtest.GuardFunc(func(u urlcore.URL) error {
		if strings.HasSuffix(u.String(), "/guarded") {
			return &protocols.Confirm{URL: u}
		}
		return nil
	})}
	var confirm *protocols.Confirm
	if _, err := guarded.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/mail")}); !errors.As(err, &confirm) {
		t.Errorf("redirect to a guarded URL: got %v; want a Confirm", err)
	}
}

// TestRedirectFragments checks that the fragment of the last redirect that has one applies, that no server gets a fragment, and
// that links to targets that are not followed have it (RFC 9110, section 10.2.2).
func TestRedirectFragments(t *testing.T) {
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{
			"/a": "/end#mid", "/b": "/a", "/c": "/d#first", "/d": "/end", "/e": "/c#x", "/f": "/end#a%20b%23\"", "/g": "/a#other",
			"/gopher": "gopher://g.example/0/x#line", "/choice": "/end#chosen", "/form": "/end#sent",
		}[r.URL.Path]
		switch r.URL.Path {
		case "/end":
			fmt.Fprint(w, r.RequestURI)
		case "/choice":
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusMultipleChoices)
		default:
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusSeeOther)
		}
	}))
	for path, want := range map[string]string{
		"/a": "mid", "/b": "mid", "/c": "first", "/d": "", "/e": "first", "/f": "a%20b%23%22", "/g": "mid",
	} {
		h, body := fetchtest.Read(t, c, parse(t, at+path))
		if h.Fragment != want || h.URL.String() != at+"/end" || body != "/end" {
			t.Errorf("%s: got fragment %q of %s, request %s; want fragment %q of /end", path, h.Fragment, h.URL, body, want)
		}
	}
	for path, want := range map[string]string{"/gopher": "line", "/choice": "chosen"} {
		res := fetchtest.CloseAtEnd(c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+path)}))(t)
		got := ""
		for l := range res.Lines {
			got += l.Fragment()
		}
		fetchtest.Equal(t, got, want, "%s: the fragment of the link", path)
	}
}

func TestStatus(t *testing.T) {
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
	}))
	for code, want := range map[int]protocols.Reason{
		304: protocols.ServerFailed, 300: protocols.ServerFailed, 407: protocols.Denied, 451: protocols.Denied,
		403: protocols.Denied, 404: protocols.NotFound, 410: protocols.NotFound, 500: protocols.ServerFailed,
		503: protocols.ServerFailed, 401: protocols.Denied,
	} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, fmt.Sprintf("%s/%d", at, code))})
		if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != want || e.Code != code {
			t.Errorf("status %d: got %v; want reason %s and the code", code, err, want)
		}
	}
}

func TestConditional(t *testing.T) {
	for _, tt := range []struct {
		header, value, condition string
		size, want               int // the size of the answer, and how often it is sent for three fetches
	}{
		{"ETag", `"1"`, "If-None-Match", 4, 1},
		{"Last-Modified", fixedTime.Format(http.TimeFormat), "If-Modified-Since", 4, 1},
		{"X-Other", "1", "If-Match", 4, 3},
		{"ETag", `"1"`, "If-None-Match", 3 << 20, 3},
		{"Cache-Control", "no-store", "If-Match", 4, 3},
	} {
		asked := 0
		c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tt.header == "Cache-Control" {
				w.Header().Set("ETag", `"1"`)
			}
			w.Header().Set(tt.header, tt.value)
			if r.Header.Get(tt.condition) == tt.value || r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			asked++
			w.Header().Set("Content-Type", "text/html; charset=koi8-r")
			_, _ = io.WriteString(w, strings.Repeat("b", tt.size))
		}))
		for i := range 3 {
			h, body := fetchtest.Read(t, c, parse(t, at+"/"))
			notes := 0
			if i > 0 && tt.want == 1 {
				notes = 1
			}
			if len(body) != tt.size || h.Media != "text/html; charset=koi8-r" || len(h.Notes) != notes {
				t.Errorf(
					"%s, fetch %d: got %d octets, head %+v; want %d octets of text/html in koi8-r, %d notes", tt.header,
					i, len(body), h, tt.size, notes,
				)
			}
		}
		fetchtest.Equal(t, asked, tt.want, "%s: times it was sent", tt.header)
	}
}

func TestResume(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole" {
			fmt.Fprint(w, text)
			return
		}
		http.ServeContent(w, r, "a.txt", fixedTime, strings.NewReader(text))
	}))
	r := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: parse(t, at+"/part"), Offset: 9995}))(t)
	b, err := io.ReadAll(r.Body)
	_ = r.Close()
	if string(b) != "56789" || err != nil || r.Size != 5 {
		t.Errorf("Resume at octet 9995: got %q, %v, size %d; want \"56789\", size 5", b, err, r.Size)
	}
	if _, body := fetchtest.Read(t, c, parse(t, at+"/part")); body != text {
		t.Errorf("Fetch after Resume: got %d octets; want %d", len(body), len(text))
	}
	for _, path := range []string{"/whole", "/part"} {
		if _, err := c.Resume(t.Context(), protocols.Request{URL: parse(t, at+path), Offset: 10000}); err == nil {
			t.Errorf("Resume of %s at its end: got no error", path)
		}
	}
}

func TestCookies(t *testing.T) {
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "secret1"})
		fmt.Fprint(w, r.Header.Get("Cookie"))
	}))
	c.Dialer.Memory = new(wire.Memory)
	fetchtest.Read(t, c, parse(t, at+"/"))
	h, body := fetchtest.Read(t, c, parse(t, at+"/"))
	if body != "a=secret1" {
		t.Errorf("second fetch: the server got the cookie %q; want a=secret1", body)
	}
	fetchtest.Equal(t, h.Personal, false, "Personal with a cookie that belongs to no login")
}

// TestUnattendedCookies checks that a request that the user has not made neither sends nor stores cookies, except at the server
// that the user has chosen.
func TestUnattendedCookies(t *testing.T) {
	n := 0
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		http.SetCookie(w, &http.Cookie{Name: "a", Value: strconv.Itoa(n)})
		fmt.Fprint(w, r.Header.Get("Cookie"))
	}))
	c.Dialer.Memory = new(wire.Memory)
	u, elsewhere := parse(t, at+"/"), parse(t, "http://other.example/")
	for _, tt := range []struct {
		ctx  context.Context
		want string
	}{
		{protocols.Unattended(t.Context(), elsewhere), ""},
		{t.Context(), ""},
		{protocols.Unattended(t.Context(), elsewhere), ""},
		{protocols.Unattended(t.Context(), nil), ""},
		{protocols.Unattended(t.Context(), u), "a=2"},
		{t.Context(), "a=5"},
	} {
		r := fetchtest.Must(c.Fetch(tt.ctx, protocols.Request{URL: u}))(t)
		body := fetchtest.Must(io.ReadAll(r.Body))(t)
		_ = r.Close()
		fetchtest.Equal(t, string(body), tt.want, "the cookie of request %d", n)
	}
}

func TestLogin(t *testing.T) {
	for _, secure := range []bool{false, true} {
		c, at := startServer(t, secure, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "u" || password != "geheim" {
				w.Header()["Www-Authenticate"] = []string{"Digest nonce=x", `Basic realm="the realm"`}
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, "in")
		}))
		u := parse(t, at+"/")
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		for i, password := range []string{"wrong", "geheim"} {
			login, ok := errors.AsType[*protocols.Login](err)
			if !ok || login.Text != "the realm" || login.Failed != (i > 0) {
				t.Fatalf("before the password %q: got %v, %+v; want a Login with the realm", password, err, login)
			}
			login.With("u", password)
			_, err = c.Fetch(t.Context(), protocols.Request{URL: u})
			if confirm, ok := errors.AsType[*protocols.Confirm](err); i == 0 && !secure {
				if !ok || confirm.Consent != protocols.ConsentPlainPassword {
					t.Fatalf("got %v; want a Confirm before the password is sent in the clear", err)
				}
				confirm.GiveConsent()
				_, err = c.Fetch(t.Context(), protocols.Request{URL: u})
			}
		}
		if _, err := c.Fetch(protocols.Unattended(t.Context(), parse(t, "http://other.example/")), protocols.Request{URL: u}); protocols.QuestionOf(err) == nil {
			t.Errorf("a fetch for a page of another server: got %v; want a question for a login", err)
		}
		_ = fetchtest.Must(c.Fetch(protocols.Unattended(t.Context(), u), protocols.Request{URL: u}))(t).Close()
		transcript := new(protocols.Transcript)
		r := fetchtest.Must(c.Fetch(protocols.WithTranscript(t.Context(), transcript), protocols.Request{URL: u}))(t)
		_ = r.Close()
		lines, _, _ := transcript.Lines()
		if text := fmt.Sprint(lines); strings.Contains(text, "geheim") || strings.Contains(text, "dTpnZWhlaW0") {
			t.Errorf("got the password in the transcript: %s", text)
		}
	}
}

// serveAnswer starts a server that sends the answer, and returns its URL.
func serveAnswer(t *testing.T, answer string) urlcore.URL {
	t.Helper()
	return parse(t, "http://"+fetchtest.Serve(t, func(c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, answer)
	})+"/a.txt")
}

func TestBadAnswers(t *testing.T) {
	for answer, want := range map[string]struct {
		reason protocols.Reason
		text   string
	}{
		"": {protocols.Broken, ""}, "220 ready\r\n": {protocols.Malformed, ""},
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc":               {protocols.Broken, ""},
		"HTTP/1.1 500 My own words\r\n\r\n":                              {protocols.ServerFailed, "My own words"},
		"HTTP/1.1 500\r\n\r\n":                                           {protocols.ServerFailed, "Internal Server Error"},
		"HTTP/1.1 500 \x01\r\n\r\n":                                      {protocols.ServerFailed, "Internal Server Error"},
		"HTTP/1.1 401 x\r\nWWW-Authenticate: Digest realm=\"x\"\r\n\r\n": {protocols.Denied, "only Basic"},
	} {
		res, err := (&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{URL: serveAnswer(t, answer)})
		if err == nil {
			_, err = io.ReadAll(res.Body)
			_ = res.Close()
		}
		if protocols.ReasonOf(err) != want.reason || !strings.Contains(err.Error(), want.text) {
			t.Errorf("answer %q: got %v; want reason %s and %q", answer, err, want.reason, want.text)
		}
	}
}

// TestAnswersAreMasked checks that errors, questions and the transcript do not show a password that the server repeats.
func TestAnswersAreMasked(t *testing.T) {
	const password = `ge"heim-geheim`
	for _, tt := range []struct{ answer, want string }{
		{"HTTP/1.1 500 not " + password + "\r\n\r\n", "not ****"},
		{"HTTP/1.1 401 not " + password + "\r\nWWW-Authenticate: Digest realm=\"x\"\r\n\r\n", "not ****"},
		{"HTTP/1.1 302 no\r\nLocation: http://[not " + password + "\r\n\r\n", "not ****"},
		{"HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm=\"not " + password + "\"\r\n\r\n", "not ****"},
		{"HTTP/1.1 404 no\r\nX: " + strings.Repeat("x", protocols.MaxTranscriptLine-10) + password + "\r\n\r\n", "no"},
		{"HTTP/1.1 2x0 " + password + "\r\n\r\n", "status code"},
		{"not " + password + "\r\n\r\n", "not ****"},
	} {
		u := serveAnswer(t, tt.answer)
		memory := new(wire.Memory)
		wire.Remember(memory, new(wire.Logins)).Keep(
			wire.Account{Scheme: "http", Addr: u.(urlcore.HTTP).Addr()}, wire.NewCredentials("u", password),
		)
		c := &web.Client{Dialer: wire.Dialer{Memory: memory}, Proxy: noProxy, PlainPasswords: true}
		transcript := new(protocols.Transcript)
		_, err := c.Fetch(protocols.WithTranscript(t.Context(), transcript), protocols.Request{URL: u})
		text := fmt.Sprint(err)
		if login, ok := errors.AsType[*protocols.Login](err); ok {
			text = login.Text
		}
		lines, _, _ := transcript.Lines()
		if all := text + fmt.Sprint(lines); err == nil || !strings.Contains(text, tt.want) || strings.Contains(all, "heim") ||
			strings.Contains(all, "ge\"") {
			t.Errorf("answer %.60q: got %q with the transcript %v; want %q and no part of the password", tt.answer, text, lines, tt.want)
		}
	}
}

// TestHead checks that the head has the values of the answer. If a value is missing, the head has
// the value of the URL.
func TestHead(t *testing.T) {
	for fields, want := range map[string]string{
		"": "a.txt|text/plain|2", "Content-Type: x/y\r\nContent-Disposition: inline\r\n": "a.txt|x/y|2",
		"Content-Disposition: attachment; filename=\"..\\\\b/c\\\\d.sh\"\r\n":                 "d.sh|text/plain|2",
		"Content-Disposition: attachment; filename=a b.sh; filename*=UTF-8''%E2%82%AC.sh\r\n": "€.sh|text/plain|2",
		"Content-Encoding: gzip\r\n": "a.txt|text/plain|-1",
	} {
		res := fetchtest.CloseAtEnd((&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{
			URL: serveAnswer(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"+fields+"\r\nab"),
		}))(t)
		fetchtest.Equal(t, fmt.Sprintf("%s|%s|%d", res.Title, res.Media, res.Size), want, "%q", fields)
	}
}

func TestPlan(t *testing.T) {
	form := protocols.Form{Action: parse(t, "https://h:8443/f")}
	for url, want := range map[string]string{
		"http://h/a?b":      "h:80 GET /a?b HTTP/1.1 ask for the page",
		"https://h/":        "h:443 GET / HTTP/1.1 ask for the page; by TLS, with HTTP/2 where the server has it",
		form.URL().String(): "h:8443  ask for the fields of the form, and then send them", "gemini://h/": "", "gopher://h/": "",
	} {
		steps, err := new(web.Client).Plan(parse(t, url))
		got := ""
		if err == nil {
			send, _, _ := strings.Cut(steps[0].Send, "\r\n")
			got = steps[0].Peer + " " + send + " " + steps[0].Note
		}
		if got != want {
			t.Errorf("Plan(%s): got %q, %v; want %q", url, got, err, want)
		}
	}
}

// TestFailedForm checks that a form that may have reached its server is sent again only after a
// question. If the form cannot have reached the server, there is no question.
func TestFailedForm(t *testing.T) {
	closed := fetchtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_ = closed.Close()
	for to, asks := range map[string]bool{"http://" + closed.Addr().String() + "/": false, serveAnswer(t, "").String(): true} {
		c := &web.Client{Proxy: noProxy}
		r := protocols.Registry{"http": c, "form": c}
		u := completeForm(t, r, postForm(t, to, protocols.FormField{Name: "a"}), "1")
		_, first := r.Fetch(t.Context(), protocols.Request{URL: u})
		_, second := r.Fetch(t.Context(), protocols.Request{URL: u})
		if _, ok := errors.AsType[*protocols.Confirm](second); ok != asks || protocols.ReasonOf(first) == protocols.Unknown {
			t.Errorf("form to %s: got %v, then %v; want an *Error, then a Confirm: %v", to, first, second, asks)
		}
	}
}

func TestForms(t *testing.T) {
	var got string
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
			t.Errorf("ParseMultipartForm: %v", err)
		}
		if code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")); code > 0 {
			http.Redirect(w, r, "/seen", code)
			return
		}
		got = r.Method + " " + r.RequestURI + " " + r.Form.Encode()
		if f, h, err := r.FormFile("f"); err == nil {
			b, _ := io.ReadAll(f)
			got += " " + h.Filename + "=" + string(b)
		}
	}))
	file := filepath.Join(t.TempDir(), "a.txt")
	fetchtest.NoError(t, os.WriteFile(file, []byte("octets"), 0o600))
	fields := []protocols.FormField{
		{Name: "q", Label: "Words"},
		{Name: "h", Value: "1", Hidden: true},
		{Name: "c", Value: "on", Input: protocols.InputCheck, Checked: true},
		{Name: "s", Input: protocols.InputChoice, Choices: []string{"One", "Two"}, Values: []string{"1", "2"}},
		{Label: "Button", Input: protocols.InputChoice, Choices: []string{"Go", "Stay"}, Values: []string{"b=go", "b=stay"}},
	}
	answers := []string{"a b&c", "1", "Two", "Stay"}
	const want = "b=stay&c=on&h=1&q=a+b%26c&s=2"
	text, files := []protocols.FormField{{
		Name: "t", Input: protocols.InputText,
	}}, []protocols.FormField{{Name: "f", Input: protocols.InputFile}}
	secret := []protocols.FormField{{Name: "p", Required: true, Input: protocols.InputSecret}}
	for _, tt := range []struct {
		name    string
		form    protocols.Form
		answers []string
		want    string
		url     string // the URL of the answer
	}{
		{"get", protocols.Form{Fields: fields}, answers, "GET /f?q=a+b%26c&h=1&c=on&s=2&b=stay " + want, "/f?q=a+b%26c&h=1&c=on&s=2&b=stay"},
		{"post", protocols.Form{Post: true, Fields: fields}, answers, "POST /f " + want, "/f"},
		{
			"parts",
			protocols.Form{Post: true, Multipart: true, Fields: append(fields, protocols.FormField{Name: "f", Input: protocols.InputFile})},
			append(answers, file), "POST /f " + want + " a.txt=octets", "/f",
		},
		{"password", protocols.Form{Post: true, Fields: secret}, []string{"geheim"}, "POST /f p=geheim", "/f"},
		{"text", protocols.Form{Fields: text}, []string{"a\nb"}, "GET /f?t=a%0D%0Ab t=a%0D%0Ab", "/f?t=a%0D%0Ab"},
		{"hidden only", protocols.Form{Title: "T", Fields: fields[1:2]}, []string{"T"}, "GET /f?h=1 h=1", "/f?h=1"},
		{"the name of a file", protocols.Form{Fields: files}, []string{file}, "GET /f?f=a.txt f=a.txt", "/f?f=a.txt"},
		{"no file", protocols.Form{Post: true, Multipart: true, Fields: files}, []string{""}, "POST /f f=", "/f"},
		{"301", protocols.Form{Post: true, Fields: fields[:1]}, []string{"x"}, "GET /seen ", "/seen"},
		{"302", protocols.Form{Post: true, Fields: fields[:1]}, []string{"x"}, "GET /seen ", "/seen"},
		{"303", protocols.Form{Post: true, Fields: fields[:1]}, []string{"x"}, "GET /seen ", "/seen"},
		{"307", protocols.Form{Post: true, Fields: fields[:1]}, []string{"x"}, "POST /seen q=x", "/seen"},
		{"308", protocols.Form{Post: true, Multipart: true, Fields: files}, []string{file}, "POST /seen  a.txt=octets", "/seen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.form.Action = parse(t, at+"/f")
			if strings.HasPrefix(tt.name, "30") {
				tt.form.Action = parse(t, at+"/"+tt.name)
			}
			u := tt.form.URL()
			_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, u.String())})
			var ask *protocols.Ask
			if !errors.As(err, &ask) || len(ask.Fields) != len(tt.answers) {
				t.Fatalf("Fetch(%s): got %v; want an Ask with %d fields", u, err, len(tt.answers))
			}
			if len(ask.Fields) > 1 && (ask.Fields[1].Input != protocols.InputCheck || ask.Fields[1].Value != "1") {
				t.Errorf("got the second field %+v; want a checked check box", ask.Fields[1])
			}
			if got, want := ask.Fields[0].Required, len(tt.form.Fields) > 0 && tt.form.Fields[0].Required; got != want {
				t.Errorf("got Required = %v for the first field; want %v", got, want)
			}
			if _, err := ask.With(tt.answers[1:]); err == nil && tt.name != "hidden only" {
				t.Error("With without the first answer: got no error")
			}
			filled := fetchtest.Must(ask.With(tt.answers))(t)
			if strings.Contains(filled.String(), "geheim") {
				t.Errorf("With returned the URL %s; want it without the password", filled)
			}
			if tt.name == "password" {
				_, err := c.Fetch(t.Context(), protocols.Request{URL: filled})
				confirm := fetchtest.As[*protocols.Confirm](t, err)
				confirm.GiveConsent()
			}
			h, _ := fetchtest.Read(t, c, filled)
			if got != tt.want || h.URL.String() != at+tt.url {
				t.Errorf("the server got %q, the page is %s; want %q, the page %s", got, h.URL, tt.want, at+tt.url)
			}
			if answered := strings.Contains(fmt.Sprint(h.Notes), "answer to a form"); answered != strings.HasPrefix(got, "POST") {
				t.Errorf("the server got %q: got notes %q; want a note about a form only for POST", got, h.Notes)
			}
			if !tt.form.Post {
				return
			}
			for range 2 {
				var confirm *protocols.Confirm
				if _, err := c.Fetch(t.Context(), protocols.Request{URL: filled}); !errors.As(err, &confirm) {
					t.Fatalf("fetch after the form was sent: got %v; want a Confirm", err)
				}
				confirm.GiveConsent()
				fetchtest.Read(t, c, filled)
			}
			if _, err := (&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{URL: filled}); err == nil {
				t.Error("Fetch by another Client, which does not have the answers: got no error")
			}
		})
	}
	for field, answer := range map[*protocols.FormField]string{&fields[3]: "Three", &files[0]: filepath.Join(t.TempDir(), "none")} {
		f := protocols.Form{Action: parse(t, at+"/f"), Post: true, Multipart: true, Fields: []protocols.FormField{*field}}
		_, err := c.Fetch(t.Context(), protocols.Request{URL: f.URL()})
		u, err := err.(*protocols.Ask).With([]string{answer})
		if err == nil {
			_, err = c.Fetch(t.Context(), protocols.Request{URL: u})
		}
		if got = ""; err == nil {
			t.Errorf("the answer %q: got no error", answer)
		}
	}
	f := protocols.Form{Action: parse(t, at+"/f"), Fields: secret}
	_, err := c.Fetch(t.Context(), protocols.Request{URL: f.URL()})
	var ask *protocols.Ask
	if !errors.As(err, &ask) {
		t.Fatalf("Fetch of a form with a password: got %v; want an Ask", err)
	}
	if u, err := ask.With([]string{"geheim"}); err == nil {
		t.Errorf("With of a GET form with a password = %s; want an error", u)
	}
}

func TestProxy(t *testing.T) {
	var seen []string
	c, at := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.RequestURI)
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "by the proxy")
	}))
	proxy := fetchtest.Must(url.Parse(at))(t)
	c.Proxy = func(*url.URL) (*url.URL, error) { return proxy, nil }
	if _, body := fetchtest.Read(t, c, parse(t, "http://h.invalid/x")); body != "by the proxy" {
		t.Errorf("got %q; want \"by the proxy\"", body)
	}
	if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "https://h.invalid/x")}); err == nil {
		t.Error("Fetch by a proxy that refuses CONNECT: got no error")
	}
	fetchtest.Equal(t, fmt.Sprint(seen), "[GET http://h.invalid/x CONNECT h.invalid:443]", "the proxy was asked")
}

// TestProxyTunnel checks that TLS goes through a proxy to the server. The login comes from the URL
// of the proxy.
func TestProxyTunnel(t *testing.T) {
	c, at := startServer(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "from the server", r.Header.Get("Proxy-Authorization"))
	}))
	server := strings.TrimPrefix(at, "https://")
	proxy := fetchtest.Serve(t, func(in net.Conn) {
		r := bufio.NewReader(in)
		if ask, err := http.ReadRequest(r); err != nil ||
			ask.Method+" "+ask.RequestURI+" "+ask.Header.Get("Proxy-Authorization") != "CONNECT "+server+" Basic dTpw" {
			t.Errorf("the proxy got %+v, %v; want CONNECT with the login of the URL", ask, err)
		}
		out, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer out.Close()
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(out, r)
			_ = out.Close()
		}()
		_, _ = io.Copy(in, out)
	})
	c.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse("http://u:p@" + proxy) }
	if h, body := fetchtest.Read(t, c, parse(t, at+"/")); body != "from the server" || h.Security.Trust != protocols.Verified {
		t.Errorf("got %q, %+v; want \"from the server\" from a verified server", body, h.Security)
	}
	c.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse("https://" + proxy) }
	fetchtest.Fails(t, protocols.LocalFailure, "by a proxy with TLS")(c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/")}))
}

// TestRedirectsWithoutTarget checks that the body of a redirect without a usable target is shown, with a note.
func TestRedirectsWithoutTarget(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nbody", "HTTP/1.1 300 Multiple Choices\r\nContent-Length: 4\r\n\r\nbody",
		"HTTP/1.1 301 Moved\r\nLocation: http://[::1/\r\nContent-Length: 4\r\n\r\nbody",
		"HTTP/1.1 307 Moved\r\nLocation: http://h:99999/\r\n\r\nbody",
	} {
		h, body := fetchtest.Read(t, &web.Client{Proxy: noProxy}, serveAnswer(t, answer))
		if body != "body" || len(h.Notes) != 1 {
			t.Errorf("%q: got %q with the notes %q, want the body and a note", answer, body, h.Notes)
		}
	}
}

// TestChoices checks that the page that the server names in an answer without a redirect (RFC 9110, section 15.4.1) is in
// the note of the body, or a link if there is no body.
func TestChoices(t *testing.T) {
	for _, tt := range []struct{ location, body, note, lines string }{
		{"http://h.example/b?c", "body", "http://h.example/b?c", ""},
		{"/b", "body", "/b", ""},
		{"gopher://h.example/0b", "body", "gopher://h.example/0b", ""},
		{"http://u:geheim@h.example/b", "body", "http://h.example/b", ""},
		{"javascript:x()", "body", "javascript:x()", ""},
		{"http://[::1/", "body", "http://[::1/", ""},
		{"http://h.example/b?c", "", "", " http://h.example/b?c\n"},
		{"gopher://h.example/0b", "", "", " gopher://h.example/0b\n"},
		{"file:///etc/passwd", "", "", ""},
		{"javascript:x()", "", "", ""},
	} {
		answer := fmt.Sprintf("HTTP/1.1 300 Multiple Choices\r\nLocation: %s\r\nContent-Length: %d\r\n\r\n%s", tt.location, len(tt.body), tt.body)
		res, err := (&web.Client{Proxy: noProxy}).Fetch(t.Context(), protocols.Request{URL: serveAnswer(t, answer)})
		if err != nil {
			if e := fetchtest.As[*protocols.Error](t, err); e.Code != 300 || tt.body+tt.lines != "" {
				t.Errorf("%s: got %v, want a page", tt.location, err)
			}
			continue
		}
		_ = fetchtest.CloseAtEnd(res, err)(t)
		if res.Lines != nil {
			if got := fetchtest.FormatLines(res); tt.lines == "" || !strings.HasSuffix(got, tt.lines) {
				t.Errorf("%s without a body: got the page %s, want a link %q", tt.location, got, tt.lines)
			}
			continue
		}
		body := fetchtest.Must(io.ReadAll(res.Body))(t)
		note := strings.Join(res.Notes, "\n")
		if string(body) != tt.body || !strings.Contains(note, tt.note) || strings.Contains(note, "names no page") ||
			strings.Contains(note, "geheim") {
			t.Errorf("%s: got %q with the note %q, want a note with %q", tt.location, body, note, tt.note)
		}
	}
}

// TestRedirectWithoutLength follows a redirect whose body does not end.
func TestRedirectWithoutLength(t *testing.T) {
	for _, fields := range []string{"", "Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n", "Connection: keep-alive\r\n"} {
		target := serveAnswer(t, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntarget")
		u := parse(t, "http://"+fetchtest.Serve(t, func(c net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: "+target.String()+"\r\n"+fields+"\r\n")
			_, _ = io.Copy(io.Discard, c) // until the client closes the connection
		})+"/")
		_, body := fetchtest.Read(t, &web.Client{Proxy: noProxy}, u)
		fetchtest.Equal(t, body, "target", "%q", fields)
	}
}

// TestFirstOctets checks that octets which arrive in pieces are judged together: they are not HTTP only if they cannot begin
// "HTTP/". A piece is sent when the client has read the piece before it.
func TestFirstOctets(t *testing.T) {
	for _, tt := range []struct {
		pieces []string
		text   string // the words of the server in the error
		other  bool   // the error says that another service may listen
	}{
		{[]string{"HT", "TP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}, "", false},
		{[]string{"H", "T", "T", "P", "/1.1 200 OK\r\nContent-Length: x\r\n\r\n"}, "x", false},
		{[]string{"HT"}, "HT", false},
		{[]string{"HTTP", "S/1.1 200 OK\r\n\r\n"}, "HTTPS/1.1 200 OK", true},
		{[]string{"2", "20 ready\r\n"}, "220 ready", true},
		{[]string{"22", "0 ", "rea", "dy\r\n500 what\r\n"}, "220 ready", true},
		{[]string{"+\r\n"}, "+", true},
		{append(strings.Split(strings.Repeat("x", 300), ""), "\r\n"), strings.Repeat("x", 200), true},
	} {
		client, server := net.Pipe() // a write ends when it has been read
		go func() {
			_, _ = http.ReadRequest(bufio.NewReader(server))
			for _, piece := range tt.pieces {
				_, _ = io.WriteString(server, piece)
			}
			_ = server.Close()
		}()
		c := &web.Client{Proxy: noProxy, Dialer: wire.Dialer{Proxies: pipe{client}}}
		res, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "http://h.invalid/")})
		if err == nil {
			_, err = io.ReadAll(res.Body)
			_ = res.Close()
		}
		e := fetchtest.As[*protocols.Error](t, err)
		if other := e.Err != nil && strings.Contains(e.Err.Error(), "another service"); other != tt.other || e.Text != tt.text {
			t.Errorf("%.60q: got %v with the text %q, want %q, another service: %v", tt.pieces, err, e.Text, tt.text, tt.other)
		}
	}
}

// pipe is a proxy to the server at the other end of a connection.
type pipe struct{ net.Conn }

func (p pipe) Route(string) (wire.Route, error)                              { return p, nil }
func (p pipe) DialContext(context.Context, string, string) (net.Conn, error) { return p.Conn, nil }
func (p pipe) String() string                                                { return "pipe" }

// TestDigest logs in to a server that accepts digests (RFC 7616).
func TestDigest(t *testing.T) {
	for _, tt := range []struct{ name, algorithm, more string }{
		{"MD5", "", `, qop="auth"`},
		{"no qop", "MD5", ""},
		{"session", "MD5-sess", `, qop="auth-int, auth"`},
		{"SHA-256", "SHA-256", `, qop=auth, opaque="o"`},
		{"SHA-256 session", "SHA-256-sess", `, qop="auth", userhash=true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &digestServer{t: t, algorithm: tt.algorithm, more: tt.more, nonce: "first"}
			c, at := startServer(t, false, s)
			_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/a?b=c")})
			for _, password := range []string{"wrong", "geheim"} {
				login, ok := errors.AsType[*protocols.Login](err)
				if !ok || login.Text != "the realm" {
					t.Fatalf("before the password %q: got %v, want a Login", password, err)
				}
				login.With("u", password)
				_, err = c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/a?b=c")})
			}
			fetchtest.NoError(t, err)
			requests := s.requests
			_, body := fetchtest.Read(t, c, parse(t, at+"/other"))
			fetchtest.Equal(t, body, "in")
			fetchtest.Equal(t, s.requests-requests, 1, "requests for another page")
			s.next, requests = "next", s.requests
			for range 3 {
				_, body = fetchtest.Read(t, c, parse(t, at+"/"))
				fetchtest.Equal(t, body, "in", "with the next nonce")
			}
			fetchtest.Equal(t, s.requests-requests, 3, "requests with the next nonce")
			s.nonce, requests = "second", s.requests
			_, body = fetchtest.Read(t, c, parse(t, at+"/"))
			fetchtest.Equal(t, body, "in", "with a new nonce")
			fetchtest.Equal(t, s.requests-requests, 2, "requests with a new nonce")
			s.password = "changed"
			if _, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/")}); !hasLogin(err) {
				t.Errorf("after a change of the password: got %v, want a Login", err)
			}
		})
	}
}

func hasLogin(err error) bool {
	login, ok := errors.AsType[*protocols.Login](err)
	return ok && login.Failed
}

// digestServer accepts the user u.
type digestServer struct {
	t                                *testing.T
	algorithm, more, nonce, password string
	next                             string // the nonce that the next answer names
	session                          string // the nonce and cnonce of the session key; "" after a challenge
	requests                         int
	counts                           map[string]bool
}

func (s *digestServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests++
	got := r.Header.Get("Authorization")
	if strings.Contains(got, "geheim") || strings.HasPrefix(got, "Basic") {
		s.t.Errorf("got %s, want a digest", got)
	}
	field := func(name string) string {
		_, value, _ := strings.Cut(got, " "+name+"=")
		value, _, _ = strings.Cut(value, ",")
		return strings.Trim(value, `"`)
	}
	sum := func(parts ...string) string {
		text := []byte(strings.Join(parts, ":"))
		if strings.HasPrefix(s.algorithm, "SHA-256") {
			return fmt.Sprintf("%x", sha256.Sum256(text))
		}
		return fmt.Sprintf("%x", md5.Sum(text))
	}
	secret := sum("u", "the realm", cmp.Or(s.password, "geheim"))
	if s.session == "" && got != "" {
		s.session = s.nonce + ":" + field("cnonce")
	}
	if strings.HasSuffix(s.algorithm, "-sess") {
		secret = sum(secret, s.session)
	}
	want := sum(secret, s.nonce, sum(r.Method, r.RequestURI))
	user := "u"
	if s.more != "" {
		want = sum(secret, s.nonce, field("nc"), field("cnonce"), "auth", sum(r.Method, r.RequestURI))
	}
	if strings.Contains(s.more, "userhash") {
		user = sum("u", "the realm")
	}
	use := s.nonce + field("nc")
	if field("response") == want && field("username") == user && field("uri") == r.RequestURI && (s.more == "" || !s.counts[use]) {
		if s.counts == nil {
			s.counts = make(map[string]bool)
		}
		s.counts[use] = true
		if s.next != "" {
			s.nonce, s.next = s.next, ""
			w.Header().Set("Authentication-Info", `qop=auth, nextnonce="`+s.nonce+`"`)
		}
		fmt.Fprint(w, "in")
		return
	}
	stale := field("nonce") != "" && field("nonce") != s.nonce
	challenge := `Basic realm="weak", Digest realm="the realm", nonce="` + s.nonce + `"` + s.more
	if s.algorithm != "" {
		challenge += ", algorithm=" + s.algorithm
	}
	if stale {
		challenge += ", stale=true"
	}
	s.session = ""
	w.Header().Set("WWW-Authenticate", challenge)
	w.WriteHeader(http.StatusUnauthorized)
}

// TestVersion asks for documents only if they have another version than before: also those of another client, and behind a
// redirect.
func TestVersion(t *testing.T) {
	for _, header := range []string{"ETag", "Last-Modified", "X-Other"} {
		content, page := "one", "/a"
		value := func() string {
			if header == "ETag" {
				return `"` + content + `"`
			}
			return fixedTime.Add(time.Duration(len(content)) * time.Hour).Format(http.TimeFormat)
		}
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, page, http.StatusFound)
				return
			}
			w.Header().Set(header, value())
			if value() == r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, content)
		})
		version := ""
		fetch := func(wantUnchanged bool, want string) {
			t.Helper()
			c, at := startServer(t, false, handler)
			_, port, _ := strings.Cut(strings.TrimPrefix(at, "http://"), ":")
			version = strings.ReplaceAll(version, "PORT", port)
			r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, at+"/moved"), Version: version}))(t)
			b := fetchtest.Must(io.ReadAll(r.Body))(t)
			if _ = r.Close(); r.Unchanged != wantUnchanged || string(b) != want {
				t.Errorf("%s: got %q, unchanged: %v; want %q, %v", header, b, r.Unchanged, want, wantUnchanged)
			}
			version = strings.ReplaceAll(r.Version, port, "PORT")
		}
		fetch(false, "one")
		if header == "X-Other" {
			fetchtest.Equal(t, version, "", "version")
			continue
		}
		fetch(true, "")
		content = "other"
		fetch(false, "other")
		page = "/b"
		fetch(false, "other")
	}
}
