package protocols_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		url  string
		want protocols.Kind
	}{
		{"gopher://h/1", protocols.Menu},
		{"gopher://h/0/x", protocols.Text},
		{"gopher://h/7/x", protocols.Search},
		{"gopher://h/I/x", protocols.Image},
		{"gopher://h/~", protocols.Other},
		{"ftp://h/", protocols.Directory},
		{"ftp://h/a;type=d", protocols.Directory},
		{"ftp://h/a/", protocols.Directory},
		{"ftp://h/a;type=a", protocols.Text},
		{"ftp://h/a.TXT", protocols.Text},
		{"ftp://h/a.tar.gz;type=i", protocols.Archive},
		{"ftp://h/a", protocols.Binary},
		{"ftp://h/VMS.TXT%3B3", protocols.Text},
		{"news:a.b", protocols.Group},
		{"news:a@b", protocols.Article},
		{"nntp://h/a.b", protocols.Group},
		{"nntp://h/a.b/1", protocols.Article},
		{"telnet://h/", protocols.Session},
		{"wais://h/d", protocols.Search},
		{"prospero://h/", protocols.Directory},
		{"prospero://h//a/b.txt", protocols.Text},
		{"prospero://h//a", protocols.Binary},
		{"wais://h/d?", protocols.Search},
		{"wais://h/d?w", protocols.Menu},
		{"wais://h/d/TEXT/3=a;", protocols.Text},
		{"wais://h/d/gif/3=a;", protocols.Image},
		{"wais://h/d/X/3=a.zip;7=%00;", protocols.Archive},
		{"wais://h/d/X/3=a;", protocols.Binary},
		{"mailto:a@b.c", protocols.Mail},
		{"about:home", protocols.Menu},
		{"http://h/", protocols.HTML},
		{"https://h/a.php?b.png", protocols.HTML},
		{"https://h/a.png?b", protocols.Image},
		{"form:http://h/?{}", protocols.Search},
	} {
		u := fetchtest.Must(urlcore.Parse(tt.url))(t)
		fetchtest.Equal(t, protocols.KindOf(u), tt.want, "KindOf(%s)", tt.url)
	}
}

func TestBySuffix(t *testing.T) {
	for _, tt := range []struct {
		name, media string
		kind        protocols.Kind
	}{
		{"README", "text/plain", protocols.Text},
		{"gophermap", protocols.MediaMenu, protocols.Text},
		{".gophermap", protocols.MediaMenu, protocols.Text},
		{"gophermap.txt", protocols.MediaMenu, protocols.Text},
		{"a.gophermap", protocols.MediaMenu, protocols.Text},
		{"x.PNG", "image/png", protocols.Image},
		{"x.png;12", "image/png", protocols.Image},
		{"x.png;no", "", protocols.Other},
		{"x", "", protocols.Other},
		{".", "", protocols.Other},
		{"", "", protocols.Other},
		{"a.verylongsuffix", "", protocols.Other},
	} {
		media, kind := protocols.BySuffix(tt.name)
		if media != tt.media || kind != tt.kind {
			t.Errorf("BySuffix(%q) = %q, %s; want %q, %s", tt.name, media, kind, tt.media, tt.kind)
		}
	}
}

