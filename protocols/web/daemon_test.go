package web_test

import (
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/web"
)

func TestConformanceNginx(t *testing.T) {
	s := realserver.Nginx(t)
	base := "http://" + s.Addr
	fetchtest.Run(t, fetchtest.Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &web.Client{Dialer: d, Proxy: noProxy} },
		Pages: []fetchtest.Page{
			{URL: base + "/", Contains: []string{"A page"}, Media: "text/html"},
			{URL: base + "/files/", Contains: []string{"plain.txt"}},
			{URL: base + "/files/a%20b%25c.txt", Contains: []string{"An odd name."}},
			{URL: base + "/moved", Contains: []string{"plain.txt"}},
		},
		Large:   base + "/large.bin",
		Missing: []string{base + "/none"},
	})
}

func TestNginxTLS(t *testing.T) {
	s := realserver.NginxTLS(t)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate)
	c := &web.Client{Proxy: noProxy}
	c.Dialer.TLS.Roots = roots
	transcript := new(protocols.Transcript)
	r := fetchtest.Must(c.Fetch(protocols.WithTranscript(t.Context(), transcript), protocols.Request{URL: parse(t, "https://"+s.Addr+"/")}))(t)
	b, err := io.ReadAll(r.Body)
	_ = r.Close()
	if !strings.Contains(string(b), "A page") || err != nil || r.Security.Trust != protocols.Verified {
		t.Errorf("got %.100q, %v, %+v; want \"A page\" from a verified server", b, err, r.Security)
	}
	lines, _, _ := transcript.Lines()
	http2 := false
	for _, s := range lines {
		http2 = http2 || strings.HasPrefix(s.Text, "HTTP/2.0 200")
	}
	if !http2 {
		t.Errorf("got the transcript %+v; want an answer by HTTP/2.0", lines)
	}
	if h, _ := fetchtest.Read(t, c, parse(t, "https://"+s.Addr+"/")); len(h.Notes) != 1 {
		t.Errorf("second fetch: got notes %q; want the note that the page was not modified", h.Notes)
	}
	res := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: parse(t, "https://"+s.Addr+"/large.bin"), Offset: 16<<20 - 3}))(t)
	fetchtest.ReturnsText(t, "de\n", "resumed")(io.ReadAll(res.Body))
	_ = res.Close()
	u := parse(t, "https://"+s.Addr+"/private/")
	_, err = c.Fetch(t.Context(), protocols.Request{URL: u})
	login := fetchtest.As[*protocols.Login](t, err)
	login.With("guest", "wrong")
	if _, err = c.Fetch(t.Context(), protocols.Request{URL: u}); !errors.As(err, &login) || !login.Failed {
		t.Errorf("a wrong password: got %v; want a Login with Failed", err)
	}
	login.With("guest", "guest")
	if _, body := fetchtest.Read(t, c, u); !strings.Contains(body, "The private page.") {
		t.Errorf("with the password: got %q; want \"The private page.\"", body)
	}
}
