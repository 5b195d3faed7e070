package keep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/mirror"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

func hole(selector string) urlcore.Gopher {
	return urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '1', Selector: selector}
}

// newKeeper returns a Keeper whose copies are in memory.
func newKeeper(f fetchtest.FetcherFunc) *Keeper {
	copies := new(cache.Store)
	copies.Keep("", 0)
	return &Keeper{Next: f, Copies: copies, Network: new(Network)}
}

func newDocument(text string) *protocols.Resource {
	return &protocols.Resource{
		Head: protocols.Head{Media: "text/plain", Size: -1}, Body: strings.NewReader(text), Closer: io.NopCloser(nil),
	}
}

// read fetches u and returns the octets of its document.
func read(k *Keeper, req protocols.Request) (text string, head protocols.Head, err error) {
	res, err := k.Fetch(context.Background(), req)
	if err != nil {
		return "", head, err
	}
	octets, err := io.ReadAll(res.Body)
	return string(octets), res.Head, err
}

// TestKept checks which answers are kept, and for which failures their copies are shown.
func TestKept(t *testing.T) {
	u := hole("/a")
	for _, tt := range []struct {
		name    string
		request protocols.Request
		change  func(*protocols.Resource)
		failure error
		want    string // of the second fetch; "": the failure
	}{
		{"no route", protocols.Request{URL: u}, nil, protocols.NewError(protocols.Unreachable, "", ""), "text"},
		{"offline", protocols.Request{URL: u}, nil, &protocols.Error{Reason: protocols.Offline}, "text"},
		{"not found", protocols.Request{URL: u}, nil, protocols.NewError(protocols.NotFound, "", ""), ""},
		{"no valid TLS", protocols.Request{URL: u}, nil, protocols.NewError(protocols.Insecure, "", ""), ""},
		{"a question", protocols.Request{URL: u}, nil, &protocols.Confirm{Question: "Really"}, ""},
		{"personal", protocols.Request{URL: u}, func(r *protocols.Resource) { r.Personal = true }, protocols.NewError(protocols.Unreachable, "", ""), ""},
		{"not the answer", protocols.Request{URL: u}, func(r *protocols.Resource) { r.Unsaved = io.EOF }, protocols.NewError(protocols.Unreachable, "", ""), ""},
		{"only facts", protocols.Request{URL: u, Facts: true}, nil, protocols.NewError(protocols.Unreachable, "", ""), ""},
		{"broken", protocols.Request{URL: u}, func(r *protocols.Resource) {
			r.Body = io.MultiReader(r.Body, failingReader{})
		}, protocols.NewError(protocols.Unreachable, "", ""), ""},
		{"large", protocols.Request{URL: u}, func(r *protocols.Resource) {
			r.Body = bytes.NewReader(make([]byte, 4<<20))
		}, protocols.NewError(protocols.Unreachable, "", ""), ""},
		{"a password", protocols.Request{URL: fetchtest.Parse(t, "ftp://joe:secret@h.example/f")}, nil, protocols.NewError(protocols.Unreachable, "", ""), ""},
	} {
		var failure error
		k := newKeeper(func(context.Context, protocols.Request) (*protocols.Resource, error) {
			res := newDocument("text")
			if tt.change != nil {
				tt.change(res)
			}
			return res, failure
		})
		_, _, _ = read(k, tt.request)
		failure = tt.failure
		text, head, err := read(k, tt.request)
		if text != tt.want || (err == nil) == (tt.want == "") || tt.want != "" && (head.CopiedAt.IsZero() || head.URL != tt.request.URL) {
			t.Errorf("%s: the second fetch = %q, %v, copied at %v, URL %v; want %q", tt.name, text, err, head.CopiedAt, head.URL, tt.want)
		}
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestMoved checks that a page is found by the URL that was opened and by its own URL, and by no other, and that what the
// redirect says is found only by the former.
func TestMoved(t *testing.T) {
	var failure error
	k := newKeeper(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		res := newDocument("text")
		res.URL, res.Fragment, res.Notes = hole("/new"), "part", []string{"Redirected."}
		return res, failure
	})
	_, _, _ = read(k, protocols.Request{URL: hole("/old")})
	fetchtest.Equal[urlcore.URL](t, MovedTo(k.Copies, hole("/old")), hole("/new"), "where the page has moved")
	for _, selector := range []string{"/new", "/other"} {
		fetchtest.Equal[urlcore.URL](t, MovedTo(k.Copies, hole(selector)), nil, selector)
	}
	failure = protocols.NewError(protocols.Unreachable, "", "")
	for selector, want := range map[string]string{"/old": "text", "/new": "text", "/other": ""} {
		text, head, _ := read(k, protocols.Request{URL: hole(selector)})
		if fetchtest.Equal(t, text, want, selector); want != "" {
			fetchtest.Equal[urlcore.URL](t, head.URL, hole("/new"), "%s: URL", selector)
			said := head.Fragment + " " + strings.Join(head.Notes[1:], " ")
			fetchtest.Equal(t, strings.TrimSpace(said), map[string]string{"/old": "part Redirected."}[selector], "%s: what the redirect says", selector)
		}
	}
}

// TestList checks that the lines of a list come back with their notes, links and octets, and the end of the menu.
func TestList(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	lines := []protocols.Line{
		{Kind: protocols.Info, Text: "octets \xff\x1b[1m"},
		{Kind: protocols.Text, Text: "file", Link: hole("/\xff f"), Note: &protocols.FileNote{Size: -1, Modified: at, Mode: "rwxr-xr-x", Target: "to"}},
		{Kind: protocols.Text, Text: "item", Link: hole("/i"), Note: &protocols.ItemNote{Plus: "+", Line: &protocols.MenuLine{Type: '9', Selector: "\xff", Port: 70}}},
		{Kind: protocols.Text, Text: "attributes", Note: &protocols.AttributesNote{ItemNote: protocols.ItemNote{Plus: "?"}, Size: 5, Abstract: "a\nb"}},
		{Kind: protocols.Text, Text: "view", Note: &protocols.ViewNote{Language: "De_DE", Size: -1}},
		{Kind: protocols.Text, Text: "nested", Note: protocols.Nested(2)},
		{Kind: protocols.Text, Text: "hypertext", Note: &protocols.Hypertext{IDs: []string{"x"}, Level: 2, Links: []protocols.Hyperlink{{URL: hole("/h"), Fragment: "f", From: 1, To: 3}}}},
		{Kind: protocols.Article, Text: "article", Note: &protocols.ArticleNote{Number: 7, Subject: "=?utf-8?q?x?=", Bytes: -1, Lines: -1, References: []string{"a@b"}}},
	}
	other := &fetchtest.Note{Place: "a place"}
	lines = append(lines, protocols.Line{Kind: protocols.Text, Text: "other", Note: other})
	ended := true
	var failure error
	k := newKeeper(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		res := protocols.NewPage(protocols.Head{Title: "T", Layout: protocols.LayoutMenu, Charset: "utf-8", Ended: func() bool { return ended }}, lines...)
		return res, failure
	})
	collect := func() (got []protocols.Line, res *protocols.Resource) {
		res = fetchtest.Must(k.Fetch(context.Background(), protocols.Request{URL: hole("/")}))(t)
		for line, err := range res.Lines {
			fetchtest.NoError(t, err)
			got = append(got, line)
		}
		return got, res
	}
	collect()
	failure = &protocols.Error{Reason: protocols.Offline}
	got, res := collect()
	last := got[len(got)-1].Note
	fetchtest.DeepEqual(t, got[:len(got)-1], lines[:len(lines)-1])
	fetchtest.DeepEqual(t, last.Row(), other.Row(), "row of another note")
	fetchtest.DeepEqual(t, last.Columns(), other.Columns(), "columns of another note")
	fetchtest.DeepEqual(t, last.Attributes(), other.Attributes(), "attributes of another note")
	if !res.Ended() || res.Title != "T" || res.Layout != protocols.LayoutMenu || res.Charset != "utf-8" {
		t.Errorf("the head of the copy is %+v", res.Head)
	}
}