func TestIsOnlyPage(t *testing.T) {
	for text, want := range map[string]bool{
		"ldap://h/o=A": true, "ldap://h/o=A?jpegPhoto": false, "z39.50s://h/a;search=b": true, "z39.50s://h/a": true, "z39.50r://h/a?1": false,
		"wais://h/a?b": true, "wais://h/a": true, "whois++://h/a": true, "whois://h/a": true, "dict://h/d:a": true, "finger://h/a": false,
		"news:a.b": true, "news:a@b": false, "about:home": true, "gopher://h/1": false, "gopher://h/7/x": false, "ftp://h/a;type=d": false,
		"nfs://h/a/": false, "http://h/": false, "form:http://h/?{}": false, "telnet://h/": false, "mailto:a@b": false,
	} {
		fetchtest.Equal(t, protocols.IsOnlyPage(fetchtest.Parse(t, text)), want, "%s", text)
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("no route")
	for _, tt := range []struct {
		err  protocols.Error
		want string
	}{
		{protocols.Error{Reason: protocols.Refused, Op: "connect to h:70"}, "connect to h:70: connection refused"},
		{protocols.Error{Reason: protocols.Unreachable, Op: "connect to h:70", Err: cause}, "connect to h:70: no route"},
		{protocols.Error{Reason: protocols.NotFound, Op: "fetch a", Code: 550, Text: "no"}, "fetch a: the server said 550 no"},
		{protocols.Error{Reason: protocols.NotFound, Op: "fetch a", Code: 550}, "fetch a: the server said 550"},
		{
			protocols.Error{Reason: protocols.NotFound, Op: "fetch a", Code: 1, Text: "'a' is gone"},
			"fetch a: the server said 'a' is gone (error 1)",
		},
		{protocols.Error{Text: "no", Err: cause}, "the server said no: no route"},
		{protocols.Error{}, "failed"},
	} {
		fetchtest.Equal(t, tt.err.Error(), tt.want)
	}
	fetchtest.ErrorIs(t, (&protocols.Error{Err: cause}), cause)
}

func TestReasonKinds(t *testing.T) {
	for r := protocols.Unknown; r <= protocols.Offline; r++ {
		if r.IsNetworkFailure() && r.IsServerFailure() {
			t.Errorf("%v is both a network failure and a server failure", r)
		}
		if r != protocols.Unknown && r.String() == protocols.Unknown.String() {
			t.Errorf("reason %d has no text", r)
		}
	}
}

func TestRegistryRefusesOtherSchemes(t *testing.T) {
	u := urlcore.Generic{Name: "x", Rest: "y"}
	_, err := protocols.Registry{}.Fetch(t.Context(), protocols.Request{URL: u})
	_, planErr := protocols.Registry{}.Plan(u)
	for _, err := range []error{err, planErr} {
		lines := fetchtest.As[*protocols.Error](t, err).Lines
		if protocols.ReasonOf(err) != protocols.Unsupported || len(lines) < 2 || lines[1].Link != (urlcore.Generic{Name: "about", Rest: "schemes"}) {
			t.Errorf("got %v with the lines %+v, want Unsupported and a link to the list of schemes", err, lines)
		}
	}
}

func TestRegistryResumes(t *testing.T) {
	u := urlcore.Generic{Name: "x", Rest: "y"}
	fetchtest.Fails(t, protocols.Unsupported)((protocols.Registry{}).Resume(t.Context(), protocols.Request{URL: u, Offset: 1}))
	r, err := protocols.Registry{"x": resumer{}}.Resume(t.Context(), protocols.Request{URL: u, Offset: 7})
	if err != nil || r.Size != 7 {
		t.Errorf("Resume at octet 7 = %+v, %v; want the Resource of size 7 that the Fetcher of the scheme returns", r, err)
	}
}

// resumer returns a Resource whose size is the offset.
type resumer struct{ protocols.Fetcher }

func (resumer) Resume(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	return &protocols.Resource{Head: protocols.Head{Size: req.Offset}}, nil
}

func TestProgress(t *testing.T) {
	var none *protocols.Progress
	none.Enter(protocols.Waiting, "h", 1)
	none.AddReceived(1, 1)
	fetchtest.Equal(t, none.State(), protocols.State{}, "nil")
	p := new(protocols.Progress)
	if got := protocols.ProgressFrom(protocols.WithProgress(context.Background(), p)); got != p {
		t.Errorf("ProgressFrom(WithProgress(ctx, p)) = %p; want p = %p", got, p)
	}
	p.Enter(protocols.Connecting, "h:70", time.Second)
	p.AddReceived(3, time.Minute)
	first := p.State().Begun
	p.AddReceived(4, time.Minute)
	s := p.State()
	if s.Phase != protocols.Receiving || s.Peer != "h:70" || s.Bytes != 7 || s.Limit != time.Minute || s.Begun != first {
		t.Errorf("got state %+v; want Receiving from h:70, 7 octets, a limit of one minute, begun at %v", s, first)
	}
}

// TestHiddenName also checks paths such as "./a", which are the names in an archive of the directory ".".
func TestHiddenName(t *testing.T) {
	for name, want := range map[string]bool{
		".a": true, "./.a": true, ".git/a": true, "...": true, "a": false, "./a": false, "./": false, "..": false,
		"../a": false, "a/.b": false, "": false,
	} {
		fetchtest.Equal(t, protocols.IsHiddenName(name), want, "%q", name)
	}
}
