package gateway

import (
	"context"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// web is a Fetcher that records the URL of its last fetch.
type web struct{ opened urlcore.URL }

func (w *web) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	w.opened = req.URL
	return nil, &protocols.Error{Reason: protocols.NotFound}
}

func (w *web) Plan(u urlcore.URL) ([]protocols.Step, error) {
	return []protocols.Step{{Peer: "gw.example:80", Send: "GET " + u.String()}}, nil
}

func TestClient(t *testing.T) {
	w := new(web)
	r := &protocols.Guarded{Registry: protocols.Registry{"http": w}}
	r.Registry["wais"] = &Client{Template: "http://gw.example/wais?%s", Registry: r}
	u := fetchtest.Parse(t, "wais://h.example/d?a%26b%20c")
	want := fetchtest.Parse(t, "http://gw.example/wais?wais%3A%2F%2Fh.example%2Fd%3Fa%26b%2520c")
	if _, err := r.Fetch(t.Context(), protocols.Request{URL: u}); err == nil || w.opened != want {
		t.Errorf("Fetch(%s) opened %v, error %v; want %v and an error", u, w.opened, err, want)
	}
	steps, err := r.Plan(u)
	if err != nil || len(steps) != 2 || steps[0].Peer != "gw.example:80" || steps[1].Send != "GET "+want.String() {
		t.Errorf("Plan(%s) = %v, %v; want a step for gw.example:80 and one for %s", u, steps, err, want)
	}
	w.opened = nil
	if _, err := (&Client{Template: "http://gw.example/?%s", Registry: r}).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "ftp://u:p@h/a")}); err == nil ||
		w.opened != nil {
		t.Errorf("Fetch of a URL with a password opened %v, error %v; want no fetch and an error", w.opened, err)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		scheme, template string
		ok               bool
	}{
		{"wais", "http://gw.example/wais?%s", true},
		{"x500", "gopher://gw.example/7/x500%09%s", true},
		{"wais", "http://gw.example/wais", false},
		{"wais", "http://gw.example/%s/%s", false},
		{"wais", "http://%s/", false},
		{"wais", "http://gw.example:%s/", false},
		{"wais", "wais://gw.example/%s", false},
		{"WAIS", "http://gw.example/%s", false},
		{"wais", "ftp://u:p@gw.example/%s", false},
		{"about", "http://gw.example/%s", false},
		{"wais", "%s", false},
	} {
		if err := (Templates{tt.scheme: tt.template}).Check(tt.scheme); (err == nil) != tt.ok {
			t.Errorf("Check(%q) with the template %q = %v; want success: %v", tt.scheme, tt.template, err, tt.ok)
		}
	}
	if err := (Templates{"a": "b://h/%s", "b": "http://h/%s"}).Check("a"); err == nil {
		t.Error("Check accepted a gateway that needs another gateway")
	}
}