// TestDamagedRecord checks that every cut of a copy gives lines of the list, or an error.
func TestDamagedRecord(t *testing.T) {
	w := listWriter{room: 1 << 20}
	for i := range 5 {
		w.add(&protocols.Line{Kind: protocols.Menu, Text: fmt.Sprint(i), Link: hole("/"), Note: &protocols.FileNote{Size: 1}})
	}
	whole := encode(record{URL: hole("/").String(), Layout: protocols.LayoutMenu}, w.lines.Bytes())
	for i := range whole {
		res, _, err := decode(whole[:i])
		if err != nil {
			continue
		}
		n := 0
		for line, err := range res.Lines {
			if err == nil && line.Text != fmt.Sprint(n) {
				t.Errorf("line %d of the copy cut at %d is %q", n, i, line.Text)
			}
			n++
		}
	}
}

// TestNetwork checks when the network counts as down. A single dead host is not the network.
func TestNetwork(t *testing.T) {
	now := time.Unix(1e9, 0)
	dead, noName := &protocols.Error{Reason: protocols.ConnectTimeout}, &protocols.Error{Reason: protocols.NameNotFound}
	noServer := &protocols.Error{Reason: protocols.NameNotFound, Err: errors.New("no name server answers")}
	refused := &protocols.Error{Reason: protocols.Refused}
	type result struct {
		addr string
		err  error
	}
	for name, tt := range map[string]struct {
		results []result
		want    bool
	}{
		"one dead host":            {[]result{{"a", dead}, {"a", dead}, {"a", dead}}, false},
		"two hosts":                {[]result{{"a", dead}, {"b", noServer}}, true},
		"two unknown names":        {[]result{{"a", noName}, {"b", noName}}, false},
		"another answers":          {[]result{{"a", dead}, {"b", dead}, {"c", nil}}, false},
		"another refuses":          {[]result{{"a", dead}, {"b", dead}, {"c", refused}}, false},
		"an answer between":        {[]result{{"a", dead}, {"c", nil}, {"b", dead}}, false},
		"a question says nothing":  {[]result{{"a", dead}, {"b", dead}, {"c", &protocols.Confirm{}}}, true},
		"--offline is no evidence": {[]result{{"a", &protocols.Error{Reason: protocols.Offline}}, {"b", &protocols.Error{Reason: protocols.Offline}}}, false},
	} {
		n := &Network{Now: func() time.Time { return now }}
		for _, r := range tt.results {
			n.note(r.addr, r.err)
		}
		fetchtest.Equal(t, n.IsDown(), tt.want, name)
		later := now.Add(recheck)
		n.Now = func() time.Time { return later }
		fetchtest.Equal(t, n.IsDown(), false, "%s: later", name)
	}
}

