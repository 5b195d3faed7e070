package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/web"
	"gofer/urlcore"
)

// guard asks the user before anything is sent to addr.
type guard struct {
	addr   string
	agreed bool
}

func (g *guard) Allow(_ context.Context, req protocols.Request, _ bool) error {
	if addr, _ := urlcore.Addr(req.URL); addr != g.addr || g.agreed {
		return nil
	}
	return &protocols.Confirm{URL: req.URL, Consent: protocols.ConsentPort, GiveConsent: func() { g.agreed = true }}
}

// startGuarded starts two servers and returns their URLs base and other. The first server redirects the
// path /other to the second one. The result r has a guard that asks about the second server. The result
// reached counts the requests to the second server.
func startGuarded(t *testing.T, h http.HandlerFunc) (r *protocols.Guarded, base, other string, reached *atomic.Int32) {
	t.Helper()
	reached = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = io.WriteString(w, "reached")
	}))
	t.Cleanup(s.Close)
	var c *web.Client
	c, base = startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			http.Redirect(w, r, s.URL+"/x", http.StatusFound)
			return
		}
		h(w, r)
	}))
	to := fetchtest.Must(url.Parse(s.URL))(t)
	return &protocols.Guarded{Registry: protocols.Registry{"http": c, "form": c}, Guard: &guard{addr: to.Host}}, base, s.URL, reached
}

// postForm returns the URL of a form that sends one field by POST.
func postForm(t *testing.T, action string, f protocols.FormField) urlcore.URL {
	t.Helper()
	form := protocols.Form{Action: parse(t, action), Post: true, Multipart: f.Input == protocols.InputFile, Fields: []protocols.FormField{f}}
	return form.URL()
}

// completeForm returns the URL of a form with an answer.
func completeForm(t *testing.T, r protocols.Fetcher, form urlcore.URL, answer string) urlcore.URL {
	t.Helper()
	_, err := r.Fetch(t.Context(), protocols.Request{URL: form})
	ask := fetchtest.As[*protocols.Ask](t, err)
	return fetchtest.Must(ask.With([]string{answer}))(t)
}

func TestGuard(t *testing.T) {
	r, base, other, reached := startGuarded(t, http.NotFound)
	field := protocols.FormField{Name: "a"}
	for _, u := range []urlcore.URL{parse(t, base+"/other"), completeForm(t, r, postForm(t, other+"/x", field), "1")} {
		r.Guard.(*guard).agreed = false
		reached.Store(0)
		_, err := r.Fetch(t.Context(), protocols.Request{URL: u})
		var confirm *protocols.Confirm
		if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentPort || reached.Load() > 0 {
			t.Fatalf("Fetch(%s): got %v after %d requests; want a Confirm about the port before any request", u, err, reached.Load())
		}
		confirm.GiveConsent()
		if _, body := fetchtest.Read(t, r, u); body != "reached" || reached.Load() != 1 {
			t.Errorf("Fetch(%s) after consent: got %q after %d requests; want \"reached\" after one", u, body, reached.Load())
		}
	}
}

// TestGuardAfterForm checks a guard that asks about the target of a redirect after a form. The form
// must not be sent again.
func TestGuardAfterForm(t *testing.T) {
	sent := 0
	r, base, _, reached := startGuarded(t, func(w http.ResponseWriter, r *http.Request) {
		sent++
		http.Redirect(w, r, "/other", http.StatusSeeOther)
	})
	u := completeForm(t, r, postForm(t, base+"/", protocols.FormField{Name: "a"}), "1")
	// Only the redirect of a POST becomes a link. "/other" is requested by GET, so the Guard asks.
	_, err := r.Fetch(t.Context(), protocols.Request{URL: u})
	var confirm *protocols.Confirm
	if !errors.As(err, &confirm) || confirm.Consent != protocols.ConsentPort {
		t.Fatalf("first fetch: got %v; want a Confirm about the port", err)
	}
	confirm.GiveConsent()
	if _, err = r.Fetch(t.Context(), protocols.Request{URL: u}); !errors.As(err, &confirm) ||
		confirm.Consent == protocols.ConsentPort || sent != 1 || reached.Load() > 0 {
		t.Errorf("second fetch: got %v, %d forms sent; want a Confirm before the form is sent again", err, sent)
	}
}

// TestFormRedirectedElsewhere checks that the redirect of a form to a guarded server becomes a
// link.
func TestFormRedirectedElsewhere(t *testing.T) {
	r, base, _, reached := startGuarded(t, http.NotFound)
	res := fetchtest.CloseAtEnd(r.Fetch(t.Context(), protocols.Request{
		URL: completeForm(t, r, postForm(t, base+"/other", protocols.FormField{Name: "a"}), "1"),
	}))(t)
	links := 0
	for l := range res.Lines {
		if l.Link != nil {
			links++
		}
	}
	if links != 1 || reached.Load() > 0 {
		t.Errorf("got %d links and %d requests to the guarded server; want one link and no request", links, reached.Load())
	}
}

// TestRedirectDoesNotSendFile checks that a redirect does not send a file to another server.
func TestRedirectDoesNotSendFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	fetchtest.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	var reached atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(s.Close)
	c, base := startServer(t, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		http.Redirect(w, r, s.URL, http.StatusTemporaryRedirect)
	}))
	r := protocols.Registry{"http": c, "form": c}
	_, err := r.Fetch(t.Context(), protocols.Request{URL: completeForm(t, r, postForm(t, base+"/", protocols.FormField{
		Name: "a", Input: protocols.InputFile,
	}), path)})
	if e, ok := errors.AsType[*protocols.Error](err); !ok || e.Reason != protocols.Denied ||
		!strings.Contains(e.Error(), "file") || reached.Load() > 0 {
		t.Errorf("got %v and %d requests to the other server; want reason Denied and no request", err, reached.Load())
	}
}
