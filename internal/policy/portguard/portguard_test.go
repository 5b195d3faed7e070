package portguard

import (
	"errors"
	"slices"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// plan returns a plan that sends the URL itself. For some URLs it returns an error or a question.
func plan(u urlcore.URL) ([]protocols.Step, error) {
	switch g, _ := u.(urlcore.Gopher); {
	case g.Type == '7':
		return nil, &protocols.Ask{}
	case u.Scheme() == "rlogin":
		return nil, &protocols.Handoff{URL: u}
	case g.Selector == "bad":
		return nil, &protocols.Error{Reason: protocols.BadURL}
	}
	return []protocols.Step{{Send: u.String() + "\r\n"}, {Note: "then nothing"}}, nil
}

var parse = fetchtest.Parse

func TestGuard(t *testing.T) {
	tests := map[string]bool{ // maps a URL to whether the Guard asks about the URL
		"gopher://h/": false, "gopher://h:70/": false, "gopher://h:7070/": false, "gopher://h:25/0a": true,
		"gopher://h:6379/": true, "gopher://h:22121/0QUIT": true, "gopher://h:300/": true, "gopher://h:1023/": true, "gopher://h:1024/": false,
		"gopher://h:105/2": false, "gopher://h:105/1": true, "gopher://h:79/0user": true, "gophers://h/": false, "gophers://[::1]:993/": true,
		"ftp://h/": false, "ftp://h:21/": false, "ftp://h:990/": false, "ftps://h:21/": false, "ftp://h:25/": true, "ftp://h:2121/": false,
		"nntp://h:119/a.b": false, "nntp://h:563/a.b": false, "nntp://h:25/a.b": true, "news:a.b": false,
		"wais://h/a": false, "wais://h:80/a": true, "whois++://h/q": false, "whois++://h:7070/q": false, "whois++://h:25/q": true, "telnet://h/": false, "telnet://h:25/": true, "telnet://h:2323/": false,
		"http://h:443/": false, "https://h:80/": false, "http://h:8080/": false, "http://h:6667/": true,
		"x-other://h/": false, "x-other://h:25/": true, "x-other://h:9999/": false, "mailto:a@b": false, "about:home": false,
		"gopher://h:25/7find": false, "gopher://h:25/0bad": false, "rlogin://h:25/": false,
	}
	for s, want := range tests {
		g := &Guard{Ask: DefaultPorts(), Plan: plan}
		u := parse(t, s)
		err := g.Allow(t.Context(), protocols.Request{URL: u}, false)
		var confirm *protocols.Confirm
		if got := errors.As(err, &confirm); got != want || err != nil && !got {
			t.Errorf("Allow(%s) = %v; want a question: %v", s, err, want)
			continue
		}
		if !want {
			continue
		}
		if details := []string{u.String() + `\r\n`, "(then nothing)"}; !slices.Equal(confirm.Details, details) ||
			confirm.Consent != protocols.ConsentPort {
			t.Errorf("Fetch(%s): consent %v, details %q; want %v, %q", s, confirm.Consent, confirm.Details, protocols.ConsentPort, details)
		}
		confirm.GiveConsent()
		if err := g.Allow(t.Context(), protocols.Request{URL: u}, false); err != nil {
			t.Errorf("Allow(%s) after the consent: %v", s, err)
		}
	}
}

// TestGuardOnce checks that a consent holds for one host and port only.
func TestGuardOnce(t *testing.T) {
	g := &Guard{Ask: DefaultPorts(), Plan: plan}
	err := g.Allow(t.Context(), protocols.Request{URL: parse(t, "gopher://h:25/0a")}, false)
	err.(*protocols.Confirm).GiveConsent()
	for s, want := range map[string]bool{
		"gopher://h:25/1b": false, "ftp://h:25/": false, "gopher://h:110/0a": true, "gopher://i:25/0a": true,
	} {
		if err := g.Allow(t.Context(), protocols.Request{URL: parse(t, s)}, false); (err != nil) != want {
			t.Errorf("Allow(%s) after the consent for h:25: %v, want a question: %v", s, err, want)
		}
	}
}

// TestGuarded checks that all operations are guarded, and redirects too. The Fetcher
// is not called before the user agrees.
func TestGuarded(t *testing.T) {
	f := new(fullFetcher)
	r := &protocols.Guarded{Registry: protocols.Registry{"gopher": f}}
	g := &Guard{Ask: DefaultPorts(), Plan: plan}
	u := parse(t, "gopher://h:25/0a")
	f.to = u
	if _, err := r.Fetch(t.Context(), protocols.Request{URL: u}); err != nil || f.calls != 1 {
		t.Errorf("Fetch without a guard: error %v after %d calls of the Fetcher, want nil after 1", err, f.calls)
	}
	r.Guard = g
	elsewhere := parse(t, "gopher://h/")
	for what, do := range map[string]func(urlcore.URL) error{
		"fetch": func(u urlcore.URL) error {
			_, err := r.Fetch(t.Context(), protocols.Request{URL: u})
			return err
		},
		"resume": func(u urlcore.URL) error {
			_, err := r.Resume(t.Context(), protocols.Request{URL: u, Offset: 1})
			return err
		},
		"put":    func(u urlcore.URL) error { return r.Put(t.Context(), u, nil) },
		"change": func(u urlcore.URL) error { _, err := r.Change(t.Context(), &protocols.Change{URL: u}); return err },
	} {
		f.calls = 0
		var confirm *protocols.Confirm
		if err := do(u); !errors.As(err, &confirm) || f.calls != 0 {
			t.Fatalf("%s: error %v after %d calls of the Fetcher, want a question after 0", what, err, f.calls)
		}
		if change := what == "put" || what == "change"; change != (confirm.Reason == "Commands and data would go to h:25.") ||
			change != (len(confirm.Details) == 0) {
			t.Errorf("%s: reason %q with details %q, want the octets of a fetch only for a fetch", what, confirm.Reason, confirm.Details)
		}
		if err := do(elsewhere); !errors.As(err, &confirm) || f.calls != 1 {
			t.Errorf("%s, redirected: error %v after %d calls of the Fetcher, want a question after 1", what, err, f.calls)
		}
	}
}

func TestPortsText(t *testing.T) {
	for text, want := range map[string]string{"": "", "1-3 ,7": "1-3, 7", "65535": "65535", "5-5": "5"} {
		var s Ports
		err := s.UnmarshalText([]byte(text))
		if got, _ := s.MarshalText(); string(got) != want || err != nil {
			t.Errorf("UnmarshalText(%q) = %v, then MarshalText = %q; want %q", text, err, got, want)
		}
	}
	for _, text := range []string{"a", "1,", "3-1", "70000", "1-2-3", "-1"} {
		if err := new(Ports).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("UnmarshalText(%q) returned no error", text)
		}
	}
}