// TestDownAsksNobody checks that copies are shown at once while the network is down, unless the user reloads the page.
func TestDownAsksNobody(t *testing.T) {
	asked := 0
	k := newKeeper(func(context.Context, protocols.Request) (*protocols.Resource, error) {
		asked++
		return newDocument("text"), nil
	})
	_, _, _ = read(k, protocols.Request{URL: hole("/")})
	for _, addr := range []string{"a", "b"} {
		k.Network.note(addr, &protocols.Error{Reason: protocols.Unreachable})
	}
	if text, head, err := read(k, protocols.Request{URL: hole("/")}); text != "text" || head.CopiedAt.IsZero() || err != nil || asked != 1 {
		t.Errorf("Fetch = %q, copied at %v, %v after %d requests; want the copy without another request", text, head.CopiedAt, err, asked)
	}
	_, head, _ := read(k, protocols.Request{URL: hole("/"), Fresh: true})
	if !head.CopiedAt.IsZero() || asked != 2 || k.Network.IsDown() {
		t.Errorf("a reload: copied at %v, %d requests, down: %v; want an answer, which shows that the network is up", head.CopiedAt, asked, k.Network.IsDown())
	}
}

// server is a Gopher server whose menus are made by a function.
func server(requests *int, menu func(selector string) []protocols.Line) fetchtest.FetcherFunc {
	return func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		*requests++
		g := req.URL.(urlcore.Gopher)
		if g.Type == '0' {
			return newDocument(g.Selector), nil
		}
		return protocols.NewPage(protocols.Head{URL: g, Layout: protocols.LayoutMenu}, menu(g.Selector)...), nil
	}
}

func menuLine(u urlcore.URL) protocols.Line {
	return protocols.Line{Kind: protocols.KindOf(u), Text: "x", Link: u}
}

func newCrawl(f fetchtest.FetcherFunc, depth int) *Crawl {
	return &Crawl{Reader: Reader{Keeper: newKeeper(f)}, Depth: depth, Octets: 1 << 20}
}

// TestCrawl checks what a crawl follows, and what it leaves out and counts.
func TestCrawl(t *testing.T) {
	requests := 0
	f := server(&requests, func(selector string) []protocols.Line {
		switch selector {
		case "/":
			return []protocols.Line{
				menuLine(hole("/a")), menuLine(hole("/a")), menuLine(hole("/")),
				{Kind: protocols.Text, Text: "big", Link: text("/big"), Note: &protocols.FileNote{Size: 1 << 30}},
				menuLine(fetchtest.Parse(t, "gopher://h.example/7/search")), menuLine(fetchtest.Parse(t, "telnet://h.example/")),
				menuLine(fetchtest.Parse(t, "mailto:joe@h.example")), menuLine(fetchtest.Parse(t, "gopher://other.example/1/")),
			}
		case "/a":
			return []protocols.Line{menuLine(text("/deep")), menuLine(hole("/b"))}
		}
		return []protocols.Line{menuLine(hole("/too deep"))}
	})
	c := newCrawl(f, 2)
	err := c.Run(context.Background(), hole("/"))
	partial := fetchtest.As[*mirror.PartialError](t, err)
	fetchtest.Equal(t, fmt.Sprint(requests, c.Kept, c.Questions, c.OnOthers, c.BeyondLimits, len(c.LeftOut)), "4 4 3 1 0 1")
	fetchtest.Contains(t, c.Summary("(see x)"), "1 failed or too large (see x), 3 not pages")
	fetchtest.Contains(t, partial.LeftOut[0].String(), "larger than")
	for _, u := range []urlcore.URL{hole("/"), hole("/a"), hole("/b"), text("/deep")} {
		if !c.Keeper.Has(u) {
			t.Errorf("%v is not kept", u)
		}
	}
}

// TestNoLogins checks that pages are fetched in advance without logins and cookies.
func TestNoLogins(t *testing.T) {
	requests := 0
	f := func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		requests++
		fetchtest.Equal(t, protocols.MayLogIn(ctx, "http", "h.example:70"), false, "MayLogIn for %s", req.URL)
		return newDocument("text"), nil
	}
	c := newCrawl(f, 2)
	fetchtest.NoError(t, c.Run(t.Context(), hole("/")))
	fetchtest.NoError(t, c.FetchAll(t.Context(), []urlcore.URL{hole("/a")}, func(urlcore.URL, int64, error) {}))
	fetchtest.Equal(t, requests, 2, "requests")
}

func text(selector string) urlcore.URL {
	return urlcore.Gopher{HostPort: urlcore.HostPort{Host: "h.example"}, Type: '0', Selector: selector}
}