// TestDataPort checks which ports named by a server for data connections need a question.
func TestDataPort(t *testing.T) {
	for _, tt := range []struct {
		server string
		port   uint16
		want   bool
	}{
		{"h:21", 20, false},
		{"h:990", 989, false},
		{"h:2121", 2120, false},
		{"h:21", 50000, false},
		{"[::1]:21", 1024, false},
		{"h:21", 21, true},
		{"h:21", 25, true},
		{"h:21", 6379, true},
		{"h:2121", 20, true},
		{"[::1]:21", 80, true},
		{"h:6380", 6379, true},
		{"h:26", 25, true},
		{"h:21", 1023, true}, // a system port
	} {
		g := &Guard{Ask: DefaultPorts()}
		err := g.DataPort(tt.server, tt.port, false)
		var confirm *protocols.Confirm
		if got := errors.As(err, &confirm); got != tt.want || err != nil && !got {
			t.Errorf("DataPort(%q, %d, false) = %v, want a question: %v", tt.server, tt.port, err, tt.want)
		}
	}
}

// TestDataPortOnce checks that a consent to send to a host and port holds for all URLs and data
// connections of this host and port. A consent to receive must not hold for sending.
func TestDataPortOnce(t *testing.T) {
	g := &Guard{Ask: DefaultPorts(), Plan: plan}
	confirm := g.DataPort("h:21", 6379, true).(*protocols.Confirm)
	if confirm.Consent != protocols.ConsentPort ||
		confirm.Question != "Port 6379 usually belongs to Redis. Open a data connection to h:6379 anyway" {
		t.Errorf("DataPort asks %+v, want the question about Redis at h:6379", confirm)
	}
	if read := g.DataPort("h:21", 6379, false).(*protocols.Confirm); read.Reason == confirm.Reason {
		t.Errorf("sending and receiving have the same reason: %s", read.Reason)
	}
	g.DataPort("h:21", 6379, false).(*protocols.Confirm).GiveConsent()
	fetchtest.NoError(t, g.DataPort("h:21", 6379, false), "receiving after the consent to receive")
	if err := g.DataPort("h:21", 6379, true); err == nil {
		t.Error("the consent to receive was used as a consent to send")
	}
	confirm.GiveConsent()
	for _, sends := range []bool{true, false} {
		if err := g.DataPort("h:21", 6379, sends); err != nil {
			t.Errorf("DataPort after the consent to send, with sends %v: %v", sends, err)
		}
	}
	if err := g.Allow(t.Context(), protocols.Request{URL: parse(t, "gopher://h:6379/")}, false); err != nil {
		t.Errorf("Fetch of a URL at the same port after the consent to send: %v", err)
	}
	if g.DataPort("i:21", 6379, true) == nil || g.DataPort("h:21", 25, true) == nil {
		t.Error("the consent applies to another server or port")
	}
}