// TestHostileCrawl checks that menus without end stay within the limits.
func TestHostileCrawl(t *testing.T) {
	requests, names := 0, 0
	endless := server(&requests, func(string) []protocols.Line {
		var lines []protocols.Line
		for range 50 {
			names++
			lines = append(lines, menuLine(hole(fmt.Sprint("/", names))))
		}
		return lines
	})
	c := newCrawl(endless, 1000)
	fetchtest.Reason(t, c.Run(context.Background(), hole("/")), protocols.TooBig, "many links")
	if requests != DefaultPages || c.BeyondLimits != 50*DefaultPages-(DefaultPages-1) {
		t.Errorf("%d requests, %d links beyond the limits; want %d requests", requests, c.BeyondLimits, DefaultPages)
	}
	million := server(&requests, func(string) []protocols.Line { return nil })
	c = newCrawl(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		if req.URL != urlcore.URL(hole("/")) {
			return million(ctx, req)
		}
		return &protocols.Resource{Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}, Closer: io.NopCloser(nil), Lines: func(yield func(protocols.Line, error) bool) {
			for i := range 1_000_000 {
				if !yield(menuLine(hole(fmt.Sprint("/", i))), nil) {
					return
				}
			}
			t.Error("all of the lines were read, although the page is too large")
		}}, nil
	}, 1)
	if err := c.Run(context.Background(), hole("/")); protocols.ReasonOf(err) != protocols.TooBig {
		t.Errorf("a menu with a million links: %v, want that it is too large", err)
	}
	if len(c.queue) > DefaultPages {
		t.Errorf("%d pages are queued, want at most %d", len(c.queue), DefaultPages)
	}
	c = newCrawl(endless, 1000)
	c.Octets = 1000
	requests = 0
	fetchtest.Reason(t, c.Run(context.Background(), hole("/")), protocols.TooBig, "more octets than the limit")
	if c.Received > 3000 || len(c.LeftOut) > 0 || c.BeyondLimits != 49*requests+1 {
		t.Errorf("%d octets received by %d requests, want about 1000; %d links named and %d counted, want all counted", c.Received, requests, len(c.LeftOut), c.BeyondLimits)
	}
}

// TestDeadServer checks that a crawl leaves a server alone that does not answer any more.
func TestDeadServer(t *testing.T) {
	requests := 0
	c := newCrawl(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		if requests++; requests > 1 {
			return nil, &protocols.Error{Reason: protocols.ConnectTimeout, Op: "connect"}
		}
		var lines []protocols.Line
		for i := range 20 {
			lines = append(lines, menuLine(text(fmt.Sprint("/", i))))
		}
		return protocols.NewPage(protocols.Head{URL: req.URL, Layout: protocols.LayoutMenu}, lines...), nil
	}, 1)
	err := c.Run(context.Background(), hole("/"))
	fetchtest.As[*mirror.PartialError](t, err)
	fetchtest.Equal(t, fmt.Sprint(requests, c.BeyondLimits), fmt.Sprint(1+mirror.MaxFailures, 20-mirror.MaxFailures))
}

// TestFetchAll checks that at most two servers are asked at a time, each with one request at a time, and that a server that
// cannot be reached is asked once.
func TestFetchAll(t *testing.T) {
	var urls []urlcore.URL
	for _, host := range []string{"a", "b", "c", "dead"} {
		for i := range 3 {
			g := hole(fmt.Sprint("/", i))
			g.Host = host + ".example"
			urls = append(urls, g)
		}
	}
	type event struct {
		host  string
		begin bool
	}
	events, asked := make(chan event, 100), make(chan string, 100)
	r := Reader{Keeper: newKeeper(func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		host := urlcore.Host(req.URL)
		asked <- host
		if host == "dead.example" {
			return nil, &protocols.Error{Reason: protocols.Unreachable}
		}
		events <- event{host, true}
		res := newDocument("x")
		res.Closer = closer(func() { events <- event{host, false} })
		return res, nil
	})}
	failed := 0
	fetchtest.NoError(t, r.FetchAll(context.Background(), urls, func(_ urlcore.URL, _ int64, err error) {
		if err != nil {
			failed++
		}
	}))
	close(events)
	close(asked)
	running := make(map[string]int)
	for e := range events {
		if e.begin {
			running[e.host]++
		} else if running[e.host]--; running[e.host] == 0 {
			delete(running, e.host)
		}
		if len(running) > mirror.MaxServers || running[e.host] > 1 {
			t.Fatalf("requests at the same time: %v", running)
		}
	}
	dead := 0
	for host := range asked {
		if host == "dead.example" {
			dead++
		}
	}
	fetchtest.Equal(t, fmt.Sprint(failed, dead), "3 1", "failures, requests to the dead server")
}

type closer func()

func (c closer) Close() error { c(); return nil }