// TestTypedURL checks that typed URLs need no question. Links and redirects to the same port do.
func TestTypedURL(t *testing.T) {
	f := new(fullFetcher)
	g := &Guard{Ask: DefaultPorts(), Plan: plan}
	r := &protocols.Guarded{Registry: protocols.Registry{"gopher": f}, Guard: g}
	typed, link := parse(t, "gopher://h:6379/0a"), parse(t, "gopher://h:6379/0b")
	f.to = parse(t, "gopher://h/")
	_, err := r.Fetch(t.Context(), protocols.Request{URL: typed, Typed: true})
	fetchtest.NoError(t, err, "typed")
	f.to = typed
	_, err = r.Fetch(t.Context(), protocols.Request{URL: typed, Typed: true})
	fetchtest.NoError(t, err, "redirect to the typed URL itself")
	if _, err := r.Fetch(t.Context(), protocols.Request{URL: typed}); err == nil {
		t.Error("got no question for a link to a URL that was typed before")
	}
	for what, to := range map[string]struct{ u, redirect urlcore.URL }{
		"link": {link, f.to}, "redirect to the port": {typed, link}, "redirect to another port": {typed, parse(t, "gopher://h:25/0a")},
	} {
		f.to = to.redirect
		_, err := r.Fetch(t.Context(), protocols.Request{URL: to.u, Typed: to.u == typed})
		if _, ok := errors.AsType[*protocols.Confirm](err); !ok {
			t.Errorf("%s: %v, want a question", what, err)
		}
	}
}

// TestQuestionText checks that the question names the port and its usual service. The reason names
// the server.
func TestQuestionText(t *testing.T) {
	g := &Guard{Ask: Ports{[]span{{1, 65535}}}, Plan: plan}
	for port, service := range map[string]string{"6379": "Redis", "300": "a system service", "9999": "another service"} {
		err := g.Allow(t.Context(), protocols.Request{URL: parse(t, "gopher://h:"+port+"/0a")}, false)
		confirm := err.(*protocols.Confirm)
		fetchtest.Equal(t, confirm.Question, "Port "+port+" usually belongs to "+service+". Send this anyway")
		fetchtest.Equal(t, confirm.Reason, "These octets would go to h:"+port+":")
	}
}
